import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createSandbox, openSandbox, version } from "../../src/node/create-sandbox.ts";
import { start } from "../../src/node/start-sandbox.ts";
import { checkTape } from "../../src/node/tape/check-tape.ts";
import { openPlayer } from "../../src/node/tape/play.ts";
import { ServedTape } from "../../src/node/tape/served-tape.ts";
import { encodeTape, readTape } from "../../src/node/tape/tape-file.ts";
import type { WorldListing } from "../../src/store/world-listing.ts";
import type { Tape, TapeEvent, TapeHead } from "../../src/tape/tape.ts";
import { outcomeOf, temporaryFolder } from "../support/command-line.ts";
import { httpClient } from "../support/http-client.ts";
import { tapeOf } from "../support/taped.ts";

const uuid = (n: number) => `3f0c2a4e-1111-4222-8333-${String(n).padStart(12, "0")}`;

/** Two orders around a move of the clock, each with its own key. The second is request 3. */
async function recorded(): Promise<Tape> {
  const folder = mkdtempSync(join(tmpdir(), "card-sandbox-tape-"));
  try {
    const sandbox = createSandbox({ tape: join(folder, "a.tape") });
    const { order, exchange } = httpClient("http://sandbox", sandbox.fetch);
    const account = sandbox.world().companies[0]?.accounts[0]?.id;
    const token = await exchange();
    await order(account, { token, key: uuid(1) });
    await sandbox.clock.advance({ by: "PT1M" });
    await order(account, { token, key: uuid(2) });
    sandbox.close();
    return readTape(join(folder, "a.tape"));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The same tape, as if another version had decided otherwise. */
function changed(tape: Tape, change: (event: TapeEvent) => void, head: Partial<TapeHead> = {}): Tape {
  const copy = structuredClone(tape);
  for (const event of copy.events) change(event);
  return { ...copy, head: { ...copy.head, ...head } };
}

function file(tape: Tape | Uint8Array): string {
  const path = join(temporaryFolder(), "a.tape");
  writeFileSync(path, tape instanceof Uint8Array ? tape : encodeTape(tape));
  return path;
}

const replay = (tape: Tape | Uint8Array, ...args: string[]) => outcomeOf(["replay", file(tape), ...args]);

/** Orders with an API key that the control API creates. */
async function orderWithNewKey(url: string): Promise<Response> {
  const { order, exchange, post } = httpClient(url);
  const world = await fetch(`${url}/_sandbox/world`);
  const [company] = ((await world.json()) as WorldListing).companies;
  const key = { member: company?.members[0]?.id, environment: "sandbox" };
  const { secret } = (await (await post("/_sandbox/api-keys", key)).json()) as { secret: string };
  return order(company?.accounts[0]?.id, { token: await exchange(secret) });
}

/** Request 2 had another status on the tape. */
const different = (event: TapeEvent) => {
  if (event.do === "request" && event.response?.id === 2) Object.assign(event.response, { status: 200 });
};

describe("card-sandbox replay", async () => {
  const tape = await recorded();

  test("exits with 0 if every response is the same", async () => {
    const { code, stdout, stderr } = await replay(tape);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/^Played 3 of 3 requests of .*a\.tape\.\n\nEvery response is the same/);
  });

  test("shows the request, the field and both values, and exits with 1", async () => {
    const { code, stdout } = await replay(changed(tape, different, { version: "0.0.9" }));
    expect(code).toBe(1);
    expect(stdout).toContain(`Recorded by card-sandbox 0.0.9, played by ${version}`);
    expect(stdout).toContain(
      "1 response differs.\n\nrequest 2  POST /developer/cards/physical\n  status\n    on the tape  200\n    now          201\n",
    );
  });

  test("names the request before a control call that differs", async () => {
    const { stdout } = await replay(
      changed(tape, (event) => {
        if (event.do === "control") Object.assign(event, { result: { now: "then" } });
      }),
    );
    expect(stdout).toContain("after request 2  time.advance\n  result.now\n");
  });

  test("plays until a request, and prints JSON", async () => {
    const { code, stdout } = await replay(changed(tape, different), "--until", "2", "--json");
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toEqual({
      format: 1,
      tape: expect.stringContaining("a.tape"),
      versions: { tape: version, now: version },
      complete: true,
      until: 2,
      requests: { tape: 3, played: 2 },
      differences: [
        {
          ...{ request: 2, after: null, what: "POST /developer/cards/physical" },
          ...{ field: "status", tape: 200, now: 201 },
        },
      ],
    });
    expect(await replay(tape, "--until", "9")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(
        "--until: must be the id of a request on the tape, from 1 to 3, but is 9",
      ),
    });
  });

  test("lists 20 differences, and counts the others", async () => {
    const control = tape.events.find((each) => each.do === "control") as TapeEvent;
    const events = Array.from({ length: 25 }, () => ({ ...control, call: "time.travel" }) as TapeEvent);
    const { stdout } = await replay({ ...tape, events });
    expect(stdout).toContain("25 responses differ. Look at the first one: the others often follow from it.");
    expect(stdout.match(/before any request {2}time\.travel/g)).toHaveLength(20);
    expect(stdout).toContain("this version has no such operation");
    expect(stdout).toContain("And 5 more. --json lists all of them.");
  });

  const withHead = (head: object): Tape => ({ ...tape, head: { ...tape.head, ...head } as TapeHead });
  const withEvent = (event: object): Tape => ({ ...tape, events: [event as TapeEvent, ...tape.events] });
  const bytes = Buffer.from(encodeTape(tape));
  const flipped = Buffer.from(bytes);
  flipped[200] = (flipped[200] ?? 0) ^ 1;
  const rows = {
    meta: [
      ["schema_version", "3"],
      ["seed", "1"],
    ],
  };
  const request = tape.events.find((each) => each.do === "request");

  test.each([
    ["a text", Buffer.from("no tape"), "is not a tape. Record one with"],
    ["an empty file", Buffer.alloc(0), "is not a tape"],
    ["a flipped byte", flipped, "is damaged: its checksum is wrong"],
    ["another format", withHead({ format: 9 }), "has the format 9 of card-sandbox"],
    ["an unknown scenario", withHead({ options: { ...tape.head.options, scenario: "no-such" } }), "no-such"],
    ["a scenario of another version", withHead({ scenarios: [{ name: "mine" }] }), 'scenario "mine"'],
    ["an unknown behavior", withHead({ dialect: { "no.such": { use: "1" } } }), "dialect: "],
    ["an unknown alternative", withHead({ dialect: { "replay.status": { use: "9" } } }), "replay.status"],
    ["invalid fixtures", withHead({ fixtures: { world: { companies: [1] }, digest: "" } }), "fixtures"],
    ["rows of another schema", withHead({ rows }), "a database of schema version 3, and this version has"],
    ["a nonsensical instant", withHead({ at: 1e20 }), "its first line: at"],
    ["no options", withHead({ options: null }), "its first line: options"],
    ["an unknown event", withEvent({ do: "dance", at: 0 }), "event 1: do"],
    ["an event that is null", { ...tape, events: [null as never] }, "line 2 is not a JSON object"],
    ["an invalid URL", withEvent({ ...request, url: "http://%" }), "event 1: url: must be a URL"],
    ["an invalid header", withEvent({ ...request, headers: { "a b": "" } }), "event 1: headers"],
    ["an unknown forced scenario", withEvent({ ...request, forced: {} }), "event 1: forced"],
  ])("refuses %s with one sentence", async (_, given, message) => {
    const { code, stdout, stderr } = await replay(given);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(message);
    expect(stderr).toMatch(/^card-sandbox: tape: \S+a\.tape .*\n$/);
  });

  test("refuses a file that does not exist, and --json with --serve", async () => {
    expect(await outcomeOf(["replay", "no.tape"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("tape: cannot read no.tape"),
    });
    expect(await replay(tape, "--json", "--serve")).toMatchObject({ code: 2 });
  });

  describe("--serve", async () => {
    const serve = async (given: Tape, until?: number, adminToken?: string) => {
      const served = new ServedTape("a.tape", checkTape("a.tape", given), [], openSandbox);
      const player = await openPlayer(given, openSandbox, served);
      await player.play(until);
      const { url, close, webhooks } = await start(
        { port: 0, adminToken },
        { lightGlobals: false, opened: served.open(player) },
      );
      onTestFinished(close);
      const page = async (path: string) => (await fetch(`${url}/_sandbox/ui${path}`)).text();
      const go = async (events: number) => {
        const response = await fetch(`${url}/_sandbox/ui/tape/go`, {
          method: "POST",
          body: new URLSearchParams({ events: String(events), back: "/_sandbox/ui/tape" }),
          headers: { Origin: url },
          redirect: "manual",
        });
        expect(response.status).toBe(303);
      };
      const cards = async () => {
        const world = await fetch(`${url}/_sandbox/world`);
        return ((await world.json()) as WorldListing).companies[0]?.live_cards ?? Number.NaN;
      };
      return { url, page, go, cards, served, webhooks };
    };

    test("lists the events, and marks the different ones", async () => {
      const { page } = await serve(changed(tape, different));
      const html = await page("/tape");
      expect(html).toContain('<a href="/_sandbox/ui/tape" aria-current="page">Tape</a>');
      for (const id of [1, 2, 3]) expect(html).toContain(`href="/_sandbox/ui/tape/${id}"`);
      expect(html).toContain("time.advance");
      expect(html).toContain("after the last event");
      const only = await page("/tape?only=different");
      expect(only).toContain('href="/_sandbox/ui/tape/2"');
      expect(only).not.toContain('href="/_sandbox/ui/tape/3"');
      expect(await page("/tape/2")).toMatch(/The response differs:<\/strong> <code>status<\/code>/);
      expect(await page("/tape/7")).toContain("the tape has no request 7");
    });

    test("shows the rows that a request changed", async () => {
      const { page, served } = await serve(tape);
      const { changes, now, tape: before } = await served.inspect("3");
      expect(now).toEqual(before);
      expect(changes.find(({ table }) => table === "cards")).toMatchObject({
        before: null,
        after: { type: "physical", pk: expect.any(Number) },
      });
      const html = await page("/tape/3");
      expect(html).toMatch(/card_counts, company_pk 1, expires_at_ms \d+ <span class="badge plain">changed/);
      expect(html).not.toContain("4821");
      // An earlier request needs another player.
      expect((await served.inspect("1")).changes.map(({ table }) => table)).toContain("access_tokens");
    });

    test("goes to a request, and on to the end, and takes new requests there", async () => {
      const { page, go, cards, served, url } = await serve(tape, 1);
      expect(await page("/tape")).toContain("Play on to the end");
      expect(served.request).toBe("1");
      const none = await cards();
      await go(served.events);
      expect(await cards()).toBe(none + 2);
      expect(served.request).toBe("3");
      await go((await served.inspect("2")).entry.position + 1);
      expect(await cards()).toBe(none + 1);
      const ordered = await orderWithNewKey(url);
      expect(ordered.status).toBe(201);
      expect(await cards()).toBe(none + 2);
    });

    test("accepts the public keys of the default fixtures, also after a reset", async () => {
      const { url } = await serve(tape, 1);
      const exchange = async () =>
        (
          await fetch(`${url}/auth/v1/sandbox/token`, {
            method: "POST",
            body: JSON.stringify({ api_key: "sk_sandbox_northwind_owner" }),
          })
        ).status;
      expect(await exchange()).toBe(200);
      await fetch(`${url}/_sandbox/reset`, { method: "POST" });
      expect(await exchange()).toBe(200);
    });

    test("sends webhooks for new requests alone, and only to hosts that are allowed here", async () => {
      const received: (string | undefined)[] = [];
      const server = createServer((request, response) => {
        received.push(request.url);
        response.end();
      });
      await new Promise<void>((bound) => server.listen(0, "127.0.0.1", bound));
      onTestFinished(() => void server.close());
      const local = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
      const hosts = ["hooks.example.com"];
      const options = { allowWebhookHosts: hosts, deliver: async () => new Response() };
      const { url, webhooks } = await serve(
        await tapeOf(async (sandbox) => {
          const { exchange, order, post } = httpClient("http://sandbox", sandbox.fetch);
          const token = await exchange();
          const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
          for (const to of [local, "https://hooks.example.com/"]) {
            const body = { url: to, events: ["card.created"] };
            expect((await post("/developer/webhooks", body, headers)).status).toBe(201);
          }
          await order(sandbox.world().companies[0]?.accounts[0]?.id, { token });
          await sandbox.webhooks.settled();
        }, options),
      );
      expect(received).toEqual([]);
      await orderWithNewKey(url);
      await webhooks.settled();
      expect(received).toEqual(["/hook"]);
      const errors = webhooks.deliveries().map(({ attempts }) => attempts.at(-1)?.error);
      const refused = "not sent: hooks.example.com is not an allowed webhook host";
      expect(errors).toContainEqual(expect.stringContaining(refused));
    });
  });
});
