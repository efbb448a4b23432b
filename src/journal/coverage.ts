import { unreadPoints } from "../contract/answers.ts";
import { type OperationId, operationIds, operations } from "../contract/operations.ts";
import { type ContractPoint, contractPoints, type PointId, type Provenance } from "../contract/points.ts";
import type { Exchange } from "./exchange.ts";
import { companyTest } from "./journal.ts";
import { type Meetings, PointsMet } from "./points-met.ts";

/** The first request that met a point. */
export interface FirstMeeting {
  /** Its id in the journal, which may keep it no longer. */
  readonly request_id: string;
  readonly method: string;
  readonly path: string;
  readonly time: string;
}

export interface PointCoverage {
  readonly id: PointId;
  readonly status: number;
  readonly provenance: Provenance;
  readonly spec: string;
  readonly title: string;
  readonly operations: readonly OperationId[];
  /** How many requests met it. */
  readonly times: number;
  readonly first: FirstMeeting | null;
  /** Left out of the totals. */
  readonly excluded: boolean;
}

/** How many points there are, and how many were met. */
export interface CoverageTotal {
  readonly points: number;
  readonly met: number;
}

/** Which parts of the contract requests have met. */
export interface CoverageReport {
  readonly total: CoverageTotal;
  readonly by_provenance: Readonly<Record<Provenance, CoverageTotal>>;
  /** Of each operation's points, those that its own requests met. */
  readonly by_operation: Readonly<Record<OperationId, CoverageTotal>>;
  readonly points: readonly PointCoverage[];
}

export interface CoverageFilter {
  /** Requests of one company alone: its id, its slug, or `live/SLUG`. */
  readonly company?: string | undefined;
  /** Points that this client cannot meet; an asterisk stands for anything. */
  readonly exclude?: readonly string[] | undefined;
}

/** Slips of the sandbox, of its machine or of the tester: no client is to meet them. */
const noBehaviour: ReadonlySet<PointId> = new Set<PointId>([
  ...unreadPoints,
  "gateway.internal_error",
  "gateway.unavailable",
  "gateway.cards_unavailable",
  "gateway.scenario_unknown",
]);

/** The contract points that a client can meet. */
export const behaviours: readonly PointId[] = (Object.keys(contractPoints) as PointId[]).filter(
  (id) => !noBehaviour.has(id),
);

/**
 * Counts which contract points requests meet. It keeps a count for each company, operation and point, and so
 * never forgets one, however many requests there are.
 */
export class Coverage {
  readonly #met = new PointsMet();

  /** @param requestId - the request's id in the journal */
  record(exchange: Exchange, requestId: number): void {
    this.#met.record(exchange, requestId);
  }

  clear(): void {
    this.#met.clear();
  }

  report({ company, exclude = [] }: CoverageFilter = {}): CoverageReport {
    const meetings = this.#met.of(companyTest(company));
    const isExcluded = pointTest(exclude);
    const points = behaviours.map((id): PointCoverage => {
      const { status, provenance, spec, title } = contractPoints[id];
      const met = meetings.filter(({ point }) => point === id);
      return {
        id,
        status,
        provenance,
        spec,
        title,
        operations: operationsOf(id),
        times: met.reduce((sum, { times }) => sum + times, 0),
        first: firstOf(met),
        excluded: isExcluded(id),
      };
    });
    const counted = points.filter(({ excluded }) => !excluded);
    const ofProvenance = (provenance: Provenance) =>
      totalOf(counted.filter((point) => point.provenance === provenance));
    return {
      total: totalOf(counted),
      by_provenance: {
        specified: ofProvenance("specified"),
        variant: ofProvenance("variant"),
        assumed: ofProvenance("assumed"),
      },
      by_operation: Object.fromEntries(
        operationIds.map((operation) => [operation, ofOperation(operation, counted, meetings)]),
      ) as Record<OperationId, CoverageTotal>,
      points,
    };
  }
}

function firstOf(met: readonly Meetings[]): FirstMeeting | null {
  const [one, ...others] = met;
  if (!one) return null;
  const first = others.reduce((first, each) => (each.requestId < first.requestId ? each : first), one);
  const { requestId, method, path, atMs } = first;
  return { request_id: String(requestId), method, path, time: new Date(atMs).toISOString() };
}

function totalOf(points: readonly PointCoverage[]): CoverageTotal {
  return { points: points.length, met: points.filter(({ times }) => times > 0).length };
}

function ofOperation(
  operation: OperationId,
  counted: readonly PointCoverage[],
  meetings: readonly Meetings[],
): CoverageTotal {
  const own = counted.filter((point) => point.operations.includes(operation));
  const met = new Set(meetings.filter((each) => each.operation === operation).map(({ point }) => point));
  return { points: own.length, met: own.filter(({ id }) => met.has(id)).length };
}

/** The operations whose requests can meet a point; none for what stands before all of them. */
function operationsOf(id: PointId): readonly OperationId[] {
  const { operations: scope }: ContractPoint = contractPoints[id];
  if (scope === "any") return [];
  return scope === "developer"
    ? operationIds.filter((operation) => operations[operation].path.startsWith("/developer/"))
    : scope;
}

/**
 * Returns a function that tests whether a contract point matches one of the patterns. An asterisk matches any text.
 * Patterns come from clients, so matching takes time linear in the pattern: a regular expression would backtrack.
 */
export function pointTest(patterns: readonly string[]): (id: PointId) => boolean {
  const split = patterns.map((pattern) => pattern.split(/\*+/));
  return (id) => split.some((parts) => hasParts(id, parts));
}

/** Whether a text consists of these parts in order, with anything between them. */
function hasParts(text: string, [start = "", ...others]: readonly string[]): boolean {
  const end = others.pop();
  if (end === undefined) return text === start;
  let at = text.startsWith(start) ? start.length : -1;
  for (const part of others) {
    if (at < 0) return false;
    const found = text.indexOf(part, at);
    at = found < 0 ? -1 : found + part.length;
  }
  return at >= 0 && text.length - end.length >= at && text.endsWith(end);
}
