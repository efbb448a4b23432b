/** A secret that a test sends or receives. */
export interface Secret {
  readonly kind: "API key" | "fixture key" | "access token" | "webhook secret" | "admin token" | "PIN";
  /** Its place or its owner. */
  readonly label: string;
  readonly text: string;
}

/** A secret in an output. */
export interface Leak {
  readonly secret: Secret;
  readonly form: string;
  /** The text around it. */
  readonly excerpt: string;
}

/** Finds secrets in outputs: in clear, as base64 or hex, percent-encoded, or with JSON escapes. */
export class SecretFinder {
  readonly #patterns: readonly { secret: Secret; form: string; pattern: RegExp }[];

  constructor(secrets: readonly Secret[]) {
    this.#patterns = secrets.flatMap((secret) =>
      formsOf(secret.text).map(([form, pattern]) => ({ secret, form, pattern })),
    );
  }

  /** The secrets in an output, each form of each once. */
  leaksIn(output: string | Buffer): Leak[] {
    // Latin-1 maps each byte to one character, so that files that are no text keep all bytes.
    const text = (typeof output === "string" ? Buffer.from(output) : output).toString("latin1");
    return this.#patterns.flatMap(({ secret, form, pattern }) => {
      const at = text.search(pattern);
      return at < 0 ? [] : [{ secret, form, excerpt: text.slice(Math.max(0, at - 60), at + 80) }];
    });
  }
}

function formsOf(text: string): (readonly [string, RegExp])[] {
  const bytes = Buffer.from(text);
  const hex = bytes.toString("hex");
  const percent = hex.replace(/../g, "%$&");
  return [
    ["in clear", word(text)],
    ...(encodeURIComponent(text) === text ? [] : [["URL-encoded", word(encodeURIComponent(text))] as const]),
    ...(JSON.stringify(text).slice(1, -1) === text ? [] : [["as JSON", word(JSON.stringify(text))] as const]),
    ["percent-encoded", new RegExp(percent, "i")],
    ["as JSON's escapes", new RegExp(hex.replace(/../g, "\\\\u00$&"), "i")],
    ["in hex", new RegExp(hex, "i")],
    ...base64Forms(bytes),
  ];
}

/** Four digits occur in numbers and ids by chance: they count as a PIN only if they stand alone. */
function word(text: string): RegExp {
  const escaped = text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
  return /^\d{4}$/.test(text)
    ? new RegExp(`(?<![0-9A-Za-z_.:-])${escaped}(?![0-9A-Za-z_-])`)
    : new RegExp(escaped);
}

/** The base64 of bytes, also inside longer data; without the characters that neighbouring bytes influence. */
function base64Forms(bytes: Buffer): (readonly [string, RegExp])[] {
  const before = bytes.length > 8 ? [0, 1, 2] : [0];
  return before.map((n) => {
    const whole = Buffer.concat([Buffer.alloc(n), bytes])
      .toString("base64")
      .replace(/=+$/, "");
    const own = whole.slice(Math.ceil((n * 8) / 6), Math.floor(((n + bytes.length) * 8) / 6));
    const either = own.replaceAll("+", "[+-]").replaceAll("/", "[/_]");
    return ["in base64", new RegExp(either)] as const;
  });
}
