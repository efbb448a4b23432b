import type { Contract } from "../contract/dialect.ts";
import { type OperationId, operationIds, operations } from "../contract/operations.ts";
import {
  type ContractPoint,
  type ContractPointId,
  contractPoints,
  type Provenance,
} from "../contract/points.ts";
import { sandboxErrors, unreadPoints } from "../contract/responses.ts";
import { globTest } from "../rules/glob.ts";
import type { CompanyNames } from "../store/callers.ts";
import { companyTest } from "./company-test.ts";
import type { Exchange } from "./exchange.ts";
import { maskPath } from "./masking.ts";

/** The first request that met a contract point. */
export interface FirstRequest {
  /** Its id in the journal, which may have dropped the request since. */
  readonly request_id: string;
  readonly method: string;
  readonly path: string;
  readonly time: string;
  /** In a merged report: the report or the sandbox that has the request. */
  readonly source?: string;
}

export interface PointCoverage {
  readonly id: ContractPointId;
  readonly status: number;
  readonly provenance: Provenance;
  readonly spec: string;
  readonly title: string;
  readonly operations: readonly OperationId[];
  /** The operations whose requests met the point. */
  readonly met_by: readonly OperationId[];
  /** The number of requests that met the point. */
  readonly times: number;
  readonly first: FirstRequest | null;
  /** Not counted in the totals. */
  readonly excluded: boolean;
}

export interface CoverageTotal {
  readonly points: number;
  /** The number of points that at least one request met. */
  readonly met: number;
}

/** How often requests met each contract point. */
export interface CoverageReport {
  readonly total: CoverageTotal;
  readonly by_provenance: Readonly<Record<Provenance, CoverageTotal>>;
  /** The points that the requests of each operation can meet and met. */
  readonly by_operation: Readonly<Record<OperationId, CoverageTotal>>;
  readonly points: readonly PointCoverage[];
}

export interface CoverageFilter {
  /** Only requests of one company: its id, its slug, or `live/SLUG`. */
  readonly company?: string | undefined;
  /** Patterns of contract points that do not count; an asterisk matches any text. */
  readonly exclude?: readonly (ContractPointId | (string & {}))[] | undefined;
}

/** Errors of the sandbox, of its machine or of the tester: they are not part of the coverage. */
const notCounted: ReadonlySet<ContractPointId> = new Set<ContractPointId>([
  ...unreadPoints,
  ...sandboxErrors,
]);

/** The contract points that a client can meet under some dialect. */
export const countedPoints: readonly ContractPointId[] = (
  Object.keys(contractPoints) as ContractPointId[]
).filter((id) => !notCounted.has(id));

/** The requests of one operation that met one point. */
interface PointHits {
  readonly operation: OperationId | undefined;
  readonly point: ContractPointId;
  /** The first request, and its id in the journal. */
  readonly requestId: number;
  readonly method: string;
  readonly path: string;
  readonly atMs: number;
  times: number;
}

/** The points that the requests of one company met. */
interface CompanyHits {
  /** Undefined: an unidentified caller, or companies that are no longer counted separately. */
  readonly caller: CompanyNames | undefined;
  readonly byPoint: Map<ContractPointId, Map<OperationId | undefined, PointHits>>;
  latestId: number;
}

/** The most companies that are counted separately. When it is reached, the half that called longest ago is merged. */
const maxCompanies = 500;

/** Counts the requests that meet each contract point, by company and operation. No count is ever dropped. */
export class Coverage {
  readonly #companies = new Map<number, CompanyHits>();
  #others = noHits(undefined);
  readonly #contract: (company?: string) => Contract;

  /** @param contract - returns the contract that a report describes, of all companies or of one */
  constructor(contract: (company?: string) => Contract) {
    this.#contract = contract;
  }

  /** @param requestId - the request's id in the journal */
  record({ point, operation, caller, method, path, atMs }: Exchange, requestId: number): void {
    if (point === undefined) return;
    const company = caller ? (this.#companies.get(caller.companyPk) ?? this.#add(caller)) : this.#others;
    company.latestId = requestId;
    const hits = company.byPoint.get(point)?.get(operation);
    if (hits) hits.times++;
    else merge(company, { operation, point, requestId, method, path: maskPath(path), atMs, times: 1 });
  }

  clear(): void {
    this.#companies.clear();
    this.#others = noHits(undefined);
  }

  #add({ companyPk, companyId, companySlug, environment }: CompanyNames): CompanyHits {
    if (this.#companies.size === maxCompanies) this.#mergeOldest();
    const company = noHits({ companyPk, companyId, companySlug, environment });
    this.#companies.set(companyPk, company);
    return company;
  }

  #mergeOldest(): void {
    const byLatest = [...this.#companies].sort(([, one], [, other]) => one.latestId - other.latestId);
    for (const [companyPk, company] of byLatest.slice(0, maxCompanies / 2)) {
      this.#companies.delete(companyPk);
      for (const hits of hitsOf(company)) merge(this.#others, hits);
    }
  }

  /** @param companyPk - only this company, and no other one that had its id */
  report({ company, exclude = [] }: CoverageFilter = {}, companyPk?: number): CoverageReport {
    const contract = this.#contract(company);
    const hits = [this.#others, ...this.#companies.values()]
      .filter(companyTest(company, companyPk))
      .flatMap(hitsOf);
    const isExcluded = globTest(exclude);
    const points = countedPoints.flatMap((id): PointCoverage | [] => {
      const { status, provenance, spec, title } = contract.points[id];
      const met = hits.filter(({ point }) => point === id);
      const metBy = new Set(met.map(({ operation }) => operation));
      // A point can have been met under another dialect.
      if (contract.unreachable.has(id) && met.length === 0) return [];
      return {
        id,
        status,
        provenance,
        spec,
        title,
        operations: operationsOf(id),
        met_by: operationIds.filter((operation) => metBy.has(operation)),
        times: met.reduce((sum, { times }) => sum + times, 0),
        first: firstOf(met),
        excluded: isExcluded(id),
      };
    });
    return coverageOf(points);
  }
}

/** The report of these points, with its totals. */
export function coverageOf(points: readonly PointCoverage[]): CoverageReport {
  const counted = points.filter(({ excluded }) => !excluded);
  const ofProvenance = (provenance: Provenance) =>
    totalOf(counted.filter((point) => point.provenance === provenance));
  return {
    total: totalOf(counted),
    by_provenance: {
      specified: ofProvenance("specified"),
      variant: ofProvenance("variant"),
      assumed: ofProvenance("assumed"),
      observed: ofProvenance("observed"),
    },
    by_operation: Object.fromEntries(
      operationIds.map((operation) => [operation, ofOperation(operation, counted)]),
    ) as Record<OperationId, CoverageTotal>,
    points,
  };
}

function noHits(caller: CompanyNames | undefined): CompanyHits {
  return { caller, byPoint: new Map(), latestId: 0 };
}

function hitsOf({ byPoint }: CompanyHits): PointHits[] {
  return [...byPoint.values()].flatMap((byOperation) => [...byOperation.values()]);
}

function merge({ byPoint }: CompanyHits, hits: PointHits): void {
  const { point, operation, requestId, times } = hits;
  const byOperation = byPoint.get(point) ?? new Map<OperationId | undefined, PointHits>();
  byPoint.set(point, byOperation);
  const same = byOperation.get(operation);
  const first = same && same.requestId < requestId ? same : hits;
  byOperation.set(operation, { ...first, times: times + (same?.times ?? 0) });
}

function firstOf(met: readonly PointHits[]): FirstRequest | null {
  const [one, ...others] = met;
  if (!one) return null;
  const first = others.reduce((first, each) => (each.requestId < first.requestId ? each : first), one);
  const { requestId, method, path, atMs } = first;
  return { request_id: String(requestId), method, path, time: new Date(atMs).toISOString() };
}

function totalOf(points: readonly PointCoverage[]): CoverageTotal {
  return { points: points.length, met: points.filter(({ times }) => times > 0).length };
}

/** Rounded down: 100% means that every point was met. */
export function percent({ points, met }: CoverageTotal): string {
  return points === 0 ? "–" : `${Math.floor((met * 100) / points)}%`;
}

function ofOperation(operation: OperationId, counted: readonly PointCoverage[]): CoverageTotal {
  const own = counted.filter((point) => point.operations.includes(operation));
  return { points: own.length, met: own.filter(({ met_by }) => met_by.includes(operation)).length };
}

/** The operations whose requests can meet a point; empty for a point that is decided before the operation. */
function operationsOf(id: ContractPointId): readonly OperationId[] {
  const { operations: scope }: ContractPoint = contractPoints[id];
  if (scope === "any") return [];
  return scope === "developer"
    ? operationIds.filter((operation) => operations[operation].path.startsWith("/developer/"))
    : scope;
}
