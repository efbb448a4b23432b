import fc from "fast-check";
import { base } from "../support/open-sandbox.ts";
import type { Observed } from "../support/openapi-conformance.ts";
import { type Answered, wrongs } from "./held.ts";
import { requestOf, type Sent } from "./sent.ts";
import { sentTo, type Target } from "./target.ts";
import { openWorld, type World } from "./world.ts";

export interface Fuzzing {
  /** Where requests go, of a world. */
  readonly at: (world: World) => readonly Target[] | Promise<readonly Target[]>;
  readonly requests: number;
  readonly seed: number;
}

/** How many requests were taken, and how many refused, of those that came with a target's own method. */
export interface Tally {
  taken: number;
  refused: number;
}

/** After so many requests the world is put back: what they changed would refuse those after. */
const putBackEvery = 25;

/**
 * Within which all is sent, and a failure has been made small, or is told as it is: what is slow takes long to make
 * small. That not all could be sent is a failure too: what was not sent was not held to anything.
 */
const longestMsFor = (requests: number) => 45_000 + requests * 10;

/** How long an answer may take. */
const patienceMs = 1000;

/**
 * Sends requests to a sandbox in process, and holds each answer to what any may be.
 * @throws with the request as a command, where one is not; the same seed sends the same requests
 */
export async function fuzz({ at, requests, seed }: Fuzzing): Promise<Tally> {
  let exchanges: Observed[] = [];
  const world = await openWorld({ observe: (exchange) => exchanges.push(exchange) });
  const tally: Tally = { taken: 0, refused: 0 };
  let sends = 0;
  const send = async (sent: Sent): Promise<{ answered: Answered; tookMs: number }> => {
    exchanges = [];
    if (++sends % putBackEvery === 0) world.putBack();
    const sentAt = performance.now();
    const answer = await answerTo(world, sent);
    return { answered: { ...answer, exchanges }, tookMs: performance.now() - sentAt };
  };
  const targets = await at(world);
  const methods = new Set(targets.map(({ method }) => method));
  const property = fc.asyncProperty(fc.oneof(...targets.map(sentTo)), async (sent) => {
    const { answered, tookMs } = await send(sent);
    const found = wrongs(sent, answered);
    // This machine may be busy: what is slow by itself is slow each time.
    if (
      tookMs > patienceMs &&
      (await send(sent)).tookMs > patienceMs &&
      (await send(sent)).tookMs > patienceMs
    ) {
      found.push(`it took ${Math.round(tookMs)} ms`);
    }
    if (found.length > 0) throw new Error(found.join("\n"));
    const { status } = answered;
    if (status === undefined || !methods.has(sent.method)) return;
    tally[status < 400 ? "taken" : "refused"]++;
  });
  const interruptAfterTimeLimit = longestMsFor(requests);
  await fc.assert(property, {
    seed,
    numRuns: requests,
    interruptAfterTimeLimit,
    markInterruptAsFailure: true,
  });
  await takesAnOrder(world, seed);
  return tally;
}

/** How long a test of so many requests may take, whatever comes of them. */
export const timeoutFor = (requests: number) => longestMsFor(requests) + 60_000;

/** How many more requests are sent at a time where those before were all taken, or all refused; and how often. */
const further = { requests: 250, rounds: 8 };

/**
 * The same, and goes on until a request was taken and another refused: few requests may all be the one or the other.
 * Where one in fifty is taken, that none of 2000 more is comes by chance once in 10^17 runs.
 * @throws also where it has not come to that: what is sent there does not get at what it is meant for
 */
export async function fuzzBothWays(fuzzing: Fuzzing): Promise<void> {
  const tally = await fuzz(fuzzing);
  const isOneWay = () => tally.taken === 0 || tally.refused === 0;
  for (let round = 1; round <= further.rounds && isOneWay(); round++) {
    const more = await fuzz({ ...fuzzing, requests: further.requests, seed: fuzzing.seed + round });
    tally.taken += more.taken;
    tally.refused += more.refused;
  }
  if (isOneWay()) throw new Error(`${tally.taken} requests were taken, and ${tally.refused} refused`);
}

/** Sends a request, and reads its answer to its end; whatever a scenario has it wait for is over at once. */
async function answerTo({ fetch, clockOfTest }: World, sent: Sent): Promise<Omit<Answered, "exchanges">> {
  let isOver = false;
  const answer = fetch(requestOf(base, sent))
    .then(async (response) => {
      const { status, headers } = response;
      // One that follows requests has no end.
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

/** Whatever it was sent, it goes on. */
async function takesAnOrder({ control, order, plainOrder }: World, seed: number): Promise<void> {
  control.scenarios.disarmAll();
  const { accounts, members } = await control.companies.create({});
  const apiKey = members[0]?.api_keys[0]?.secret ?? "";
  const { status, text } = await order({ apiKey, raw: { ...plainOrder, account_id: accounts[0]?.id } });
  if (status !== 201) throw new Error(`it takes no order any more (FUZZ_SEED=${seed}): ${status} ${text}`);
}

/** How many requests a slow run sends in all, and the seed that they derive from; another each time. */
export function slowRun(): { readonly seed: number; readonly requests: number } {
  const { FUZZ_SEED, FUZZ_REQUESTS } = process.env;
  return {
    seed: FUZZ_SEED === undefined ? Date.now() % 2 ** 31 : Number(FUZZ_SEED),
    requests: Number(FUZZ_REQUESTS ?? 100_000),
  };
}
