import type { Exchange, Messages } from "../exchange.ts";

/** A text of a request that could be an API key, and where it stood. */
export interface KeySent {
  /** A secret: it is shown to nobody. */
  readonly text: string;
  readonly place: "header" | "path" | "query" | "body";
  /** Of the header, in lower case. */
  readonly header?: string;
}

const none: readonly KeySent[] = [];
const candidate = /(?<![A-Za-z0-9])sk_[A-Za-z0-9_]+/g;

/** Whatever in a request begins as an API key does (spec §2); whether it is one is for others to say. */
export function keysSentIn(
  { path, query }: Exchange,
  { requestHeaders, requestBody }: Messages,
): readonly KeySent[] {
  let sent: KeySent[] | undefined;
  const look = (text: string, place: KeySent["place"], header?: string) => {
    if (!text.includes("sk_")) return;
    for (const [found] of text.matchAll(candidate)) {
      sent ??= [];
      sent.push({ text: found, place, ...(header !== undefined && { header }) });
    }
  };
  requestHeaders.forEach((value, name) => {
    look(name === "authorization" ? withBasicRead(value) : value, "header", name);
  });
  look(percentRead(path), "path");
  look(percentRead(query), "query");
  look(requestBody ?? "", "body");
  return sent ?? none;
}

/** Basic credentials hide their key in base64. */
function withBasicRead(value: string): string {
  const [, credentials] = /^basic +([A-Za-z0-9+/_=-]+) *$/i.exec(value) ?? [];
  if (credentials === undefined) return value;
  try {
    return atob(credentials);
  } catch {
    return value;
  }
}

/** A path or a query as it is meant; as it is, where it is malformed. */
export function percentRead(text: string): string {
  if (!text.includes("%")) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
