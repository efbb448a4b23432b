import { ControlError } from "../control/errors.ts";
import { requireRequest } from "../control/requests.ts";
import type { JournalEntry } from "../journal/journal-entry.ts";
import { mask } from "../journal/masking.ts";
import { quoted } from "../rules/errors.ts";
import type { DashboardServices } from "./page.ts";
import {
  hasMaskedKey,
  hasMaskedPin,
  headersToSend,
  isExchange,
  isLive,
  isOfClient,
  unmasked,
} from "./parts/copy-as.tsx";
import { pathTo } from "./paths.ts";
import type { Fields, FormAction } from "./submit.ts";

/** The methods to choose from. */
export const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/** How long a resent request may wait for its response, in real time. */
export const patienceMs = 15_000;

/** The headers that have a field of their own, or that the page sets. */
const ownHeaders: Readonly<Record<string, string>> = {
  authorization: "choose the caller instead",
  "idempotency-key": "use the field Idempotency-Key",
  "sandbox-scenario": "choose the scenario instead",
  "sandbox-test": "the dashboard sends it with each request",
};

/** The actions that send a recorded request again, as it was or edited. */
export function resendActions(services: DashboardServices): Record<string, FormAction> {
  return {
    "/requests/:id/replay": ({ pin, api_key }, param) => {
      const entry = requireRequest(services.requests, param("id"));
      return resend(services, entry, { ...recordedFields(entry), ...present({ pin, api_key }) });
    },
    "/requests/:id/edit": (fields, param) =>
      resend(services, requireRequest(services.requests, param("id")), fields),
  };
}

function present(fields: Readonly<Record<string, string | undefined>>): Fields {
  return Object.fromEntries(Object.entries(fields).filter((each): each is [string, string] => !!each[1]));
}

/** The recorded request as the fields of the form that edits it. */
export function recordedFields(entry: JournalEntry): Fields {
  const headers = headersToSend(entry);
  const lines = Object.entries(headers).filter(([name]) => !Object.hasOwn(ownHeaders, name));
  const { authorization } = headers;
  return present({
    method: entry.method,
    target: entry.path + entry.query,
    caller: authorization === undefined ? "none" : (entry.caller?.api_key_id ?? "invalid"),
    key: headers["idempotency-key"] === undefined ? "none" : "same",
    scenario: headers["sandbox-scenario"],
    headers: lines.map(([name, value]) => `${name}: ${value}`).join("\n"),
    body: entry.request.body ?? undefined,
  });
}

/** Sends a request, and shows the page of its journal entry. */
async function resend(services: DashboardServices, entry: JournalEntry, fields: Fields) {
  const request = requestOf(services, entry, fields);
  const { id, status } = await sent(services, request, environmentOf(entry));
  const [before, now] = [entry.status, status].map((each) => (each === null ? "no response" : String(each)));
  const comparison = before === now ? `${now}, as before` : `${now} instead of ${before}`;
  return { text: `Request ${entry.id} is sent again: ${comparison}.`, to: pathTo(`/requests/${id}`) };
}

/** The environment whose base URL received the request; undefined: unknown. */
function environmentOf(entry: JournalEntry) {
  if (isLive(entry)) return "live";
  return entry.caller || isExchange(entry) ? "sandbox" : undefined;
}

/**
 * The id and the status of the request, once it is recorded.
 * @throws ControlError 504 if that takes too long
 */
async function sent(
  { journal, clock, send }: DashboardServices,
  request: Request,
  environment: Parameters<DashboardServices["send"]>[1],
): Promise<{ id: number; status: number | null }> {
  const gone = new AbortController();
  const aborting = new Request(request, { signal: gone.signal });
  let end = () => {};
  try {
    return await new Promise((resolve, reject) => {
      const unsubscribe = journal.subscribe({
        recorded: ({ id, exchange, messages }) => {
          if (messages.requestHeaders !== aborting.headers) return;
          resolve({ id, status: exchange.status ?? null });
        },
        ended: () => reject(new ControlError(503, "the sandbox stops")),
      });
      const cancel = clock.after(patienceMs, () => {
        const remedy = "It may be held or delayed by a scenario. Its entry appears in Requests once it ends.";
        reject(new ControlError(504, `no response came within ${patienceMs / 1000} seconds. ${remedy}`));
      });
      end = () => {
        unsubscribe();
        cancel();
      };
      // The journal has the outcome, also of a lost connection.
      send(aborting, environment)
        .then((response) => response.body?.cancel())
        .catch(() => {});
    });
  } finally {
    end();
    gone.abort();
  }
}

/** @throws ControlError 400 if a field is invalid, or a masked secret is missing */
function requestOf(services: DashboardServices, entry: JournalEntry, fields: Fields): Request {
  const { method = "GET" } = fields;
  if (!methods.includes(method)) {
    throw new ControlError(
      400,
      `method: must be one of ${methods.join(", ")}, but is ${quoted(method)}. Use Edit and resend.`,
    );
  }
  const url = urlOf(fields.target ?? "");
  const headers = headersOf(fields.headers ?? "");
  const body = bodyOf(services, entry, fields);
  if (body !== undefined && (method === "GET" || method === "HEAD")) {
    throw new ControlError(
      400,
      `body: ${method} requests are sent without a body. Remove it in Edit and resend.`,
    );
  }
  const key = keyOf(services, entry, fields);
  if (key !== undefined) setHeader(headers, "Idempotency-Key", key);
  if (fields.scenario !== undefined) setHeader(headers, "Sandbox-Scenario", fields.scenario);
  headers.set("Sandbox-Test", "negative");
  // The last step, because it issues a token.
  const { caller = "none" } = fields;
  if (caller === "invalid") headers.set("Authorization", "Bearer invalid");
  else if (caller !== "none") {
    headers.set("Authorization", `Bearer ${services.apiKeys.issueToken(caller).access_token}`);
  }
  // A text would add a Content-Type.
  return new Request(url, { method, headers, ...(body && { body: new TextEncoder().encode(body) }) });
}

const host = "http://sandbox";

/** @throws ControlError 400 if the path does not belong to the service */
function urlOf(target: string): string {
  const problem = (text: string) => new ControlError(400, `path: ${text}, but is ${quoted(target)}`);
  if (target.includes(mask)) throw problem(`must have a value in place of each masked one (${mask})`);
  if (!/^\/(?![/\\])[!-~]*$/.test(target) || target.includes("\\") || target.includes("#")) {
    throw problem("must begin with one slash, and contain only ASCII characters without spaces, \\ and #");
  }
  const url = URL.canParse(host + target) ? new URL(host + target) : undefined;
  if (url?.origin !== host) throw problem("must be the path of an operation");
  if (/^\/(_|%5f)sandbox(?![^/])/i.test(url.pathname)) {
    throw problem("must be a path of the service, not of the control API");
  }
  return host + target;
}

/** @throws ControlError 400 if a line is not a header */
function headersOf(lines: string): Headers {
  const headers = new Headers();
  for (const line of lines.split(/\r?\n/)) {
    if (line.trim() === "") continue;
    const [, name = "", value = ""] = /^\s*([^:\s]+)\s*:(.*)$/.exec(line) ?? [];
    if (name === "") {
      throw new ControlError(400, `headers: each line must be "name: value", but one is ${quoted(line)}`);
    }
    const own = ownHeaders[name.toLowerCase()];
    if (own !== undefined) throw new ControlError(400, `headers: remove ${name}: ${own}`);
    if (isOfClient(name)) {
      throw new ControlError(400, `headers: remove ${name}: it belongs to the connection of a client`);
    }
    if (value.includes(mask)) {
      throw new ControlError(400, `headers: ${name} has a masked value (${mask}). Enter the value.`);
    }
    setHeader(headers, name, value.trim(), "headers: ");
  }
  return headers;
}

function setHeader(headers: Headers, name: string, value: string, of = ""): void {
  try {
    headers.append(name, value);
  } catch {
    throw new ControlError(
      400,
      `${of}${name}: is not a valid header. A name has only letters, digits and hyphens; a value only Latin-1 characters without line breaks.`,
    );
  }
}

function keyOf(services: DashboardServices, entry: JournalEntry, fields: Fields): string | undefined {
  switch (fields.key) {
    case "same":
      return headersToSend(entry)["idempotency-key"];
    case "new":
      return services.newKey();
    case "other":
      if (fields.other_key !== undefined) return fields.other_key;
      throw new ControlError(400, "other_key: is required. Enter the Idempotency-Key.");
    default:
      return undefined;
  }
}

/**
 * The body with a PIN and an API key in place of the masked ones.
 * @throws ControlError 400 if it still has masked values
 */
function bodyOf({ apiKeys }: DashboardServices, entry: JournalEntry, fields: Fields): string | undefined {
  const { body, pin, api_key } = fields;
  if (body === undefined) {
    const { headers, body: recorded } = entry.request;
    if (recorded !== null || !Number(headers["content-length"] ?? 0)) return undefined;
    throw notRecorded();
  }
  if (body.startsWith("(not shown: ")) throw notRecorded();
  if (hasMaskedPin(body) && pin === undefined) {
    throw new ControlError(400, "pin: is required, because the recorded PIN is masked. Example: 4821");
  }
  const key = api_key ?? (entry.caller && apiKeys.publicSecret(entry.caller.api_key_id));
  if (isExchange(entry) && hasMaskedKey(body) && !key) {
    throw new ControlError(400, "api_key: is required, because the recorded API key is masked");
  }
  const whole = unmasked(body, pin, isExchange(entry) ? (key ?? undefined) : undefined);
  if (!whole.includes(mask)) return whole;
  const [, field = "body"] = /"((?:[^"\\]|\\.)*)"\s*:\s*(?:\[\s*)?"(?:[^"\\]|\\.)*…/.exec(whole) ?? [];
  const isCut = whole.includes(`${mask} (truncated, `);
  const problem = isCut ? "is too long: only its beginning is recorded" : `has a masked value (${mask})`;
  throw new ControlError(400, `${isCut ? "body" : field}: ${problem}. Enter it in Edit and resend.`);
}

function notRecorded(): ControlError {
  return new ControlError(400, "body: was not recorded. Enter it in Edit and resend.");
}
