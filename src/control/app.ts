import { Hono } from "hono";
import { contractPoints } from "../contract/points.ts";
import { formatCoverage } from "../journal/formats/coverage.ts";
import { formatFindings } from "../journal/formats/findings.ts";
import { maskSecrets } from "../rules/api-key.ts";
import { DatabaseUnusable } from "../rules/errors.ts";
import type { Gate } from "./admit.ts";
import { worldParameters } from "./companies.ts";
import { ControlError } from "./control-error.ts";
import { readJson } from "./read-json.ts";
import { requestStream } from "./request-stream.ts";
import { coverageQuery, findingsQuery, listQuery, readQuery, streamQuery } from "./requests.ts";
import { armedQuery } from "./scenarios.ts";
import type { ControlServices } from "./services.ts";
import { deliveriesQuery } from "./webhooks.ts";

/** Whether a path, which begins in the URL at `start`, is one of the sandbox's own API. */
export function isControl(url: string, start: number): boolean {
  return start > 0 && /^\/_sandbox(?![^/?#])/.test(url.slice(start, start + "/_sandbox".length + 1));
}

/** What there is to begin with. */
const contents = {
  dashboard: "/_sandbox/ui",
  health: "/_sandbox/health",
  world: "/_sandbox/world",
  scenarios: "/_sandbox/scenarios",
  contract: "/_sandbox/contract",
  requests: "/_sandbox/requests",
  coverage: "/_sandbox/coverage",
  findings: "/_sandbox/findings",
  description: "/openapi.json",
  reference: "/docs",
};

/** The sandbox's own API under `/_sandbox`: JSON in and out, errors as `{error}`. */
export function createControl(services: ControlServices, gate: Gate): Hono {
  const { companies, cards, apiKeys, scenarios, time, state, journal, requests, clock, seed, version } =
    services;
  const { invoices, simulator } = services;
  const { webhooks } = services;
  const control = new Hono().basePath("/_sandbox");
  control.onError((thrown, c) => {
    if (thrown instanceof ControlError) return c.json({ error: thrown.message }, thrown.status);
    services.onDefect(thrown, c.req.method, c.req.path);
    if (thrown instanceof DatabaseUnusable) {
      return c.json({ error: `${thrown.message}. ${thrown.outcome}` }, 503);
    }
    return c.json({ error: "the sandbox itself failed" }, 500);
  });
  control.use("/*", async (c, next) => {
    await next();
    c.res.headers.set("Date", new Date(time.read().now).toUTCString());
  });
  control.use("/*", gate.guarded);

  control.get("/", (c) => {
    const isBrowser = c.req.header("Accept")?.includes("text/html") ?? false;
    return isBrowser ? c.redirect(contents.dashboard, 303) : c.json(contents);
  });
  control.get("/health", async (c) => {
    const health = { status: "ok", version, now: time.read().now };
    // Reproducible secrets can be computed from the seed.
    return c.json((await gate.isAdmitted(c)) ? { ...health, seed } : health);
  });
  control.get("/contract", (c) =>
    c.json({ points: Object.entries(contractPoints).map(([id, point]) => ({ id, ...point })) }),
  );
  control.get("/world", (c) => c.json(companies.world(readQuery(c.req.queries(), worldParameters))));

  control.post("/companies", async (c) => c.json(await companies.create(await readJson(c)), 201));
  control.patch("/companies/:name{.+}", async (c) =>
    c.json(companies.change(c.req.param("name"), await readJson(c))),
  );
  control.delete("/companies/:name{.+}", (c) => {
    companies.delete(c.req.param("name"));
    return c.body(null, 204);
  });
  control.patch("/accounts/:name", async (c) =>
    c.json(companies.changeAccount(c.req.param("name"), await readJson(c))),
  );
  control.patch("/members/:name", async (c) =>
    c.json(companies.changeMember(c.req.param("name"), await readJson(c))),
  );

  control.post("/cards/:id/operator", async (c) =>
    c.json(cards.operate(c.req.param("id"), await readJson(c))),
  );
  control.post("/cards/:id/expire", (c) => c.json(cards.expire(c.req.param("id"))));
  control.get("/cards/:id/delivery", (c) => c.json(cards.delivery(c.req.param("id"))));
  control.post("/cards/:id/delivery", async (c) =>
    c.json(cards.moveDelivery(c.req.param("id"), await readJson(c))),
  );

  control.get("/api-keys", (c) => c.json(apiKeys.list(c.req.query("company"))));
  control.post("/api-keys", async (c) => c.json(apiKeys.create(await readJson(c)), 201));
  control.delete("/api-keys/:id", (c) => c.json(apiKeys.revoke(c.req.param("id"))));

  control.post("/invoices", async (c) => c.json(invoices.create(await readJson(c)), 201));
  control.post("/invoices/:id/pay", (c) => c.json(invoices.settle(c.req.param("id"), "paid")));
  control.post("/invoices/:id/void", (c) => c.json(invoices.settle(c.req.param("id"), "void")));

  control.post("/simulate/authorisations", async (c) => c.json(simulator.authorise(await readJson(c)), 201));
  control.post("/simulate/authorisations/:id/clear", async (c) =>
    c.json(simulator.clear(c.req.param("id"), await readJson(c))),
  );
  control.post("/simulate/authorisations/:id/reverse", async (c) =>
    c.json(simulator.reverse(c.req.param("id"), await readJson(c))),
  );
  control.post("/simulate/authorisations/:id/expire", (c) => c.json(simulator.expire(c.req.param("id"))));
  control.post("/simulate/refunds", async (c) => c.json(simulator.refund(await readJson(c)), 201));
  control.post("/simulate/topups", async (c) => c.json(simulator.topUp(await readJson(c)), 201));
  control.post("/simulate/fees", async (c) => c.json(simulator.charge(await readJson(c)), 201));

  control.get("/scenarios", (c) => c.json({ scenarios: scenarios.all() }));
  control.post("/scenarios/:name/arm", async (c) =>
    c.json(scenarios.arm(c.req.param("name"), await readJson(c)), 201),
  );
  control.get("/armed", (c) => c.json(scenarios.armed(readQuery(c.req.queries(), armedQuery))));
  control.get("/unfired", (c) => c.json({ unfired: scenarios.unfired() }));
  control.get("/armed/:id", (c) => c.json(scenarios.byId(c.req.param("id"))));
  control.delete("/armed", (c) => {
    scenarios.disarmAll(readQuery(c.req.queries(), armedQuery));
    return c.body(null, 204);
  });
  control.delete("/armed/:id", (c) => {
    scenarios.disarm(c.req.param("id"));
    return c.body(null, 204);
  });
  control.post("/armed/:id/release", (c) => c.json(scenarios.release(c.req.param("id"))));

  control.get("/clock", (c) => c.json(time.read(c.req.query("company"))));
  control.put("/clock", async (c) => c.json(time.change(await readJson(c))));
  control.post("/clock/advance", async (c) => c.json(await time.advance(await readJson(c))));

  control.post("/reset", async (c) => {
    const asked = await readJson<{ company?: string }>(c);
    state.putBack(asked);
    return c.json(time.read(asked.company));
  });

  control.get("/snapshots", (c) => c.json({ snapshots: state.snapshots() }));
  control.post("/snapshots", async (c) => c.json(state.snapshot(await readJson(c)), 201));
  control.post("/snapshots/:name/restore", (c) => {
    state.restore(c.req.param("name"));
    return c.json(time.read());
  });
  control.delete("/snapshots/:name", (c) => {
    state.deleteSnapshot(c.req.param("name"));
    return c.body(null, 204);
  });

  control.get("/coverage", (c) => {
    const { format, ...filter } = readQuery(c.req.queries(), coverageQuery);
    const { text, type } = formatCoverage(services.coverage.report(filter), format);
    return c.body(text, 200, { "Content-Type": type });
  });
  control.get("/findings", (c) => {
    const { format, ...filter } = readQuery(c.req.queries(), findingsQuery);
    const { text, type } = formatFindings(services.findings.report(filter), format);
    return c.body(text, 200, { "Content-Type": type });
  });
  control.get("/webhooks/deliveries", (c) =>
    c.json({ deliveries: webhooks.deliveries(readQuery(c.req.queries(), deliveriesQuery)) }),
  );

  control.get("/requests", (c) => c.json(requests.list(readQuery(c.req.queries(), listQuery))));
  control.delete("/requests", (c) => {
    requests.clear();
    return c.body(null, 204);
  });
  control.get("/requests/stream", (c) => {
    const headers = { last_event_id: c.req.header("Last-Event-ID") };
    const { last_event_id: lastId, ...filter } = readQuery(c.req.queries(), streamQuery, headers);
    const type = { "Content-Type": "text/event-stream", "Cache-Control": "no-cache" };
    // The body of a response to HEAD is never read, so its stream would never end.
    if (c.req.method === "HEAD") return c.body(null, 200, type);
    return c.body(requestStream(journal, clock, { filter, lastId, signal: gate.signalOf(c) }), 200, type);
  });
  control.get("/requests/:id", (c) => {
    const entry = requests.get(c.req.param("id"));
    if (entry) return c.json(entry);
    throw new ControlError(404, `no request ${c.req.param("id")}: it is no longer kept, or never was`);
  });

  control.all("/*", (c) => {
    throw new ControlError(
      404,
      `the sandbox's own API has no ${c.req.method} ${maskSecrets(c.req.path)}: GET /_sandbox tells where to begin`,
    );
  });
  return control;
}
