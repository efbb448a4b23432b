import { type Handler, Hono } from "hono";
import { ControlError } from "../control/errors.ts";
import type { Gate } from "../control/gate.ts";
import { actions } from "./actions.ts";
import { createRenderer } from "./layout.tsx";
import type { DashboardServices } from "./page.ts";
import { assumptions } from "./pages/assumptions.tsx";
import { card } from "./pages/card.tsx";
import { cards } from "./pages/cards.tsx";
import { company } from "./pages/company.tsx";
import { contract } from "./pages/contract.tsx";
import { delivery } from "./pages/delivery.tsx";
import { overview } from "./pages/overview.tsx";
import { report } from "./pages/report.tsx";
import { request } from "./pages/request.tsx";
import { requests } from "./pages/requests.tsx";
import { edit } from "./pages/resend.tsx";
import { scenario } from "./pages/scenario.tsx";
import { scenarios } from "./pages/scenarios.tsx";
import { sweep } from "./pages/sweep.tsx";
import { tape } from "./pages/tape.tsx";
import { tapedRequest } from "./pages/taped-request.tsx";
import { webhooks } from "./pages/webhooks.tsx";
import { world } from "./pages/world.tsx";
import { base, pathTo } from "./paths.ts";
import { createSignIn } from "./sign-in.tsx";
import { Flashes, submit } from "./submit.ts";
import { sweepReportIn } from "./sweep-file.ts";

const fileTypes = {
  "dashboard.css": "text/css; charset=utf-8",
  "dashboard.js": "text/javascript; charset=utf-8",
  "mark.svg": "image/svg+xml",
} as const;

/** Reads one of the dashboard's static files. */
export type DashboardFiles = (name: keyof typeof fileTypes) => Promise<Uint8Array<ArrayBuffer>>;

/**
 * The pages under `/_sandbox/ui`. They use the operations of the control API, and work without the script, which only
 * adds live parts, a search in lists, keys, a running clock and copy buttons.
 * @internal
 */
export function createDashboard(services: DashboardServices, gate: Gate, files?: DashboardFiles): Hono {
  const flashes = new Flashes();
  const { render, show, onError } = createRenderer(services, gate.guard, flashes);
  const access = createSignIn(gate, render);
  const ui = new Hono().basePath(base);
  ui.onError(onError);

  ui.get("/sign-in", access.refuseOtherSites);
  for (const name of Object.keys(fileTypes) as (keyof typeof fileTypes)[]) {
    ui.get(`/${name}`, access.refuseOtherSites, serveFile(name, files));
  }

  ui.post("/*", access.refuseOtherPages);
  ui.get("/sign-in", access.showForm);
  ui.post("/sign-in", access.signIn);
  ui.post("/sign-out", access.signOut);
  ui.use("/*", access.requireSignIn);

  ui.get("/", show(overview));
  ui.get("/requests", show(requests));
  ui.get("/requests/:id", show(request));
  ui.get("/requests/:id/edit", show(edit));
  ui.get("/scenarios", show(scenarios));
  ui.get("/scenarios/:id", show(scenario));
  ui.get("/assumptions", show(assumptions));
  ui.get("/world", show(world));
  ui.get("/companies/:id", show(company));
  ui.get("/cards", show(cards));
  ui.get("/cards/:id", show(card));
  ui.get("/contract", show(contract));
  ui.get("/report", show(report));
  ui.get("/webhooks", show(webhooks));
  ui.get("/webhooks/:id", show(delivery));
  ui.get("/tape", show(tape));
  ui.get("/tape/:id", show(tapedRequest));
  ui.get("/sweep", (c) => render(c, sweep()));
  ui.post("/sweep", async (c) => {
    try {
      return await render(c, sweep({ report: await sweepReportIn(c) }));
    } catch (error) {
      if (!(error instanceof ControlError)) throw error;
      return render(c, sweep({ problem: error.message }), { status: error.status });
    }
  });
  // Pages of earlier versions.
  for (const path of ["/companies", "/api-keys"]) {
    ui.get(path, (c) => {
      const { company, search } = c.req.query();
      if (!company) return c.redirect(pathTo("/world", { search }));
      return c.redirect(pathTo(`/companies/${services.companies.show(company).id}`));
    });
  }
  for (const [path, action] of Object.entries(actions(services))) ui.post(path, submit(flashes, action));

  ui.all("/*", (c) => {
    // Percent-encoded as it arrived: the decoded path may contain characters that are invalid in a header.
    const { pathname, search } = new URL(c.req.url);
    if (pathname.endsWith("/") && !/\p{Cc}/u.test(c.req.path)) {
      return c.redirect(pathname.slice(0, -1) + search);
    }
    throw new ControlError(404, `the dashboard has no page ${c.req.path}`);
  });
  return ui;
}

function serveFile(name: keyof typeof fileTypes, files: DashboardFiles | undefined): Handler {
  return async (c) => {
    if (!files)
      return c.text(`${name} is not available: the sandbox was created without dashboardFiles`, 404);
    return c.body(await files(name), 200, {
      "Content-Type": fileTypes[name],
      "Cache-Control": "no-cache",
      "X-Content-Type-Options": "nosniff",
    });
  };
}
