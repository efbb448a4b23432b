import type { OperationId } from "../contract/operations.ts";
import type { ErrorPointId } from "../contract/points.ts";
import { SandboxError } from "../rules/errors.ts";
import type { Caller } from "../store/callers.ts";

/**
 * Counts how often the world of a company was reset or deleted. A request that began in an earlier generation is stale:
 * its caller, its account and its quota belong to a world that no longer exists.
 */
export class Generations {
  #all = 0;
  #stamp = 0;
  readonly #listeners: ((companyPk: number | undefined) => void)[] = [];
  readonly #endingListeners: ((companyPk: number | undefined) => void)[] = [];
  readonly #own = new Map<number, number>();

  /** The generation of a company's world. Resets of other companies do not change it. */
  of(companyPk: number): number {
    return this.#all + (this.#own.get(companyPk) ?? 0);
  }

  /** Changes whenever the world of any company ends. */
  get stamp(): number {
    return this.#stamp;
  }

  /** Calls the listener with the company whose world ends; undefined: all companies. */
  onEnd(listener: (companyPk: number | undefined) => void): void {
    this.#listeners.push(listener);
  }

  /** Calls the listener while the world of the company, or (undefined) of all companies, can still be read. */
  onEnding(listener: (companyPk: number | undefined) => void): void {
    this.#endingListeners.push(listener);
  }

  /** Call it before the world of one company, or of all, is deleted or replaced. */
  ending(companyPk?: number): void {
    for (const listener of this.#endingListeners) listener(companyPk);
  }

  /** Ends the world of one company, or of all. */
  end(companyPk?: number): void {
    this.#stamp++;
    if (companyPk === undefined) this.#all++;
    else this.#own.set(companyPk, (this.#own.get(companyPk) ?? 0) + 1);
    for (const listener of this.#listeners) listener(companyPk);
  }
}

/** The points that refuse a stale request. For all other operations the access token ended with the world. */
const stalePoints: Readonly<Partial<Record<OperationId, ErrorPointId>>> = {
  exchangeSandboxKey: "token.unavailable",
  exchangeLiveKey: "token.unavailable",
  orderPhysicalCard: "order.change_in_progress",
  replaceCard: "cards.change_in_progress",
  orderVirtualCard: "cards.virtual_change_in_progress",
};

/**
 * Refuses a request that began before a reset, so that it changes nothing in the new world.
 * @throws SandboxError `order.change_in_progress`, `cards.change_in_progress`, `cards.virtual_change_in_progress`,
 *   `token.unavailable` or `auth.token_invalid`
 */
export function refuseStale(
  { generations }: { readonly generations: Generations },
  { caller, generation, operation }: StaleCheck,
): void {
  if (generations.of(caller.companyPk) === generation) return;
  throw new SandboxError(
    stalePoints[operation] ?? "auth.token_invalid",
    "The sandbox was reset while this request was in progress. The request changed nothing. Send it again if you still need it.",
  );
}

interface StaleCheck {
  readonly caller: Pick<Caller, "companyPk">;
  /** The generation of the caller's company in which the request began. */
  readonly generation: number;
  readonly operation: OperationId;
}
