import fc from "fast-check";
import { base } from "../support/open-sandbox.ts";
import type { Observed } from "../support/openapi-conformance.ts";
import { type Outcome, problemsIn } from "./response-problems.ts";
import { type FuzzRequest, requestOf, requestsTo, type Target } from "./target.ts";
import { openWorld, type World } from "./world.ts";

export interface FuzzOptions {
  readonly targets: (world: World) => readonly Target[] | Promise<readonly Target[]>;
  readonly requests: number;
  readonly seed: number;
}

/** How many requests with the right method succeeded, and how many were refused. */
export interface Tally {
  succeeded: number;
  refused: number;
}

/** The world is restored after so many requests, whose changes would make later ones fail. */
const restoreEvery = 25;

/** The time limit for all requests and for shrinking a failure. Requests that were not sent in time are a failure too. */
const timeLimitMsFor = (requests: number) => 45_000 + requests * 10;

/** How long a response may take. */
const responseLimitMs = 1000;

/**
 * Sends requests to a sandbox in this process, and checks each response. The same seed sends the same requests.
 * @throws Error with the request as a command if its response is wrong
 */
export async function fuzz({ targets: targetsOf, requests, seed }: FuzzOptions): Promise<Tally> {
  let exchanges: Observed[] = [];
  const world = await openWorld({ observe: (exchange) => exchanges.push(exchange) });
  const tally: Tally = { succeeded: 0, refused: 0 };
  let sends = 0;
  const send = async (sent: FuzzRequest): Promise<{ outcome: Outcome; tookMs: number }> => {
    exchanges = [];
    if (++sends % restoreEvery === 0) world.restore();
    const sentAt = performance.now();
    const outcome = await responseTo(world, sent);
    return { outcome: { ...outcome, exchanges }, tookMs: performance.now() - sentAt };
  };
  const targets = await targetsOf(world);
  const methods = new Set(targets.map(({ method }) => method));
  const property = fc.asyncProperty(fc.oneof(...targets.map(requestsTo)), async (sent) => {
    const { outcome, tookMs } = await send(sent);
    const found = problemsIn(sent, outcome);
    // The machine may be busy: a slow request is slow each time.
    if (
      tookMs > responseLimitMs &&
      (await send(sent)).tookMs > responseLimitMs &&
      (await send(sent)).tookMs > responseLimitMs
    ) {
      found.push(`it took ${Math.round(tookMs)} ms`);
    }
    if (found.length > 0) throw new Error(found.join("\n"));
    const { status } = outcome;
    if (status === undefined || !methods.has(sent.method)) return;
    tally[status < 400 ? "succeeded" : "refused"]++;
  });
  const interruptAfterTimeLimit = timeLimitMsFor(requests);
  await fc.assert(property, {
    seed,
    numRuns: requests,
    interruptAfterTimeLimit,
    markInterruptAsFailure: true,
  });
  await orderOnce(world, seed);
  return tally;
}

/** The timeout of a test with so many requests. */
export const timeoutFor = (requests: number) => timeLimitMsFor(requests) + 60_000;

/** The extra rounds of `fuzzBothWays`. */
const further = { requests: 250, rounds: 8 };

/**
 * Like `fuzz`, but continues until one request has succeeded and another was refused. If one in fifty succeeds, chance
 * makes 2000 more requests fail once in 10^17 runs.
 * @throws Error also if all responses are of one kind, because the fuzz then tests too little
 */
export async function fuzzBothWays(options: FuzzOptions): Promise<void> {
  const tally = await fuzz(options);
  const isOneWay = () => tally.succeeded === 0 || tally.refused === 0;
  for (let round = 1; round <= further.rounds && isOneWay(); round++) {
    const more = await fuzz({ ...options, requests: further.requests, seed: options.seed + round });
    tally.succeeded += more.succeeded;
    tally.refused += more.refused;
  }
  if (isOneWay()) throw new Error(`${tally.succeeded} requests succeeded, and ${tally.refused} were refused`);
}

/** Sends a request and reads the response; ends the delays of scenarios at once. */
async function responseTo(
  { fetch, clockOfTest }: World,
  sent: FuzzRequest,
): Promise<Omit<Outcome, "exchanges">> {
  let isOver = false;
  const answer = fetch(requestOf(base, sent))
    .then(async (response) => {
      const { status, headers } = response;
      // The stream of requests has no end.
      const isStream = headers.get("Content-Type") === "text/event-stream";
      if (isStream) await response.body?.cancel();
      return { status, headers, text: isStream ? "" : await response.text() };
    })
    .catch(() => ({ status: undefined, headers: new Headers(), text: "" }))
    .finally(() => {
      isOver = true;
    });
  while (!isOver) {
    await new Promise(setImmediate);
    clockOfTest.endWaits();
  }
  return answer;
}

/** Checks that the sandbox still works. */
async function orderOnce({ control, order, plainOrder }: World, seed: number): Promise<void> {
  control.scenarios.disarmAll();
  const { accounts, members } = await control.companies.create({});
  const apiKey = members[0]?.api_keys[0]?.secret ?? "";
  const { status, text } = await order({ apiKey, raw: { ...plainOrder, account_id: accounts[0]?.id } });
  if (status !== 201) throw new Error(`no order succeeds any more (FUZZ_SEED=${seed}): ${status} ${text}`);
}

/** The number of requests of a slow run, and their seed, which differs each time by default. */
export function slowRun(): { readonly seed: number; readonly requests: number } {
  const { FUZZ_SEED, FUZZ_REQUESTS } = process.env;
  return {
    seed: FUZZ_SEED === undefined ? Date.now() % 2 ** 31 : Number(FUZZ_SEED),
    requests: Number(FUZZ_REQUESTS ?? 100_000),
  };
}
