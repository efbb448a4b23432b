import fc from "fast-check";
import { createControl } from "../../src/control/app.ts";
import { Gate } from "../../src/control/gate.ts";
import { createDashboard } from "../../src/dashboard/app.ts";
import type { Clock } from "../../src/rules/clock.ts";
import { jsonOf, mutated, oddValue, written } from "./json.ts";
import type { Target } from "./target.ts";
import type { World } from "./world.ts";

type Bodies = Readonly<Record<string, readonly unknown[]>>;

/** Valid bodies of the control API, by the paths below `/_sandbox`. */
function bodiesOfControl({ cards, accounts, members, transactions }: World["ids"]): Bodies {
  const [card_id] = cards;
  const [account_id] = accounts;
  const [, transaction_id] = transactions;
  return {
    "POST /companies": [
      {},
      {
        name: "Acme",
        card_quota: 3,
        members: [{}, { role: "employee", api_keys: [] }],
        accounts: [{ balance: "1.50" }],
      },
      { environment: "live", entitlements: ["cards"], country_code: "IE", details_complete: false },
    ],
    "PATCH /companies/{name}": [{ status: "suspended" }, { card_quota: 0, details_complete: true }],
    "PATCH /accounts/{name}": [{ status: "closed" }, { status: "active", company: "northwind" }],
    "PATCH /members/{name}": [{ role: "employee", company: "northwind" }, { details_complete: false }],
    "POST /cards/{id}/operator": [{ action: "suspend" }, { action: "lift" }],
    "POST /cards/{id}/delivery": [{ status: "shipped" }, { status: "returned" }],
    "POST /api-keys": [{ member: members[0], environment: "sandbox", label: "mine" }],
    "POST /invoices": [{ company: "northwind", net: "12.50", vat: 2, issued_on: "2026-03-01" }],
    "POST /simulate/authorisations": [
      { card_id, amount: "1.00", merchant: "Book Shop", mcc: "5942", channel: "online", currency: "USD" },
      { card_id, amount: 2.5, merchant: { city: "Leeds" } },
    ],
    "POST /simulate/authorisations/{id}/clear": [{}, { amount: "0.50", final: true }],
    "POST /simulate/authorisations/{id}/reverse": [{}, { amount: "0.50" }],
    "POST /simulate/refunds": [{ transaction_id, amount: "0.10" }],
    "POST /simulate/topups": [{ account_id, amount: "5.00" }],
    "POST /simulate/fees": [{ account_id, amount: "5.00" }],
    "POST /scenarios/{name}/arm": [{}, { company: "northwind", times: 2, operation: "getCard" }],
    "PUT /dialect": [
      { dialect: { "replay.status": "200" } },
      { company: "northwind", dialect: { "replay.status": { use: "200", provenance: "observed" } } },
    ],
    "PUT /clock": [{ frozen: true }, { now: "2026-04-01T00:00:00Z", company: "northwind" }],
    "POST /clock/advance": [{ by: "PT15M" }, { by: "P1M", company: "northwind" }],
    "POST /reset": [{}, { company: "northwind" }],
    "POST /snapshots": [{ name: "another" }],
  };
}

/** Valid forms of the dashboard, by the paths below `/_sandbox/ui`; the other forms have no fields. */
function formsOfDashboard({ members }: World["ids"]): Bodies {
  return {
    "POST /sign-in": [{ token: "none", next: "/_sandbox/ui" }],
    "POST /clock/advance": [{ by: "PT15M", company: "northwind", back: "/_sandbox/ui/world" }],
    "POST /clock": [{ frozen: "true" }],
    "POST /snapshots": [{ name: "another" }],
    "POST /snapshots/restore": [{ name: "begun" }],
    "POST /snapshots/delete": [{ name: "another" }],
    "POST /scenarios/{name}/arm": [{ company: "northwind", times: "2", operation: "getCard" }],
    "POST /companies": [{ name: "Acme", environment: "sandbox", country_code: "FR", card_quota: "4" }],
    "POST /companies/{id}/change": [{ status: "active", card_quota: "20", details_complete: "true" }],
    "POST /companies/{id}/members/{member}": [{ role: "owner", details_complete: "true" }],
    "POST /companies/{id}/accounts/{account}": [{ status: "active" }],
    "POST /companies/{id}/accounts/{account}/top-up": [{ amount: "10.00" }],
    "POST /companies/{id}/keys": [{ member: `${members[0]}`, label: "mine" }],
    "POST /companies/{id}/clock": [{ now: "2030-01-01T00:00:00Z" }],
    "POST /companies/{id}/clock/advance": [{ by: "PT15M" }],
    "POST /cards/{id}/purchase": [
      { amount: "1.00", currency: "EUR", merchant: "Book Shop", channel: "online" },
    ],
    "POST /cards/{id}/operator": [{ action: "block" }, { action: "expire" }],
    "POST /cards/{id}/delivery": [{ status: "shipped" }],
  };
}

/** The parameters of pages, reports and lists. */
const query: Target["query"] = Object.entries({
  company: ["northwind", "live/northwind", "nobody", ""],
  operation: ["orderPhysicalCard", "no-such"],
  status: ["201", "99", "4xx"],
  point: ["order.created", "order.creatd"],
  scenario: ["quota-reached"],
  idempotency_key: ["7f9c24e8-3b12-4c6e-9d7a-000000000001", "x"],
  limit: ["1", "1000", "1001", "0"],
  after: ["3", "0", "999999999999999"],
  last_event_id: ["0", "2", "-1"],
  format: ["json", "junit", "html", "markdown", "terminal", "xml"],
  exclude: ["order.*", "no.such", ","],
  final: ["true", "maybe"],
  flash: ["1", "x"],
  next: ["/_sandbox/ui/cards", "//evil.example", "\\evil"],
  back: ["/_sandbox/ui/cards"],
}).map(([name, values]) => [name, fc.constantFrom(...values)]);

const open = new Gate({ kind: "open" }, {} as Clock, () => new Uint8Array());

/** A route of the control API or of the dashboard. */
interface Route {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly under: "/_sandbox" | "/_sandbox/ui";
}

const routes: readonly Route[] = [
  // Their dependencies are not used before the first request.
  ...createControl({} as Parameters<typeof createControl>[0], open).routes.map(routeUnder("/_sandbox")),
  ...createDashboard({} as Parameters<typeof createDashboard>[0], open).routes.map(
    routeUnder("/_sandbox/ui"),
  ),
].filter(({ method, path }) => method !== "ALL" && !path.includes("*"));

export const controlIds = routes.map(({ id }) => id);

function routeUnder(under: Route["under"]) {
  return ({ method, path: whole }: { readonly method: string; readonly path: string }): Route => {
    const path = whole.slice(under.length).replace(/:([a-z]+)(\{\.\+\})?/g, "{$1}");
    return { id: `${method} ${under}${path}`, method, path, under };
  };
}

/** The endpoints of the control API and of the dashboard. */
export function controlTargets({ ids }: World): Target[] {
  const bodies = {
    "/_sandbox": jsonBodies(bodiesOfControl(ids)),
    "/_sandbox/ui": formBodies(formsOfDashboard(ids)),
  };
  return routes.map(({ id, method, path, under }) => ({
    id,
    method,
    path: under + path,
    ids: idsOf(path, ids),
    query,
    ...(method === "GET" ? { bodies: undefined, headers: [] } : bodies[under](`${method} ${path}`)),
  }));
}

type BodiesOf = (route: string) => Pick<Target, "bodies" | "headers">;

function idsOf(path: string, ids: World["ids"]): readonly string[] {
  const [, kind] = path.split("/");
  switch (kind) {
    case "companies":
      return [...ids.companies, ...ids.members, ...ids.accounts];
    case "accounts":
      return [...ids.accounts, "gbp"];
    case "members":
      return [...ids.members, "northwind-owner"];
    case "api-keys":
      return ids.apiKeys;
    case "simulate":
      return ids.transactions;
    case "scenarios":
      return ["quota-reached", "issuer-slow", "lost-response", "in-flight", "no-such"];
    case "cards":
    case "invoices":
    case "armed":
    case "snapshots":
    case "requests":
    case "transactions":
      return ids[kind];
    default:
      return ["x"];
  }
}

const jsonBodies =
  (table: Bodies): BodiesOf =>
  (route) => {
    const right = fc.constantFrom(...(table[route] ?? [{}]).map(jsonOf));
    return { bodies: fc.oneof(right, mutated(right), mutated(right)).map(written), headers: [] };
  };

const formBodies =
  (table: Bodies): BodiesOf =>
  (route) => {
    const right = fc.constantFrom(
      ...((table[route] ?? [{}]) as Record<string, string>[]).map((form) => Object.entries(form)),
    );
    const wrong = fc.tuple(right, fc.nat(20), fc.oneof(oddValue.map(written), fc.string({ unit: "binary" })));
    return {
      bodies: fc
        .oneof(
          right,
          wrong.map(([form, at, text]) =>
            form.map(([name, value], i) => [name, i === at % form.length ? text : value]),
          ),
        )
        .map((form) => new URLSearchParams(form as [string, string][]).toString()),
      headers: [["Content-Type", fc.constant("application/x-www-form-urlencoded")]],
    };
  };
