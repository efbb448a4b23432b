import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { LoadRequest } from "./load.ts";
import { type Server, startServer } from "./server.ts";

/** A built checkout. */
export interface Build {
  /** Its name in the tables. */
  readonly name: string;
  readonly folder: string;
}

interface Caller {
  readonly apiKey: string;
  readonly accountId: string;
  readonly accessToken: string;
}

/**
 * Starts the sandbox of a build on a free port, with its journal and without a log.
 * @param launcher - a script that starts the command line in its own way
 */
export function startSandbox(
  { folder }: Build,
  options: readonly string[] = [],
  launcher?: string,
  node = process.execPath,
): Promise<Server> {
  const cli = join(folder, "dist/node/cli.js");
  const scripts = launcher === undefined ? [cli] : [join(import.meta.dirname, launcher), cli];
  return startServer([node, ...scripts, "--port", "0", "--log", "silent", ...options]);
}

/** Resets the sandbox, so that every round begins alike, and makes a caller. */
export async function freshCaller(server: Server): Promise<Caller> {
  await post(server, "/_sandbox/reset", {});
  return newCaller(server);
}

/** Makes a company with a quota that no round uses up, and exchanges its owner's key. */
export async function newCaller(server: Server): Promise<Caller> {
  const company = await post(server, "/_sandbox/companies", { card_quota: 10_000_000 });
  const apiKey = company.members[0].api_keys[0].secret;
  return exchangeKey(server, { apiKey, accountId: company.accounts[0].id });
}

export async function exchangeKey(
  server: Server,
  { apiKey, accountId }: Omit<Caller, "accessToken">,
): Promise<Caller> {
  const { access_token } = await post(server, "/auth/v1/sandbox/token", { api_key: apiKey });
  return { apiKey, accountId, accessToken: access_token };
}

/** @throws Error unless the response is a success */
// biome-ignore lint/suspicious/noExplicitAny: responses of several builds, read where they are used
async function post({ url }: Server, path: string, body: unknown): Promise<any> {
  const response = await fetch(url + path, { method: "POST", body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`POST ${path} returned ${response.status}: ${await response.text()}`);
  return response.status === 204 ? undefined : response.json();
}

/** An order that passes every check, the same each time. */
export function sameOrder({ accessToken, accountId }: Omit<Caller, "apiKey">): LoadRequest {
  return {
    method: "POST",
    path: "/developer/cards/physical",
    headers: {
      Authorization: `Bearer ${accessToken}`,
      "Content-Type": "application/json",
      "Idempotency-Key": randomUUID(),
    },
    body: JSON.stringify({
      account_id: accountId,
      pin: "4821",
      delivery_address: { line1: "1 Long Lane", city: "London", post_code: "SE1 4PG", country_code: "GB" },
      delivery_method: "express",
      spending_limit: { period: "monthly", amount: "250.00" },
    }),
  };
}

/** An order with a new Idempotency-Key each time. */
export function newOrder(caller: Omit<Caller, "apiKey">): LoadRequest {
  return { ...sameOrder(caller), ownHeaders: () => ({ "Idempotency-Key": randomUUID() }) };
}
