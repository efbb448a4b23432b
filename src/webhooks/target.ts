/** Whether the host's name alone says that it is this machine, without asking a name server. */
function isLoopbackHost(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.[0-9]{1,3}){3}$/.test(hostname);
}

export interface TargetViolation {
  readonly kind: "invalid" | "not_allowed";
  readonly message: string;
}

/**
 * Checks whether events may be sent to a URL: https, or http on this machine. Other hosts must be allowed by name, so
 * that a caller cannot make the sandbox send requests into a network.
 * @param allowedHosts - in lower case, each with or without its port
 */
export function targetViolation(text: string, allowedHosts: readonly string[]): TargetViolation | undefined {
  // A URI is ASCII without spaces (RFC 3986 §2); the URL parser accepts more than that.
  if (!URL.canParse(text) || !/^[!-~]+$/.test(text))
    return invalid("must be an absolute URL, such as https://example.com/hooks");
  const { protocol, hostname, host, username, password } = new URL(text);
  if (username !== "" || password !== "") return invalid("must hold no user name and no password");
  if (protocol !== "https:" && protocol !== "http:") return invalid("must be an https URL");
  if (isLoopbackHost(hostname)) return undefined;
  if (protocol !== "https:") return invalid("must be an https URL: http is for localhost alone");
  if (allowedHosts.includes(hostname) || allowedHosts.includes(host)) return undefined;
  return {
    kind: "not_allowed",
    message: `this sandbox sends to this machine alone: start it with --allow-webhook-hosts ${hostname} to send there`,
  };
}

function invalid(message: string): TargetViolation {
  return { kind: "invalid", message };
}
