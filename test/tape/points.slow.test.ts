import { expect, test } from "vitest";
import { type ContractPointId, contractPoints } from "../../src/contract/points.ts";
import { readShippedScenarios } from "../../src/node/input-files.ts";
import { runExample, ways } from "../support/run-example.ts";
import {
  differencesElsewhere,
  differencesOfTest,
  isWhole,
  type TapedTest,
  tapesWhile,
} from "../support/taped.ts";
import { waysTo } from "../support/ways-to-points.ts";

/** Some of the scenarios that `Prefer: code` chooses. */
const byCode = ["quota-reached", "issuer-bad-gateway", "token-unavailable", "rate-limited"];

/** The tests raise them by means that no user has: an issuer that waits for the test, and a change of the database. */
const unrecorded: readonly ContractPointId[] = ["order.key_in_progress", "webhooks.backlog_full"];

/** Plays all tapes in another process, and some in this one. */
async function differences(
  tests: readonly (readonly [string, TapedTest])[],
  isPlayedHere: (name: string) => boolean,
) {
  const found: unknown[] = [];
  for (const [name, each] of tests) {
    if (isWhole(each) && !isPlayedHere(name)) continue;
    for (const difference of await differencesOfTest(each)) found.push([name, difference]);
  }
  const whole = tests.filter(([, each]) => isWhole(each));
  const elsewhere = await differencesElsewhere(whole.map(([, { tape }]) => tape));
  for (const [n, each] of elsewhere.entries()) {
    for (const difference of each) found.push(["elsewhere", whole[n]?.[0], difference]);
  }
  return found;
}

test("the way to each contract point replays without a difference", { timeout: 300_000 }, async () => {
  const tests: [string, TapedTest][] = [];
  for (const id of (Object.keys(contractPoints) as ContractPointId[]).filter(
    (each) => !unrecorded.includes(each),
  )) {
    for (const each of await tapesWhile(() => waysTo[id]())) tests.push([id, each]);
  }
  expect(await differences(tests, (name) => /^(?:order|webhooks)/.test(name))).toEqual([]);
});

test("the example of each scenario replays without a difference", { timeout: 300_000 }, async () => {
  const tests: [string, TapedTest][] = [];
  for (const scenario of readShippedScenarios()) {
    for (const way of ways) {
      if (way === "by Prefer: code" && !byCode.includes(scenario.name)) continue;
      if (way === "by the order's name" && !scenario.on.includes("orderPhysicalCard")) continue;
      const name = `${scenario.name} ${way}`;
      for (const each of await tapesWhile(() => runExample(scenario, way))) tests.push([name, each]);
    }
  }
  expect(await differences(tests, (name) => name.endsWith("by header"))).toEqual([]);
});
