import type { AlternativeId, BehaviourId, Choices } from "./behaviours.ts";

/** The alternative that a dialect selects for a behavior. */
export interface Selection<Id extends BehaviourId = BehaviourId> {
  readonly use: Choices[Id];
  /** `observed`: the real service was seen to behave so. Default: `assumed`. */
  readonly provenance?: "observed" | "assumed" | undefined;
  /** When it was observed, as `YYYY-MM-DD`. */
  readonly date?: string | undefined;
  readonly note?: string | undefined;
}

/** The alternatives that are selected, by behavior. All other behaviors have their default. */
export type Dialect = { readonly [Id in BehaviourId]?: Selection<Id> | undefined };

/** Alternatives by behavior, each as its id or as a selection: `{ "replay.status": "200" }`. */
export type DialectInput = {
  readonly [Id in BehaviourId]?: AlternativeId<Id> | Selection<Id> | undefined;
};
