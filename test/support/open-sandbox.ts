import { AsyncLocalStorage } from "node:async_hooks";
import { randomBytes, randomUUID } from "node:crypto";
import { onTestFinished } from "vitest";
import type { SandboxPorts } from "../../src/api.ts";
import type { Choices } from "../../src/contract/behaviours.ts";
import type { Card } from "../../src/contract/card.ts";
import type { Dialect } from "../../src/contract/dialect.ts";
import type { Environment } from "../../src/contract/identifiers.ts";
import type { Guard } from "../../src/control/gate.ts";
import { openSandbox as openPlainSandbox } from "../../src/node/create-sandbox.ts";
import { openDatabase } from "../../src/node/database/better-sqlite3.ts";
import { readDefaultFixtures, readShippedScenarios } from "../../src/node/input-files.ts";
import { dashboardFiles } from "../../src/node/served-files.ts";
import { Taping } from "../../src/node/tape/taping.ts";
import type { Clock } from "../../src/rules/clock.ts";
import { type FactsOverlay, type Issuer, plainOverlay } from "../../src/rules/overlay.ts";
import { wireSandbox } from "../../src/sandbox.ts";
import { Catalogue } from "../../src/scenarios/catalogue.ts";
import type { Scenario } from "../../src/scenarios/scenario.ts";
import type { AccountListing, CompanyListing } from "../../src/store/world-listing.ts";
import { fixturesSchemaFor } from "../../src/world/fixtures.ts";
import type { ControlReply } from "./control-conformance.ts";
import type { Observed, SentEvent } from "./openapi-conformance.ts";
import { physicalOrder } from "./physical-order.ts";

/** The base URL of requests in this process. */
export const base = "http://sandbox.test";

interface Surroundings {
  readonly choices: Partial<Choices>;
  /** Closes each sandbox that was opened. */
  readonly ends: (() => Promise<void>)[];
  readonly watch?: Watch;
}

/** Watches a sandbox from its ports to its end. */
export type Watch = (ports: SandboxPorts) => {
  readonly ports: SandboxPorts;
  readonly opened: () => void;
  readonly ended: () => void;
};

const surroundings = new AsyncLocalStorage<Surroundings>();

/**
 * Runs work whose sandboxes have these alternatives, unless their options have others. Closes them afterwards.
 * @param watch - watches each of these sandboxes
 */
export async function withChoices<Result>(
  choices: Partial<Choices>,
  work: () => Promise<Result>,
  watch?: Watch,
): Promise<Result> {
  const ends: Surroundings["ends"] = [];
  try {
    return await surroundings.run({ choices, ends, ...(watch && { watch }) }, work);
  } finally {
    for (const end of ends) await end();
  }
}

/** The dialect that selects these alternatives. */
export const dialectWith = (choices: Partial<Choices>) =>
  Object.fromEntries(Object.entries(choices).map(([id, use]) => [id, { use }])) as Dialect;

export interface TestOptions
  extends Partial<
    Pick<
      SandboxPorts,
      | "assumed"
      | "deliver"
      | "docsFiles"
      | "allowWebhookHosts"
      | "sandboxHeaders"
      | "seed"
      | "privateSecrets"
      | "fixtureKeys"
      | "scenario"
      | "journal"
      | "journalBytes"
      | "observer"
      | "shortenWait"
    >
  > {
  /** The alternatives that differ from the default, by behavior. */
  readonly choices?: Partial<Choices>;
  /** Added to the shipped scenarios. */
  readonly scenarios?: readonly Scenario[];
  /** Called instead of adding to `exchanges`. */
  readonly observe?: (exchange: Observed) => void;
  /** The fixtures, as in a YAML file; default: fixtures/default.yaml. */
  readonly world?: unknown;
  /** Facts for every request; `force.facts` changes them later. */
  readonly facts?: FactsOverlay;
  readonly issuer?: Issuer;
  /** Serves only this environment; default: both. */
  readonly serve?: Environment;
  /** With `serve`: access to the control API; default: none, the API is absent. */
  readonly guard?: Guard;
  /** A database file; default: in memory. */
  readonly db?: string;
  /** The instant at which the test's clock stands. */
  readonly now?: string;
  /** The most events of its tape that are played to show the changes of a request. */
  readonly mostPlayed?: number;
}

let shipped: readonly Scenario[] | undefined;

/** A clock that stands still until it is advanced. */
class TestClock implements Clock {
  /** The durations of all waits so far, in milliseconds. */
  readonly waited: number[] = [];
  #nowMs: number;
  readonly #waits = new Map<() => void, number>();
  constructor(instant: string) {
    this.#nowMs = Date.parse(instant);
  }
  now(): number {
    return this.#nowMs;
  }
  ticks(): number {
    return this.#nowMs;
  }
  /** Ends waits of up to five seconds at once; longer ones take real time. */
  after(ms: number, work: () => void, inBackground = false): () => void {
    // Background work waits for the time of the sandbox, and is done when that is advanced.
    if (inBackground) return () => {};
    this.waited.push(ms);
    const due = () => {
      cancel();
      work();
    };
    const timer = ms <= 5000 ? setImmediate(due) : setTimeout(due, ms);
    const cancel = () => {
      if (ms <= 5000) clearImmediate(timer as NodeJS.Immediate);
      else clearTimeout(timer as NodeJS.Timeout);
      this.#waits.delete(due);
    };
    this.#waits.set(due, ms);
    return cancel;
  }
  /** The durations of the waits that go on, in milliseconds. */
  get waits(): number[] {
    return [...this.#waits.values()];
  }
  /** Ends all waits. */
  endWaits(): void {
    for (const due of [...this.#waits.keys()]) due();
  }
  advance(ms: number): void {
    this.#nowMs += ms;
  }
}

export type OrderBody = Record<string, unknown>;

/** A response that was read. */
export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests assert on bodies of any shape
  readonly json: any;
  /** The contract point of the response. */
  readonly point: string | undefined;
  readonly provenance: string | undefined;
}

const unwatched: Watch = (ports) => ({ ports, opened: () => {}, ended: () => {} });

let latest: Observed | undefined;

/** The latest exchange of any sandbox of a test. */
export function latestExchange(): Observed | undefined {
  return latest;
}

/**
 * Opens a sandbox in this process, with a clock that stands still, and closes it when the test ends. All responses of
 * the service, and all events that it sent, are then checked against the OpenAPI document, and responses of the control API against its own.
 */
export function openSandbox(options: TestOptions = {}) {
  const {
    scenarios = [],
    choices: own,
    observe,
    world,
    facts = {},
    issuer = plainOverlay.issuer,
    ...others
  } = options;
  const {
    serve,
    guard,
    db = ":memory:",
    now = "2026-03-10T09:30:00.000Z",
    deliver,
    mostPlayed,
    ...ports
  } = others;
  const choices = { ...surroundings.getStore()?.choices, ...own };
  const database = openDatabase(db);
  const clockOfTest = new TestClock(now);
  const taping = new Taping(clockOfTest, openPlainSandbox, { mostPlayed });
  const force = { facts, issuer };
  const exchanges: Observed[] = [];
  const all: Observed[] = [];
  const events: SentEvent[] = [];
  const controlReplies: ControlReply[] = [];
  shipped ??= readShippedScenarios();
  const catalogue = [...shipped, ...scenarios];
  const watched = (surroundings.getStore()?.watch ?? unwatched)({
    ...ports,
    dialect: dialectWith(choices),
    database,
    clock: taping.recorder.clock,
    tap: taping.recorder,
    tapeRecorder: taping,
    version: "0.0.0-test",
    defaultFixtures: () =>
      world === undefined
        ? readDefaultFixtures()
        : {
            world: fixturesSchemaFor(choices["api_keys.quota"] ?? "company").parse(world),
            digest: JSON.stringify(world),
          },
    drawSecret: () => randomBytes(32),
    scenarios: new Catalogue(() => catalogue),
    deliver: (url, init) => {
      events.push({ headers: Object.fromEntries(new Headers(init.headers)), body: String(init.body) });
      return (deliver ?? globalThis.fetch)(url, init);
    },
    dashboardFiles,
    baseOverlay: () => ({ ...force }),
    observe: (facts, messages) => {
      const exchange = { ...facts, ...messages };
      all.push(exchange);
      latest = exchange;
      if (observe) observe(exchange);
      else exchanges.push(exchange);
    },
  });
  const sandbox = wireSandbox(watched.ports);
  watched.opened();
  const end = onceByTestEnd(async () => {
    watched.ended();
    taping.end();
    sandbox.abandon();
    database.close();
    const { checkConformance } = await import("./openapi-conformance.ts");
    checkConformance(all, events);
    if (controlReplies.length === 0) return;
    const { checkControlReplies } = await import("./control-conformance.ts");
    checkControlReplies(controlReplies);
  });
  surroundings.getStore()?.ends.push(end);
  const actsByHeader = surroundings.getStore()?.choices["on_behalf_of.mode"]?.startsWith("required");
  const hasControl = !serve || guard !== undefined;
  const fetch = serve ? sandbox.serve({ environments: [serve], control: guard }) : sandbox.fetch;

  const request = async (path: string, init: RequestInit = {}): Promise<Reply> => {
    const sent = new Request(base + path, init);
    const { method } = sent;
    const { pathname } = new URL(sent.url);
    const reply = await readReply(await fetch(sent));
    if (hasControl && isControl(pathname)) {
      const { status, headers, text } = reply;
      controlReplies.push({ method, path: pathname, status, type: headers.get("Content-Type"), text });
    }
    return reply;
  };
  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    request(path, {
      method: "POST",
      body: asText(body),
      headers: { "Content-Type": "application/json", ...headers },
    });

  const company = (slug: string, environment: Environment = "sandbox"): CompanyListing =>
    found(sandbox.world().companies.find((each) => each.slug === slug && each.environment === environment));
  const account = (companySlug: string, slug = "gbp", environment: Environment = "sandbox"): AccountListing =>
    found(company(companySlug, environment).accounts.find((each) => each.slug === slug));

  /** The company of a key of the fixtures, such as sk_live_northwind_owner. */
  const companyOfKey = (apiKey: string) => {
    const [, environment, slug] = apiKey.split("_");
    return sandbox.world().companies.find((each) => each.slug === slug && each.environment === environment);
  };
  const exchange = async (apiKey: string): Promise<string> => {
    const path = apiKey.startsWith("sk_live_") ? "/auth/v1/token" : "/auth/v1/sandbox/token";
    const reply = await post(path, { api_key: apiKey });
    if (reply.status >= 300) throw new Error(`no token for ${apiKey}: ${reply.text}`);
    return reply.json.access_token;
  };

  const orderBody = (overrides: OrderBody = {}): OrderBody =>
    without({ ...physicalOrder(account("northwind").id), ...overrides });

  /** Calls an operation, by default as northwind's owner; a body is sent as JSON. */
  const call = async (method: string, path: string, { body, key, signal, ...rest }: CallOptions = {}) => {
    const apiKey = rest.apiKey ?? "sk_sandbox_northwind_owner";
    const token = rest.token ?? (await exchange(apiKey));
    const headers = without({
      "X-On-Behalf-Of": actsByHeader ? companyOfKey(apiKey)?.id : undefined,
      Authorization: `Bearer ${token}`,
      "Content-Type": body === undefined ? undefined : "application/json",
      "Idempotency-Key": key,
      ...rest.headers,
    });
    return request(path, {
      method,
      headers: headers as Record<string, string>,
      ...(body !== undefined && { body: asText(body) }),
      ...(signal && { signal }),
    });
  };

  return {
    ...sandbox,
    database,
    clockOfTest,
    force,
    exchanges,
    /** Closes the sandbox before the test ends, for tests that open thousands. */
    end,
    request,
    post,
    company,
    account,
    exchange,
    orderBody,
    call,
    get: (path: string, options?: CallOptions) => call("GET", path, options),
    /** Orders a physical card; `body` overrides fields, and `undefined` drops one. */
    order: ({ body = {}, raw, key = randomUUID(), ...rest }: OrderOptions = {}) =>
      call("POST", "/developer/cards/physical", { ...rest, key, body: raw ?? orderBody(body) }),
  };
}

/** Whether a path belongs to the control API, and not to the dashboard. */
function isControl(path: string): boolean {
  return /^\/_sandbox(\/(?!ui(\/|$))|$)/.test(path);
}

/** Does work when the result is called, or else when the test ends, and releases it afterwards. */
function onceByTestEnd(work: () => Promise<void>): () => Promise<void> {
  let left: typeof work | undefined = work;
  const end = async () => {
    const due = left;
    left = undefined;
    await due?.();
  };
  onTestFinished(end);
  return end;
}

export interface CallOptions {
  readonly body?: unknown;
  readonly key?: string;
  readonly apiKey?: string;
  readonly token?: string;
  /** Added headers; `undefined` drops one. */
  readonly headers?: Record<string, string | undefined>;
  readonly signal?: AbortSignal;
}

interface OrderOptions extends CallOptions {
  readonly body?: OrderBody;
  /** The whole body, instead of fields. */
  readonly raw?: unknown;
}

export async function readReply(response: Response): Promise<Reply> {
  const text = await response.text();
  const [point, provenance] = response.headers.get("Sandbox-Contract-Point")?.split("; provenance=") ?? [];
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: text === "" ? undefined : JSON.parse(text),
    point,
    provenance,
  };
}

/** @throws Error unless the status is 201 */
export function cardOf(reply: Reply): Card {
  if (reply.status !== 201) throw new Error(`no card: ${reply.status} ${reply.text}`);
  return reply.json;
}

function asText(body: unknown): string {
  return typeof body === "string" ? body : JSON.stringify(body);
}

function without(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function found<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error("the world of the test has no such company or account");
  return value;
}
