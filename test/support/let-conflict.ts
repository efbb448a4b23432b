import { onTestFinished } from "vitest";
import type { BehaviourId } from "../../src/contract/behaviours.ts";
import { alternativeOf } from "../../src/contract/dialect.ts";

/** Makes an alternative conflict with others, such as `api_keys.quota=member`, until the test ends. */
export function letConflict(id: BehaviourId, use: string, ...others: string[]): void {
  const alternative = alternativeOf(id, use) as { conflicts?: readonly string[] | undefined };
  const { conflicts } = alternative;
  alternative.conflicts = others;
  onTestFinished(() => {
    alternative.conflicts = conflicts;
  });
}
