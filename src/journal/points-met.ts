import type { OperationId } from "../contract/operations.ts";
import type { PointId } from "../contract/points.ts";
import type { CompanyNames } from "../store/callers.ts";
import type { Exchange } from "./exchange.ts";
import { maskPath } from "./masking.ts";

/** The requests of one operation that met one point. */
export interface Meetings {
  readonly operation: OperationId | undefined;
  readonly point: PointId;
  /** The first request's id in the journal, and what else is told of it. */
  readonly requestId: number;
  readonly method: string;
  readonly path: string;
  readonly atMs: number;
  readonly times: number;
}

type Counted = Meetings & { times: number };

/** What requests of one company met; or of all that are not told apart. */
interface Met {
  /** Undefined: nobody knew who called, or companies that are not told apart any more. */
  readonly caller: CompanyNames | undefined;
  readonly byPoint: Map<PointId, Counted[]>;
  latestId: number;
}

/** At most so many companies are told apart, and the half of them that called last at least. */
const mostApart = 500;

/** How often points were met, by whom. Nothing that was met is forgotten, but by whom it was, where that is long ago. */
export class PointsMet {
  readonly #companies = new Map<string, Met>();
  #others = begun(undefined);

  record({ point, operation, caller, method, path, atMs }: Exchange, requestId: number): void {
    if (point === undefined) return;
    const met = caller ? (this.#companies.get(caller.companyId) ?? this.#begin(caller)) : this.#others;
    met.latestId = requestId;
    const known = met.byPoint.get(point)?.find((each) => each.operation === operation);
    if (known) known.times++;
    else add(met, { operation, point, requestId, method, path: maskPath(path), atMs, times: 1 });
  }

  /** What callers met that fit; an undefined one stands for those that nobody can name. */
  of(isMeant: (of: Pick<Met, "caller">) => boolean): readonly Meetings[] {
    const met = [this.#others, ...this.#companies.values()].filter(isMeant);
    return met.flatMap(({ byPoint }) => [...byPoint.values()].flat());
  }

  clear(): void {
    this.#companies.clear();
    this.#others = begun(undefined);
  }

  #begin({ companyId, companySlug, environment }: CompanyNames): Met {
    if (this.#companies.size === mostApart) this.#keepTogether();
    const met = begun({ companyId, companySlug, environment });
    this.#companies.set(companyId, met);
    return met;
  }

  #keepTogether(): void {
    const byLatest = [...this.#companies].sort(([, one], [, other]) => one.latestId - other.latestId);
    for (const [companyId, { byPoint }] of byLatest.slice(0, mostApart / 2)) {
      this.#companies.delete(companyId);
      for (const meetings of [...byPoint.values()].flat()) add(this.#others, meetings);
    }
  }
}

function begun(caller: CompanyNames | undefined): Met {
  return { caller, byPoint: new Map(), latestId: 0 };
}

function add({ byPoint }: Met, meetings: Counted): void {
  const known = byPoint.get(meetings.point);
  if (!known) {
    byPoint.set(meetings.point, [meetings]);
    return;
  }
  const at = known.findIndex(({ operation }) => operation === meetings.operation);
  const same = known[at];
  if (!same) known.push(meetings);
  else {
    const first = same.requestId < meetings.requestId ? same : meetings;
    known[at] = { ...first, times: same.times + meetings.times };
  }
}
