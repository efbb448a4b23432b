import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { createSandbox } from "../../src/node/create-sandbox.ts";
import { startSandbox } from "../../src/node/start-sandbox.ts";
import { readTape } from "../../src/node/tape/tape-file.ts";
import { standIns } from "../../src/tape/secrets.ts";
import type { Tape } from "../../src/tape/tape.ts";
import { SecretFinder } from "../support/secret-finder.ts";
import { adminToken } from "../support/secret-outputs.ts";
import { sendSecrets, type Traffic } from "../support/secret-traffic.ts";
import { differencesOf, temporaryFile } from "../support/taped.ts";

/** The secrets on a tape. */
function leaksIn(tape: Tape, { secrets }: Pick<Traffic, "secrets">): string[] {
  const finder = new SecretFinder(secrets);
  return [tape.head, ...tape.events].flatMap((line) =>
    finder
      .leaksIn(JSON.stringify(line))
      .map(
        ({ secret, form }) =>
          `${line.do} ${"n" in line ? line.n : ""}: ${secret.kind} ${secret.label}, ${form}`,
      ),
  );
}

/** The secrets of the default world. */
function fixtureKeys(): Traffic["secrets"] {
  const sandbox = createSandbox();
  const { companies } = sandbox.world();
  sandbox.close();
  return companies
    .flatMap(({ members }) => members.flatMap(({ api_keys }) => api_keys))
    .flatMap(({ secret }) => (secret ? [{ kind: "fixture key", label: "of the world", text: secret }] : []));
}

/** Sends all secrets to a sandbox, on a tape that begins in a new database and on one that begins later. */
async function leaksOnTapes(): Promise<string[]> {
  const db = temporaryFile("world.db");
  const secrets = [...fixtureKeys()];
  const leaks: string[] = [];
  for (const clock of ["2026-03-10T09:30:00Z", undefined]) {
    const tape = temporaryFile("a.tape");
    // A host that others can reach makes the secrets of the database private.
    const sandbox = await startSandbox({ host: "0.0.0.0", port: 0, adminToken, db, clock, tape });
    const url = sandbox.url.replace("0.0.0.0", "127.0.0.1");
    // The credentials of the first run, then a new world, because a company can only have ten webhooks.
    for (const { kind, text } of secrets) {
      const headers = { Authorization: `Bearer ${text}` };
      if (kind === "access token") await fetch(`${url}/developer/cards`, { headers });
      const body = JSON.stringify({ api_key: text });
      if (kind === "API key") await fetch(`${url}/auth/v1/sandbox/token`, { method: "POST", body });
    }
    if (clock === undefined) sandbox.reset();
    const traffic = await sendSecrets(
      (path, init) => fetch(url + path, { redirect: "manual", ...init }),
      adminToken,
    );
    await sandbox.close();
    secrets.push(...traffic.secrets);
    const read = readTape(tape);
    expect(read.head.rows === null).toBe(clock !== undefined);
    expect(await differencesOf(read)).toEqual([]);
    leaks.push(...leaksIn(read, { secrets }).map((leak) => `${clock ? "new" : "older"} database, ${leak}`));
  }
  return leaks;
}

test("a tape has no secret that was sent or received, and replays", { timeout: 300_000 }, async () => {
  const leaks = await leaksOnTapes();
  // By chance, the stand-in of one PIN is another PIN of the test: but not twice, because each tape has its own.
  const again = await leaksOnTapes();
  const isPin = (leak: string) => leak.includes(": PIN ");
  expect([...leaks, ...again].filter((leak) => !isPin(leak))).toEqual([]);
  expect(leaks.filter((leak) => again.includes(leak))).toEqual([]);
});

test("stand-ins are one to one, and no secret stands in for itself", () => {
  const replace = standIns(createHash("sha256").update("a").digest());
  const pins = Array.from({ length: 10_000 }, (_, n) => String(n).padStart(4, "0"));
  const replaced = pins.map(replace);
  expect(new Set(replaced).size).toBe(10_000);
  expect(replaced.filter((each, n) => each === pins[n])).toEqual([]);
  expect(replaced.every((each) => /^\d{4}$/.test(each))).toBe(true);
  const keys = Array.from({ length: 20_000 }, (_, n) => `sk_sandbox_company${n}_owner`);
  const others = keys.map(replace);
  expect(new Set(others).size).toBe(keys.length);
  expect(others.filter((each) => keys.includes(each))).toEqual([]);
  // Also those that the cache has dropped.
  expect(keys.slice(0, 10).map(replace)).toEqual(others.slice(0, 10));
  expect(standIns(createHash("sha256").update("b").digest())("4821")).not.toBe(replace("4821"));
});
