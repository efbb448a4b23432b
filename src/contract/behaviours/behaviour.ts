import type { PointText } from "../points/point.ts";
import type { ContractPointId } from "../points.ts";

/** The aspects of a contract point that an alternative can change. */
export type PointChange = Partial<Pick<PointText, "status" | "title" | "code" | "envelope">>;

/** A field by which `contrary` compares the cards that a client leaves. */
export type ComparedField = "status" | "account" | "name" | "spending_limit" | "auto_convert";

/** How an alternative changes the contract. */
export interface Effects {
  /** The changed contract points. */
  readonly points?: Readonly<Partial<Record<ContractPointId, PointChange>>>;
  /** The contract points that no request can meet. They leave the coverage and the OpenAPI document. */
  readonly unreachable?: readonly ContractPointId[];
  /** Rows of the decisions table that move, in each operation that has them. */
  readonly moves?: readonly { readonly rows: readonly string[]; readonly before: string }[];
  /** The fields of cards that it changes whatever a client does: `contrary` does not compare them. */
  readonly changesCards?: readonly ComparedField[];
  /** The alternatives of other behaviors that it cannot be combined with, as `behavior=alternative`. */
  readonly conflicts?: readonly string[];
}

/** One of several ways in which the real service may behave. */
export interface Alternative<Id extends string = string> extends Effects {
  readonly id: Id;
  /** Continues the title of the behavior, such as "409". */
  readonly title: string;
  /** Why it is plausible: the standard or the well-known API that does it. */
  readonly reason: string;
}

/** A behavior that the specification leaves open, with its plausible alternatives. */
export interface Behaviour<Id extends string = string> {
  readonly title: string;
  /** The sections of the specification that leave it open. */
  readonly spec: string;
  /** `variant`: the specification describes two of the alternatives. */
  readonly provenance: "assumed" | "variant";
  /** The contract points that it is about. */
  readonly points: readonly ContractPointId[];
  /**
   * `company`: it is decided after the caller is known, so that one company can have another alternative;
   * `sandbox`: it applies to all companies.
   */
  readonly scope: "company" | "sandbox";
  /** Why a client of the real service cannot observe it; absent: it can. */
  readonly unobservable?: string;
  /** The default first. */
  readonly alternatives: readonly [Alternative<Id>, ...Alternative<Id>[]];
}

/** Declares a behavior. Its type has only the ids of its alternatives. */
export const behaviour = <const Id extends string>(declared: Behaviour<Id>): Behaviour<Id> => declared;

/** Declares an alternative. */
export const alternative = <const Id extends string>(
  id: Id,
  title: string,
  reason: string,
  effects: Effects = {},
): Alternative<Id> => ({ id, title, reason, ...effects });

/** The same change for several contract points. */
export function changeOf(points: readonly ContractPointId[], change: PointChange): Pick<Effects, "points"> {
  return { points: Object.fromEntries(points.map((point) => [point, change])) };
}
