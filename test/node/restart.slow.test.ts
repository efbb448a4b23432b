import { randomUUID } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Card } from "../../src/contract/card.ts";
import { cardIn, run, startCommandLine, takenPort, temporaryFolder } from "../support/command-line.ts";

const key = "7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30";

describe("a database file keeps everything across restarts", () => {
  test("an order with a 201 response survives kill -9, and replays", async () => {
    const file = join(temporaryFolder(), "sandbox.db");
    const first = await startCommandLine(["--db", file]);
    const ordered = await cardIn(await first.order(key));
    first.child.kill("SIGKILL");
    expect((await first.ended).signal).toBe("SIGKILL");

    const second = await startCommandLine(["--db", file]);
    const replay = await second.order(key);
    expect(replay.headers.get("Idempotent-Replayed")).toBe("true");
    expect(await cardIn(replay)).toEqual(ordered);
    expect((await second.world()).companies[0]?.live_cards).toBe(1);
  });

  test("after a kill during a stream of orders, each 201 has exactly one complete card", async () => {
    const folder = temporaryFolder();
    const file = join(folder, "sandbox.db");
    const fixtures = join(folder, "world.yaml");
    const world = readFileSync(new URL("../../fixtures/default.yaml", import.meta.url), "utf8");
    writeFileSync(fixtures, world.replace("card_quota: 20", "card_quota: 100000"));
    const options = ["--db", file, "--fixtures", fixtures, "--log", "silent"];

    const answered = new Map<string, Card>();
    for (let round = 0; round < 3; round++) {
      const sandbox = await startCommandLine(options);
      const token = await sandbox.exchange();
      const enough = answered.size + 25;
      const client = async () => {
        while (sandbox.child.exitCode === null) {
          const orderKey = randomUUID();
          const response = await sandbox.order(orderKey, token);
          if (response.status !== 201) throw new Error(`${response.status}: ${await response.text()}`);
          answered.set(orderKey, await cardIn(response));
          if (answered.size >= enough) sandbox.child.kill("SIGKILL");
        }
      };
      await Promise.allSettled(Array.from({ length: 5 }, client));
      await sandbox.ended;
    }
    expect(answered.size).toBeGreaterThanOrEqual(75);

    const sandbox = await startCommandLine(options);
    const token = await sandbox.exchange();
    for (const [orderKey, ordered] of answered) {
      const replay = await sandbox.order(orderKey, token);
      expect(replay.headers.get("Idempotent-Replayed")).toBe("true");
      expect(await cardIn(replay)).toEqual(ordered);
    }
    const liveCards = (await sandbox.world()).companies[0]?.live_cards ?? 0;
    // An order whose answer the kill cut off may be there too, one for each client and round at the most.
    expect(liveCards).toBeGreaterThanOrEqual(answered.size);
    expect(liveCards).toBeLessThanOrEqual(answered.size + 15);
  });

  test("the sequence of tokens and card numbers continues", async () => {
    const file = join(temporaryFolder(), "sandbox.db");
    const first = await startCommandLine(["--db", file]);
    const token = await first.exchange();
    const one = await cardIn(await first.order(key, token));
    first.child.kill("SIGTERM");
    await first.ended;
    const second = await startCommandLine(["--db", file]);
    const two = await cardIn(await second.order(randomUUID(), token));
    const fresh = await startCommandLine();
    const kept = [await cardIn(await fresh.order(key)), await cardIn(await fresh.order(randomUUID()))];
    expect([one.token, two.token]).toEqual(kept.map((each) => each.token));
  });

  test("refuses an option that contradicts the file, and accepts the same value", async () => {
    const folder = temporaryFolder();
    const file = join(folder, "sandbox.db");
    const fixtures = join(folder, "world.yaml");
    writeFileSync(fixtures, "companies:\n  - { slug: solo, name: Solo Ltd, country_code: IE }\n");
    const clock = "2026-03-10T09:30:00Z";
    const made = ["--db", file, "--seed", "5", "--clock", clock];
    const first = await startCommandLine(made);
    first.child.kill("SIGTERM");
    await first.ended;
    for (const [flag, value, message] of [
      ["--seed", "6", /seed: is 6, but the database was created with 5\./],
      [
        "--clock",
        "2027-01-01T00:00:00Z",
        /clock: is 2027-.*, but the database was created .*2026-03-10T09:30:00\.000Z/,
      ],
      ["--fixtures", fixtures, /other fixtures/],
    ] as const) {
      const { output, ended } = run(["--port", "0", "--db", file, flag, value]);
      expect((await ended).code).toBe(2);
      expect(output.stderr).toMatch(message);
      expect(output.stderr.trimEnd()).not.toContain("\n");
    }
    for (const args of [made, ["--db", file]]) {
      const again = await startCommandLine(args);
      const health = await (await fetch(`${again.url}/_sandbox/health`)).json();
      expect(health).toMatchObject({ seed: 5, now: "2026-03-10T09:30:00.000Z" });
      again.child.kill("SIGTERM");
      await again.ended;
    }
  });

  test("a second process on a file exits with an error", async () => {
    const file = join(temporaryFolder(), "sandbox.db");
    await startCommandLine(["--db", file]);
    const { output, ended } = run(["--port", "0", "--db", file]);
    expect((await ended).code).toBe(2);
    expect(output.stderr).toContain("is in use by another process");
  });

  test("a start that fails leaves no file", async () => {
    const folder = temporaryFolder();
    const file = join(folder, "sandbox.db");
    const failed = run(["--db", file, "--seed", "7", "--port", String(await takenPort())]);
    expect((await failed.ended).code).toBe(3);
    expect(readdirSync(folder)).toEqual([]);
    await startCommandLine(["--db", file, "--seed", "8"]);
  });

  test("a refused start creates no file", async () => {
    const folder = temporaryFolder();
    const bad = join(folder, "bad.yaml");
    writeFileSync(bad, "companies: []\n");
    for (const args of [
      ["--db", join(folder, "none", "sandbox.db")],
      ["--db", join(folder, "a.db"), "--clock", "yesterday"],
      ["--db", join(folder, "b.db"), "--fixtures", bad],
    ]) {
      const { output, ended } = run(["--port", "0", ...args]);
      expect((await ended).code).toBe(2);
      expect(output.stderr.trimEnd()).not.toContain("\n");
    }
    expect(readdirSync(folder)).toEqual(["bad.yaml"]);
    expect(existsSync(join(folder, "none"))).toBe(false);
  });
});
