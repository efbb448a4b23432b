import { operations } from "../../contract/operations.ts";
import { shellQuoted } from "../../journal/formats/escape.ts";
import type { JournalEntry } from "../../journal/journal-entry.ts";
import { mask } from "../../journal/masking.ts";
import { tokenCommand } from "../../world/first-order.ts";
import { type PageRequest, usePage } from "../page.ts";
import { Copyable, Tabs } from "./elements.tsx";

/** The languages of the code that sends a request. */
export const languages = [
  { value: "curl", label: "curl" },
  { value: "fetch", label: "JavaScript" },
  { value: "test", label: "Test" },
] as const;
export type Language = (typeof languages)[number]["value"];

/** A request to write code for. */
export interface Sample {
  /** The base URL, without a slash at its end. */
  readonly origin: string;
  /** The API key that the code exchanges for an access token; undefined: the request is sent without one. */
  readonly secret?: string | undefined;
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly as: Language;
  /** The status that the test expects; undefined: any success. */
  readonly status?: number | undefined;
}

/** Code that sends a request: shell commands, a JavaScript module or a Vitest file. It runs as it is. */
export function codeFor(sample: Sample): string {
  return sample.as === "curl" ? shellCode(sample) : scriptCode(sample);
}

function shellCode({ origin, secret, method, path, headers, body }: Sample): string {
  // curl expands brackets and braces in URLs, unless -g is set.
  const globoff = /[[{]/.test(path) ? "g" : "";
  const command = [
    `curl -s${globoff}${method === "HEAD" ? "I" : `i -X ${method}`} ${shellQuoted(origin + path)}`,
    ...(secret === undefined ? [] : ['-H "Authorization: Bearer $TOKEN"']),
    ...Object.entries(headers).map(([name, value]) => `-H ${shellQuoted(`${name}: ${value}`)}`),
    ...(body ? [`--data-raw ${shellQuoted(body)}`] : []),
  ].join(" \\\n  ");
  return secret === undefined ? command : `${tokenCommand(origin, secret)}\n${command}`;
}

function scriptCode(sample: Sample): string {
  const { origin, secret, as, status } = sample;
  const isTest = as === "test";
  const lines = [
    ...(secret === undefined ? [] : tokenLines(origin, secret)),
    ...requestLines(sample),
    !isTest
      ? "console.log(response.status, await response.text());"
      : status === undefined
        ? "expect(response.ok).toBe(true);"
        : `expect(response.status).toBe(${status});`,
  ];
  if (!isTest) return lines.join("\n");
  const code = lines.join("\n").replace(/^(?=.)/gm, "  ");
  const name = JSON.stringify(`${sample.method} ${sample.path.split("?", 1)[0]}`);
  return `import { expect, test } from ${JSON.stringify(testRunner)};\n\ntest(${name}, async () => {\n${code}\n});`;
}

const testRunner = "vitest";

function tokenLines(origin: string, secret: string): string[] {
  const path = secret.startsWith("sk_live_") ? "/auth/v1/token" : "/auth/v1/sandbox/token";
  return [
    `const exchange = await fetch(${JSON.stringify(origin + path)}, {`,
    '  method: "POST",',
    '  headers: { "Content-Type": "application/json" },',
    `  body: JSON.stringify({ api_key: ${JSON.stringify(secret)} }),`,
    "});",
    "const { access_token } = await exchange.json();",
    "",
  ];
}

function requestLines({ origin, secret, method, path, headers, body }: Sample): string[] {
  const sent = Object.entries(headers).map(
    ([name, value]) => `    ${JSON.stringify(name)}: ${JSON.stringify(value)},`,
  );
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is code to copy.
  if (secret !== undefined) sent.unshift("    Authorization: `Bearer ${access_token}`,");
  // `fetch` refuses a body with these methods, and the service ignores it.
  const hasBody = body && method !== "GET" && method !== "HEAD";
  return [
    `const response = await fetch(${JSON.stringify(origin + path)}, {`,
    `  method: ${JSON.stringify(method)},`,
    ...(sent.length > 0 ? ["  headers: {", ...sent, "  },"] : []),
    ...(hasBody ? [`  body: ${bodyLiteral(body).replaceAll("\n", "\n  ")},`] : []),
    "});",
  ];
}

/** An object to edit, if exactly this text results from it. */
function bodyLiteral(body: string): string {
  try {
    const value: unknown = JSON.parse(body);
    const isSame = JSON.stringify(value) === body && !body.includes("__proto__");
    if (isSame && typeof value === "object") return `JSON.stringify(${JSON.stringify(value, null, 2)})`;
  } catch {
    // Not JSON: sent as text.
  }
  return JSON.stringify(body);
}

/** Headers that each client sends itself, or that belong to one connection. */
const omittedHeaders =
  /^(?:accept(?:-encoding|-language)?|connection|content-length|cookie|expect|host|keep-alive|origin|referer|te|trailer|transfer-encoding|upgrade|user-agent|sec-.*)$/;

/** Whether a header is one that each client sends itself, or that belongs to one connection. */
export function isOfClient(name: string): boolean {
  return omittedHeaders.test(name.toLowerCase());
}

/**
 * The headers of a recorded request that are sent again, and the scenario that fired as a header. Masked secrets in them
 * become `invalid`.
 */
export function headersToSend({ request, scenario }: JournalEntry): Record<string, string> {
  const sent = Object.entries(request.headers).filter(([name]) => !isOfClient(name) && !name.includes(mask));
  const headers = Object.fromEntries(sent.map(([name, value]) => [name, value.replaceAll(mask, "invalid")]));
  return scenario === null ? headers : { ...headers, "sandbox-scenario": scenario };
}

/** Whether the request was certainly sent to the live base URL. */
export function isLive({ caller, operation }: JournalEntry): boolean {
  return caller?.environment === "live" || operation === "exchangeLiveKey";
}

/** Whether a request exchanges an API key. */
export function isExchange({ operation }: JournalEntry): boolean {
  return operation !== null && operations[operation].success === "token.issued";
}

/** The fields whose secrets are masked in recorded bodies. */
const maskedPin = /("pin"\s*:\s*)"…"/;
export const hasMaskedPin = (body: string) => maskedPin.test(body);
const maskedKey = /("api_key"\s*:\s*)"[^"]*…"/;
export const hasMaskedKey = (body: string) => maskedKey.test(body);

/** A recorded body with a PIN and an API key in place of the masked ones. */
export function unmasked(body: string, pin: string | undefined, apiKey: string | undefined): string {
  const fill = (text: string, pattern: RegExp, value: string | undefined) =>
    value === undefined
      ? text
      : text.replace(pattern, (_, name: string) => `${name}${JSON.stringify(value)}`);
  return fill(fill(body, maskedPin, pin), maskedKey, apiKey);
}

/** The code that sends a recorded request again, with an access token of the same API key. */
function codeOf({ origin, liveOrigin, services }: PageRequest, entry: JournalEntry, as: Language): string {
  const { method, path, query, request, caller, status } = entry;
  // The secret of a fixture key is public. Of other keys only the prefix is stored, so the user completes the key.
  const publicSecret = caller && services.apiKeys.publicSecret(caller.api_key_id);
  const secret = publicSecret ?? `${caller?.api_key ?? ""}${mask}`;
  const needsToken = caller !== null && !isExchange(entry);
  const { authorization = "", ...headers } = headersToSend(entry);
  const code = codeFor({
    origin: (isLive(entry) ? liveOrigin : undefined) ?? origin,
    secret: needsToken ? secret : undefined,
    method,
    path: path + query,
    headers: needsToken || authorization === "" ? headers : { authorization, ...headers },
    body: request.body === null ? undefined : bodyOf(entry, isExchange(entry) && caller ? secret : undefined),
    as,
    status: status ?? undefined,
  });
  if (caller === null || publicSecret !== undefined) return code;
  const comment = as === "curl" ? "#" : "//";
  return `${comment} Replace ${secret} with the API key. Its secret was shown only when it was created.\n${code}`;
}

/** The body with a sample PIN, unless the PIN was refused. */
function bodyOf({ point, request }: JournalEntry, apiKey: string | undefined): string {
  return unmasked(request.body ?? "", point === "order.pin_invalid" ? undefined : "4821", apiKey);
}

/** Code that sends a recorded request again, in a tab for each language. */
export function CopyAs({ entry }: { entry: JournalEntry }) {
  const page = usePage();
  const current = languages.find(({ value }) => value === page.query.as)?.value ?? "curl";
  return (
    <>
      <Tabs label="Language of the code" name="as" options={languages} current={current} at="copy-as" />
      <div id="copy-as">
        <p class="remark">
          Secrets are masked. The code gets a new access token if the request needs one, and uses a sample PIN
          in place of a masked one. The digits of the PIN do not change the response.
        </p>
        <Copyable text={codeOf(page, entry, current)} label="the code" />
      </div>
    </>
  );
}
