import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { utf8ToBytes } from "@noble/hashes/utils.js";
import QuickLRU from "quick-lru";
import { decoded, type Hiding, isJsonObject, Masking } from "../journal/masking.ts";
import {
  checksumLength,
  environmentOfKey,
  hasKeyChecksum,
  keyPrefixes,
  replaceSecrets,
  shownPrefix,
  withChecksum,
} from "../rules/api-key.ts";
import { isWeakPin } from "../rules/pin.ts";
import { columnsOf, type WorldTable } from "../store/schema.ts";
import type { StoredRows, StoredValue } from "../store/stored-rows.ts";

/** Returns what takes the place of a secret. */
export type Replace = (secret: string) => string;

// Private-use characters mark a replaced secret until all rules have run: another rule would find the stand-in again.
const start = "\u{e000}";
const end = "\u{e001}";
/** Columns whose text a client determines. */
const freeTexts = new Set(["name", "label", "first_response", "message", "merchant", "url", "body", "error"]);

const first = 0xe100;
const most = 0x17ff;

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The most names, and values of one, that are remembered. */
const mostLatest = 100;
/** The longest values and secrets that are remembered, in characters. Longer ones are rare, and clients may send many. */
const longestCached = 200;

/** The longest order whose name is remembered, in characters: 10,000 names would otherwise fill the memory. */
const longestOrder = 4096;
/** The most names with a PIN that are remembered. */
const mostNames = 10_000;

/** Replaces secrets by the rules of the journal. What takes their place has their shape, so that it is decided the same. */
export class Replacing {
  readonly #replace: Replace;
  readonly #masking: Masking;
  /** The latest values by the names of their headers, and URLs: most requests of a client have the same. */
  readonly #latest = new Map<string, Map<string, string>>();
  /** The secrets of a text, and their numbers. */
  #found = new Map<string, number>();
  /** Names that contain the PIN of their order, and what takes their place: both as in JSON. */
  readonly #names = new Map<string, string>();

  constructor(replace: Replace) {
    this.#replace = replace;
    const hide = (secret: string) => this.#hide(secret);
    const hiding: Hiding = { text: hide, value: (value) => this.#value(value), quotesBare: false };
    this.#masking = new Masking(hiding);
  }

  header(name: string, value: string): string {
    // The usual header that differs with each request.
    if (name === "idempotency-key" && uuid.test(value)) return value;
    return this.#once(name, value, () => this.#reveal(this.#masking.header(name, value)));
  }

  #once(name: string, value: string, replace: () => string): string {
    if (value.length > longestCached) return replace();
    if (this.#latest.size > mostLatest) this.#latest.clear();
    let known = this.#latest.get(name);
    if (!known || known.size === mostLatest) {
      known = new Map();
      this.#latest.set(name, known);
    }
    let replaced = known.get(value);
    if (replaced === undefined) {
      replaced = replace();
      known.set(value, replaced);
    }
    return replaced;
  }

  /** @returns undefined if the secrets cannot be told from the rest, which is then no JSON object */
  body(text: string): string | undefined {
    if (text === "") return text;
    if (text.includes(start)) return undefined;
    this.#rememberName(text);
    const usual = replacedPin(text, this.#replace);
    if (usual !== undefined) return this.#withoutNames(usual);
    const replaced = isJsonObject(text) ? this.#slowBody(text) : undefined;
    return replaced && this.#withoutNames(replaced);
  }

  /** The body of a response. That of a success has no PIN; an error may quote what the client sent. */
  response(text: string, status: number): string {
    if (status < 300 && !secretInResponse.test(text) && !containsToken(text)) return this.#withoutNames(text);
    return this.#withoutNames(this.#slowBody(text) ?? "");
  }

  /** Some clients put the PIN of a card into its name, which later responses show. */
  #rememberName(text: string): void {
    const [, pin] = onlyPin.exec(text) ?? [];
    if (pin === undefined || text.indexOf(pin) === text.lastIndexOf(pin)) return;
    if (this.#names.size >= mostNames || text.length > longestOrder || !isJsonObject(text)) return;
    const { name }: { name?: unknown } = JSON.parse(text);
    if (typeof name !== "string" || !name.includes(pin)) return;
    const hidden = name.replaceAll(pin, this.#replace(pin));
    this.#names.set(JSON.stringify(name), JSON.stringify(hidden));
    this.#names.set(JSON.stringify(name.trim()), JSON.stringify(hidden.trim()));
  }

  #withoutNames(text: string): string {
    if (this.#names.size === 0) return text;
    return text.replace(/"(?:[^"\\]|\\.)*"/g, (quoted) => this.#names.get(quoted) ?? quoted);
  }

  #slowBody(text: string): string | undefined {
    const masked = this.#masking.body(text);
    return masked === undefined ? this.#revealNothing() : this.#reveal(masked);
  }

  url(url: string): string {
    return this.#once("?", url, () => this.#url(url));
  }

  #url(url: string): string {
    const query = url.indexOf("?");
    const [path, rest] = query < 0 ? [url, ""] : [url.slice(0, query), url.slice(query)];
    const [scheme, empty, host, ...segments] = path.split("/");
    const origin = this.#reveal(this.#masking.path([scheme, empty, host].join("/")));
    const replaced = [origin, ...segments.map((segment) => this.#segment(segment))].join("/");
    return replaced + rest.replace(/[^?&;]+/g, (parameter) => this.#parameter(parameter));
  }

  /** A segment is only decoded if its percent-encoding hides a secret. */
  #segment(segment: string): string {
    const masked = this.#masking.path(segment);
    if (!segment.includes("%")) return this.#reveal(masked);
    const plain = this.#masking.path(decoded(segment));
    return plain === decoded(masked) ? this.#reveal(masked) : encodeUrl(this.#reveal(plain));
  }

  #parameter(parameter: string): string {
    const masked = this.#masking.query(parameter);
    if (masked === parameter) return parameter;
    const [name = "", value] = this.#reveal(masked).split(/=(.*)/s, 2);
    return value === undefined ? encodeUrl(name) : `${encodeUrl(name)}=${encodeUrl(value)}`;
  }

  /** Replaces the API keys, tokens and webhook secrets in a value of JSON. It contains no PIN. */
  json<Value>(value: Value): Value {
    const text = JSON.stringify(value);
    if (text === undefined) return value;
    const replaced = this.#reveal(replaceSecrets(text, (secret) => this.#hide(secret)));
    return JSON.parse(this.#withoutNames(replaced));
  }

  /** Replaces the keys of the fixtures, and what clients may have written into texts. All others are stored as hashes. */
  rows(rows: StoredRows): StoredRows {
    return Object.fromEntries(
      Object.entries(rows).map(([table, each]) => {
        if (table === "meta" || table === "snapshots") return [table, each];
        if (table !== "snapshot_rows") return [table, each.map((row) => this.#row(table, row, 0))];
        return [table, each.map((row) => this.#row(String(row[1]), row, 3))];
      }),
    );
  }

  /** @param first - the place of the table's first column */
  #row(table: string, row: readonly StoredValue[], first: number): readonly StoredValue[] {
    const columns = columnsOf(table as WorldTable);
    return row.map((value, at) => {
      if (typeof value !== "string") return value;
      const column = columns[at - first] ?? "";
      if (column === "public_secret") return this.#replace(value);
      // The shown start of a short key is the whole key.
      if (column === "prefix" && value === row[columns.indexOf("public_secret") + first])
        return this.#replace(value);
      return freeTexts.has(column) ? (this.#slowBody(value) ?? this.#replace(value)) : value;
    });
  }

  #hide(secret: string): string {
    if (secret.startsWith(start) || /^(?:true|false|null|)$/.test(secret)) return secret;
    const at = this.#found.get(secret) ?? this.#found.size;
    this.#found.set(secret, at);
    return at > most ? secret.replace(/./gs, "0") : start + String.fromCharCode(first + at) + end;
  }

  #value(value: unknown): unknown {
    if (typeof value === "string") return this.#hide(value);
    if (typeof value === "number") return Number(this.#replace(String(value)));
    if (Array.isArray(value)) return value.map((each) => this.#value(each));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, this.#value(each)]));
  }

  #reveal(text: string): string {
    if (this.#found.size === 0) return text;
    const found = [...this.#found.keys()];
    this.#found = new Map();
    return text.replace(/\u{e000}(.)\u{e001}/gu, (_, index: string) =>
      this.#replace(found[index.charCodeAt(0) - first] ?? ""),
    );
  }

  #revealNothing(): undefined {
    this.#found = new Map();
    return undefined;
  }
}

/** Encodes what has a meaning in a URL, or none. A percent sign stays: it may encode a byte that is not ASCII. */
function encodeUrl(text: string): string {
  return text.replace(/[^\w.~%*'()!$,:@=-]/g, encodeURIComponent);
}

const onlyPin = /"pin"\s*:\s*"([0-9]{4})"/;
const suspicious =
  /pin|secret|pass(?:word|phrase|code)|api[_-]?key|(?:access|auth|bearer|admin|refresh|session)[_-]?token|@|\\u|(?<![0-9A-Za-z-])[0-9]{4}(?![0-9A-Za-z-])/i;

/**
 * Replaces the PIN of an ordinary order. The rules for all bodies take 25 µs, a tenth of an order's time.
 * @returns undefined if the body may contain other secrets
 */
function replacedPin(text: string, replace: Replace): string | undefined {
  const found = onlyPin.exec(text);
  if (!found) return undefined;
  const [field, pin = ""] = found;
  const before = text.slice(0, found.index);
  const after = text.slice(found.index + field.length);
  const rest = `${before} ${after}`;
  if (suspicious.test(rest) || containsToken(rest)) return undefined;
  return before + field.replace(pin, replace(pin)) + after;
}

const secretInResponse =
  /pin|secret|pass(?:word|phrase|code)|api[_-]?key|(?:access|auth|bearer|admin|refresh|session)[_-]?token|@|\\u/i;

function containsToken(text: string): boolean {
  let contains = false;
  replaceSecrets(text, (secret) => {
    contains = true;
    return secret;
  });
  return contains;
}

/** The API keys and tokens in a text, in their order. */
export function credentialsIn(text: string): string[] {
  const found: string[] = [];
  replaceSecrets(text, (secret) => {
    if (!secret.startsWith("whsec_")) found.push(secret);
    return secret;
  });
  return found;
}

const cached = 1000;
const pins = 10_000;

/**
 * The stand-ins of one tape: one for each secret, and no two alike. They derive from a random key that is nowhere stored,
 * so the secrets cannot be computed from them.
 * @param key - 32 unpredictable bytes
 */
export function standIns(key: Uint8Array): Replace {
  const cache = new QuickLRU<string, string>({ maxSize: cached });
  let permutation: Uint16Array | undefined;
  return (secret) => {
    const known = cache.get(secret);
    if (known !== undefined) return known;
    let standIn: string;
    if (/^[0-9]{4}$/.test(secret)) {
      permutation ??= permutationOf(key);
      standIn = textOf(permutation[Number(secret)] as number);
    } else standIn = ofSameShape(secret, (n) => hmac(sha256, key, utf8ToBytes(`${n}/${secret}`)));
    if (secret.length <= longestCached) cache.set(secret, standIn);
    return standIn;
  };
}

/**
 * Permutes the PINs, so that none stays the same: those that a dialect may refuse as weak among themselves, and those that
 * begin with 0, because a number has no leading 0.
 */
function permutationOf(key: Uint8Array): Uint16Array {
  const result = new Uint16Array(pins);
  // Ten numbers from each block: one block for each would take 0.2 s.
  const blocks = Array.from({ length: pins / 10 }, (_, n) => hmac(sha256, key, utf8ToBytes(`pin/${n}`)));
  const random = (n: number) => {
    const bytes = blocks[Math.floor(n / 10)] as Uint8Array;
    const at = (n % 10) * 3;
    return (((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0)) / 2 ** 24;
  };
  const all = Array.from({ length: pins }, (_, n) => n);
  const kindOf = (n: number) => (isWeakPin(textOf(n)) ? 0 : n < pins / 10 ? 1 : 2);
  for (const kind of [0, 1, 2]) {
    const own = all.filter((n) => kindOf(n) === kind);
    const shuffled = [...own];
    // Sattolo's algorithm makes one cycle, so nothing stays in its place.
    for (let i = own.length - 1; i > 0; i--) {
      const j = Math.floor(random(own[i] as number) * i);
      [shuffled[i], shuffled[j]] = [shuffled[j] as number, shuffled[i] as number];
    }
    for (const [i, n] of own.entries()) result[n] = shuffled[i] as number;
  }
  return result;
}

const textOf = (n: number) => String(n).padStart(4, "0");

const classes = ["0123456789", "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"];

/** The digits, letters and capital letters of a text become others. The shown prefix of an API key and its checksum stay. */
function ofSameShape(secret: string, blockOf: (n: number) => Uint8Array): string {
  const environment = environmentOfKey(secret);
  const shown = shownPrefix(secret).length;
  if (environment && hasKeyChecksum(secret)) {
    const body = secret.slice(keyPrefixes[environment].length, -checksumLength);
    return withChecksum(environment, shaped(body, shown - keyPrefixes[environment].length, blockOf));
  }
  const kept = environment ? Math.min(shown, secret.length - 4) : secret.startsWith("whsec_") ? 6 : 0;
  return shaped(secret, kept, blockOf);
}

/** @param kept - the number of characters at the start that stay */
function shaped(text: string, kept: number, blockOf: (n: number) => Uint8Array): string {
  let block = blockOf(0);
  let result = text.slice(0, kept);
  for (let i = kept; i < text.length; i++) {
    const n = i - kept;
    if (n > 0 && n % block.length === 0) block = blockOf(n / block.length);
    const character = text[i] as string;
    const set = classes.find((each) => each.includes(character)) ?? character;
    const byte = block[n % block.length] ?? 0;
    // A number has no leading zero.
    const isLeading = i === 0 && set === classes[0] && character !== "0";
    result += isLeading ? set[1 + (byte % 9)] : set[byte % set.length];
  }
  return result;
}
