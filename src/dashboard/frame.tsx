import type { Context, Handler } from "hono";
import { html } from "hono/html";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { ControlError } from "../control/errors.ts";
import type { Guard } from "../control/gate.ts";
import { DatabaseUnusable } from "../rules/errors.ts";
import type { Flash, Flashes } from "./flashes.ts";
import { Layout } from "./layout.tsx";
import { problem } from "./pages/problem.tsx";
import { pathTo } from "./paths.ts";
import type { DashboardServices, Page, Visit } from "./visit.ts";

/** Nothing but the dashboard's own files, forms and requests; no style, no script and no markup of a script's. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src data:",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

const headers = {
  "Content-Security-Policy": policy,
  // Pages tell of requests and, once, of a secret.
  "Cache-Control": "no-store",
  "X-Content-Type-Options": "nosniff",
  // With less a browser would send `Origin: null` along with the dashboard's own forms.
  "Referrer-Policy": "same-origin",
  "Cross-Origin-Opener-Policy": "same-origin",
};

interface Shown {
  readonly status?: ContentfulStatusCode;
  readonly flash?: Flash | undefined;
  /** Nobody has signed in. */
  readonly nobody?: boolean;
}

/** Answers with a page. */
export type ShowPage = (c: Context, page: Page, shown?: Shown) => Response | Promise<Response>;

/** What all pages have in common. */
export function createFrame(services: DashboardServices, guard: Guard, flashes: Flashes) {
  const page: ShowPage = (c, { title, body }, { status = 200, flash, nobody = false } = {}) => {
    const visitor = nobody ? "nobody" : guard.kind === "token" ? "signed in" : "anyone";
    const whole = (
      <Layout title={title} version={services.version} path={c.req.path} flash={flash} visitor={visitor}>
        {body}
      </Layout>
    );
    return c.html(html`<!doctype html>${whole}`, status, headers);
  };

  /** Shows a page to whoever was let in. */
  const show =
    (make: (visit: Visit, id: string) => Page): Handler =>
    (c) => {
      const visit = visitOf(c, services, flashes);
      return page(c, make(visit, c.req.param("id") ?? ""), visit);
    };

  const onError = (thrown: Error, c: Context) => {
    if (thrown instanceof ControlError) {
      const title = thrown.status === 404 ? "Not found" : "Not possible";
      return page(c, problem(title, thrown.message), {
        status: thrown.status,
        nobody: thrown.status === 403,
      });
    }
    services.onDefect(thrown, c.req.method, c.req.path);
    if (thrown instanceof DatabaseUnusable) {
      return page(c, problem("The database cannot be used", `${thrown.message}. ${thrown.outcome}`), {
        status: 503,
      });
    }
    return page(c, problem("The sandbox itself failed", "Its log says more."), { status: 500 });
  };
  return { page, show, onError };
}

function visitOf(c: Context, services: DashboardServices, flashes: Flashes): Visit {
  const { flash, ...query } = Object.fromEntries(
    Object.entries(c.req.query()).filter(([, value]) => value !== ""),
  );
  const here = pathTo(c.req.path.slice(pathTo("").length), query);
  const { origin } = new URL(c.req.url);
  const liveOrigin = liveOriginOf(services, origin);
  return { services, origin, liveOrigin, here, query, flash: flashes.take(flash) };
}

/** On the host by which this page was reached. */
function liveOriginOf({ environments, livePort }: DashboardServices, origin: string): string | undefined {
  if (environments.includes("live")) return origin;
  if (livePort === undefined) return undefined;
  const live = new URL(origin);
  live.port = String(livePort);
  return live.origin;
}
