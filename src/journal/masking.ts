import { maskSecrets } from "../rules/api-key.ts";
import type { SentHeaders } from "./exchange.ts";

const mask = "…";

/** How much of a body is shown, in characters. */
export const shownBodyLength = 16 * 1024;

/**
 * A request's body without its secrets. The service accepts only JSON objects. In any other body the PIN cannot be found,
 * so only its length and content type are shown.
 */
export function maskRequestBody(text: string, contentType: string | null): string {
  if (text.trim() === "" || isJsonObject(text)) return maskBody(text);
  const type =
    contentType === null ? "without a content type" : `of ${maskHeader("content-type", contentType)}`;
  return `(not shown: ${text.length} characters ${type}, not a JSON object, so it may contain a PIN)`;
}

function isJsonObject(text: string): boolean {
  try {
    const value = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

/**
 * What a body shows: itself, as it was sent, without the values of the fields that hold secrets and without
 * whatever looks like an API key or a token. A note takes its place where that cannot be promised.
 */
export function maskBody(text: string): string {
  const partly = maskText(text);
  const masked = isJsonObject(text) && holdsUnnamedDigits(partly) ? maskJson(text) : partly;
  if (masked.length <= shownBodyLength) return masked;
  return `${copyOf(masked.slice(0, shownBodyLength))}… (cut; it has ${text.length} characters)`;
}

/** A copy that keeps nothing else in memory: a slice in V8 keeps the whole text. */
function copyOf(part: string): string {
  return new TextDecoder().decode(new TextEncoder().encode(part));
}

/** In any letter case, since a pattern as a whole goes by the case of names such as `newPin`. */
const anyCase = (word: string) => word.replace(/[a-z]/g, (c) => `[${c}${c.toUpperCase()}]`);

/** What names of a PIN go on with: `pin_code`, `pinNumber`, `pins`. */
const pinEnd = `(?:[_ -]?(?:${["code", "number", "block", "value", "digits"].map(anyCase).join("|")})|[sS])?`;

/** A name that is a PIN's, from the word `pin` on: `pin`, `new_pin`, `newPin`, but not `shipping`. */
const pinName = String.raw`(?:(?<!(?<!\\)[A-Za-z0-9])${anyCase("pin")}|(?<=[a-z0-9])P(?:in|IN))${pinEnd}`;

/**
 * Four digits that may be a PIN, or a longer text that contains four digits and is no PIN: an id, a long word of
 * hexadecimal or base64, a number with a point, an instant, a port.
 */
const fourDigitsOrMore = new RegExp(
  [
    "[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}",
    "[A-Za-z0-9]{16,}",
    String.raw`[0-9]+(?:\.[0-9]+)+`,
    "[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ][0-9:.]+)?",
    String.raw`:\/\/[^\s/:]{1,100}:[0-9]+`,
    "(?<![0-9])[0-9]{4}(?![0-9])",
  ].join("|"),
  "g",
);

/** Masks every four digits that may be a PIN. */
function maskDigits(text: string): string {
  return text.replace(fourDigitsOrMore, (found) => (found.length === 4 ? mask : found));
}

/** What a path shows: a client may have put a key, a token or a PIN there. */
export function maskPath(path: string): string {
  return maskDigits(maskSecrets(path));
}

/** What headers show; their names are in lower case. */
export function maskHeaders(headers: SentHeaders): Readonly<Record<string, string>> {
  const masked: Record<string, string> = {};
  headers.forEach((value, name) => {
    masked[maskDigits(maskSecrets(name))] = maskHeader(name, value);
  });
  return masked;
}

/** What a query shows, parameter by parameter, otherwise as it was sent. */
export function maskQuery(query: string): string {
  return query === "" ? "" : query.replace(/[^?&;]+/g, maskParameter);
}

const secretWords = [
  "secret",
  "password",
  "passphrase",
  "passcode",
  "api[_-]?key",
  "(?:access|auth|bearer|admin|refresh|session)[_-]?token",
];
const secretWord = new RegExp(["pin", ...secretWords].join("|"), "i");

/** The name of a field that holds a secret, from the word on that says so. */
const secretName = `(${[...secretWords.map(anyCase), pinName].join("|")})`;

/** What stands between a name and its value: the name's quotation mark, a colon or the like, or both. */
const between = String.raw`(\s*\\*["'\x60“”‘’]\s*(?:[:=>]+\s*)?|\s*[:=>]+\s*)`;

/** A string, also one that is not closed; one within a JSON string; an array or an object; a bare word. */
const value = String.raw`("(?:[^"\\]|\\.)*"?|'[^']*'?|(\\+["']).*?(?:\4|$)|[[{]|WORD(?:[^,}\]&;"'\\<[{\r\n]*WORD)?)`;

/**
 * A field that holds a secret, and its value: as JSON has it, also within a JSON string, and as broken JSON,
 * a form or a person may write it. Groups: the name, what stands between, the value, an escaped quotation mark.
 */
const secretField = new RegExp(
  secretName + between + value.replaceAll("WORD", "[^\\s,}\\]&;\"'\\\\<[{]"),
  "gs",
);

/** An escape of JSON behind which a letter, a digit or a mark of ASCII may hide. */
const hiddenCharacter = /\\u00[2-7]/;

const notShown = "(not shown: it is no JSON, and may hold a secret)";

/** A value that begins so is told from what follows it by a parser alone, as is one that ends otherwise. */
const clearBeginning = /^["'\\\w+.“‘…-]/;
const clearEnd = /^[\s,}\]&;\\<]/;

function maskText(text: string): string {
  if (text.includes("\\u00") && hiddenCharacter.test(text)) return maskJson(text);
  const pinless = maskUnknownPins(text.includes("@") ? text.replace(passwordOfUrl, `$1${mask}@`) : text);
  // Most texts have none, and this says so at a fraction of the cost.
  if (!secretWord.test(pinless)) return maskSecrets(pinless);
  let isClear = true;
  const masked = pinless.replace(secretField, (field, name, gap, sent, quote, at) => {
    const next = pinless.charAt(at + field.length);
    isClear &&= clearBeginning.test(sent) && (next === "" || clearEnd.test(next));
    return name + gap + maskValue(gap, sent, quote);
  });
  return isClear ? maskSecrets(masked) : maskJson(text);
}

/** `https://user:password@host`; bounded, so that no text takes long. */
const passwordOfUrl = /(:\/\/[^\s:@/"'\\]{0,100}:)[^\s@/"'\\]{1,500}@/g;

/** Not within a number, an id or an instant, and not a port. */
const fourDigits = /(?<![0-9A-Za-z_.+-]|[^"']:)[0-9]{4}(?![0-9A-Za-z_.:+-])/g;

/** A field's name, and what stands between it and a value behind it; up to so many characters. */
const nameBefore = /([A-Za-z][A-Za-z0-9_ -]{0,40})(\\*["']?)\s{0,4}[:=]\s{0,4}(?:\[\s{0,4})?(\\*["']?)$/;
const longestNameBefore = 64;

/** Masks four digits at a field that the service does not have: a PIN under a name that is misspelt, or its own. */
function maskUnknownPins(text: string): string {
  return text.replace(fourDigits, (digits, at: number) => {
    const before = text.slice(Math.max(0, at - longestNameBefore), at);
    const [, name = "", nameMark = "", valueMark = ""] = nameBefore.exec(before) ?? [];
    if (name === "" || !mayBePin(name)) return digits;
    return valueMark === "" ? nameMark + mask + nameMark : mask;
  });
}

/** Where four digits stand by right, or were meant for what does; without case and marks. */
const plainNames = new Set([
  "amount",
  "originalamount",
  "minamount",
  "maxamount",
  "name",
  "line1",
  "line2",
  "line3",
  "addressline1",
  "addressline2",
  "addressline3",
  "city",
  "town",
  "state",
  "postcode",
  "postalcode",
  "postal",
  "zip",
  "zipcode",
  "last4",
  "lastfour",
  "mcc",
  "number",
  "limit",
  "offset",
  "page",
  "year",
]);

/** Whether four digits occur anywhere but in a field whose values may legitimately have four digits. */
function holdsUnnamedDigits(json: string): boolean {
  for (const { 0: found, index } of json.matchAll(fourDigitsOrMore)) {
    if (found.length !== 4) continue;
    const [, name = ""] = nameBefore.exec(json.slice(Math.max(0, index - longestNameBefore), index)) ?? [];
    if (name === "" || mayBePin(name)) return true;
  }
  return /\[\s*(?:"?[0-9]"?\s*,\s*){3}"?[0-9]"?\s*\]/.test(json);
}

function mayBePin(name: string): boolean {
  return !plainNames.has(name.replace(/[_ -]/g, "").toLowerCase());
}

/** The mask of a value, in the value's own quotation marks; a bare one of JSON becomes a string. */
function maskValue(gap: string, sent: string, quote: string | undefined): string {
  const mark = quote ?? (/^["']/.exec(sent) ?? /^"\s*:/.exec(gap))?.[0][0] ?? "";
  return mark + mask + mark;
}

/** Masks what only a parser can tell apart; numbers then stand as JavaScript writes them. */
function maskJson(text: string): string {
  try {
    return maskSecrets(JSON.stringify(JSON.parse(text, maskMember)));
  } catch {
    return notShown;
  }
}

const secretMember = new RegExp(`${secretName}$`);

function maskMember(name: string, value: unknown): unknown {
  if (secretMember.test(name.trim())) return mask;
  if (!mayBePin(name)) return typeof value === "string" ? maskText(value) : value;
  if (Array.isArray(value) && /^[0-9]{4}$/.test(value.join(""))) return mask;
  if (typeof value === "number" && /^[0-9]{4}$/.test(String(value))) return mask;
  return typeof value === "string" ? maskDigits(maskText(value)) : value;
}

const authorizationHeader = /^(proxy-)?authorization$/;
const secretHeader =
  /cookie|authorization|api-?key|token|secret|pass(word|code|phrase)|session|(^|-)(auth|pin|pin-?code|jwt)($|-)/;

/** HTTP headers whose values may legitimately have four digits. */
const plainHeaders = new Set([
  "content-length",
  "content-range",
  "date",
  "expires",
  "host",
  "if-modified-since",
  "if-unmodified-since",
  "keep-alive",
  "last-modified",
  "origin",
  "range",
  "retry-after",
  "user-agent",
]);

function maskHeader(name: string, value: string): string {
  if (authorizationHeader.test(name)) return maskCredentials(value);
  if (secretHeader.test(name) && !name.startsWith("sandbox-")) return maskCredential(value);
  return plainHeaders.has(name) ? maskText(value) : maskDigits(maskText(value));
}

/** Schemes by name: the first word of anything else may be the secret itself. */
const scheme = /^(?:bearer|basic|digest|token|api-?key|negotiate)(?=\s|$)/i;

function maskCredentials(value: string): string {
  const named = scheme.exec(value)?.[0];
  if (named === undefined) return maskCredential(value);
  const credential = value.slice(named.length).trim();
  return credential === "" ? named : `${named} ${maskCredential(credential)}`;
}

/** Of an API key its kind is kept: it says what went wrong where a key was sent in place of a token. */
function maskCredential(value: string): string {
  return (/^sk_(sandbox|live)_/.exec(value)?.[0] ?? "") + mask;
}

const secretParameter = new RegExp(`token(?!s)|authorization|${secretWords.join("|")}`, "i");
const pinParameter = new RegExp(pinName);

function maskParameter(parameter: string): string {
  const [sentName = ""] = parameter.split("=", 1);
  const name = decoded(sentName);
  if (secretParameter.test(name) || pinParameter.test(name))
    return sentName === parameter ? mask : `${maskSecrets(name)}=${mask}`;
  // Only where something hides behind percent signs does it stand decoded.
  const plain = decoded(parameter);
  const masked = mayBePin(name) ? maskDigits(maskText(plain)) : maskText(plain);
  return masked === plain ? parameter : masked;
}

/** Without percent signs before ASCII; what is malformed stays, and hides nothing that follows. */
function decoded(text: string): string {
  return text.replace(/%[2-7][0-9a-f]/gi, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)));
}
