import { replaceSecrets } from "../rules/api-key.ts";
import type { SentHeaders } from "./exchange.ts";

/** What takes the place of a secret. It is called again with what it returned, because several rules can find a secret. */
export interface Hiding {
  /** @param kept - the start of the secret that is not secret, such as `sk_live_` */
  text(secret: string, kept?: string): string;
  /** Replaces the value of a secret field in parsed JSON, which may be of any type. */
  value(value: unknown): unknown;
  /** Whether a value without quotation marks, such as a number, becomes a string. */
  readonly quotesBare: boolean;
}

/** @internal */
export const mask = "…";
const marking: Hiding = { text: (_, kept = "") => kept + mask, value: () => mask, quotesBare: true };

/** The maximum number of characters of a body that are shown. */
export const shownBodyLength = 16 * 1024;

/**
 * Masks the body of a request. The service accepts only JSON objects. In any other body a PIN cannot be recognized, so
 * only the length and the content type are shown.
 */
export function maskRequestBody(text: string, contentType: string | null): string {
  if (text.trim() === "" || isJsonObject(text)) return maskBody(text);
  const type =
    contentType === null ? "without a content type" : `of ${marked.header("content-type", contentType)}`;
  return `(not shown: ${text.length} characters ${type}; a body that is not a JSON object can contain a PIN)`;
}

/** Whether a text is a JSON object, the only body that the service accepts. */
export function isJsonObject(text: string): boolean {
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
  const masked = marked.body(text) ?? "(not shown: a body that is not valid JSON can contain a secret)";
  if (masked.length <= shownBodyLength) return masked;
  return `${copyOf(masked.slice(0, shownBodyLength))}… (truncated, ${text.length} characters in total)`;
}

/** A copy, because a slice in V8 keeps the whole text in memory. */
function copyOf(part: string): string {
  return new TextDecoder().decode(new TextEncoder().encode(part));
}

/** A path may contain a key, a token or a PIN by mistake. */
export function maskPath(path: string): string {
  return marked.path(path);
}

export function maskHeaders(headers: SentHeaders): Readonly<Record<string, string>> {
  return marked.headers(headers);
}

/** Masks the values of secret parameters; the rest stays as it was sent. */
export function maskQuery(query: string): string {
  return marked.query(query);
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

/** Without a parser, only values that start and end like this can be delimited. */
const safeStart = /^["'\\\w+.“‘…-]/;
const safeEnd = /^[\s,}\]&;\\<]/;

/** `https://user:password@host`; bounded, so that matching takes linear time. */
const passwordOfUrl = /(:\/\/[^\s:@/"'\\]{0,100}:)([^\s@/"'\\]{1,500})@/g;

/** Four digits that are not part of a number, an id, a timestamp or a port. */
const fourDigits = /(?<![0-9A-Za-z_.+-]|[^"']:)[0-9]{4}(?![0-9A-Za-z_.:+-])/g;

/** A field's name and separator at the end of a text, just before the value. */
const nameBefore = /([A-Za-z][A-Za-z0-9_ -]{0,40})(\\*["']?)\s{0,4}[:=]\s{0,4}(?:\[\s{0,4})?(\\*["']?)$/;
const maxNameBefore = 64;

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

const secretMember = new RegExp(`${secretName}$`);

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

/** Known schemes: any other first word may be the secret itself. */
const scheme = /^(?:bearer|basic|digest|token|api-?key|negotiate)(?=\s|$)/i;

const secretParameter = new RegExp(`token(?!s)|authorization|${secretWords.join("|")}`, "i");
const pinParameter = new RegExp(pinName);

/** Decodes percent-encoded ASCII; malformed parts stay as they are. */
export function decoded(text: string): string {
  return text.replace(/%[2-7][0-9a-f]/gi, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)));
}

/** Finds the secrets in the parts of a message, and replaces them; the rest stays as it was sent. */
export class Masking {
  readonly #hiding: Hiding;

  constructor(hiding: Hiding) {
    this.#hiding = hiding;
  }

  path(path: string): string {
    return this.#digits(this.#secrets(path));
  }

  query(query: string): string {
    return query === "" ? "" : query.replace(/[^?&;]+/g, (parameter) => this.#parameter(parameter));
  }

  headers(headers: SentHeaders): Record<string, string> {
    const masked: Record<string, string> = {};
    headers.forEach((value, name) => {
      masked[this.#digits(this.#secrets(name))] = this.header(name, value);
    });
    return masked;
  }

  header(name: string, value: string): string {
    if (authorizationHeader.test(name)) return this.#credentials(value);
    if (secretHeader.test(name) && !name.startsWith("sandbox-")) return this.#credential(value);
    return harmlessHeaders.has(name) ? (this.#text(value) ?? mask) : this.#allIn(value);
  }

  /** @returns undefined if the secrets cannot be told from the rest, which is not JSON */
  body(text: string): string | undefined {
    const partly = this.#text(text);
    if (partly === undefined) return undefined;
    return isJsonObject(text) && hasUnknownDigits(partly) ? this.#json(text) : partly;
  }

  #secrets(text: string): string {
    return replaceSecrets(text, this.#hiding.text);
  }

  /** All groups of four digits that may be a PIN. */
  #digits(text: string): string {
    return text.replace(fourDigitsOrLonger, (found) =>
      found.length === 4 ? this.#hiding.text(found) : found,
    );
  }

  #allIn(text: string): string {
    const masked = this.#text(text);
    return masked === undefined ? this.#hiding.text(text) : this.#digits(masked);
  }

  #text(text: string): string | undefined {
    if (text.includes("\\u00") && escapedCharacter.test(text)) return this.#json(text);
    const hide = this.#hiding.text;
    const withoutPassword = text.includes("@")
      ? text.replace(passwordOfUrl, (_, start, password) => `${start}${hide(password)}@`)
      : text;
    const pinless = this.#unknownPins(withoutPassword);
    // Most texts contain no secret word, and this test is much faster.
    if (!secretWord.test(pinless)) return this.#secrets(pinless);
    let isSafe = true;
    const masked = pinless.replace(secretField, (field, name, separatorText, value, quote, at) => {
      const next = pinless.charAt(at + field.length);
      isSafe &&= safeStart.test(value) && (next === "" || safeEnd.test(next));
      return name + separatorText + this.#fieldValue(separatorText, value, quote);
    });
    return isSafe ? this.#secrets(masked) : this.#json(text);
  }

  /** Four digits in unknown fields: they may be a PIN in a misspelled or renamed field. */
  #unknownPins(text: string): string {
    return text.replace(fourDigits, (digits, at: number) => {
      const before = text.slice(Math.max(0, at - maxNameBefore), at);
      const [, name = "", nameMark = "", valueMark = ""] = nameBefore.exec(before) ?? [];
      if (name === "" || !mayHoldPin(name)) return digits;
      const quotation = valueMark === "" && this.#hiding.quotesBare ? nameMark : "";
      return quotation + this.#hiding.text(digits) + quotation;
    });
  }

  /** A replacement in the quotation marks of the value. */
  #fieldValue(separatorText: string, value: string, quote: string | undefined): string {
    const own = quote ?? /^["']/.exec(value)?.[0] ?? "";
    const inner = own === "" ? value : value.slice(own.length, value.endsWith(own) ? -own.length : undefined);
    const bare = this.#hiding.quotesBare ? (/^"\s*:/.exec(separatorText)?.[0][0] ?? "") : "";
    const quotation = own === "" ? bare : own;
    return quotation + this.#hiding.text(inner) + quotation;
  }

  /** Numbers are then written as JavaScript writes them. */
  #json(text: string): string | undefined {
    try {
      return this.#secrets(JSON.stringify(JSON.parse(text, (name, value) => this.#member(name, value))));
    } catch {
      return undefined;
    }
  }

  #member(name: string, value: unknown): unknown {
    if (secretMember.test(name.trim())) return this.#hiding.value(value);
    if (!mayHoldPin(name)) return typeof value === "string" ? (this.#text(value) ?? mask) : value;
    if (Array.isArray(value) && /^[0-9]{4}$/.test(value.join(""))) return this.#hiding.value(value);
    if (typeof value === "number" && /^[0-9]{4}$/.test(String(value))) return this.#hiding.value(value);
    return typeof value === "string" ? this.#allIn(value) : value;
  }

  #credentials(value: string): string {
    const named = scheme.exec(value)?.[0];
    if (named === undefined) return this.#credential(value);
    const credential = value.slice(named.length).trim();
    return credential === "" ? named : `${named} ${this.#credential(credential)}`;
  }

  /** Keeps the prefix of an API key, which shows that a key was sent instead of a token. */
  #credential(value: string): string {
    return this.#hiding.text(value, /^sk_(sandbox|live)_/.exec(value)?.[0]);
  }

  #parameter(parameter: string): string {
    const [sentName = ""] = parameter.split("=", 1);
    const name = decoded(sentName);
    if (secretParameter.test(name) || pinParameter.test(name)) {
      if (sentName === parameter) return this.#hiding.text(parameter);
      return `${this.#secrets(name)}=${this.#hiding.text(decoded(parameter.slice(sentName.length + 1)))}`;
    }
    // A parameter is shown decoded only if the percent-encoded text hides a secret.
    const plain = decoded(parameter);
    const masked = mayHoldPin(name) ? this.#allIn(plain) : (this.#text(plain) ?? mask);
    return masked === plain ? parameter : masked;
  }
}

const marked = new Masking(marking);
