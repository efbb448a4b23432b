import { hex } from "@scure/base";
import QuickLRU from "quick-lru";
import type { SandboxPorts, Tap } from "../api.ts";
import type { Environment } from "../contract/identifiers.ts";
import type { ControlServices } from "../control/services.ts";
import type { App, Bindings } from "../http/observer.ts";
import { type Body, bodyOf, readBody } from "../http/read-body.ts";
import type { Exchange, Messages, SentHeaders } from "../journal/exchange.ts";
import type { Journal } from "../journal/journal.ts";
import type { Clock } from "../rules/clock.ts";
import { SetupError } from "../rules/errors.ts";
import { hashOfSecret } from "../rules/random.ts";
import type { Services } from "../runtime/services.ts";
import type { Scenario } from "../scenarios/scenario.ts";
import { readOrigin } from "../store/meta.ts";
import { countStoredRows, isCredential, storedRows } from "../store/stored-rows.ts";
import type { SendMessage } from "../webhooks/attempt.ts";
import { replaceCalls } from "./calls.ts";
import { Lines, type NewEvent, type Sink } from "./lines.ts";
import { type Replace, Replacing, standIns } from "./secrets.ts";
import {
  type ChangedInputs,
  type KnownCredential,
  messageIdOf,
  type TapeHead,
  tapeFormat,
  type Waits,
} from "./tape.ts";

/** Real time, and the end of the current turn of the event loop. */
export interface Turns {
  readonly clock: Clock;
  /** Calls `work` once all work of the current turn is done. */
  readonly afterTurn: (work: () => void) => void;
}

/** Time goes on within a longer turn: a test may set the system time, or send requests in this process without a pause. */
const longestTurnMs = 1000;

/** Clients may send any number of tokens. One that is looked up again is recorded again, which changes nothing. */
const mostLookedUp = 1000;

/** The most rows of a database that is older than the recording. */
const mostRows = 200_000;

/** The requests of a recording. */
export interface Recorded {
  /** When it began, by the clock of the sandbox. */
  readonly sinceMs: number;
  /** The id in the journal of the last request before it. */
  readonly afterId: number;
  /** The id of its last request that has a response. */
  readonly lastId: number;
  readonly requests: number;
}

interface Recording extends Recorded {
  readonly lines: Lines;
  readonly replace: Replace;
  readonly replacing: Replacing;
  /** The credentials that were looked up in a database that is older than the recording; undefined: it is not older. */
  readonly lookedUp: QuickLRU<string, true> | undefined;
  lastId: number;
  deliveries: number;
}

interface Wired {
  readonly ports: SandboxPorts;
  readonly services: Services;
  readonly journal: Journal;
}

/**
 * Records everything that enters a sandbox. While it records, the clock stands still within a turn of the event loop, so
 * that everything in it sees the time that the tape has.
 */
export class Recorder implements Tap {
  readonly #turns: Turns;
  readonly #waits: Waits | undefined;
  #pinnedMs: number | undefined;
  /** The requests without an outcome: for them, time stands still until the next event. */
  #running = 0;
  #wired: Wired | undefined;
  #recording: Recording | undefined;
  #isCalling = false;

  constructor(turns: Turns, waits?: Waits) {
    this.#turns = turns;
    this.#waits = waits;
  }

  /** The clock for the sandbox. */
  readonly clock: Clock = {
    now: () => (this.#recording ? this.#nowMs() : this.#turns.clock.now()),
    ticks: () => this.#turns.clock.ticks(),
    after: (ms, work, inBackground) =>
      this.#turns.clock.after(
        ms,
        () => {
          this.#add({ do: "timer", ms });
          work();
        },
        inBackground,
      ),
  };

  #nowMs(isEvent = false): number {
    const nowMs = this.#turns.clock.now();
    if (this.#pinnedMs === undefined) {
      this.#turns.afterTurn(() => {
        this.#pinnedMs = undefined;
      });
    } else if ((this.#running > 0 && !isEvent) || Math.abs(nowMs - this.#pinnedMs) < longestTurnMs) {
      return this.#pinnedMs;
    }
    this.#pinnedMs = nowMs;
    return nowMs;
  }

  get isRecording(): boolean {
    return this.#recording !== undefined;
  }

  /** Sends deliveries, and records their outcomes. */
  sending(send: SendMessage): SendMessage {
    return (url, init, message) => {
      const recording = this.#recording;
      const sent = send(url, init, message);
      if (!recording) return sent;
      const n = ++recording.deliveries;
      const id = messageIdOf(init);
      const ended = (outcome: { status: number | null; error?: string; code?: string }) => {
        if (this.#recording !== recording) return;
        this.#add({
          do: "delivery",
          url: recording.replacing.url(url),
          ...(id !== undefined && { id }),
          n,
          ...outcome,
        });
      };
      sent.then(
        ({ status }) => ended({ status }),
        (error) => {
          const { message = String(error), cause } = error ?? {};
          const code = cause?.code;
          ended({ status: null, error: message, ...(typeof code === "string" && { code }) });
        },
      );
      return sent;
    };
  }

  control(services: ControlServices, wired: Wired): void {
    this.#wired = wired;
    wired.services.generations.onEnd(() => this.#recording?.lookedUp?.clear());
    replaceCalls(
      services,
      (name, call) =>
        (...args) =>
          this.#call(name, args, () => call(...args)),
    );
  }

  /** An operation that another one calls is not recorded. */
  #call(name: string, args: readonly unknown[], work: () => unknown): unknown {
    if (!this.#recording || this.#isCalling) return work();
    const settles = name === "webhooks.settled";
    this.#isCalling = true;
    try {
      if (settles) this.#addCall(name, args, {});
      const result = work();
      if (!(result instanceof Promise)) this.#addCall(name, args, { result });
      else if (!settles) {
        result.then(
          (value) => this.#addCall(name, args, { result: value }),
          (error) => this.#addCall(name, args, { error: error.message }),
        );
      }
      return result;
    } catch (error) {
      this.#addCall(name, args, { error: (error as Error).message });
      throw error;
    } finally {
      this.#isCalling = false;
    }
  }

  #addCall(call: string, args: readonly unknown[], outcome: { result?: unknown; error?: string }): void {
    const replacing = this.#recording?.replacing;
    if (!replacing) return;
    // JSON has no undefined.
    const sent = args.slice(0, args.findLastIndex((each) => each !== undefined) + 1);
    let written: { args: readonly unknown[]; result?: unknown; error?: string };
    try {
      written = replacing.json({ args: sent, ...outcome });
    } catch {
      // JSON cannot hold it, because it is too deep or circular. Such an input is refused, so it changed nothing.
      return;
    }
    this.#add({ do: "control", call, ...written });
  }

  /** Records that files which the sandbox watches were changed. */
  inputs(changed: ChangedInputs): void {
    const replacing = this.#recording?.replacing;
    if (replacing) this.#add({ do: "inputs", ...replacing.json(changed) });
  }

  requests(app: App, environments: readonly Environment[]): App {
    const environment = environments.length === 1 ? environments[0] : undefined;
    const decide = (request: Request, env: Bindings, body: Body) =>
      this.#recording
        ? this.#decide(app, request, env, body, environment)
        : app.fetch(request, { ...env, body });
    return {
      fetch: (request, env) => {
        const read = env.arrived?.body;
        // The body is read first, so that requests are recorded in the order in which they are decided, and none that began
        // before the recording is decided in it.
        if (!read) return readBody(request).then((body) => decide(request, env, body));
        return this.#recording ? decide(request, env, bodyOf(read)) : app.fetch(request, env);
      },
    };
  }

  #decide(
    app: App,
    request: Request,
    env: Bindings,
    body: Body,
    environment: Environment | undefined,
  ): Response | Promise<Response> {
    const recording = this.#recording as Recording;
    const headers = env.arrived?.headers ?? request.headers;
    const known = recording.lookedUp && this.#knownCredential(recording, headers, body);
    const received = { request, headers, body, environment, known };
    const line = recording.lines.addRequest(received, this.#nowMs(true));
    this.#running++;
    let isEnded = false;
    const ended = (exchange: Exchange, messages: Messages, forced: Scenario | undefined) => {
      isEnded = true;
      this.#running--;
      // The recording may have ended since.
      if (this.#recording !== recording) return;
      recording.lastId = this.#wired?.journal.lastId ?? 0;
      recording.lines.addResponse(line, recording.lastId, { exchange, messages, forced }, this.#nowMs());
    };
    env.arrived?.onGone(() => {
      if (!isEnded && this.#recording === recording) this.#add({ do: "gone", n: line.n });
    });
    return app.fetch(request, { ...env, body, ended });
  }

  /** The credential of a request, if it was issued before the recording. */
  #knownCredential(
    { lookedUp, replace }: Recording,
    sent: SentHeaders,
    body: Body,
  ): KnownCredential | undefined {
    const found: string[] = [];
    const [, token] = /^bearer\s+(.+)$/i.exec(sent.get("Authorization")?.trim() ?? "") ?? [];
    if (token !== undefined) found.push(token);
    if ("text" in body) found.push(...(/sk_[A-Za-z0-9_]+/.exec(body.text) ?? []));
    for (const secret of found) {
      if (lookedUp?.has(secret)) continue;
      lookedUp?.set(secret, true);
      const hash = hashOfSecret(secret);
      if (this.#wired && isCredential(this.#wired.services.database, hash)) {
        return { standIn: replace(secret), sha256: hex.encode(hash) };
      }
    }
    return undefined;
  }

  /**
   * Call it before `begin`.
   * @throws SetupError if the tape would begin with too many rows
   */
  refuseTooManyRows(isNew: boolean): void {
    const { database } = (this.#wired as Wired).services;
    const rows = isNew ? 0 : countStoredRows(database);
    if (rows <= mostRows) return;
    throw new SetupError(
      `tape: a tape begins with the rows of the database, at most ${mostRows}, but there are ${rows}. Reset the sandbox, or use a new database.`,
    );
  }

  /**
   * Begins to record, and ends an earlier recording.
   * @param key - 32 unpredictable bytes, which the stand-ins derive from
   * @param isNew - the world is as its fixtures made it; otherwise the tape begins with all rows
   */
  begin(sink: Sink, key: Uint8Array, isNew: boolean): Recorded {
    const wired = this.#wired as Wired;
    const replace = standIns(key);
    const replacing = new Replacing(replace);
    const { clock } = wired.services;
    const { lastId } = wired.journal;
    const head = headOf(wired, replacing, this.#turns.clock.now(), isNew, this.#waits);
    const lines = new Lines(sink, replacing, head);
    const recording: Recording = {
      lines,
      sinceMs: clock.now(),
      afterId: lastId,
      lastId,
      replace,
      replacing,
      lookedUp: isNew ? undefined : new QuickLRU({ maxSize: mostLookedUp }),
      deliveries: 0,
      get requests() {
        return lines.requests;
      },
    };
    this.#recording = recording;
    const fixtures = wired.ports.changedFixtures?.();
    // A reset loads them.
    if (fixtures && fixtures.digest !== readOrigin(wired.services.database)?.fixtures)
      this.inputs({ fixtures });
    return recording;
  }

  /** Writes what was recorded since the last call. */
  flush(): void {
    this.#recording?.lines.flush();
  }

  end(): void {
    this.flush();
    this.#recording = undefined;
  }

  #add(event: NewEvent): void {
    this.#recording?.lines.add(event, this.#nowMs(true));
  }
}

function headOf(
  { ports, services, journal }: Wired,
  replacing: Replacing,
  at: number,
  isNew: boolean,
  waits: Waits | undefined,
): TapeHead {
  const origin = readOrigin(services.database);
  const { world, digest } = ports.fixtures ?? ports.defaultFixtures();
  return {
    do: "begin",
    format: tapeFormat,
    version: ports.version,
    at,
    seed: origin?.seed ?? 1,
    clock: origin === undefined || origin.clock === "real" ? null : origin.clock,
    fixtures: { world: replacing.json(world), digest },
    dialect: services.dialects.start,
    scenarios: ports.scenarios.own,
    options: {
      assumed: ports.assumed ?? true,
      sandboxHeaders: ports.sandboxHeaders ?? true,
      fixtureKeys: ports.fixtureKeys ?? true,
      scenario: ports.scenario ?? null,
      allowWebhookHosts: ports.allowWebhookHosts ?? [],
      waits: waits ?? null,
    },
    rows: isNew ? null : replacing.rows(storedRows(services.database)),
    after: journal.lastId,
  };
}
