import { type OperationId, operationIds, operations } from "../contract/operations.ts";
import { type ContractPoint, contractPoints, type PointId, type Provenance } from "../contract/points.ts";
import { unreadPoints } from "../contract/responses.ts";
import type { CompanyNames } from "../store/callers.ts";
import type { Exchange } from "./exchange.ts";
import { companyTest } from "./journal.ts";
import { maskPath } from "./masking.ts";

/** The first request that met a point. */
export interface FirstMeeting {
  /** Its id in the journal, which may not keep it any more. */
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
  /** The number of requests that met it. */
  readonly times: number;
  readonly first: FirstMeeting | null;
  /** Left out of the totals. */
  readonly excluded: boolean;
}

export interface CoverageTotal {
  readonly points: number;
  /** The number of points that requests met. */
  readonly met: number;
}

/** The contract points that requests met. */
export interface CoverageReport {
  readonly total: CoverageTotal;
  readonly by_provenance: Readonly<Record<Provenance, CoverageTotal>>;
  /** For each operation, the points that its own requests met. */
  readonly by_operation: Readonly<Record<OperationId, CoverageTotal>>;
  readonly points: readonly PointCoverage[];
}

export interface CoverageFilter {
  /** Only requests of one company: its id, its slug, or `live/SLUG`. */
  readonly company?: string | undefined;
  /** Patterns of points that this client cannot meet; an asterisk matches any text. */
  readonly exclude?: readonly string[] | undefined;
}

/** Errors of the sandbox, of its machine or of the tester, which no client needs to meet. */
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

/** The requests of one operation that met one point. */
interface Meetings {
  readonly operation: OperationId | undefined;
  readonly point: PointId;
  /** The first request, and its id in the journal. */
  readonly requestId: number;
  readonly method: string;
  readonly path: string;
  readonly atMs: number;
  times: number;
}

/** The points that the requests of one company met. */
interface CompanyMeetings {
  /** Undefined: an unidentified caller, or companies that are no longer counted separately. */
  readonly caller: CompanyNames | undefined;
  readonly byPoint: Map<PointId, Map<OperationId | undefined, Meetings>>;
  latestId: number;
}

/** The most companies that are counted separately. Beyond it, the half that called longest ago is counted together. */
const mostCompanies = 500;

/** Counts the requests that meet each contract point, for each company and operation. No count is ever dropped. */
export class Coverage {
  readonly #companies = new Map<string, CompanyMeetings>();
  #others = noMeetings(undefined);

  /** @param requestId - the request's id in the journal */
  record({ point, operation, caller, method, path, atMs }: Exchange, requestId: number): void {
    if (point === undefined) return;
    const company = caller ? (this.#companies.get(caller.companyId) ?? this.#add(caller)) : this.#others;
    company.latestId = requestId;
    const meetings = company.byPoint.get(point)?.get(operation);
    if (meetings) meetings.times++;
    else merge(company, { operation, point, requestId, method, path: maskPath(path), atMs, times: 1 });
  }

  clear(): void {
    this.#companies.clear();
    this.#others = noMeetings(undefined);
  }

  #add({ companyId, companySlug, environment }: CompanyNames): CompanyMeetings {
    if (this.#companies.size === mostCompanies) this.#mergeOldest();
    const company = noMeetings({ companyId, companySlug, environment });
    this.#companies.set(companyId, company);
    return company;
  }

  #mergeOldest(): void {
    const byLatest = [...this.#companies].sort(([, one], [, other]) => one.latestId - other.latestId);
    for (const [companyId, company] of byLatest.slice(0, mostCompanies / 2)) {
      this.#companies.delete(companyId);
      for (const meetings of meetingsOf(company)) merge(this.#others, meetings);
    }
  }

  report({ company, exclude = [] }: CoverageFilter = {}): CoverageReport {
    const meetings = [this.#others, ...this.#companies.values()]
      .filter(companyTest(company))
      .flatMap(meetingsOf);
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

function noMeetings(caller: CompanyNames | undefined): CompanyMeetings {
  return { caller, byPoint: new Map(), latestId: 0 };
}

function meetingsOf({ byPoint }: CompanyMeetings): Meetings[] {
  return [...byPoint.values()].flatMap((byOperation) => [...byOperation.values()]);
}

function merge({ byPoint }: CompanyMeetings, meetings: Meetings): void {
  const { point, operation, requestId, times } = meetings;
  const byOperation = byPoint.get(point) ?? new Map<OperationId | undefined, Meetings>();
  byPoint.set(point, byOperation);
  const same = byOperation.get(operation);
  const first = same && same.requestId < requestId ? same : meetings;
  byOperation.set(operation, { ...first, times: times + (same?.times ?? 0) });
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

/** The operations whose requests can meet a point; empty for a point that is decided before the operation. */
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
