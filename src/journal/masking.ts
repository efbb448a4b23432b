import { maskSecrets } from "../rules/api-key.ts";
import type { SentHeaders } from "./exchange.ts";

const mask = "…";

/** The maximum number of characters of a body that are shown. */
export const shownBodyLength = 16 * 1024;

/**
 * Masks the body of a request. The service accepts only JSON objects. In any other body a PIN cannot be recognized, so
 * only the length and the content type are shown.
 */
export function maskRequestBody(text: string, contentType: string | null): string {
  if (text.trim() === "" || isJsonObject(text)) return maskBody(text);
  const type =
    contentType === null ? "without a content type" : `of ${maskHeader("content-type", contentType)}`;
  return `(not shown: ${text.length} characters ${type}; a body that is not a JSON object can contain a PIN)`;
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
 * Masks the values of secret fields and texts that look like API keys or tokens; the rest stays as it was sent. A note
 * replaces a body that cannot be masked.
 */
export function maskBody(text: string): string {
  const partly = maskText(text);
  const masked = isJsonObject(text) && hasUnknownDigits(partly) ? maskJson(text) : partly;
  if (masked.length <= shownBodyLength) return masked;
  return `${copyOf(masked.slice(0, shownBodyLength))}… (truncated, ${text.length} characters in total)`;
}

/** A copy, because a slice in V8 keeps the whole text in memory. */
function copyOf(part: string): string {
  return new TextDecoder().decode(new TextEncoder().encode(part));
}

/** Case-insensitive. The pattern as a whole is case-sensitive because of names such as `newPin`. */
const caseInsensitive = (word: string) => word.replace(/[a-z]/g, (c) => `[${c}${c.toUpperCase()}]`);

/** The suffix in names such as `pin_code`, `pinNumber`, `pins`. */
const pinSuffix = `(?:[_ -]?(?:${["code", "number", "block", "value", "digits"].map(caseInsensitive).join("|")})|[sS])?`;

/** The word `pin` and its suffix in a field's name: in `pin`, `new_pin`, `newPin`, but not in `shipping`. */
const pinName = String.raw`(?:(?<!(?<!\\)[A-Za-z0-9])${caseInsensitive("pin")}|(?<=[a-z0-9])P(?:in|IN))${pinSuffix}`;

/**
 * Four digits that may be a PIN, or a longer text that contains four digits but is not a PIN: an id, a long hexadecimal
 * or base64 word, a decimal number, a timestamp, a port.
 */
const fourDigitsOrLonger = new RegExp(
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

/** Masks all groups of four digits that may be a PIN. */
function maskDigits(text: string): string {
  return text.replace(fourDigitsOrLonger, (found) => (found.length === 4 ? mask : found));
}

/** A path may contain a key, a token or a PIN by mistake. */
export function maskPath(path: string): string {
  return maskDigits(maskSecrets(path));
}

export function maskHeaders(headers: SentHeaders): Readonly<Record<string, string>> {
  const masked: Record<string, string> = {};
  headers.forEach((value, name) => {
    masked[maskDigits(maskSecrets(name))] = maskHeader(name, value);
  });
  return masked;
}

/** Masks the values of secret parameters; the rest stays as it was sent. */
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

/** The end of a secret field's name, from the word that shows that it is secret. */
const secretName = `(${[...secretWords.map(caseInsensitive), pinName].join("|")})`;

/** The separator between a name and its value: the closing quotation mark, a colon or equals sign, or both. */
const separator = String.raw`(\s*\\*["'\x60“”‘’]\s*(?:[:=>]+\s*)?|\s*[:=>]+\s*)`;

/** A value: a string, even unterminated; a string in a JSON string; the start of an array or object; a bare word. */
const valuePattern = String.raw`("(?:[^"\\]|\\.)*"?|'[^']*'?|(\\+["']).*?(?:\4|$)|[[{]|WORD(?:[^,}\]&;"'\\<[{\r\n]*WORD)?)`;

/**
 * A secret field and its value, in JSON, in JSON within a JSON string, in broken JSON, in a form or in free text.
 * Groups: the name, the separator, the value, an escaped quotation mark.
 */
const secretField = new RegExp(
  secretName + separator + valuePattern.replaceAll("WORD", "[^\\s,}\\]&;\"'\\\\<[{]"),
  "gs",
);

/** A JSON escape of an ASCII character. */
const escapedCharacter = /\\u00[2-7]/;

const notShownNote = "(not shown: a body that is not valid JSON can contain a secret)";

/** Without a parser, only values that start and end like this can be delimited. */
const safeStart = /^["'\\\w+.“‘…-]/;
const safeEnd = /^[\s,}\]&;\\<]/;

function maskText(text: string): string {
  if (text.includes("\\u00") && escapedCharacter.test(text)) return maskJson(text);
  const pinless = maskUnknownPins(text.includes("@") ? text.replace(passwordOfUrl, `$1${mask}@`) : text);
  // Most texts contain no secret word, and this test is much faster.
  if (!secretWord.test(pinless)) return maskSecrets(pinless);
  let isSafe = true;
  const masked = pinless.replace(secretField, (field, name, separatorText, value, quote, at) => {
    const next = pinless.charAt(at + field.length);
    isSafe &&= safeStart.test(value) && (next === "" || safeEnd.test(next));
    return name + separatorText + maskValue(separatorText, value, quote);
  });
  return isSafe ? maskSecrets(masked) : maskJson(text);
}

/** `https://user:password@host`; bounded, so that matching takes linear time. */
const passwordOfUrl = /(:\/\/[^\s:@/"'\\]{0,100}:)[^\s@/"'\\]{1,500}@/g;

/** Four digits that are not part of a number, an id, a timestamp or a port. */
const fourDigits = /(?<![0-9A-Za-z_.+-]|[^"']:)[0-9]{4}(?![0-9A-Za-z_.:+-])/g;

/** A field's name and separator at the end of a text, just before the value. */
const nameBefore = /([A-Za-z][A-Za-z0-9_ -]{0,40})(\\*["']?)\s{0,4}[:=]\s{0,4}(?:\[\s{0,4})?(\\*["']?)$/;
const maxNameBefore = 64;

/** Masks four digits in unknown fields: they may be a PIN in a misspelled or renamed field. */
function maskUnknownPins(text: string): string {
  return text.replace(fourDigits, (digits, at: number) => {
    const before = text.slice(Math.max(0, at - maxNameBefore), at);
    const [, name = "", nameMark = "", valueMark = ""] = nameBefore.exec(before) ?? [];
    if (name === "" || !mayHoldPin(name)) return digits;
    return valueMark === "" ? nameMark + mask + nameMark : mask;
  });
}

/** Fields whose values may have four digits, and similar names, in lower case and without separators. */
const harmlessFields = new Set([
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

/** Whether four digits occur in a field that is not one of `harmlessFields`. */
function hasUnknownDigits(json: string): boolean {
  for (const { 0: found, index } of json.matchAll(fourDigitsOrLonger)) {
    if (found.length !== 4) continue;
    const [, name = ""] = nameBefore.exec(json.slice(Math.max(0, index - maxNameBefore), index)) ?? [];
    if (name === "" || mayHoldPin(name)) return true;
  }
  return /\[\s*(?:"?[0-9]"?\s*,\s*){3}"?[0-9]"?\s*\]/.test(json);
}

function mayHoldPin(name: string): boolean {
  return !harmlessFields.has(name.replace(/[_ -]/g, "").toLowerCase());
}

/** The mask in the quotation marks of the value; a bare JSON value becomes a string. */
function maskValue(separatorText: string, value: string, quote: string | undefined): string {
  const mark = quote ?? (/^["']/.exec(value) ?? /^"\s*:/.exec(separatorText))?.[0][0] ?? "";
  return mark + mask + mark;
}

/** Masks with a JSON parser; numbers are then written as JavaScript writes them. */
function maskJson(text: string): string {
  try {
    return maskSecrets(JSON.stringify(JSON.parse(text, maskMember)));
  } catch {
    return notShownNote;
  }
}

const secretMember = new RegExp(`${secretName}$`);

function maskMember(name: string, value: unknown): unknown {
  if (secretMember.test(name.trim())) return mask;
  if (!mayHoldPin(name)) return typeof value === "string" ? maskText(value) : value;
  if (Array.isArray(value) && /^[0-9]{4}$/.test(value.join(""))) return mask;
  if (typeof value === "number" && /^[0-9]{4}$/.test(String(value))) return mask;
  return typeof value === "string" ? maskDigits(maskText(value)) : value;
}

const authorizationHeader = /^(proxy-)?authorization$/;
const secretHeader =
  /cookie|authorization|api-?key|token|secret|pass(word|code|phrase)|session|(^|-)(auth|pin|pin-?code|jwt)($|-)/;

/** HTTP headers whose values may have four digits. */
const harmlessHeaders = new Set([
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
  return harmlessHeaders.has(name) ? maskText(value) : maskDigits(maskText(value));
}

/** Known schemes: any other first word may be the secret itself. */
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
  const masked = mayHoldPin(name) ? maskDigits(maskText(plain)) : maskText(plain);
  return masked === plain ? parameter : masked;
}

/** Decodes percent-encoded ASCII; malformed parts stay as they are. */
function decoded(text: string): string {
  return text.replace(/%[2-7][0-9a-f]/gi, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)));
}
