import { quoted } from "../rules/errors.ts";

/** Whether a host is a loopback name or address. Uses no DNS. */
export function isLoopbackHost(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.[0-9]{1,3}){3}$/.test(hostname);
}

export interface TargetViolation {
  readonly kind: "invalid" | "not_allowed";
  readonly message: string;
}

/**
 * Checks whether events may be sent to a URL: https, or http with a loopback host. Other hosts must be allowed by name, so
 * that a caller cannot make the sandbox send requests into a network.
 * @param allowedHosts - in lower case, each with or without its port
 */
export function targetViolation(text: string, allowedHosts: readonly string[]): TargetViolation | undefined {
  // A URI is ASCII without spaces (RFC 3986 §2); the URL parser accepts more than that.
  if (!URL.canParse(text) || !/^[!-~]+$/.test(text))
    return invalid(`must be an absolute URL, such as https://example.com/hooks, but is ${quoted(text)}`);
  const { protocol, hostname, host, username, password } = new URL(text);
  if (username !== "" || password !== "") return invalid("must not contain a user name or a password");
  if (protocol !== "https:" && protocol !== "http:")
    return invalid(
      `must be an https URL, or an http URL with a loopback host, but its scheme is ${quoted(protocol)}`,
    );
  if (isLoopbackHost(hostname)) return undefined;
  if (protocol !== "https:")
    return invalid("must be an https URL. Only loopback hosts, such as http://localhost, can use http.");
  if (allowedHosts.includes(hostname) || allowedHosts.includes(host)) return undefined;
  return {
    kind: "not_allowed",
    message: `${hostname} is not an allowed webhook host. To allow it, start the sandbox with --allow-webhook-hosts ${hostname}.`,
  };
}

function invalid(message: string): TargetViolation {
  return { kind: "invalid", message };
}
