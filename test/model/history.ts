import { isDeepStrictEqual } from "node:util";
import { openSandbox, type Reply, type TestOptions } from "../support/open-sandbox.ts";
import { londonDate } from "./calendar.ts";
import { addCompany, type Company, hasEnded, seedOfHistories, type World } from "./world.ts";

const statuses: Readonly<Record<string, number>> = {
  token_missing: 401,
  token_invalid: 401,
  token_expired: 401,
  api_key_as_bearer: 401,
  not_a_member: 403,
  on_behalf_of_not_a_member: 403,
  forbidden: 403,
  account_not_found: 404,
  not_found: 404,
  change_in_progress: 409,
  virtual_change_in_progress: 409,
  state_conflict: 409,
  company_inactive: 422,
  account_closed: 422,
  company_details_missing: 422,
  cardholder_details_missing: 422,
  country_undeliverable: 422,
  quota_reached: 422,
  issuer_rejected: 422,
  rate_limited: 429,
  issuer_bad_gateway: 502,
  issuer_unavailable: 503,
};

/** The status of a refusal, by default 400. */
const statusOf = (point: string): number => statuses[point.split(".")[1] ?? ""] ?? 400;

/** An expected response; the body may have further fields. */
export interface Expected {
  readonly status: number;
  readonly point?: string;
  readonly body?: object;
  /** The scenario that fired. */
  readonly scenario?: string | undefined;
}

interface Sent {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** A sandbox, the world that it should have, and a trace of the steps so far. */
export class History {
  sandbox: ReturnType<typeof openSandbox>;
  readonly snapshots = new Map<string, World>();
  readonly trace: string[] = [];
  /** All tokens so far, including those of worlds that were reset. */
  readonly tokensEver: string[] = [];
  /** Sends the latest order again, like a client that retries. */
  retry: () => Promise<void> = async () => {};
  readonly #start: World;
  readonly #options: TestOptions;
  #uuids = 0;
  world: World;

  /**
   * @param now - the instant of the start
   * @param options - further ones of the sandbox
   */
  constructor(now: string, options: TestOptions = {}) {
    this.#options = options;
    this.sandbox = openSandbox({ world: seedOfHistories, now, ...options });
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

  /** Closes the sandbox, which has a file, and opens the file again. */
  async reopen(): Promise<void> {
    const now = new Date(this.sandbox.clockOfTest.now()).toISOString();
    await this.sandbox.end();
    this.sandbox = openSandbox({ world: seedOfHistories, ...this.#options, now });
    this.trace.push("opened again");
  }

  /** The world at the start. */
  get start(): World {
    return structuredClone(this.#start);
  }

  /** A new UUID. */
  newUuid(): string {
    return `a0000000-0000-4000-8000-${String(++this.#uuids).padStart(12, "0")}`;
  }

  nowMs(company?: Company): number {
    const { frozenAtMs, aheadMs } = this.world.clock;
    return (frozenAtMs ?? this.sandbox.clockOfTest.now() + aheadMs) + (company?.aheadMs ?? 0);
  }

  company(id: string): Company {
    const found = this.world.companies.find((company) => company.id === id);
    if (!found) throw new Error(`the model has no company ${id}`);
    return found;
  }

  /** Cards in any state expire at 00:00 in the UK after their date. */
  expireDueCards(): void {
    for (const company of this.world.companies) {
      if (company.cards.length === 0) continue;
      const today = londonDate(this.nowMs(company));
      for (const card of company.cards) {
        if (!hasEnded(card) && card.expiryDate < today) card.status = "expired";
      }
    }
  }

  /** Sends a request; undefined if its connection was lost. */
  async send(method: string, path: string, { headers, body }: Sent = {}): Promise<Reply | undefined> {
    const init = { method, ...(headers && { headers }), ...(body !== undefined && { body: asText(body) }) };
    const line = `${method} ${path} ${body === undefined ? "" : asText(body)}`.trim();
    try {
      const reply = await this.sandbox.request(path, init);
      this.trace.push(`${line} -> ${reply.status} ${reply.point ?? ""}`.trim());
      return reply;
    } catch (error) {
      // `fetch` throws this if a connection was lost.
      if (!(error instanceof TypeError && error.message === "fetch failed")) throw error;
      this.trace.push(`${line} -> connection lost`);
      return undefined;
    }
  }

  /** @throws Error if the response is not the expected one */
  async expectReply(expected: Expected, method: string, path: string, sent?: Sent): Promise<Reply> {
    const reply = await this.send(method, path, sent);
    this.checkReply(reply, expected);
    return reply;
  }

  /** @throws Error if the request is not refused with the contract point */
  async expectRefusal(
    { point, scenario }: { readonly point: string; readonly scenario?: string | undefined },
    method: string,
    path: string,
    sent?: Sent,
  ): Promise<void> {
    await this.expectReply({ status: statusOf(point), point, scenario }, method, path, sent);
  }

  checkReply(reply: Reply | undefined, expected: Expected): asserts reply is Reply {
    if (!reply) throw this.failure("the connection", "lost", expected);
    const { status, point, body = {}, scenario } = expected;
    const isService = reply.point !== undefined;
    const forced = reply.headers.get("Sandbox-Scenario") ?? undefined;
    this.checkEqual(
      "the response",
      { status: reply.status, point: reply.point, ...(isService && { scenario: forced }) },
      { status, point, ...(isService && { scenario }) },
    );
    this.checkFields("the body", reply.json, body);
  }

  /** Compares the fields that `fields` has. */
  checkFields(what: string, actual: Readonly<Record<string, unknown>>, fields: object): void {
    const named = Object.fromEntries(Object.keys(fields).map((field) => [field, actual[field]]));
    this.checkEqual(what, named, fields);
  }

  checkEqual(what: string, actual: unknown, expected: unknown): void {
    if (!isDeepStrictEqual(actual, expected)) throw this.failure(what, actual, expected);
  }

  failure(what: string, actual: unknown, expected: unknown): Error {
    const [where, is, expectedThere] = firstDifference(what, actual, expected);
    return new Error(
      `${where} is ${JSON.stringify(is)} instead of ${JSON.stringify(expectedThere)}, after\n${this.trace.join("\n")}`,
    );
  }
}

/** The path of the first difference, with both values. */
function firstDifference(at: string, a: unknown, b: unknown): [at: string, unknown, unknown] {
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return [at, a, b];
  const [inA, inB] = [new Map(Object.entries(a)), new Map(Object.entries(b))];
  const name = [...inB.keys(), ...inA.keys()].find((key) => !isDeepStrictEqual(inA.get(key), inB.get(key)));
  if (name === undefined) return [at, a, b];
  return firstDifference(`${at}.${name}`, inA.get(name), inB.get(name));
}

const asText = (body: unknown) => (typeof body === "string" ? body : JSON.stringify(body));
