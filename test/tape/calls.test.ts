import { expect, test } from "vitest";
import type { ControlServices } from "../../src/control/services.ts";
import { replaceCalls } from "../../src/tape/calls.ts";
import { openSandbox, withChoices } from "../support/open-sandbox.ts";

/** The operations that only read, or whose changes are not part of the world. */
const reading = [
  "apiKeys.list",
  "apiKeys.publicSecret",
  "apiKeys.slots",
  "cards.counts",
  "cards.createdBy",
  "cards.delivery",
  "cards.history",
  "cards.holders",
  "cards.limitResets",
  "cards.list",
  "cards.ofRequest",
  "cards.possible",
  "cards.possibleAsCaller",
  "cards.replacements",
  "cards.show",
  "cards.transactions",
  "companies.count",
  "companies.pkOf",
  "companies.show",
  "companies.world",
  "dialect.list",
  "requests.attempts",
  "requests.get",
  "requests.latest",
  "requests.list",
  "requests.neighbours",
  "scenarios.all",
  "scenarios.armed",
  "scenarios.byId",
  "scenarios.unused",
  "state.snapshots",
  "time.offsetOf",
  "time.offsets",
  "time.read",
  "webhooks.causedBy",
  "webhooks.delivery",
  "webhooks.deliveries",
  "webhooks.latest",
  "webhooks.list",
  "webhooks.received",
  "webhooks.secretOf",
  "webhooks.show",
];
/** They call a recorded operation. */
const calling = ["scenarios.handle", "state.putBack"];
/** Parts that no operation of the control API changes. */
const watching = ["journal", "coverage", "findings", "clock", "tape"];

test("every operation of the control services is recorded, or only reads", async () => {
  const operations: string[] = [];
  const recorded: string[] = [];
  const watch = (services: ControlServices) => {
    for (const [group, service] of Object.entries(services)) {
      if (typeof service !== "object" || watching.includes(group)) continue;
      const names = Object.getOwnPropertyNames(Object.getPrototypeOf(service));
      operations.push(...names.filter((name) => name !== "constructor").map((name) => `${group}.${name}`));
    }
    replaceCalls(services, (name, call) => {
      recorded.push(name);
      return call;
    });
  };
  await withChoices(
    {},
    async () => void openSandbox(),
    (ports) => ({
      ports: { ...ports, tap: { control: watch, requests: (app) => app } },
      opened: () => {},
      ended: () => {},
    }),
  );
  expect(operations.toSorted()).toEqual([...recorded, ...reading, ...calling].toSorted());
});
