import type { Context, Handler } from "hono";
import { html } from "hono/html";
import type { Child } from "hono/jsx";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { ControlError } from "../control/errors.ts";
import type { Guard } from "../control/gate.ts";
import { DatabaseUnusable } from "../rules/errors.ts";
import { type DashboardServices, type Page, PageContext, type PageRequest } from "./page.ts";
import { Notice } from "./parts/forms.tsx";
import { base, pathTo } from "./paths.ts";
import type { Flash, Flashes } from "./submit.ts";

/** Pages may use the dashboard's own files, forms and requests only; no inline style or script. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

const headers = {
  "Content-Security-Policy": policy,
  // Pages show requests and, once, a secret.
  "Cache-Control": "no-store",
  "X-Content-Type-Options": "nosniff",
  // With a stricter policy, browsers would send `Origin: null` with the dashboard's own forms.
  "Referrer-Policy": "same-origin",
  "Cross-Origin-Opener-Policy": "same-origin",
};

interface RenderOptions {
  readonly status?: ContentfulStatusCode;
  readonly flash?: Flash | undefined;
  /** The visitor is not signed in. */
  readonly signedOut?: boolean;
}

/** Responds with a page. */
export type Render = (c: Context, page: Page, options?: RenderOptions) => Response | Promise<Response>;

/** Renders pages and errors in the layout. */
export function createRenderer(services: DashboardServices, guard: Guard, flashes: Flashes) {
  const render: Render = (
    c,
    { title, body, live = false },
    { status = 200, flash, signedOut = false } = {},
  ) => {
    const visitor = signedOut ? "signed-out" : guard.kind === "token" ? "signed-in" : "no-sign-in";
    const whole = (
      <Layout
        title={title}
        services={services}
        path={c.req.path}
        flash={flash}
        visitor={visitor}
        stream={live === true ? `/_sandbox/requests/stream?last_event_id=${services.journal.lastId}` : live}
      >
        {body}
      </Layout>
    );
    return c.html(html`<!doctype html>${whole}`, status, headers);
  };

  /** A handler that shows a page; `id` is the parameter of its path. */
  const show =
    (pageOf: (request: PageRequest, id: string) => Page | Promise<Page>): Handler =>
    async (c) => {
      const request = pageRequest(c, services, flashes);
      const page = await pageOf(request, c.req.param("id") ?? "");
      const body = <PageContext.Provider value={request}>{page.body}</PageContext.Provider>;
      return render(c, { ...page, body }, { flash: request.flash });
    };

  const onError = (error: Error, c: Context) => {
    if (error instanceof ControlError) {
      const { status, message } = error;
      const page = errorPage(status === 404 ? "Not found" : "Request refused", message);
      return render(c, page, { status, signedOut: status === 403 });
    }
    services.onDefect(error, c.req.method, c.req.path);
    if (error instanceof DatabaseUnusable) {
      const page = errorPage("Database error", `${error.message}. ${error.outcome}`);
      return render(c, page, { status: 503 });
    }
    return render(
      c,
      errorPage("Internal error of the sandbox", "This is a bug in card-sandbox. The log shows the cause."),
      {
        status: 500,
      },
    );
  };
  return { render, show, onError };
}

function pageRequest(c: Context, services: DashboardServices, flashes: Flashes): PageRequest {
  const { flash, ...query } = Object.fromEntries(
    Object.entries(c.req.query()).filter(([, value]) => value !== ""),
  );
  const path = pathTo(c.req.path.slice(base.length), query);
  const { origin } = new URL(c.req.url);
  return {
    services,
    origin,
    liveOrigin: liveOriginOf(services, origin),
    path,
    query,
    flash: flashes.take(flash),
  };
}

/** The live base URL has the same host as the page. */
function liveOriginOf({ environments, livePort }: DashboardServices, origin: string): string | undefined {
  if (environments.includes("live")) return origin;
  if (livePort === undefined) return undefined;
  const live = new URL(origin);
  live.port = String(livePort);
  return live.origin;
}

function errorPage(title: string, message: string): Page {
  const body = (
    <>
      <h1>{title}</h1>
      <p>{message}</p>
      <p>
        <a href={base}>Go to the overview</a>
      </p>
    </>
  );
  return { title, body };
}

const menu: readonly (readonly [path: string, name: string])[] = [
  ["", "Overview"],
  ["/requests", "Requests"],
  ["/cards", "Cards"],
  ["/webhooks", "Webhooks"],
  ["/scenarios", "Scenarios"],
  ["/world", "World"],
  ["/assumptions", "Assumptions"],
  ["/contract", "Contract"],
  ["/report", "Report"],
  ["/sweep", "Sweep"],
];

interface LayoutProps {
  readonly title: string;
  readonly services: DashboardServices;
  readonly path: string;
  readonly flash?: Flash | undefined;
  /** `no-sign-in`: the pages need no sign-in. */
  readonly visitor: "signed-out" | "signed-in" | "no-sign-in";
  /** The URL of the stream that refreshes the page; false: it is not refreshed. */
  readonly stream: string | false;
  readonly children?: Child;
}

function Layout({ title, services, path, flash, visitor, stream, children }: LayoutProps) {
  const { version, replay } = services;
  // The version makes browsers load the files of a new release.
  const file = (name: string) => `${base}/${name}?v=${encodeURIComponent(version)}`;
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${title} · card-sandbox`}</title>
        <link rel="icon" href={file("mark.svg")} />
        <link rel="stylesheet" href={file("dashboard.css")} />
        <script src={file("dashboard.js")} defer></script>
      </head>
      <body>
        <a class="skip" href="#content">
          Skip to content
        </a>
        <header>
          <a class="brand" href={base}>
            <span>
              card-sandbox <small>{version}</small>
            </span>
          </a>
          {visitor !== "signed-out" && (
            <Menu path={path} pages={replay ? menu.toSpliced(2, 0, ["/tape", "Tape"]) : menu} />
          )}
          {visitor === "signed-in" && (
            <form method="post" action={pathTo("/sign-out")} class="sign-out">
              <button type="submit">Sign out</button>
            </form>
          )}
        </header>
        <main id="content" tabindex={-1} {...(stream && { "data-live": stream })}>
          {flash && !flash.refused?.showsMessage && <Notice flash={flash} />}
          {children}
        </main>
      </body>
    </html>
  );
}

function Menu({ path, pages }: { path: string; pages: typeof menu }) {
  return (
    <nav aria-label="Dashboard">
      <ul>
        {pages.map(([page, name]) => {
          const isCurrent =
            page === ""
              ? path === base
              : `${path}/`.startsWith(`${base}${page}/`) ||
                (page === "/world" && path.startsWith(`${base}/companies/`));
          return (
            <li>
              <a href={base + page} {...(isCurrent && { "aria-current": "page" })}>
                {name}
              </a>
            </li>
          );
        })}
        <li>
          <a href="/docs">API reference</a>
        </li>
      </ul>
    </nav>
  );
}
