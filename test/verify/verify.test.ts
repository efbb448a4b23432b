import { describe, expect, test } from "vitest";
import { behaviourIds, behaviours } from "../../src/contract/behaviours.ts";
import { contractUnder, defaultContract } from "../../src/contract/dialect.ts";
import { conformanceChecks } from "../../src/verify/conformance.ts";
import { dialectText, driftSince, observedDialect } from "../../src/verify/drift.ts";
import { probes } from "../../src/verify/probes.ts";
import { verifyText } from "../../src/verify/terminal.ts";
import { drawnChoices } from "../support/drawn-choices.ts";
import { openProbed } from "../support/probed-target.ts";
import { expectRecognized, verified } from "../support/verified.ts";

const observable = probes.map(({ behaviour }) => behaviour);

test.each([1, 2])("a target with random alternatives is recognized, seed %i", expectRecognized);

describe("the default target", () => {
  test("confirms all behaviors and contract points, and keeps no card", async () => {
    const { target, sandbox } = openProbed();
    const report = await verified(target);
    const confirmed = report.behaviours.filter(({ outcome }) => outcome === "confirmed").map(({ id }) => id);
    expect(confirmed).toEqual(behaviourIds.filter((id) => observable.includes(id)));
    expect(report.specification.map(({ id, outcome }) => [id, outcome])).toEqual(
      conformanceChecks.map(({ point }) => [point, "confirmed"]),
    );
    expect(report.cards.ordered).toBe(28);
    expect(report.cards.left).toBe(0);
    const { json } = await sandbox.get("/developer/cards?status=active,frozen");
    expect(json.data).toEqual([]);
    expect(report.requests).toBeLessThanOrEqual(500);
    for (const { id, outcome, reason } of report.behaviours) {
      if (outcome === "unreachable") expect(reason).toBe(behaviours[id].unobservable);
    }
  });

  test("is only read without write", async () => {
    const { target, sent } = openProbed({}, { effect: "read" });
    const report = await verified(target, { write: false });
    const changing = sent.filter(({ path, init }) => init.method !== "GET" && !path.startsWith("/auth/"));
    expect(changing).toEqual([]);
    const read = probes.filter(({ effect }) => effect === "read").map(({ behaviour }) => behaviour);
    expect(report.behaviours.filter(({ outcome }) => outcome === "confirmed").map(({ id }) => id)).toEqual(
      behaviourIds.filter((id) => read.includes(id)),
    );
    expect(report.specification.filter(({ outcome }) => outcome === "contradicted")).toEqual([]);
    expect(report.cards).toEqual({ ordered: 0, left: 0 });
  });

  test("a target that may only be read refuses to send a change", async () => {
    const { target } = openProbed({}, { effect: "read" });
    const requests = [
      { method: "POST", path: "/developer/cards/physical" },
      { method: "DELETE", path: "/auth/v1/sandbox/token" },
      { method: "POST", path: "/developer/auth/" },
    ];
    for (const request of requests) await expect(target.send(request)).rejects.toThrow("needs --write");
  });

  test("the report contains no key, token, PIN, id or text of a response", async () => {
    const { target, sandbox } = openProbed();
    const report = JSON.stringify(await verified(target));
    const values = new Set<string>();
    for (const { requestBody, responseBody } of sandbox.exchanges) {
      for (const [, text = ""] of `${requestBody} ${responseBody}`.matchAll(/:\s*"((?:[^"\\]|\\.)*)"/g)) {
        if (text.length > 12 || /^[0-9]{4,}$/.test(text)) values.add(text);
      }
    }
    expect(values.size).toBeGreaterThan(40);
    const known = JSON.stringify(behaviours);
    expect([...values].filter((text) => report.includes(text) && !known.includes(text))).toEqual([]);
    expect(report).not.toMatch(/sk_sandbox_northwind/);
  });

  test("observes only what is asked for", async () => {
    const { target } = openProbed();
    const report = await verified(target, { only: ["replay.status", "order.created"] });
    expect(report.behaviours.map(({ id }) => id)).toEqual(["replay.status"]);
    expect(report.specification.map(({ id }) => id)).toEqual(["order.created"]);
  });

  test("stays within the budget, of which it keeps enough to terminate the cards", async () => {
    const { target, sent } = openProbed({}, { limits: { budget: 20 } });
    const report = await verified(target);
    expect(sent.length).toBeLessThanOrEqual(20);
    expect(report.requests).toBe(sent.length);
    expect(report.cards.left).toBe(0);
    const reasons = report.behaviours.map(({ reason }) => reason);
    expect(reasons).toContain("the budget of 20 requests is used up. Use a higher --budget.");
  });

  test("is asked for the company if it requires one and lists none without it", async () => {
    const { target } = openProbed({ "on_behalf_of.mode": "required" }, { companyId: undefined });
    const report = await verified(target);
    const problems = [...report.specification, ...report.behaviours].filter(
      ({ outcome }) => outcome === "contradicted",
    );
    expect(problems).toEqual([]);
    const { reason } = report.behaviours.find(({ id }) => id === "lists.envelope") ?? {};
    expect(reason).toContain("Use --company-id.");
  });

  test("ends early when it is stopped", async () => {
    const { target, sent } = openProbed();
    const report = await verified(target, { stop: AbortSignal.abort() });
    expect(report.problem).toBe("interrupted");
    expect(sent.length).toBe(1);
    expect(report.behaviours.every(({ outcome }) => outcome === "unreachable")).toBe(true);
  });
});

describe("a target that does not respond", () => {
  test("ends the comparison after three observations", async () => {
    const { sandbox } = openProbed();
    const { target } = openProbed(
      {},
      {
        fetch: async (path, init) => {
          if (path.startsWith("/developer"))
            throw new TypeError("fetch failed", { cause: { code: "ECONNRESET" } });
          const { status, headers, text } = await sandbox.request(path, init);
          return new Response(text, { status, headers });
        },
      },
    );
    const report = await verified(target);
    expect(report.problem).toBe("GET /developer/accounts: no response (ECONNRESET)");
    expect(report.behaviours.every(({ outcome }) => outcome === "unreachable")).toBe(true);
  });
});

describe("drift", () => {
  test("names each behavior and contract point that both reports observed and that differs", async () => {
    const only = ["replay.status", "on_behalf_of.mode", "order.pin_invalid"];
    const before = await verified(openProbed().target, { only });
    const after = await verified(openProbed({ "replay.status": "200" }).target, { only });
    expect(driftSince(before, before)).toEqual([]);
    expect(driftSince(before, after)).toEqual(["replay.status: was 201, is 200"]);
    const unread = await verified(openProbed({}, { effect: "read" }).target, { only, write: false });
    expect(driftSince(unread, after)).toEqual([]);
    expect(driftSince(before, unread)).toEqual([]);
  });
});

describe("the dialect of what was observed", () => {
  test("has each behavior that was observed, and the same alternatives", async () => {
    const choices = drawnChoices(3, 10);
    const report = await verified(openProbed(choices).target);
    const { dialect, leftOut } = observedDialect(report, "verify cards.test");
    expect(leftOut).toEqual([]);
    expect(contractUnder(dialect).choices).toEqual({ ...defaultContract.choices, ...choices });
    const observed = report.behaviours.filter(({ outcome }) => outcome !== "unreachable");
    expect(Object.keys(dialect)).toEqual(observed.map(({ id }) => id));
    expect(dialectText(dialect)).toContain(
      `on_behalf_of.mode: { use: "${choices["on_behalf_of.mode"] ?? "optional"}", provenance: observed, date: 2026-03-10, note: "verify cards.test" }\n`,
    );
  });
});

describe("the text of a report", () => {
  test("names what differs, and why something was not observed", async () => {
    const { target } = openProbed({ "replay.status": "200" }, { employeeApiKey: undefined });
    const report = await verified(target, { only: ["replay.status", "api_keys.quota", "order.forbidden"] });
    expect(verifyText(report, defaultContract.choices, (_style, text) => text)).toMatchInlineSnapshot(`
      "Contradicted (1)
        replay.status: 200. Status of a replayed request: 200, because nothing was created (expected: 201, as for the first request)

      Unreachable (2)
        needs --employee-api-key-env: order.forbidden
        keys are created in the dashboard of the service: api_keys.quota

      https://cards.test, 2026-03-10: 9 requests, 2 cards ordered and terminated
      specification: 0 confirmed, 0 contradicted, 1 unreachable
      behaviors:     0 confirmed, 1 contradicted, 1 unreachable
      "
    `);
  });
});
