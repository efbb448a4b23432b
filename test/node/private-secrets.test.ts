import { chmodSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { Webhook } from "standardwebhooks";
import { describe, expect, onTestFinished, test } from "vitest";
import { createSandbox, type SandboxOptions } from "../../src/node/create-sandbox.ts";
import { type StartOptions, startSandbox } from "../../src/node/start-sandbox.ts";
import { run, startCommandLine, temporaryFolder } from "../support/command-line.ts";
import { physicalOrder } from "../support/physical-order.ts";

const clock = "2026-03-10T09:30:00Z";
const everywhere = { host: "0.0.0.0", port: 0, clock } satisfies StartOptions;

type Opened = Pick<ReturnType<typeof createSandbox>, "fetch" | "isolatedCompany" | "secrets">;

/** The secrets that a sandbox makes for one company, and what must not depend on the mode. */
async function made(sandbox: Opened) {
  const company = await sandbox.isolatedCompany();
  const post = async (path: string, body: unknown, headers: Record<string, string> = {}) => {
    const init = { method: "POST", body: JSON.stringify(body), headers };
    return (await sandbox.fetch(`http://sandbox${path}`, init)).json() as Promise<Record<string, string>>;
  };
  const { access_token = "" } = await post("/auth/v1/sandbox/token", { api_key: company.apiKey });
  const headers = {
    Authorization: `Bearer ${access_token}`,
    "Content-Type": "application/json",
    "Idempotency-Key": "7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30",
  };
  const hook = await post(
    "/developer/webhooks",
    { url: "http://localhost/", events: ["card.created"] },
    headers,
  );
  const card = await post("/developer/cards/physical", physicalOrder(company.accountId), headers);
  return {
    secrets: { apiKey: company.apiKey, accessToken: access_token, webhook: hook.secret ?? "" },
    rest: { company: company.id, keyId: company.members[0]?.api_keys[0]?.id, hook: hook.id, card },
  };
}

/** Starts a server, and closes it at the test's end or before. */
async function started(options: StartOptions) {
  const sandbox = await startSandbox(options);
  let isOpen = true;
  const close = async () => {
    if (isOpen) await sandbox.close();
    isOpen = false;
  };
  onTestFinished(close);
  return { ...sandbox, close };
}

function inProcess(options: SandboxOptions = {}) {
  const sandbox = createSandbox({ clock, ...options });
  onTestFinished(() => sandbox.close());
  return sandbox;
}

describe("a server on a host other than loopback without --seed", () => {
  test("creates secrets that do not derive from the seed, but the same ids and cards", async () => {
    const reproducible = await made(inProcess());
    const one = await made(await started(everywhere));
    const two = await made(await started(everywhere));
    expect(one.rest).toEqual(reproducible.rest);
    expect(two.rest).toEqual(reproducible.rest);
    const all = [reproducible, one, two].flatMap(({ secrets }) => Object.values(secrets));
    expect(all.filter(Boolean)).toHaveLength(9);
    expect(new Set(all).size).toBe(9);
  });

  test("keeps the secrets of its database private on loopback and in process, and never creates a secret twice", async () => {
    const db = join(temporaryFolder(), "sandbox.db");
    const first = await started({ ...everywhere, db });
    const before = await made(first);
    await first.close();
    const second = await started({ port: 0, db });
    expect(second.secrets).toBe("private");
    const after = await made(second);
    await second.close();
    const third = inProcess({ db, clock: undefined });
    expect(third.secrets).toBe("private");
    const reproducible = inProcess();
    const computed = [await made(reproducible), await made(reproducible)];
    expect(after.rest).toEqual(computed[1]?.rest);
    const all = [before, after, ...computed].flatMap(({ secrets }) => Object.values(secrets));
    expect(new Set(all).size).toBe(12);
  });

  test("keeps API keys, tokens and webhook secrets after a restart, a snapshot and its restore", async () => {
    const db = join(temporaryFolder(), "sandbox.db");
    const first = await started({ ...everywhere, db });
    const { secrets, rest } = await made(first);
    first.snapshot("kept");
    first.reset();
    await first.close();
    const sent: { text: string; headers: Record<string, string> }[] = [];
    const deliver = async (_url: string, init: RequestInit) => {
      sent.push({ text: String(init.body), headers: Object.fromEntries(new Headers(init.headers)) });
      return new Response(null, { status: 204 });
    };
    const second = await started({ ...everywhere, clock: undefined, db, deliver });
    const cards = () =>
      second.fetch("http://sandbox/developer/cards", {
        headers: { Authorization: `Bearer ${secrets.accessToken}` },
      });
    expect((await cards()).status).toBe(401);
    second.restore("kept");
    expect((await cards()).status).toBe(200);
    await second.webhooks.settled();
    const test = await second.fetch(`http://sandbox/developer/webhooks/${rest.hook}/test`, {
      method: "POST",
      headers: { Authorization: `Bearer ${secrets.accessToken}` },
    });
    expect(test.status).toBe(202);
    await second.webhooks.settled();
    const { text, headers } = sent.at(-1) ?? { text: "", headers: {} };
    expect(new Webhook(secrets.webhook).verify(text, headers)).toMatchObject({ type: "webhook.test" });
  });
});

describe("a server with --seed", () => {
  test.each(["0.0.0.0", "127.0.0.1"])("on %s creates secrets that derive from the seed", async (host) => {
    const sandbox = await started({ host, port: 0, clock, seed: 1 });
    expect(sandbox.secrets).toBe("reproducible");
    expect(await made(sandbox)).toEqual(await made(inProcess()));
  });
});

describe("a database with reproducible secrets", () => {
  test("is refused unchanged on a host other than loopback, unless its seed is given", async () => {
    const db = join(temporaryFolder(), "sandbox.db");
    createSandbox({ db, clock, seed: 7 }).close();
    const bytes = readFileSync(db);
    await expect(startSandbox({ ...everywhere, clock: undefined, db })).rejects.toThrow(
      /^host: must be a loopback address.*reproducible secrets.*the seed 7\..*new database file \(--db FILE\), which gets private secrets,.*with --seed 7\.$/,
    );
    expect(readFileSync(db).equals(bytes)).toBe(true);
    expect((await started({ ...everywhere, clock: undefined, db, seed: 7 })).secrets).toBe("reproducible");
  });
});

describe.skipIf(process.platform === "win32")("a new database file", () => {
  test.each([
    ["is for its owner alone", 0o755, "600"],
    ["is for the group too if the folder is", 0o770, "660"],
  ])("%s", async (_, folderMode, fileMode) => {
    const folder = temporaryFolder();
    chmodSync(folder, folderMode);
    const db = join(folder, "sandbox.db");
    expect((await started({ ...everywhere, db })).secrets).toBe("private");
    const modes = [db, `${db}-wal`].map((file) => (statSync(file).mode & 0o777).toString(8));
    expect(modes).toEqual([fileMode, fileMode]);
  });
});

describe("the start-up lines show the mode of the secrets", () => {
  test.each([
    [[], {}, "reproducible"],
    [["--host", "0.0.0.0"], {}, "private"],
    [["--host", "0.0.0.0", "--seed", "1"], {}, "reproducible"],
    [["--host", "0.0.0.0"], { CARD_SANDBOX_SEED: "1" }, "reproducible"],
    [["--host", "0.0.0.0"], { CARD_SANDBOX_SEED: "" }, "private"],
  ])("%j %j: %s", async (args, env, mode) => {
    const { output } = await startCommandLine(args, env);
    expect(output.stdout).toMatch(new RegExp(`^Secrets +${mode}: `, "m"));
  });

  test("one line on standard error explains how to use a refused database", async () => {
    const db = join(temporaryFolder(), "sandbox.db");
    createSandbox({ db }).close();
    const { output, ended } = run(["--port", "0", "--host", "0.0.0.0", "--db", db]);
    expect((await ended).code).toBe(2);
    expect(output.stderr).toMatch(/^card-sandbox: .*reproducible secrets.*with --seed 1\.\n$/);
  });
});
