import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { defaultContract } from "../../src/contract/dialect.ts";
import { CannotProbe } from "../../src/verify/probe.ts";
import { probes } from "../../src/verify/probes.ts";
import { mostCards, type OpenTarget, openTarget } from "../../src/verify/target.ts";
import { verify } from "../../src/verify/verify.ts";
import { openProbed } from "../support/probed-target.ts";

/** Answers of a server that lacks an operation. */
const answers: Readonly<Record<string, () => Response>> = {
  "404": () => Response.json({ error: "not found" }, { status: 404 }),
  "404 with HTML": () => new Response("<h1>Not Found</h1>", { status: 404 }),
  "403": () => Response.json({ success: false, error: { code: "x", message: "no" } }, { status: 403 }),
  "400": () => Response.json({ error: "bad request" }, { status: 400 }),
  "401": () => Response.json({ error: "unauthorized" }, { status: 401 }),
  "405": () => new Response(null, { status: 405 }),
  "409": () => Response.json({ error: "conflict" }, { status: 409 }),
  "422": () => Response.json({ error: "unprocessable" }, { status: 422 }),
  "200 with {}": () => Response.json({}),
  "200 with an id": () => Response.json({ id: "f8c0d54c-5f6e-4f58-a7f5-3bd8d7a1c9f1", status: "active" }),
  "200 with rows": () => Response.json({ data: [{ id: "1" }, { id: "2" }], has_more: false }),
  "200 with HTML": () => new Response("<h1>Hello</h1>"),
  "204": () => new Response(null, { status: 204 }),
};
const cases = Object.entries(answers);

const token = /^POST \/auth\//;
const order = /^POST \/developer\/cards\/physical$/;

/** A server that serves some operations as the sandbox does, and answers the same to all others. */
function openForeign(answer: () => Response, ...served: readonly RegExp[]) {
  const { sandbox } = openProbed();
  return openTarget({
    fetch: async (path, init) => {
      if (!served.some((each) => each.test(`${init.method} ${path}`))) return answer();
      const { status, headers, text } = await sandbox.request(path, init);
      return new Response(text === "" ? null : text, { status, headers });
    },
    apiKey: "sk_sandbox_northwind_owner",
    employeeApiKey: "sk_sandbox_northwind_employee",
    companyId: sandbox.company("northwind").id,
    accountId: sandbox.account("northwind").id,
    effect: "write",
    uuid: randomUUID,
  });
}

/** What the answers of a server that lacks an operation may contradict: that is then what it does. */
const contradictable = ["method_not_allowed.status", "unknown_path.envelope"];

const run = (target: OpenTarget) =>
  verify(target, {
    ...{ write: true, version: "0.0.0-test", url: "https://cards.test", date: "2026-03-10" },
    choices: defaultContract.choices,
  });

/** The ids of the behaviors that a run observes. */
async function observed(target: OpenTarget): Promise<string[]> {
  const { behaviours } = await run(target);
  for (const { id, outcome } of behaviours) {
    if (!contradictable.includes(id)) expect(outcome, id).not.toBe("contradicted");
  }
  return behaviours.filter(({ outcome }) => outcome !== "unreachable").map(({ id }) => id);
}

/** What a working token endpoint shows, whatever the rest of the server does. */
const ofTokens = [
  "token.status",
  "token.malformed_status",
  "token.refused_status",
  "token.error_envelope",
  "token.content_type",
  "token.lifetime",
  "method_not_allowed.status",
];
const ofUnknownPaths = ["unknown_path.status", "unknown_path.envelope"];
const unknownPathsOf = (answer: string) => (answer.startsWith("404") ? ofUnknownPaths : []);

/** What orders show, with their keys and cards. */
const ofOrders: readonly string[] = [
  "account.order",
  "address.blank_line1",
  "address.country_rules",
  "address.state",
  "body_too_large.status",
  "card.name_blank",
  "card.name_length",
  "cards.expiry_years",
  "content_type.status",
  "country.order",
  "country_code.case",
  "delivery.countries",
  "delivery_method.not_offered",
  "error.messages",
  "json.null_fields",
  "json.unknown_fields",
  "key.format",
  "key.stored_refusals",
  "order.key_reused",
  "permission.order",
  "pin.weak",
  "post_code.form",
  "post_code.status",
  "replay.header",
  "replay.status",
  "replay.validation",
  "responses.extra_fields",
];

describe("a server that answers the same to everything", () => {
  test.each(cases)("%s: no probe sees anything", async (_name, answer) => {
    const target = openForeign(answer);
    await expect(observed(target)).rejects.toThrow(CannotProbe);
    for (const { behaviour, observe } of probes) {
      const seen = await observe(target).catch((error) => error);
      expect(seen, behaviour).toBeInstanceOf(CannotProbe);
    }
  });
});

describe("a server that only exchanges API keys", () => {
  test.each(cases)("%s: only that is seen", async (name, answer) => {
    const seen = await observed(openForeign(answer, token));
    expect(seen.toSorted()).toEqual([...ofTokens, ...unknownPathsOf(name)].toSorted());
  });
});

describe("a server that only exchanges API keys and orders physical cards", () => {
  test.each(cases)("%s: only that is seen", async (name, answer) => {
    const seen = await observed(openForeign(answer, token, order));
    expect(seen.toSorted()).toEqual([...ofTokens, ...unknownPathsOf(name), ...ofOrders].toSorted());
  });
});

test("a server that accepts every order gets no more than the most cards", async () => {
  const orders = () => Response.json({ id: randomUUID() }, { status: 201 });
  const { sandbox } = openProbed();
  const send = async (path: string, init: RequestInit) => {
    if (order.test(`${init.method} ${path}`) && init.body !== undefined && init.body !== "{}")
      return orders();
    const { status, headers, text } = await sandbox.request(path, init);
    return new Response(text === "" ? null : text, { status, headers });
  };
  const { target } = openProbed({}, { fetch: send, accountId: sandbox.account("northwind").id });
  await run(target);
  expect(target.cards.ordered).toBe(mostCards);
});

/** A mock of the operations, which returns one example for each and looks at nothing. */
function openMock() {
  const card = {
    id: "f8c0d54c-5f6e-4f58-a7f5-3bd8d7a1c9f1",
    token: "1234",
    status: "active",
    last_four: "0042",
  };
  const rows = ["1", "2"].map((id) => ({ ...card, id }));
  return openTarget({
    fetch: async (path, { method }) => {
      if (path.startsWith("/auth/")) return Response.json({ access_token: "a", expires_at: "2026-03-10" });
      if (/^\/developer\/(accounts|cards|webhooks)(\?|$)/.test(path)) {
        return Response.json(method === "GET" ? { data: rows } : card);
      }
      const isKnown = /^\/developer\/(accounts|cards|webhooks)\//.test(path);
      return isKnown ? Response.json(card) : Response.json({ error: "not found" }, { status: 404 });
    },
    apiKey: "sk_sandbox_northwind_owner",
    employeeApiKey: "sk_sandbox_northwind_employee",
    effect: "write",
    uuid: randomUUID,
  });
}

test("a mock shows only what its examples have", async () => {
  const { behaviours } = await run(openMock());
  const seen = behaviours.filter(({ outcome }) => outcome !== "unreachable");
  expect(
    Object.fromEntries(seen.map(({ id, alternative, reason }) => [id, alternative ?? reason])),
  ).toMatchInlineSnapshot(`
    {
      "lists.envelope": "data",
      "lists.unknown_parameter": "ignored",
      "method_not_allowed.status": "status 200",
      "on_behalf_of.mode": "off",
      "token.content_type": "any",
      "token.error_envelope": "the error has another body",
      "token.malformed_status": "status 200",
      "token.refused_status": "status 200",
      "token.status": "200",
      "unknown_path.envelope": "card",
      "unknown_path.status": "404",
    }
  `);
});
