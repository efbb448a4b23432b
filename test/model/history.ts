import { isDeepStrictEqual } from "node:util";
import { openSandbox, type Reply } from "../support/open-sandbox.ts";
import { londonDate } from "./calendar.ts";
import { statusOf } from "./refusals.ts";
import { addCompany, type Company, hasEnded, seedOfHistories, type World } from "./world.ts";

/** What is to be answered; of the body, the fields that it names. */
export interface Expected {
  readonly status: number;
  readonly point?: string;
  readonly body?: object;
  /** The scenario that was forced. */
  readonly scenario?: string | undefined;
}

interface Sent {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** One history: a sandbox, the world as it has to be, and what was done so far. */
export class History {
  readonly sandbox: ReturnType<typeof openSandbox>;
  readonly snapshots = new Map<string, World>();
  readonly trace: string[] = [];
  /** Every access token that was issued, also by worlds that are gone. */
  readonly tokensEver: string[] = [];
  /** Sends the latest order once more, as a client does that retries. */
  retry: () => Promise<void> = async () => {};
  readonly #start: World;
  #uuids = 0;
  world: World;

  /** @param now - the instant at which it begins */
  constructor(now: string) {
    this.sandbox = openSandbox({ world: seedOfHistories, now });
    this.world = {
      clock: { frozenAtMs: null, aheadMs: 0 },
      companies: [],
      tokens: [],
      armed: [],
      beginnings: {},
    };
    for (const listing of this.sandbox.world().companies) addCompany(this.world, listing);
    this.#start = structuredClone(this.world);
  }

  /** The world as freshly started. */
  get start(): World {
    return structuredClone(this.#start);
  }

  /** A UUID that the history has not used. */
  newUuid(): string {
    return `a0000000-0000-4000-8000-${String(++this.#uuids).padStart(12, "0")}`;
  }

  nowMs(company?: Company): number {
    const { frozenAtMs, aheadMs } = this.world.clock;
    return (frozenAtMs ?? this.sandbox.clockOfTest.now() + aheadMs) + (company?.aheadMs ?? 0);
  }

  company(id: string): Company {
    const found = this.world.companies.find((company) => company.id === id);
    if (!found) throw new Error(`the model has lost company ${id}`);
    return found;
  }

  /** Cards expire at 00:00 in the UK after their date, whatever state they are in. */
  expireDueCards(): void {
    for (const company of this.world.companies) {
      if (company.cards.length === 0) continue;
      const today = londonDate(this.nowMs(company));
      for (const card of company.cards) {
        if (!hasEnded(card) && card.expiryDate < today) card.status = "expired";
      }
    }
  }

  /** Sends a request; undefined where its connection was lost. */
  async send(method: string, path: string, { headers, body }: Sent = {}): Promise<Reply | undefined> {
    const init = { method, ...(headers && { headers }), ...(body !== undefined && { body: asText(body) }) };
    const line = `${method} ${path} ${body === undefined ? "" : asText(body)}`.trim();
    try {
      const reply = await this.sandbox.request(path, init);
      this.trace.push(`${line} -> ${reply.status} ${reply.point ?? ""}`.trim());
      return reply;
    } catch (error) {
      // As fetch says that a connection was lost.
      if (!(error instanceof TypeError && error.message === "fetch failed")) throw error;
      this.trace.push(`${line} -> connection lost`);
      return undefined;
    }
  }

  /** Sends a request that is answered as expected, or else the history fails. */
  async meet(expected: Expected, method: string, path: string, sent?: Sent): Promise<Reply> {
    const reply = await this.send(method, path, sent);
    this.meets(reply, expected);
    return reply;
  }

  /** Sends a request that is refused at this point. */
  async refuses(
    { point, scenario }: { readonly point: string; readonly scenario?: string | undefined },
    method: string,
    path: string,
    sent?: Sent,
  ): Promise<void> {
    await this.meet({ status: statusOf(point), point, scenario }, method, path, sent);
  }

  meets(reply: Reply | undefined, expected: Expected): asserts reply is Reply {
    if (!reply) throw this.failure("the connection", "lost", expected);
    const { status, point, body = {}, scenario } = expected;
    const isService = reply.point !== undefined;
    const forced = reply.headers.get("Sandbox-Scenario") ?? undefined;
    this.same(
      "the answer",
      { status: reply.status, point: reply.point, ...(isService && { scenario: forced }) },
      { status, point, ...(isService && { scenario }) },
    );
    this.has("the body", reply.json, body);
  }

  /** The named fields are these. */
  has(what: string, actual: Readonly<Record<string, unknown>>, fields: object): void {
    const named = Object.fromEntries(Object.keys(fields).map((field) => [field, actual[field]]));
    this.same(what, named, fields);
  }

  same(what: string, actual: unknown, expected: unknown): void {
    if (!isDeepStrictEqual(actual, expected)) throw this.failure(what, actual, expected);
  }

  failure(what: string, actual: unknown, expected: unknown): Error {
    const [where, is, hasToBe] = firstDifference(what, actual, expected);
    return new Error(
      `${where} is ${JSON.stringify(is)}, and has to be ${JSON.stringify(hasToBe)}, after\n${this.trace.join("\n")}`,
    );
  }
}

/** Where two values part, and what stands there in each. */
function firstDifference(at: string, a: unknown, b: unknown): [at: string, unknown, unknown] {
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return [at, a, b];
  const [inA, inB] = [new Map(Object.entries(a)), new Map(Object.entries(b))];
  const name = [...inB.keys(), ...inA.keys()].find((key) => !isDeepStrictEqual(inA.get(key), inB.get(key)));
  if (name === undefined) return [at, a, b];
  return firstDifference(`${at}.${name}`, inA.get(name), inB.get(name));
}

const asText = (body: unknown) => (typeof body === "string" ? body : JSON.stringify(body));
