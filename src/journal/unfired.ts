/** A scenario that was armed and forced nothing: whoever armed it does not test what they believe. */
export interface UnfiredScenario {
  readonly name: string;
  /** As a tester names it: a slug, or `live/SLUG`; null: armed for all. */
  readonly company: string | null;
  /** In place of the operations that the scenario is on. */
  readonly operation: string | null;
  readonly api_key_id: string | null;
  readonly times: number | null;
  /** By the sandbox's clock. */
  readonly armed_at: string;
}
