import { hex } from "@scure/base";
import type { Sandbox, SandboxPorts, Tap } from "../api.ts";
import type { App, Observer } from "../http/observer.ts";
import type { Arrived, Body } from "../http/read-body.ts";
import type { Exchange, Messages } from "../journal/exchange.ts";
import type { Journal } from "../journal/journal.ts";
import type { Clock } from "../rules/clock.ts";
import { SetupError } from "../rules/errors.ts";
import { hashOfSecret } from "../rules/random.ts";
import type { Services } from "../runtime/services.ts";
import type { Scenario } from "../scenarios/scenario.ts";
import type { Database } from "../store/database.ts";
import { replaceHash } from "../store/stored-rows.ts";
import type { Send } from "../webhooks/attempt.ts";
import { type Call, replaceCalls } from "./calls.ts";
import { type Difference, differenceBetween, differenceOfControl } from "./difference.ts";
import { responseLine, tapedResponse } from "./lines.ts";
import { PlayedClock } from "./played-clock.ts";
import { credentialsIn } from "./secrets.ts";
import {
  messageIdOf,
  type Tape,
  type TapedControl,
  type TapedRequest,
  type TapedResponse,
  type TapeEvent,
} from "./tape.ts";

/** The ports of the sandbox in which a tape is played. */
export type PlayedPorts = Pick<SandboxPorts, "clock" | "deliver" | "tap" | "observer" | "journalAfter">;

/** What the player needs from the platform. */
export interface PlayerPorts<Played> {
  /** Opens a sandbox in memory, as the head of the tape describes it. */
  readonly open: (ports: PlayedPorts) => Played;
  /** Replaces the user's files in the sandbox. */
  readonly changeInputs: (sandbox: Played, changed: Extract<TapeEvent, { do: "inputs" }>) => void;
  /** Resolves once all work that is possible without further events is done. */
  readonly idle: () => Promise<void>;
}

interface Running {
  readonly event: TapedRequest;
  response: TapedResponse | undefined;
  goneMs: number | undefined;
  readonly gone: (() => void)[];
}

interface Delivery {
  readonly id: string | undefined;
  resolve(response: Response): void;
  reject(error: Error): void;
}

/** Plays a tape into a sandbox, and compares what it answers. */
export class Player<Played extends Sandbox = Sandbox> {
  readonly tape: Tape;
  readonly sandbox: Played;
  readonly differences: Difference[] = [];
  /** Called with each response, before it is compared. */
  onAnswered: ((request: TapedRequest, response: TapedResponse | undefined) => void) | undefined;
  readonly #ports: PlayerPorts<Played>;
  readonly #clock: PlayedClock;
  readonly #apps = new Map<string, App>();
  readonly #calls = new Map<string, Call>();
  readonly #running = new Map<number, Running>();
  readonly #deliveries: Delivery[] = [];
  /** How many turns to wait for a request to a webhook. */
  #patience = 100_000;
  /** The expected outcomes, by request. */
  readonly #expected = new Map<number, TapedResponse>();
  readonly #forced = new Map<number, Scenario>();
  readonly #ended: Running[] = [];
  readonly #answered = new Set<number>();
  /** The request that was decided last. */
  #current: number | undefined;
  #services: Services | undefined;
  #journal: Journal | undefined;
  #live: Send | undefined;
  #position = 0;
  #lastId: number;

  constructor(tape: Tape, ports: PlayerPorts<Played>) {
    this.tape = tape;
    this.#ports = ports;
    this.#clock = new PlayedClock(tape.head.at);
    this.#lastId = tape.head.after;
    for (const event of tape.events) {
      if (event.do !== "request" && event.do !== "response") continue;
      if (event.response) this.#expected.set(event.n, event.response);
      if (event.forced) this.#forced.set(event.n, event.forced);
    }
    this.sandbox = ports.open({
      clock: this.#clock,
      deliver: (url, init) => this.#live?.(url, init) ?? new Promise(() => {}),
      tap: this.#tap,
      observer: () => this.#observer,
      journalAfter: tape.head.after,
    });
  }

  /** Loads the code of the HTTP side. Call it before `play`. */
  async load(): Promise<void> {
    for (const environments of [["sandbox", "live"], ["sandbox"], ["live"]] as const) {
      await this.sandbox.serve({ environments, control: undefined })(new Request("http://sandbox/"));
    }
    // Background work that a sandbox does when it opens its database was done before the recording.
    if (this.tape.head.rows) while (this.#clock.fire(0)) await this.#ports.idle();
  }

  /** The id of the last request that was answered. */
  get lastId(): number {
    return this.#lastId;
  }

  /** The database of the sandbox. */
  get database(): Database {
    if (!this.#services) throw new Error("internal error: the sandbox has no tap");
    return this.#services.database;
  }

  /** The number of played events. */
  get position(): number {
    return this.#position;
  }

  get isAtEnd(): boolean {
    return this.#position === this.tape.events.length;
  }

  /**
   * Plays on: until the request with this id in the journal is answered, or to the end.
   * @throws SetupError if the tape has no such request, or it was played before
   */
  async play(untilId?: number): Promise<void> {
    const n = untilId === undefined ? undefined : this.#requestOf(untilId);
    while (!this.isAtEnd && (n === undefined || !this.#isAnswered(n))) await this.#step();
    if (this.isAtEnd) this.#reportUnanswered();
  }

  /** Plays the events before this one. */
  async playBefore(position: number): Promise<void> {
    while (!this.isAtEnd && this.#position < position) await this.#step();
  }

  /** Lets time run on from the last event, for a sandbox that is then used. */
  run(clock: Clock, send: Send): void {
    this.#current = undefined;
    this.#live = send;
    this.#clock.run(clock);
  }

  #requestOf(id: number): number {
    let first = Number.POSITIVE_INFINITY;
    let last = 0;
    for (const [n, { id: each }] of this.#expected) {
      if (each === id) return n;
      first = Math.min(first, each);
      last = Math.max(last, each);
    }
    throw new SetupError(
      last === 0
        ? "--until: the tape has no requests"
        : `--until: must be the id of a request on the tape, from ${first} to ${last}, but is ${id}`,
    );
  }

  #isAnswered(n: number): boolean {
    return this.#answered.has(n) || this.#expected.get(n)?.lost === true;
  }

  async #step(): Promise<void> {
    const event = this.tape.events[this.#position++] as TapeEvent;
    this.#clock.advance(event.at);
    switch (event.do) {
      case "request":
        if (!this.#expected.get(event.n)?.lost) this.#decide(event);
        break;
      case "response":
        break;
      case "gone":
        this.#leave(event.n);
        break;
      case "timer":
        this.#clock.fire(event.ms);
        break;
      case "delivery":
        await this.#deliver(event);
        break;
      case "control":
        await this.#call(event);
        break;
      case "inputs":
        this.#ports.changeInputs(this.sandbox, event);
        break;
    }
    await this.#ports.idle();
    this.#compareEnded();
  }

  #decide(event: TapedRequest): void {
    const running: Running = { event, response: undefined, goneMs: undefined, gone: [] };
    this.#running.set(event.n, running);
    this.#current = event.n;
    if (event.known) {
      this.#replaceHash(hex.decode(event.known.sha256), hashOfSecret(event.known.standIn));
    }
    const headers = new Headers(event.headers);
    const arrived: Arrived = {
      headers,
      body: undefined,
      goneMs: () => running.goneMs,
      onGone: (listener) => void running.gone.push(listener),
    };
    const request = new Request(event.url);
    // The constructor refuses some methods, which the service answers.
    Object.defineProperty(request, "method", { value: event.method });
    const ended = (exchange: Exchange, messages: Messages) => {
      running.response = tapedResponse(
        responseLine(exchange, this.#journal?.lastId ?? 0, messages.responseBody ?? null),
      );
      this.#ended.push(running);
    };
    const env = { startedAt: this.#clock.ticks(), arrived, body: bodyOn(event), ended };
    const app = this.#apps.get(event.environment ?? "");
    // A lost connection throws; the outcome is in `ended`.
    void (async () => app?.fetch(request, env))().catch(() => {});
  }

  #leave(n: number): void {
    const running = this.#running.get(n);
    if (!running) return;
    running.goneMs = this.#clock.ticks();
    for (const listener of running.gone) listener();
  }

  /** A request may not be sent yet: the code that signs it is loaded with the first one. */
  async #deliver({ id, status, error, code }: Extract<TapeEvent, { do: "delivery" }>): Promise<void> {
    const isIt = (each: Delivery) => id === undefined || each.id === id;
    for (let tries = 0; tries < this.#patience && !this.#deliveries.some(isIt); tries++)
      await this.#ports.idle();
    const at = this.#deliveries.findIndex(isIt);
    // It is not sent at all: do not wait as long for others.
    if (at < 0) this.#patience = 100;
    const [delivery] = at < 0 ? [] : this.#deliveries.splice(at, 1);
    if (status !== null) delivery?.resolve(new Response(null, { status }));
    else delivery?.reject(new Error(error, code === undefined ? undefined : { cause: { code } }));
  }

  async #call(event: TapedControl): Promise<void> {
    const call = this.#calls.get(event.call);
    const settles = event.call === "webhooks.settled";
    let actual: Pick<TapedControl, "result" | "error">;
    try {
      if (!call) throw new Error("this version has no such operation");
      const result = call(...event.args);
      if (settles) return;
      actual = { result: await result };
    } catch (error) {
      actual = { error: (error as Error).message };
    }
    this.#bind(JSON.stringify(event.result ?? null), JSON.stringify(actual.result ?? null));
    const difference = differenceOfControl(event, actual);
    if (difference) this.differences.push({ ...difference, event: this.#position - 1 });
  }

  #compareEnded(): void {
    for (const { event, response } of this.#ended.splice(0)) {
      this.#running.delete(event.n);
      this.#answered.add(event.n);
      this.#lastId = Math.max(this.#lastId, response?.id ?? 0);
      const expected = this.#expected.get(event.n);
      this.onAnswered?.(event, response);
      if (!expected) continue;
      this.#bind(expected.body ?? "", response?.body ?? "");
      const difference = differenceBetween(event, expected, response);
      if (difference) this.differences.push(difference);
    }
  }

  #reportUnanswered(): void {
    for (const { event } of this.#running.values()) {
      const expected = this.#expected.get(event.n);
      const difference = expected && differenceBetween(event, expected, undefined);
      if (difference) this.differences.push(difference);
    }
    this.#running.clear();
  }

  /** Makes the stand-ins of the credentials that a response issued valid, instead of the issued ones. */
  #bind(expected: string, actual: string): void {
    if (expected === actual) return;
    const issued = credentialsIn(actual);
    for (const [index, standIn] of credentialsIn(expected).entries()) {
      const credential = issued[index];
      if (credential === undefined || credential === standIn) continue;
      this.#replaceHash(hashOfSecret(credential), hashOfSecret(standIn));
    }
  }

  #replaceHash(before: Uint8Array, after: Uint8Array): void {
    const database = this.#services?.database;
    database?.transaction(() => replaceHash(database, before, after));
  }

  readonly #observer: Observer = {
    begin: () => {
      const forced = this.#current === undefined ? undefined : this.#forced.get(this.#current);
      return { forced, ended: () => {} };
    },
    delivered: () => {},
  };

  readonly #tap: Tap = {
    control: (services, wired) => {
      this.#services = wired.services;
      this.#journal = wired.journal;
      replaceCalls(services, (name, call) => {
        this.#calls.set(name, call);
        return call;
      });
    },
    requests: (app, environments) => {
      this.#apps.set(environments.length === 1 ? (environments[0] ?? "") : "", app);
      return app;
    },
    // The receiver of the sandbox itself keeps its messages again, but the tape has the outcomes.
    sending: (send) => (url, init, message) => {
      const sent = send(url, init, message);
      if (this.#live) return sent;
      const id = messageIdOf(init);
      return new Promise((resolve, reject) => void this.#deliveries.push({ id, resolve, reject }));
    },
  };
}

function bodyOn({ body, unreadable }: TapedRequest): Body {
  if (body !== undefined) return { text: body };
  return unreadable === undefined || unreadable === "not JSON" ? { text: "{" } : { unreadable };
}
