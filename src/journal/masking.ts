import { maskSecrets } from "../rules/api-key.ts";
import type { SentHeaders } from "./exchange.ts";

const mask = "…";

/** The most characters of a body that are shown. */
export const shownBodyLength = 16 * 1024;

/**
 * A request's body without its secrets. The service accepts only JSON objects; in any other body a PIN cannot be found, so
 * only the length and the content type are shown.
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
 * A body as it was sent, without the values of secret fields and without texts that look like API keys or tokens. If
 * that is impossible, a note replaces it.
 */
export function maskBody(text: string): string {
  const partly = maskText(text);
  const masked = isJsonObject(text) && holdsUnnamedDigits(partly) ? maskJson(text) : partly;
  if (masked.length <= shownBodyLength) return masked;
  return `${copyOf(masked.slice(0, shownBodyLength))}… (cut; it has ${text.length} characters)`;
}

/** A copy, because a slice in V8 keeps the whole text in memory. */
function copyOf(part: string): string {
  return new TextDecoder().decode(new TextEncoder().encode(part));
}

/** Matches any letter case; the whole pattern is case-sensitive, because of names such as `newPin`. */
const anyCase = (word: string) => word.replace(/[a-z]/g, (c) => `[${c}${c.toUpperCase()}]`);

/** The end of names such as `pin_code`, `pinNumber`, `pins`. */
const pinEnd = `(?:[_ -]?(?:${["code", "number", "block", "value", "digits"].map(anyCase).join("|")})|[sS])?`;

/** The name of a PIN from the word `pin` on: `pin`, `new_pin`, `newPin`, but not `shipping`. */
const pinName = String.raw`(?:(?<!(?<!\\)[A-Za-z0-9])${anyCase("pin")}|(?<=[a-z0-9])P(?:in|IN))${pinEnd}`;

/**
 * Four digits that may be a PIN, or a longer text that contains four digits but is no PIN: an id, a long hexadecimal or
 * base64 word, a number with a point, an instant, a port.
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

/** A client may have put a key, a token or a PIN into the path. */
export function maskPath(path: string): string {
  return maskDigits(maskSecrets(path));
}

/** The headers by their names in lower case. */
export function maskHeaders(headers: SentHeaders): Readonly<Record<string, string>> {
  const masked: Record<string, string> = {};
  headers.forEach((value, name) => {
    masked[maskDigits(maskSecrets(name))] = maskHeader(name, value);
  });
  return masked;
}

/** Masks each parameter; the rest stays as it was sent. */
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

/** The name of a secret field, from the telling word on. */
const secretName = `(${[...secretWords.map(anyCase), pinName].join("|")})`;

/** The text between a name and its value: the name's quotation mark, a colon or equals sign, or both. */
const between = String.raw`(\s*\\*["'\x60“”‘’]\s*(?:[:=>]+\s*)?|\s*[:=>]+\s*)`;

/** A string, even if it is not closed; a string within a JSON string; an array or an object; a bare word. */
const value = String.raw`("(?:[^"\\]|\\.)*"?|'[^']*'?|(\\+["']).*?(?:\4|$)|[[{]|WORD(?:[^,}\]&;"'\\<[{\r\n]*WORD)?)`;

/**
 * A secret field and its value, in JSON, in JSON within a JSON string, in broken JSON, in a form or in free text.
 * Groups: the name, the text between, the value, an escaped quotation mark.
 */
const secretField = new RegExp(
  secretName + between + value.replaceAll("WORD", "[^\\s,}\\]&;\"'\\\\<[{]"),
  "gs",
);

/** A JSON escape of an ASCII letter, digit or mark. */
const hiddenCharacter = /\\u00[2-7]/;

const notShown = "(not shown: it is no JSON, and may hold a secret)";

/** Only with this beginning and this end can a value be delimited without a parser. */
const clearBeginning = /^["'\\\w+.“‘…-]/;
const clearEnd = /^[\s,}\]&;\\<]/;

function maskText(text: string): string {
  if (text.includes("\\u00") && hiddenCharacter.test(text)) return maskJson(text);
  const pinless = maskUnknownPins(text.includes("@") ? text.replace(passwordOfUrl, `$1${mask}@`) : text);
  // Most texts have no secret word, and this test is much faster.
  if (!secretWord.test(pinless)) return maskSecrets(pinless);
  let isClear = true;
  const masked = pinless.replace(secretField, (field, name, gap, sent, quote, at) => {
    const next = pinless.charAt(at + field.length);
    isClear &&= clearBeginning.test(sent) && (next === "" || clearEnd.test(next));
    return name + gap + maskValue(gap, sent, quote);
  });
  return isClear ? maskSecrets(masked) : maskJson(text);
}

/** `https://user:password@host`; bounded, so that matching takes linear time. */
const passwordOfUrl = /(:\/\/[^\s:@/"'\\]{0,100}:)[^\s@/"'\\]{1,500}@/g;

/** Four digits that are no part of a number, an id or an instant, and no port. */
const fourDigits = /(?<![0-9A-Za-z_.+-]|[^"']:)[0-9]{4}(?![0-9A-Za-z_.:+-])/g;

/** A field's name at the end of a text, and the text between it and the value that follows. */
const nameBefore = /([A-Za-z][A-Za-z0-9_ -]{0,40})(\\*["']?)\s{0,4}[:=]\s{0,4}(?:\[\s{0,4})?(\\*["']?)$/;
const longestNameBefore = 64;

/** Masks four digits in unknown fields: they may be a PIN under a misspelt or different name. */
function maskUnknownPins(text: string): string {
  return text.replace(fourDigits, (digits, at: number) => {
    const before = text.slice(Math.max(0, at - longestNameBefore), at);
    const [, name = "", nameMark = "", valueMark = ""] = nameBefore.exec(before) ?? [];
    if (name === "" || !mayBePin(name)) return digits;
    return valueMark === "" ? nameMark + mask + nameMark : mask;
  });
}

/** Fields whose values may legitimately have four digits, and similar names of them, without case and separators. */
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

/** The mask in the value's own quotation marks; a bare JSON value becomes a string. */
function maskValue(gap: string, sent: string, quote: string | undefined): string {
  const mark = quote ?? (/^["']/.exec(sent) ?? /^"\s*:/.exec(gap))?.[0][0] ?? "";
  return mark + mask + mark;
}

/** Masks with a JSON parser; numbers are then written as JavaScript writes them. */
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

/** The known schemes: any other first word may be the secret itself. */
const scheme = /^(?:bearer|basic|digest|token|api-?key|negotiate)(?=\s|$)/i;

function maskCredentials(value: string): string {
  const named = scheme.exec(value)?.[0];
  if (named === undefined) return maskCredential(value);
  const credential = value.slice(named.length).trim();
  return credential === "" ? named : `${named} ${maskCredential(credential)}`;
}

/** Keeps the prefix of an API key, which shows that a key was sent instead of a token. */
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
  // A parameter is shown decoded only if the percent-encoded text hides a secret.
  const plain = decoded(parameter);
  const masked = mayBePin(name) ? maskDigits(maskText(plain)) : maskText(plain);
  return masked === plain ? parameter : masked;
}

/** Decodes percent-encoded ASCII; malformed parts stay as they are. */
function decoded(text: string): string {
  return text.replace(/%[2-7][0-9a-f]/gi, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)));
}
