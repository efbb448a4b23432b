import type { Environment } from "../contract/identifiers.ts";
import type { Body } from "../http/read-body.ts";
import type { Exchange, Messages, SentHeaders } from "../journal/exchange.ts";
import { DatabaseUnusable } from "../rules/errors.ts";
import type { Scenario } from "../scenarios/scenario.ts";
import type { Replacing } from "./secrets.ts";
import type { KnownCredential, TapedRequest, TapedResponse, TapeEvent, TapeHead } from "./tape.ts";

/** Receives the lines of a tape. */
export interface Sink {
  /** Called with many lines at once. */
  write(text: string): void;
}

/** The most lines in memory: then they are written before the second is over. */
const mostWaiting = 500;

/** The response on a line of the file: a field without a value is left out. */
export type ResponseLine = { -readonly [Name in keyof TapedResponse]?: NonNullable<TapedResponse[Name]> } & {
  readonly id: number;
};

/** The request on a line of the file. It has either all headers, or those that differ from the request before. */
export type RequestLine = Pick<TapedRequest, "at" | "do" | "n" | "method" | "url"> & {
  headers?: TapedRequest["headers"];
  changed?: TapedRequest["headers"];
  response?: ResponseLine;
} & Partial<Writable<Pick<TapedRequest, "body" | "unreadable" | "environment" | "known" | "forced">>>;

type Writable<Fields> = { -readonly [Name in keyof Fields]: NonNullable<Fields[Name]> };

/** A line of the file after the first. Most of a line is as on the line before, so that it is left out. */
export type TapeLine =
  | RequestLine
  | (Omit<Extract<TapeEvent, { do: "response" }>, "response"> & { readonly response: ResponseLine })
  | Exclude<TapeEvent, { do: "request" | "response" }>;

/**
 * The outcome of a request, as it is written.
 * @param body - the delivered body
 * @param before - the headers of the response before; equal ones are left out
 */
export function responseLine(
  exchange: Exchange,
  id: number,
  body: string | null,
  before?: Readonly<Record<string, string>>,
): ResponseLine {
  const { caller, operation, point, scenario, fault, status, responseHeaders, defect } = exchange;
  const line: ResponseLine = { id };
  if (caller) line.company = caller.companySlug;
  if (operation !== undefined) line.operation = operation;
  if (point !== undefined) line.point = point;
  if (scenario !== undefined) line.scenario = scenario;
  if (fault !== undefined) line.fault = fault;
  if (status !== undefined) line.status = status;
  if (responseHeaders !== before) line.headers = responseHeaders;
  if (body !== null) line.body = body;
  if (defect instanceof DatabaseUnusable) line.lost = true;
  return line;
}

const nothing = {
  company: null,
  operation: null,
  point: null,
  scenario: null,
  fault: null,
  status: null,
  body: null,
};

/** A whole response. */
export function tapedResponse(
  line: ResponseLine,
  before: Readonly<Record<string, string>> = {},
): TapedResponse {
  return { ...nothing, headers: before, ...line };
}

/** Adds to the lines of the file what they leave out. */
export function eventsOf(lines: readonly TapeLine[]): TapeEvent[] {
  const responses = new Map<number, TapedResponse>();
  let before: Readonly<Record<string, string>> | undefined;
  // A response may be on the line of its request, although others came before it.
  const inOrder = lines
    .flatMap((line) => ("response" in line && line.response ? [line.response] : []))
    .sort((one, other) => one.id - other.id);
  for (const line of inOrder) {
    const whole = tapedResponse(line, before);
    before = whole.headers;
    responses.set(line.id, whole);
  }
  let headers: Readonly<Record<string, string>> = {};
  return lines.map((line) => {
    const response = "response" in line && line.response ? { response: responses.get(line.response.id) } : {};
    if (line.do !== "request") return { ...line, ...response } as TapeEvent;
    const { changed, ...rest } = line;
    headers = rest.headers ?? { ...headers, ...changed };
    return { ...rest, headers, ...response } as TapeEvent;
  });
}

/** An event as it is added: the time is not known yet. */
export type NewEvent = TapeLine extends infer Each
  ? Each extends TapeLine
    ? Omit<Each, "at">
    : never
  : never;

/** A request before it is decided. */
export interface Received {
  readonly request: Pick<Request, "method" | "url">;
  readonly headers: SentHeaders;
  readonly body: Body;
  /** Undefined: both. */
  readonly environment: Environment | undefined;
  readonly known: KnownCredential | undefined;
}

/** Writes the lines of one tape. */
export class Lines {
  readonly #sink: Sink;
  readonly #replacing: Replacing;
  #waiting: TapeLine[] = [];
  #lastAtMs: number;
  /** Those of the request and the response before, as they were sent. */
  readonly #headers = new Map<string, string>();
  #responseHeaders: Readonly<Record<string, string>> | undefined;
  #requests = 0;
  /** The number of requests that were written, perhaps without a response. */
  #written = 0;

  constructor(sink: Sink, replacing: Replacing, head: TapeHead) {
    this.#sink = sink;
    this.#replacing = replacing;
    this.#lastAtMs = head.at;
    sink.write(`${JSON.stringify(head)}\n`);
  }

  /** The number of requests. */
  get requests(): number {
    return this.#requests;
  }

  add(event: NewEvent, nowMs: number): void {
    this.#push({ at: this.#elapsedMs(nowMs), ...event } as TapeLine);
  }

  addRequest({ request, headers, body, environment, known }: Received, nowMs: number): RequestLine {
    const { method, url } = request;
    const at = this.#elapsedMs(nowMs);
    const line: RequestLine = {
      at,
      do: "request",
      n: ++this.#requests,
      method,
      url: this.#replacing.url(url),
    };
    this.#addHeaders(line, headers);
    if (environment !== undefined) line.environment = environment;
    if (known) line.known = known;
    if ("unreadable" in body) line.unreadable = body.unreadable;
    else {
      const text = this.#replacing.body(body.text);
      if (text === undefined) line.unreadable = "not JSON";
      else line.body = text;
    }
    this.#push(line);
    return line;
  }

  /** Most requests of a client have the same headers, so only those that differ from the request before are written. */
  #addHeaders(line: RequestLine, sent: SentHeaders): void {
    const changed: Record<string, string> = {};
    let count = 0;
    sent.forEach((value, name) => {
      count++;
      if (this.#headers.get(name) === value) return;
      this.#headers.set(name, value);
      changed[name] = this.#replacing.header(name, value);
    });
    if (count === this.#headers.size) {
      line.changed = changed;
      return;
    }
    this.#headers.clear();
    const headers: Record<string, string> = {};
    sent.forEach((value, name) => {
      this.#headers.set(name, value);
      headers[name] = this.#replacing.header(name, value);
    });
    line.headers = headers;
  }

  /**
   * Adds the outcome of a request: to its line, unless that is written.
   * @param id - of the request in the journal
   */
  addResponse(line: RequestLine, id: number, { exchange, messages, forced }: Outcome, nowMs: number): void {
    const { responseBody } = messages;
    const body =
      responseBody === undefined ? null : this.#replacing.response(responseBody, exchange.status ?? 0);
    const response = responseLine(exchange, id, body, this.#responseHeaders);
    this.#responseHeaders = exchange.responseHeaders;
    if (line.n <= this.#written) {
      this.add({ do: "response", n: line.n, response, ...(forced && { forced }) }, nowMs);
      return;
    }
    line.response = response;
    if (forced) line.forced = forced;
  }

  /** Writes what was added since the last call. */
  flush(): void {
    if (this.#waiting.length === 0) return;
    const lines = this.#waiting;
    this.#waiting = [];
    this.#written = this.#requests;
    this.#sink.write(`${lines.map((line) => JSON.stringify(line)).join("\n")}\n`);
  }

  /** Since the event before. */
  #elapsedMs(nowMs: number): number {
    const elapsedMs = nowMs - this.#lastAtMs;
    this.#lastAtMs = nowMs;
    return elapsedMs;
  }

  #push(line: TapeLine): void {
    if (this.#waiting.push(line) >= mostWaiting) this.flush();
  }
}

/** The outcome of a request, and the scenario that an observer forced on it. */
export interface Outcome {
  readonly exchange: Exchange;
  readonly messages: Messages;
  readonly forced: Scenario | undefined;
}
