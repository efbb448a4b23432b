import type { Serve, ServeOptions } from "../../api.ts";
import { ControlError } from "../../control/errors.ts";
import type { PlayedRequest, Replay, ShownResponse, TapeEntry, TapePage } from "../../control/replay.ts";
import { maskBody, maskHeaders, maskPath, maskQuery, maskRequestBody } from "../../journal/masking.ts";
import { SetupError } from "../../rules/errors.ts";
import { RowChanges } from "../../store/row-changes.ts";
import { replacePublicKey } from "../../store/stored-rows.ts";
import type { Difference } from "../../tape/difference.ts";
import type { Player } from "../../tape/player.ts";
import type { Tape, TapedRequest, TapedResponse, TapeEvent } from "../../tape/tape.ts";
import { targetViolation } from "../../webhooks/target.ts";
import type { FixtureWorld } from "../../world/fixtures.ts";
import type { OpenSandbox, Sandbox } from "../create-sandbox.ts";
import { readDefaultFixtures } from "../input-files.ts";
import { systemClock } from "../real-timers.ts";
import { openPlayer } from "./play.ts";

/** The events on a page. */
const pageSize = 100;
/** The most changed rows on the page of a request. */
const mostChanges = 200;

/** A world that a tape was played to, and that is served. */
interface World {
  readonly player: Player<Sandbox>;
  readonly serves: Map<ServeOptions, Serve>;
  /** The responses in progress. */
  readonly pending: Set<Promise<unknown>>;
}

/** Serves the world of a tape at any of its requests. */
export class ServedTape implements Replay {
  readonly file: string;
  readonly requests: number;
  readonly #tape: Tape;
  readonly #open: OpenSandbox;
  readonly #webhookHosts: readonly string[];
  /** When each event entered, in milliseconds since the epoch. */
  readonly #times: Float64Array;
  /** The positions of the requests, by their id and in their order. */
  readonly #positions = new Map<string, number>();
  readonly #ids: string[];
  readonly #responses = new Map<number, TapedResponse>();
  /** The differences by position, as far as any world was played. */
  #differences = new Map<number, Difference>();
  #played = 0;
  #world: World | undefined;
  /** A player for `inspect`, which looks at later and later requests. */
  #inspected: Player<Sandbox> | undefined;
  /** One world is played at a time. */
  #playing: Promise<unknown> = Promise.resolve();

  /** @param webhookHosts - external hosts to which the served world may send webhooks */
  constructor(file: string, tape: Tape, webhookHosts: readonly string[], open: OpenSandbox) {
    this.file = file;
    this.#tape = tape;
    this.#open = open;
    this.#webhookHosts = webhookHosts.map((host) => host.toLowerCase());
    this.#times = new Float64Array(tape.events.length);
    let time = tape.head.at;
    let requests = 0;
    const ns = new Map<number, number>();
    for (const [position, event] of tape.events.entries()) {
      time += event.at;
      this.#times[position] = time;
      if (event.do === "request") {
        requests++;
        ns.set(event.n, position);
      }
      if ((event.do === "request" || event.do === "response") && event.response) {
        this.#responses.set(event.n, event.response);
        if (!event.response.lost) {
          this.#positions.set(String(event.response.id), ns.get(event.n) ?? position);
        }
      }
    }
    this.#ids = [...this.#positions].toSorted(([, a], [, b]) => a - b).map(([id]) => id);
    this.requests = requests;
  }

  get version(): string {
    return this.#tape.head.version;
  }

  get isComplete(): boolean {
    return this.#tape.isComplete;
  }

  get events(): number {
    return this.#tape.events.length;
  }

  get differences(): number {
    return this.#differences.size;
  }

  get position(): number {
    return this.#world?.player.position ?? 0;
  }

  get request(): string | null {
    const { player } = this.#world ?? {};
    return player && player.lastId > this.#tape.head.after ? String(player.lastId) : null;
  }

  /** The sandbox that serves the current world, for a server: its world can be replaced while it runs. */
  open(player: Player<Sandbox>): Sandbox {
    this.#replace(player);
    const current = () => this.#world as World;
    return {
      ...player.sandbox,
      serve: (options) => (request, arrived) => serveIn(current(), options, request, arrived),
      batch: (work) => current().player.sandbox.batch(work),
      malformed: (point, message) => current().player.sandbox.malformed(point, message),
      drain: () => current().player.sandbox.drain(),
      close: () => {
        this.#closeInspected();
        current().player.sandbox.close();
      },
    };
  }

  page(from: number, isDifferent: boolean): TapePage {
    const all = isDifferent
      ? [...this.#differences.keys()].toSorted((a, b) => a - b)
      : Array.from({ length: this.events }, (_, position) => position);
    const found = all.findIndex((position) => position >= from);
    const start = found < 0 ? all.length : found;
    return {
      entries: all.slice(start, start + pageSize).map((position) => this.#entry(position)),
      next: all[start + pageSize] ?? null,
      previous: start === 0 ? null : (all[Math.max(0, start - pageSize)] ?? null),
    };
  }

  inspect(request: string): Promise<PlayedRequest> {
    const position = this.#positions.get(request);
    const event = position === undefined ? undefined : this.#tape.events[position];
    if (position === undefined || event?.do !== "request") {
      throw new ControlError(404, `the tape has no request ${request}`);
    }
    return this.#inTurn(async () => {
      if (this.#inspected && this.#inspected.position > position) this.#closeInspected();
      this.#inspected ??= await openPlayer(this.#tape, this.#open);
      try {
        return await this.#inspect(this.#inspected, event, position);
      } catch (error) {
        // It stopped in the middle, and still records changes.
        this.#closeInspected();
        throw error;
      }
    });
  }

  /** Closes the world of `inspect`. */
  close(): void {
    this.#closeInspected();
  }

  #closeInspected(): void {
    this.#inspected?.sandbox.close();
    this.#inspected = undefined;
  }

  async #inspect(player: Player<Sandbox>, event: TapedRequest, position: number): Promise<PlayedRequest> {
    await player.playBefore(position);
    let now: TapedResponse | undefined;
    player.onAnswered = ({ n }, response) => {
      if (n === event.n) now = response;
    };
    const recorded = new RowChanges(player.database);
    const taped = this.#responses.get(event.n) as TapedResponse;
    await player.play(taped.id);
    const changes = recorded.end();
    player.onAnswered = undefined;
    this.#remember(player);
    const index = this.#ids.indexOf(String(taped.id));
    return {
      entry: this.#entry(position),
      headers: maskHeaders(new Headers(event.headers)),
      body:
        event.body === undefined ? null : maskRequestBody(event.body, event.headers["content-type"] ?? null),
      tape: shownResponse(taped),
      now: now ? shownResponse(now) : null,
      changes: changes.slice(0, mostChanges),
      moreChanges: Math.max(0, changes.length - mostChanges),
      events: player.position - position,
      previous: this.#ids[index - 1] ?? null,
      next: this.#ids[index + 1] ?? null,
    };
  }

  goTo(events: number): Promise<void> {
    return this.#inTurn(async () => {
      const player = await openPlayer(this.#tape, this.#open, this);
      if (events >= this.events) await player.play();
      else await player.playBefore(events);
      this.#replace(player);
    });
  }

  #replace(player: Player<Sandbox>): void {
    const before = this.#world;
    this.#remember(player);
    player.run(systemClock, (url, init) => {
      // The hosts that the tape allows are not used.
      const violation = targetViolation(url, this.#webhookHosts);
      return violation ? Promise.reject(new Error(`not sent: ${violation.message}`)) : fetch(url, init);
    });
    restorePublicKeys(player);
    this.#world = { player, serves: new Map(), pending: new Set() };
    if (!before) return;
    before.player.sandbox.drain();
    Promise.allSettled(before.pending).then(() => before.player.sandbox.close());
  }

  #remember(player: Player<Sandbox>): void {
    if (player.position <= this.#played) return;
    this.#played = player.position;
    this.#differences = new Map(
      player.differences.map((each) => [each.event ?? this.#positions.get(String(each.request)) ?? 0, each]),
    );
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#playing.then(work).catch((error) => {
      throw error instanceof SetupError ? new ControlError(409, error.message) : error;
    });
    this.#playing = result.catch(() => {});
    return result;
  }

  #entry(position: number): TapeEntry {
    const event = this.#tape.events[position] as TapeEvent;
    const difference = this.#differences.get(position);
    const response = event.do === "request" ? this.#responses.get(event.n) : undefined;
    return {
      position,
      time: new Date(this.#times[position] ?? 0).toISOString(),
      request: response && !response.lost ? String(response.id) : null,
      company: response?.company ?? null,
      status: response?.status ?? null,
      ...described(event, response),
      difference: difference
        ? { field: difference.field, tape: difference.expected, now: difference.actual }
        : null,
    };
  }
}

function serveIn(
  world: World,
  options: ServeOptions,
  ...call: Parameters<Serve>
): Response | Promise<Response> {
  let serve = world.serves.get(options);
  if (!serve) {
    serve = world.player.sandbox.serve(options);
    world.serves.set(options, serve);
  }
  const response = serve(...call);
  if (response instanceof Promise) {
    world.pending.add(response);
    const ended = () => void world.pending.delete(response);
    response.then(ended, ended);
  }
  return response;
}

function described(
  event: TapeEvent,
  response: TapedResponse | undefined,
): Pick<TapeEntry, "kind" | "what" | "decision"> {
  switch (event.do) {
    case "request": {
      const { pathname, search } = new URL(event.url);
      const what = `${event.method} ${maskPath(pathname)}${maskQuery(search)}`;
      return { kind: "request", what, decision: response?.point ?? null };
    }
    case "response":
      return { kind: "timer", what: "response of an earlier request", decision: event.response.point };
    case "gone":
      return { kind: "closed", what: "a client closed its connection", decision: null };
    case "timer":
      return { kind: "timer", what: `timer of ${event.ms} ms`, decision: null };
    case "delivery":
      return {
        kind: "delivery",
        what: `webhook to ${URL.canParse(event.url) ? new URL(event.url).host : event.url}`,
        decision: event.status === null ? (event.error ?? "failed") : `HTTP ${event.status}`,
      };
    case "control": {
      const args = maskBody(JSON.stringify(event.args));
      return { kind: "control", what: `${event.call} ${args}`, decision: event.error ?? null };
    }
    case "inputs":
      return { kind: "files", what: "files were changed", decision: null };
  }
}

function shownResponse({ status, point, scenario, fault, headers, body }: TapedResponse): ShownResponse {
  return {
    ...{ status, point, scenario, fault },
    headers: maskHeaders(new Headers(headers)),
    body: body === null ? null : maskBody(body),
  };
}

/** The keys of the default fixtures are public. In a served world they are valid again, instead of their stand-ins. */
function restorePublicKeys({ database, tape }: Player<Sandbox>): void {
  const { digest, world } = tape.head.fixtures;
  const shipped = readDefaultFixtures();
  if (digest !== shipped.digest) return;
  const secretsOf = ({ companies }: FixtureWorld) =>
    companies.flatMap(({ members }) =>
      members.flatMap((member) => member.api_keys.map(({ secret }) => secret)),
    );
  const standIns = secretsOf(world);
  database.transaction(() => {
    for (const [n, secret] of secretsOf(shipped.world).entries()) {
      const standIn = standIns[n];
      if (standIn !== undefined) replacePublicKey(database, standIn, secret);
    }
  });
}
