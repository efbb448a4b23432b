import type { Environment } from "../contract/identifiers.ts";
import { hashOfSecret } from "./random.ts";

/** Every key starts with `sk_` and its environment (spec §2, API key). */
export const keyPrefixes: Readonly<Record<Environment, string>> = {
  sandbox: "sk_sandbox_",
  live: "sk_live_",
};

/** Active keys are limited for each company or, in a variant that the spec describes, for each member (spec §5.5). */
export const keyQuotas = ["company", "member"] as const;
export type KeyQuota = (typeof keyQuotas)[number];
/** The limit in each environment. */
export const activeKeysAllowed = 5;

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
export const checksumLength = 6;

/**
 * A new key's secret: the prefix of its environment, 32 base62 characters, and a checksum of 6 characters that mistyped
 * and made-up keys lack.
 * @param block - 32 random bytes
 */
export function makeSecret(environment: Environment, block: Uint8Array): string {
  return withChecksum(environment, toBase62(block));
}

/** @param body - 32 base62 characters */
export function withChecksum(environment: Environment, body: string): string {
  return `${keyPrefixes[environment]}${body}${checksumOf(body)}`;
}

const secretFormat = new RegExp(`^sk_(?:sandbox|live)_([0-9A-Za-z]{32})([0-9A-Za-z]{${checksumLength}})$`);

/** Whether a text has the format and a valid checksum of `makeSecret`. */
export function hasKeyChecksum(text: string): boolean {
  const [, body = "", checksum] = secretFormat.exec(text) ?? [];
  return checksum !== undefined && checksumOf(body) === checksum;
}

function checksumOf(body: string): string {
  return toBase62(hashOfSecret(body)).slice(0, checksumLength);
}

function toBase62(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += base62[byte % base62.length];
  return text;
}

/** The environment that a key's prefix names. */
export function environmentOfKey(secret: string): Environment | undefined {
  if (secret.startsWith(keyPrefixes.sandbox)) return "sandbox";
  return secret.startsWith(keyPrefixes.live) ? "live" : undefined;
}

/** Whether a credential is an API key, and so belongs at the token endpoint only (spec §5.1). */
export function looksLikeApiKey(credential: string): boolean {
  return credential.startsWith("sk_");
}

/** The prefix that lists show instead of a key's secret (spec §2). */
export function shownPrefix(secret: string): string {
  return secret.slice(0, 16);
}

const anyKey = /(sk_(?:sandbox|live)_|(?<![A-Za-z0-9])sk_(?!(?:sandbox|live)_(?:[/\s"'\\]|$)))[^/\s"'\\]+/g;
const anyWebhookSecret = /whsec_[A-Za-z0-9+/_=%-]+/g;
const tokenLength = 43;
const anyToken = /[A-Za-z0-9_-]{43,}/g;

/** Masks everything that looks like an API key, a webhook's secret or an access token. The kind of a key stays. */
export function maskSecrets(text: string): string {
  return replaceSecrets(text, (_, kept = "") => `${kept}…`);
}

/**
 * Replaces everything that looks like an API key, a webhook's secret or an access token.
 * @param replacement - is called with the secret, and with the start of it that is not secret
 */
export function replaceSecrets(text: string, replacement: (secret: string, kept?: string) => string): string {
  const unsigned = text.includes("whsec_")
    ? text.replace(anyWebhookSecret, (secret) => replacement(secret, "whsec_"))
    : text;
  const keyless = unsigned.includes("sk_")
    ? unsigned.replace(anyKey, (secret, kept) => replacement(secret, kept))
    : unsigned;
  return hasLongWord(keyless) ? keyless.replace(anyToken, (secret) => replacement(secret)) : keyless;
}

/** Whether any word is as long as a token. It reads few characters, because every text of a log passes here. */
function hasLongWord(text: string): boolean {
  for (let at = tokenLength - 1; at < text.length; at += tokenLength) {
    let [start, end] = [at, at];
    while (isOfToken(text.charCodeAt(start - 1))) start--;
    while (isOfToken(text.charCodeAt(end))) end++;
    if (end - start >= tokenLength) return true;
  }
  return false;
}

/** A letter, a digit, `_` or `-`; not the NaN beyond the text. */
function isOfToken(code: number): boolean {
  const letter = code | 0x20;
  return (
    (letter >= 0x61 && letter <= 0x7a) || (code >= 0x30 && code <= 0x39) || code === 0x5f || code === 0x2d
  );
}
