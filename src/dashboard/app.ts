import { Hono } from "hono";
import { ControlError } from "../control/errors.ts";
import type { Gate } from "../control/gate.ts";
import { acting } from "./acting.ts";
import { actions } from "./actions.ts";
import type { DashboardFiles } from "./files.ts";
import { Flashes } from "./flashes.ts";
import { createFrame } from "./frame.tsx";
import { apiKeys } from "./pages/api-keys.tsx";
import { card } from "./pages/card.tsx";
import { cards } from "./pages/cards.tsx";
import { companies } from "./pages/companies.tsx";
import { company } from "./pages/company.tsx";
import { overview } from "./pages/overview.tsx";
import { report } from "./pages/report.tsx";
import { request } from "./pages/request.tsx";
import { requests } from "./pages/requests.tsx";
import { scenarios } from "./pages/scenarios.tsx";
import { base } from "./paths.ts";
import { serveFiles } from "./serve-files.ts";
import { createSignIn } from "./sign-in.ts";
import type { DashboardServices } from "./visit.ts";

/**
 * The pages under `/_sandbox/ui`. They read and act by what the sandbox's own API does, and work without the script,
 * which only adds the requests that come and the copy buttons.
 */
export function createDashboard(services: DashboardServices, gate: Gate, files?: DashboardFiles): Hono {
  const flashes = new Flashes();
  const { page, show, onError } = createFrame(services, gate.guard, flashes);
  const door = createSignIn(gate, page);
  const ui = new Hono().basePath(base);
  ui.onError(onError);

  for (const path of ["/dashboard.css", "/dashboard.js", "/sign-in"]) ui.get(path, door.refuseOtherSites);
  ui.get("/dashboard.css", serveFiles("dashboard.css", files));
  ui.get("/dashboard.js", serveFiles("dashboard.js", files));

  ui.post("/*", door.refuseOtherPages);
  ui.get("/sign-in", door.ask);
  ui.post("/sign-in", door.signIn);
  ui.post("/sign-out", door.signOut);
  ui.use("/*", door.letIn);

  ui.get("/", show(overview));
  ui.get("/requests", show(requests));
  ui.get("/requests/:id", show(request));
  ui.get("/scenarios", show(scenarios));
  ui.get("/companies", show(companies));
  ui.get("/companies/:id", show(company));
  ui.get("/api-keys", show(apiKeys));
  ui.get("/cards", show(cards));
  ui.get("/cards/:id", show(card));
  ui.get("/report", show(report));
  for (const [path, work] of Object.entries(actions(services))) ui.post(path, acting(flashes, work));

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
