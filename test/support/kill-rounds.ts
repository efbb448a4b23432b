import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import type { Card } from "../../src/contract/card.ts";
import { type Run, run, type Started, startCommandLine, temporaryFolder } from "./command-line.ts";
import { physicalOrder } from "./physical-order.ts";
import { seededNumbers } from "./seeded-random.ts";

const clients = 20;

export interface KillRoundsOptions {
  readonly rounds: number;
  /** For the moments of the kills, among others. */
  readonly seed: number;
  /** Further arguments of the command line. */
  readonly args: readonly string[];
}

/** When a process is killed: some time into its start or into the orders, or after a number of 201. */
type Moment =
  | { readonly during: "start" | "orders"; readonly ms: number }
  | { readonly during: "answers"; readonly answers: number };

/** An order, which a client retries until it gets a response. */
interface Order {
  readonly key: string;
  readonly body: string;
  /** Whether the client received the status code 201, perhaps without the body. */
  got201: boolean;
}

/** Counts over all rounds. */
export interface KillCounts {
  readonly cards: number;
  /** Orders without a response whose card existed. */
  readonly wholeUnanswered: number;
  /** Orders without a response whose card did not exist. */
  readonly absentUnanswered: number;
  readonly kills: Readonly<Record<Moment["during"], number>>;
}

/**
 * Twenty clients order cards from processes that run one after the other on the same file. Each is killed at some moment,
 * and the next one must have exactly the cards that the clients received. The last process keeps running.
 */
export async function killRounds(options: KillRoundsOptions) {
  const rounds = await Rounds.open(options);
  for (let n = 0; n < options.rounds; n++) await rounds.next();
  return rounds.finish();
}

class Rounds {
  readonly #random: () => number;
  readonly #start: readonly string[];
  readonly #receiver: Receiver;
  readonly #file: string;
  /** The bodies of 201, by Idempotency-Key. */
  readonly #answered = new Map<string, string>();
  /** Orders of the latest round, which are replayed after the next start. */
  #latest: Order[] = [];
  /** Orders without a response that patient clients retry in the next round, by client. */
  readonly #retries = new Map<number, Order>();
  /** Orders without a response that impatient clients gave up. */
  #givenUp: Order[] = [];
  #token = "";
  #accountId = "";
  #startMs = 300;
  readonly #counts = {
    wholeUnanswered: 0,
    absentUnanswered: 0,
    kills: { start: 0, orders: 0, answers: 0 },
  };

  private constructor(options: KillRoundsOptions, file: string, fixtures: string, receiver: Receiver) {
    this.#random = seededNumbers(options.seed);
    this.#file = file;
    this.#receiver = receiver;
    this.#start = ["--db", file, "--fixtures", fixtures, "--log", "silent", ...options.args];
  }

  /** Makes a file with a webhook, and kills the process that made it. */
  static async open(options: KillRoundsOptions): Promise<Rounds> {
    const folder = temporaryFolder();
    const fixtures = join(folder, "world.yaml");
    const world = readFileSync(new URL("../../fixtures/default.yaml", import.meta.url), "utf8");
    writeFileSync(fixtures, world.replace("card_quota: 20", "card_quota: 1000000"));
    const receiver = await openReceiver();
    const rounds = new Rounds(options, join(folder, "sandbox.db"), fixtures, receiver);
    await rounds.#prepare();
    return rounds;
  }

  async #prepare(): Promise<void> {
    const sandbox = await this.#started();
    this.#accountId = (await sandbox.world()).companies[0]?.accounts[0]?.id ?? "";
    this.#token = await sandbox.exchange();
    const made = await sandbox.post(
      "/developer/webhooks",
      { url: this.#receiver.url, events: ["card.created"] },
      { Authorization: `Bearer ${this.#token}`, "Content-Type": "application/json" },
    );
    expect(made.status).toBe(201);
    await killed(sandbox);
  }

  async next(): Promise<void> {
    const moment = this.#moment();
    this.#counts.kills[moment.during]++;
    if (moment.during === "start") {
      const starting = run(["--port", "0", ...this.#start]);
      await passed(moment.ms);
      return killed(starting);
    }
    const sandbox = await this.#started();
    await this.#check(sandbox);
    await this.#ordersUntil(sandbox, moment);
  }

  /** Checks that the file holds every card, and nothing else. */
  async finish(): Promise<{ readonly sandbox: Started; readonly file: string; readonly counts: KillCounts }> {
    const sandbox = await this.#started();
    this.#givenUp.push(...this.#retries.values());
    this.#retries.clear();
    await this.#check(sandbox);
    for (const [key, text] of this.#answered) await this.#expectReplay(sandbox, key, text);
    const cards = await this.#listed(sandbox);
    expect(cards.size).toBe(this.#answered.size);
    await this.#receiver.hasEventsOf(cards);
    for (const id of cards.keys())
      expect(this.#receiver.eventsOf(id), `events of card ${id}`).toHaveLength(1);
    return { sandbox, file: this.#file, counts: { ...this.#counts, cards: cards.size } };
  }

  #moment(): Moment {
    const [which, where] = [this.#random(), this.#random()];
    if (which < 0.2) return { during: "start", ms: where * this.#startMs * 1.1 };
    if (which < 0.6) return { during: "orders", ms: where * 150 };
    return { during: "answers", answers: 1 + Math.floor(where * 60) };
  }

  async #started(): Promise<Started> {
    const begun = performance.now();
    const sandbox = await startCommandLine(this.#start);
    this.#startMs = performance.now() - begun;
    return sandbox;
  }

  /** Lets the clients order until the process is killed; some of them hang up now and then. */
  async #ordersUntil(sandbox: Started, moment: Moment): Promise<void> {
    const patience = Array.from({ length: clients }, () => this.#random() < 0.5);
    const until = { answers: moment.during === "answers" ? moment.answers : Number.POSITIVE_INFINITY };
    this.#latest = [];
    const busy = Promise.all(patience.map((isPatient, n) => this.#client(sandbox, n, isPatient, until)));
    if (moment.during !== "answers") {
      await Promise.race([passed(moment.ms), busy]);
      sandbox.child.kill("SIGKILL");
    }
    await busy;
    expect(await sandbox.ended).toEqual({ code: null, signal: "SIGKILL" });
    expect(sandbox.output.stderr).toBe("");
  }

  async #client(sandbox: Started, n: number, isPatient: boolean, until: { answers: number }): Promise<void> {
    while (!sandbox.child.killed) {
      const order = this.#retries.get(n) ?? this.#newOrder();
      this.#retries.delete(n);
      const hangUp = new AbortController();
      const hangingUp = this.#random() < 0.1 && setTimeout(() => hangUp.abort(), this.#random() * 20);
      try {
        const response = await this.#send(sandbox, order, hangUp.signal);
        if (response.status !== 201) throw new Refused(`${response.status}: ${await response.text()}`);
        order.got201 = true;
        if (--until.answers === 0) sandbox.child.kill("SIGKILL");
        this.#answered.set(order.key, await response.text());
        this.#latest.push(order);
      } catch (error) {
        const lost = sandbox.child.killed || hangUp.signal.aborted;
        if (error instanceof Refused || !lost) throw error;
        if (isPatient) this.#retries.set(n, order);
        else this.#givenUp.push(order);
      } finally {
        if (hangingUp) clearTimeout(hangingUp);
      }
    }
  }

  #newOrder(): Order {
    const limited = this.#random() < 0.3;
    const body = JSON.stringify({
      ...physicalOrder(this.#accountId),
      ...(limited && { spending_limit: { period: "monthly", amount: "250.00" } }),
    });
    return { key: randomUUID(), body, got201: false };
  }

  #send(
    sandbox: Started,
    { key, body }: Pick<Order, "key" | "body">,
    signal: AbortSignal | null = null,
  ): Promise<Response> {
    const headers = {
      Authorization: `Bearer ${this.#token}`,
      "Content-Type": "application/json",
      "Idempotency-Key": key,
    };
    return fetch(`${sandbox.url}/developer/cards/physical`, { method: "POST", headers, body, signal });
  }

  /** Compares the cards with the responses so far, and retries the orders that were given up. */
  async #check(sandbox: Started): Promise<void> {
    const before = await this.#listed(sandbox);
    for (const [key, text] of this.#answered) {
      const id = idOf(text);
      if (before.get(id) !== text) expect(before.get(id), `the card of ${key}, after 201`).toBe(text);
      before.delete(id);
    }
    // The other cards belong to orders without a response.
    const unanswered = this.#givenUp.length + this.#retries.size;
    expect(before.size, "cards that no client knows of").toBeLessThanOrEqual(unanswered);
    for (const order of this.#givenUp) await this.#settle(sandbox, order, before);
    this.#givenUp = [];
    expect(before.size, "cards that belong to no order").toBeLessThanOrEqual(this.#retries.size);
    for (const { key } of this.#latest) {
      await this.#expectReplay(sandbox, key, this.#answered.get(key));
    }
    // The old token was valid until here; a new process issues new ones.
    this.#token = await sandbox.exchange();
  }

  /** Retries an order: it returns the existing card, or makes the missing one. */
  async #settle(sandbox: Started, order: Order, unknown: Map<string, string>): Promise<void> {
    const response = await this.#send(sandbox, order);
    const text = await response.text();
    expect(response.status, text).toBe(201);
    const id = idOf(text);
    const wasThere = unknown.get(id);
    expect(response.headers.get("Idempotent-Replayed")).toBe(wasThere === undefined ? null : "true");
    if (wasThere === undefined) {
      expect(order.got201, `the client of ${order.key} got 201, but its card is missing`).toBe(false);
      this.#counts.absentUnanswered++;
    } else {
      expect(text).toBe(wasThere);
      unknown.delete(id);
      this.#counts.wholeUnanswered++;
    }
    this.#answered.set(order.key, text);
  }

  async #expectReplay(sandbox: Started, key: string, text: string | undefined): Promise<void> {
    const response = await this.#send(sandbox, { key, body: "{}" });
    expect([response.status, response.headers.get("Idempotent-Replayed")], key).toEqual([201, "true"]);
    expect(await response.text(), key).toBe(text);
  }

  /** All cards of the list by id; checks that ids and tokens are unique, and that the quota counts every card. */
  async #listed(sandbox: Started): Promise<Map<string, string>> {
    const cards: Card[] = [];
    let cursor: string | null = null;
    do {
      const query: string = new URLSearchParams({
        limit: "100",
        ...(cursor !== null && { cursor }),
      }).toString();
      const headers = { Authorization: `Bearer ${this.#token}` };
      const response = await fetch(`${sandbox.url}/developer/cards?${query}`, { headers });
      expect(response.status).toBe(200);
      const page = (await response.json()) as { data: Card[]; next_cursor: string | null };
      cards.push(...page.data);
      cursor = page.next_cursor;
    } while (cursor !== null);
    const byId = new Map(cards.map((card) => [card.id as string, withoutUsedLimits(card)]));
    expect(byId.size).toBe(cards.length);
    expect(new Set(cards.map(({ token }) => token)).size).toBe(cards.length);
    expect((await sandbox.world()).companies[0]?.live_cards).toBe(cards.length);
    return byId;
  }
}

class Refused extends Error {}

function idOf(text: string): string {
  return (JSON.parse(text) as Card).id;
}

/** A card of a list in the form of the order's response, which lacks `used` inside `card_limits` (spec §2). */
function withoutUsedLimits(card: Card): string {
  const { currency, max_per_purchase, daily, rolling_32_days } = card.card_limits;
  const bare = ({ amount }: { readonly amount: string }) => ({ amount });
  const limits = { max_per_purchase: bare(max_per_purchase), daily: bare(daily) };
  return JSON.stringify({
    ...card,
    card_limits: { currency, ...limits, rolling_32_days: bare(rolling_32_days) },
  });
}

async function killed({ child, ended }: Run): Promise<void> {
  child.kill("SIGKILL");
  expect(await ended).toEqual({ code: null, signal: "SIGKILL" });
}

function passed(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

interface Receiver {
  readonly url: string;
  /** The ids of the events about a card. */
  eventsOf(cardId: string): string[];
  hasEventsOf(cards: ReadonlyMap<string, unknown>): Promise<void>;
}

/** Starts a receiver of webhooks. */
async function openReceiver(): Promise<Receiver> {
  const events = new Map<string, Set<string>>();
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    const { data } = JSON.parse(text) as { data: Card };
    events.set(data.id, (events.get(data.id) ?? new Set()).add(String(request.headers["webhook-id"])));
    response.end();
    server.emit("received");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    eventsOf: (cardId) => [...(events.get(cardId) ?? [])],
    async hasEventsOf(cards) {
      while ([...cards.keys()].some((id) => !events.has(id))) await once(server, "received");
    },
  };
}
