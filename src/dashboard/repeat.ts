import { shellQuoted } from "../journal/formats/escape.ts";
import type { JournalEntry } from "../journal/journal-entry.ts";
import { tokenCommand } from "../world/first-order.ts";
import type { Visit } from "./visit.ts";

/** What curl says by itself, or what was of that one connection. */
const ownOfConnection = new Set([
  "accept",
  "accept-encoding",
  "accept-language",
  "connection",
  "content-length",
  "cookie",
  "host",
  "transfer-encoding",
  "user-agent",
]);

/** The shell's commands that send a request again, with an access token of the same API key. */
export function repeatCommands(visit: Visit, entry: JournalEntry): string {
  const { services } = visit;
  const origin = (isLive(entry) ? visit.liveOrigin : undefined) ?? visit.origin;
  const { method, path, query, request, caller } = entry;
  // The secret of a fixture key is public; of any other key only the prefix is known, and the user completes it.
  const publicSecret = caller && services.apiKeys.publicSecret(caller.api_key_id);
  const secret = publicSecret ?? `${caller?.api_key ?? ""}…`;
  const needsToken = caller !== null && !isExchange(entry);
  const sent = Object.entries(request.headers).filter(
    ([name]) =>
      !ownOfConnection.has(name) && !name.startsWith("sec-") && !(needsToken && name === "authorization"),
  );
  const command = [
    `curl -s${method === "HEAD" ? "I" : `i -X ${method}`} ${shellQuoted(origin + path + query)}`,
    ...(needsToken ? ['-H "Authorization: Bearer $TOKEN"'] : []),
    ...sent.map(([name, value]) => `-H ${shellQuoted(`${name}: ${value}`)}`),
    ...(request.body ? [`--data-raw ${shellQuoted(bodyToSend(entry, secret))}`] : []),
  ].join(" \\\n  ");
  const all = needsToken ? `${tokenCommand(origin, secret)}\n${command}` : command;
  return caller !== null && secret.endsWith("…")
    ? `# The key's secret was shown once, when it was made: put it in place of ${secret}\n${all}`
    : all;
}

/** Whether it was sent to the live base address, as far as it tells. */
function isLive({ caller, operation }: JournalEntry): boolean {
  return caller?.environment === "live" || operation === "exchangeLiveKey";
}

function isExchange({ operation }: JournalEntry): boolean {
  return operation === "exchangeSandboxKey" || operation === "exchangeLiveKey";
}

/** The body, with what can be known of its secrets put back; one that was refused for its PIN stays refused. */
function bodyToSend(entry: JournalEntry, secret: string): string {
  const body = entry.request.body ?? "";
  if (entry.caller && isExchange(entry)) {
    return body.replace(/("api_key"\s*:\s*)"[^"]*"/, (_, name) => `${name}"${secret}"`);
  }
  return entry.point === "order.pin_invalid" ? body : body.replace(/("pin"\s*:\s*)"…"/, '$1"4821"');
}
