import { expect, test } from "vitest";
import { checkScenario, readShippedScenarios } from "../../src/node/input-files.ts";
import { scenarioFile } from "../../src/scenarios/file.ts";
import { groupOf, losesResponse, scenarioGroups } from "../../src/scenarios/group.ts";
import { shippedScenarios } from "../../src/scenarios/shipped.ts";
import { own } from "../support/own-scenario.ts";

const shipped = readShippedScenarios();

test("groups the shipped scenarios by what they force", () => {
  const groups = scenarioGroups.map((group) => {
    const members = shipped.filter((each) => groupOf(each) === group);
    return [group, members.map(({ name }) => name)];
  });
  expect(Object.fromEntries(groups)).toEqual({
    own: [],
    refusal: [
      "quota-reached",
      "company-inactive",
      "account-closed",
      "company-details-missing",
      "cardholder-details-missing",
      "country-undeliverable",
      "account-not-found",
      "conflict",
      "invalid-request",
      "rate-limited",
    ],
    access: [
      "forbidden",
      "unauthorized",
      "token-expired",
      "token-short-lived",
      "not-entitled",
      "key-revoked",
      "token-unavailable",
    ],
    issuer: [
      "issuer-rejected",
      "issuer-bad-gateway",
      "issuer-unavailable",
      "issuer-recovers",
      "issuer-slow",
      "in-flight",
      "used-unreadable",
    ],
    connection: [
      "lost-response",
      "created-but-502",
      "dropped-request",
      "truncated-response",
      "empty-response",
      "slow-response",
      "silent-response",
      "lost-in-flight",
    ],
    webhook: ["webhook-duplicate", "webhook-reordered", "webhook-stale", "webhook-bad-signature"],
  });
});

test("a scenario of the user is in a group of its own", () => {
  const [scenario] = own([{ facts: { quota_reached: true } }]).scenarios ?? [];
  expect(scenario && groupOf(scenario)).toBe("own");
});

test.each(shipped)("the file of $name defines the same scenario under another name", async (scenario) => {
  const name = `my-${scenario.name}`;
  const text = await scenarioFile(scenario, name);
  expect(checkScenario(`${name}.yaml`, text, new Set(shippedScenarios))).toEqual({
    value: { ...scenario, name },
  });
});

test("scenarios whose client gets no whole response are known", () => {
  expect(shipped.filter(losesResponse).map(({ name }) => name)).toEqual([
    "lost-response",
    "dropped-request",
    "truncated-response",
    "empty-response",
    "silent-response",
    "lost-in-flight",
  ]);
});
