import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build as esbuild } from "esbuild";
import type { Cores } from "./cores.ts";
import type { LoadRequest } from "./load.ts";
import { type Server, startServer } from "./server.ts";

/** A checkout with its dist/ and what that is made of, to be measured beside others. */
export interface Build {
  /** What the output calls it. */
  readonly name: string;
  readonly folder: string;
}

const orderPath = "/developer/cards/physical";

/** The command line of a build. */
export function commandLine(build: Build): string {
  return join(build.folder, "dist/node/cli.js");
}

/** The command that starts a build's sandbox on a free port, with the journal on and no log. */
export function sandboxCommand(build: Build, options: readonly string[] = []): string[] {
  return [process.execPath, commandLine(build), "--port", "0", "--log", "silent", ...options];
}

/** Starts a build's sandbox. */
export function startSandbox(build: Build, cores: Cores, options: readonly string[] = []): Promise<Server> {
  return startServer([...cores.serverPrefix, ...sandboxCommand(build, options)]);
}

/** Starts one that commits what each request changes by itself. */
export function startUngroupedSandbox(
  build: Build,
  cores: Cores,
  options: readonly string[],
): Promise<Server> {
  const [node = "", ...args] = sandboxCommand(build, options);
  return startServer([
    ...cores.serverPrefix,
    node,
    join(import.meta.dirname, "ungrouped-sandbox.mjs"),
    ...args,
  ]);
}

/** Whether a build's command line knows an option. */
export function knows(build: Build, option: string): boolean {
  const help = spawnSync(process.execPath, [commandLine(build), "start", "--help"], { encoding: "utf8" });
  if (help.status !== 0) throw new Error(`${build.name} cannot be run; is it built? ${help.stderr}`);
  return help.stdout.includes(`${option} `);
}

/** Who sends, and on which account. */
export interface Caller {
  readonly companyId: string;
  readonly apiKey: string;
  readonly accessToken: string;
  readonly accountId: string;
}

/** Starts a build's sandbox, makes a caller, and gives the company so many cards. */
export async function startFilledSandbox(
  build: Build,
  cores: Cores,
  cards: number,
  options: readonly string[] = [],
): Promise<{ readonly server: Server; readonly caller: Caller }> {
  const [node = "", ...args] = sandboxCommand(build, options);
  const launcher = join(import.meta.dirname, "filled-sandbox.mjs");
  const server = await startServer([...cores.serverPrefix, node, launcher, ...args], { takesMessages: true });
  const caller = await newCaller(server);
  const own = mkdtempSync(join(tmpdir(), "card-sandbox-bench-"));
  try {
    const functions = await bundleFunctions(build, own);
    server.process.send({ functions, companyId: caller.companyId, cards });
    const [answer] = await once(server.process, "message");
    if (answer !== "filled") throw new Error(`${build.name} could not be given ${cards} cards: ${answer}`);
  } finally {
    rmSync(own, { recursive: true, force: true });
  }
  return { server, caller };
}

/** Makes one file of what puts cards into a database: what runs is bundled, and exports none of it. */
async function bundleFunctions({ folder }: Build, to: string): Promise<string> {
  const outfile = join(to, "functions.mjs");
  const contents = `
    export { openStore } from "./store/open-store.ts";
    export { makeCard } from "./cards/card.ts";
    export { seededRandom } from "./rules/random.ts";
    export { limitsOf } from "./store/card-limits.ts";`;
  const stdin = { contents, resolveDir: join(folder, "src") };
  await esbuild({ stdin, outfile, bundle: true, format: "esm", platform: "node", logLevel: "error" });
  return outfile;
}

/** Makes a company whose quota no round uses up, and exchanges its owner's key. */
export async function newCaller(server: Server): Promise<Caller> {
  const company = await sent(server.url, "/_sandbox/companies", { card_quota: 10_000_000 });
  const apiKey = company.members[0].api_keys[0].secret;
  return exchanged(server, { companyId: company.id, apiKey, accountId: company.accounts[0].id });
}

/** Gives a caller a new token. */
export async function exchanged(
  { url }: Server,
  caller: Pick<Caller, "companyId" | "apiKey" | "accountId">,
): Promise<Caller> {
  const { access_token } = await sent(url, "/auth/v1/sandbox/token", { api_key: caller.apiKey });
  return { ...caller, accessToken: access_token };
}

/** Puts the sandbox back to its seed world, so that every round begins alike, and makes a caller in it. */
export async function freshCaller(server: Server): Promise<Caller> {
  await sent(server.url, "/_sandbox/reset", {});
  return newCaller(server);
}

/** @throws Error where the answer is no success */
// biome-ignore lint/suspicious/noExplicitAny: answers of several builds, read where they are used
async function sent(url: string, path: string, body: unknown): Promise<any> {
  const response = await fetch(url + path, { method: "POST", body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`POST ${path} answered ${response.status}: ${await response.text()}`);
  return response.status === 204 ? undefined : response.json();
}

/** An order that passes every check. */
export function order({ accessToken, accountId }: Pick<Caller, "accessToken" | "accountId">): LoadRequest {
  return {
    method: "POST",
    path: orderPath,
    headers: { Authorization: `Bearer ${accessToken}`, "Content-Type": "application/json" },
    body: JSON.stringify({
      account_id: accountId,
      pin: "4821",
      delivery_address: {
        line1: "1 Long Lane",
        city: "London",
        post_code: "SE1 4PG",
        country_code: "GB",
      },
      delivery_method: "express",
      spending_limit: { period: "monthly", amount: "250.00" },
    }),
    keys: "once",
  };
}

export function withHeaders(request: LoadRequest, headers: Record<string, string>): LoadRequest {
  return { ...request, headers: { ...request.headers, ...headers } };
}
