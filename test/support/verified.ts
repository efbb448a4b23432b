import { expect } from "vitest";
import { defaultContract } from "../../src/contract/dialect.ts";
import type { OpenTarget } from "../../src/verify/target.ts";
import { mostCards } from "../../src/verify/target.ts";
import { type VerifyOptions, type VerifyReport, verify } from "../../src/verify/verify.ts";
import { drawnChoices } from "./drawn-choices.ts";
import { openProbed } from "./probed-target.ts";

export const verified = (target: OpenTarget, options: Partial<VerifyOptions> = {}) =>
  verify(target, {
    choices: defaultContract.choices,
    write: true,
    version: "0.0.0-test",
    url: "https://cards.test",
    date: "2026-03-10",
    ...options,
  });

/** The behaviors that the report shows with another alternative than expected, by id. */
const contradictedIn = ({ behaviours }: VerifyReport) =>
  Object.fromEntries(
    behaviours
      .filter(({ outcome }) => outcome === "contradicted")
      .map(({ id, alternative, reason }) => [id, alternative ?? reason]),
  );

/** Compares a target with 20 random alternatives: exactly these must be found. */
export async function expectRecognized(seed: number): Promise<void> {
  const choices = drawnChoices(seed, 20);
  const { target } = openProbed(choices);
  const report = await verified(target);
  expect(report.cards.ordered).toBeLessThan(mostCards);
  expect(contradictedIn(report)).toEqual(choices);
  const unconfirmed = report.specification.filter(({ outcome }) => outcome !== "confirmed");
  expect(unconfirmed.map(({ id, problem }) => `${id}: ${problem}`)).toEqual([]);
}
