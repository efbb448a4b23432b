import { maskSecrets } from "../core/api-key.ts";
import type { SentHeaders } from "./exchange.ts";

const mask = "…";

/** How much of a body is shown, in characters. */
export const shownBodyLength = 16 * 1024;

/**
 * What a body shows: itself, as it was sent, without the values of the fields that hold secrets and without
 * whatever looks like an API key or a token. A note takes its place where that cannot be promised.
 */
export function maskBody(text: string): string {
  const masked = maskText(text);
  if (masked.length <= shownBodyLength) return masked;
  return `${masked.slice(0, shownBodyLength)}… (cut; it has ${text.length} characters)`;
}

/** A segment of a path whose name is a PIN's, and four digits behind it. */
const pinOfPath = /((?:(?<![A-Za-z])pin|Pin|PIN)[=/])[0-9]{4}(?![0-9A-Za-z-])/g;

/** What a path shows: a client may have put a key, a token or a PIN there. */
export function maskPath(path: string): string {
  return maskSecrets(path).replace(pinOfPath, `$1${mask}`);
}

/** What headers show; their names are in lower case. */
export function maskHeaders(headers: SentHeaders): Readonly<Record<string, string>> {
  const masked: Record<string, string> = {};
  headers.forEach((value, name) => {
    masked[maskSecrets(name)] = maskHeader(name, value);
  });
  return masked;
}

/** What a query shows, parameter by parameter, otherwise as it was sent. */
export function maskQuery(query: string): string {
  return query === "" ? "" : query.replace(/[^?&;]+/g, maskParameter);
}

const secretWords = "(pin|secret|api[_-]?key|access[_-]?token)";
const secretWord = new RegExp(secretWords, "i");

/** At the beginning of a word; that is looked at last, since it is costly. */
const secretName = String.raw`${secretWords}(?<!(?<!\\)[a-z0-9]\1)`;

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
  "gis",
);

/** An escape of JSON behind which a letter, a digit or a mark of ASCII may hide. */
const hiddenCharacter = /\\u00[2-7]/;

const notShown = "(not shown: it is no JSON, and may hold a secret)";

/** A value that begins so is told from what follows it by a parser alone, as is one that ends otherwise. */
const clearBeginning = /^["'\\\w+.“‘…-]/;
const clearEnd = /^[\s,}\]&;\\<]/;

function maskText(text: string): string {
  if (text.includes("\\u00") && hiddenCharacter.test(text)) return maskJson(text);
  // Most texts have none, and this says so at a fraction of the cost.
  if (!secretWord.test(text)) return maskSecrets(text);
  let isClear = true;
  const masked = text.replace(secretField, (field, name, gap, sent, quote, at) => {
    const next = text.charAt(at + field.length);
    isClear &&= clearBeginning.test(sent) && (next === "" || clearEnd.test(next));
    return name + gap + maskValue(gap, sent, quote);
  });
  return isClear ? maskSecrets(masked) : maskJson(text);
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

const secretMember = new RegExp(`${secretName}$`, "i");

function maskMember(name: string, value: unknown): unknown {
  if (secretMember.test(name.trim())) return mask;
  return typeof value === "string" ? maskText(value) : value;
}

const authorizationHeader = /^(proxy-)?authorization$/;
const secretHeader = /cookie|authorization|api-?key|token|secret|password|session|(^|-)(auth|pin|jwt)($|-)/;

function maskHeader(name: string, value: string): string {
  if (authorizationHeader.test(name)) return maskCredentials(value);
  if (secretHeader.test(name) && !name.startsWith("sandbox-")) return maskCredential(value);
  return maskText(value);
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

const secretParameter = /token|secret|api[_-]?key|authorization|password|(?<![a-z])pin(?![a-z])/i;

function maskParameter(parameter: string): string {
  const [sentName = ""] = parameter.split("=", 1);
  const name = decoded(sentName);
  if (secretParameter.test(name)) return sentName === parameter ? mask : `${maskSecrets(name)}=${mask}`;
  // Only where something hides behind percent signs does it stand decoded.
  const plain = decoded(parameter);
  const masked = maskText(plain);
  return masked === plain ? parameter : masked;
}

/** Without percent signs before ASCII; what is malformed stays, and hides nothing that follows. */
function decoded(text: string): string {
  return text.replace(/%[2-7][0-9a-f]/gi, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)));
}
