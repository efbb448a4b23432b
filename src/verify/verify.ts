import { type BehaviourId, behaviourIds, behaviours, type Choices } from "../contract/behaviours.ts";
import type { ContractPointId } from "../contract/points.ts";
import { conformanceChecks } from "./conformance.ts";
import type { Evidence } from "./evidence.ts";
import { CannotProbe } from "./probe.ts";
import { probes } from "./probes.ts";
import { NoResponse } from "./sender.ts";
import type { OpenTarget } from "./target.ts";

/** `confirmed`: the target behaves as expected; `contradicted`: it does not; `unreachable`: this was not observed. */
export type Outcome = "confirmed" | "contradicted" | "unreachable";

/** A behavior that the specification leaves open, as the target has it. */
export interface VerifiedBehaviour {
  readonly id: BehaviourId;
  readonly outcome: Outcome;
  /** The alternative that explains what was observed; null: none does, or nothing was observed. */
  readonly alternative: string | null;
  /** The observation that no alternative explains, or why nothing was observed; null: neither. */
  readonly reason: string | null;
  readonly requests: readonly Evidence[];
}

/** A contract point of the specification, as the target has it. */
export interface VerifiedPoint {
  readonly id: ContractPointId;
  readonly outcome: Outcome;
  /** How the target differs from the specification, or why nothing was observed; null: neither. */
  readonly problem: string | null;
  readonly requests: readonly Evidence[];
}

/** The result of a comparison with a server. It contains no secret, and no value of a request or a response but statuses. */
export interface VerifyReport {
  readonly format: 1;
  readonly version: string;
  /** The base URL. */
  readonly target: string;
  readonly date: string;
  /** Whether it ordered and changed cards. */
  readonly write: boolean;
  /** Why it ended early; null: it did not. */
  readonly problem: string | null;
  /** How many requests were sent. */
  readonly requests: number;
  /** How many cards were ordered, and how many of them could not be terminated. */
  readonly cards: { readonly ordered: number; readonly left: number };
  readonly specification: readonly VerifiedPoint[];
  readonly behaviours: readonly VerifiedBehaviour[];
}

export interface VerifyOptions {
  /** The expected alternatives. */
  readonly choices: Choices;
  readonly write: boolean;
  /** The ids of the only behaviors and contract points to observe; default: all. */
  readonly only?: readonly string[] | undefined;
  readonly version: string;
  /** The base URL, for the report. */
  readonly url: string;
  /** The date, as `YYYY-MM-DD`. */
  readonly date: string;
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
  /** Ends it early. What was created is removed nevertheless. */
  readonly stop?: AbortSignal | undefined;
}

/** After so many observations in a row without a response, the rest is left out. */
const mostFailures = 3;

/** The ids that `only` may have. */
export const verifiedIds: readonly string[] = [
  ...conformanceChecks.map(({ point }) => point),
  ...behaviourIds,
];

/**
 * Observes each behavior on a target. Orders and changes only with `write`, and then removes what it created.
 * @throws CannotProbe if the target does not exchange the API key
 */
export async function verify(target: OpenTarget, options: VerifyOptions): Promise<VerifyReport> {
  const { write, only, choices, onProgress = () => {} } = options;
  await target.token();
  const isAsked = (id: string) => only === undefined || only.includes(id);
  const ids = behaviourIds.filter(isAsked);
  const checks = conformanceChecks.filter(({ point }) => isAsked(point));
  let done = 0;
  let failures = 0;
  let problem: string | null = null;

  /** Observes one thing, and removes what that created. */
  const observed = async <Result>(
    effect: "read" | "write",
    observe: () => Promise<Result>,
  ): Promise<Observed<Result> & { readonly requests: readonly Evidence[] }> => {
    const seen = await attempted(effect, observe);
    const requests = target.takeEvidence();
    if (problem === null) await target.cleanUp();
    target.takeEvidence();
    return { ...seen, requests };
  };

  const attempted = async <Result>(
    effect: "read" | "write",
    observe: () => Promise<Result>,
  ): Promise<Observed<Result>> => {
    onProgress(++done, ids.length + checks.length);
    if (effect === "write" && !write) return { unreachable: "needs --write" };
    if (options.stop?.aborted) problem ??= "interrupted";
    if (problem !== null) return { unreachable: "not reached, because the comparison ended early" };
    try {
      const result = await observe();
      failures = 0;
      return { result };
    } catch (error) {
      failures = error instanceof NoResponse ? failures + 1 : 0;
      if (failures === mostFailures) problem = (error as Error).message;
      return { unreachable: unreachableText(error) };
    }
  };

  const specification: VerifiedPoint[] = [];
  for (const { point, effect, check } of checks) {
    const seen = await observed(effect, () => check(target));
    const { requests } = seen;
    const difference = "unreachable" in seen ? seen.unreachable : (seen.result ?? null);
    const outcome =
      "unreachable" in seen ? "unreachable" : difference === null ? "confirmed" : "contradicted";
    specification.push({ id: point, outcome, problem: difference, requests });
  }

  const verified = new Map<BehaviourId, VerifiedBehaviour>();
  const inOrder = ids.toSorted((a, b) => Number(effectOf(a) === "write") - Number(effectOf(b) === "write"));
  for (const id of inOrder) {
    const { unobservable } = behaviours[id];
    const probe = probes.find(({ behaviour }) => behaviour === id);
    const seen = await observed(probe?.effect ?? "read", async () => {
      if (!probe) throw new CannotProbe(unobservable ?? "has no probe");
      return probe.observe(target);
    });
    const { requests } = seen;
    const failed = requests.find(({ status }) => [500, 502, 503, 504].includes(status));
    if (failed) {
      const reason = `${failed.method} ${failed.path} returned ${failed.status}`;
      verified.set(id, { id, outcome: "unreachable", alternative: null, reason, requests });
      continue;
    }
    if ("unreachable" in seen) {
      verified.set(id, { id, outcome: "unreachable", alternative: null, reason: seen.unreachable, requests });
    } else if (typeof seen.result === "string") {
      const outcome = seen.result === choices[id] ? "confirmed" : "contradicted";
      verified.set(id, { id, outcome, alternative: seen.result, reason: null, requests });
    } else {
      const reason = seen.result.unexplained;
      verified.set(id, { id, outcome: "contradicted", alternative: null, reason, requests });
    }
  }
  await target.cleanUp(true);

  return {
    format: 1,
    version: options.version,
    target: options.url,
    date: options.date,
    write,
    problem,
    requests: target.used,
    cards: target.cards,
    specification,
    behaviours: ids.map((id) => verified.get(id)).filter((each) => each !== undefined),
  };
}

type Observed<Result> = { readonly result: Result } | { readonly unreachable: string };

function effectOf(id: BehaviourId): "read" | "write" {
  return probes.find(({ behaviour }) => behaviour === id)?.effect ?? "read";
}

/** A probe may stumble over a body of another form. The message of such an error can quote the body. */
function unreachableText(error: unknown): string {
  if (error instanceof CannotProbe) return error.message;
  return `a response has an unexpected form (${error instanceof Error ? error.name : "error"})`;
}
