import type { Child } from "hono/jsx";
import type { Flash } from "./flashes.ts";
import { Notice } from "./parts/notice.tsx";
import { base, pathTo } from "./paths.ts";

const pages: readonly (readonly [string, string])[] = [
  ["", "Overview"],
  ["/requests", "Requests"],
  ["/scenarios", "Scenarios"],
  ["/companies", "Companies"],
  ["/api-keys", "API keys"],
  ["/cards", "Cards"],
  ["/report", "Report"],
];

interface LayoutProps {
  readonly title: string;
  readonly version: string;
  /** The path of the page, which lies in one of the menu's. */
  readonly path: string;
  readonly flash?: Flash | undefined;
  /** `nobody`: the page that asks who comes. */
  readonly visitor: "nobody" | "signed in" | "anyone";
  readonly children?: Child;
}

/** What every page has around it. */
export function Layout({ title, version, path, flash, visitor, children }: LayoutProps) {
  const file = (name: string) => `${base}/${name}?v=${encodeURIComponent(version)}`;
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${title} · card-sandbox`}</title>
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href={file("dashboard.css")} />
        <script src={file("dashboard.js")} defer></script>
      </head>
      <body>
        <a class="skip" href="#content">
          Skip to content
        </a>
        <header>
          <a class="brand" href={base}>
            card-sandbox <small>{version}</small>
          </a>
          {visitor !== "nobody" && <Menu path={path} />}
          {visitor === "signed in" && (
            <form method="post" action={pathTo("/sign-out")} class="sign-out">
              <button type="submit">Sign out</button>
            </form>
          )}
        </header>
        <main id="content" tabindex={-1}>
          {flash && !flash.refused?.tellsItself && <Notice flash={flash} />}
          {children}
        </main>
      </body>
    </html>
  );
}

function Menu({ path }: { path: string }) {
  return (
    <nav aria-label="Dashboard">
      <ul>
        {pages.map(([page, name]) => {
          const isHere = page === "" ? path === base : `${path}/`.startsWith(`${base}${page}/`);
          return (
            <li>
              <a href={base + page} {...(isHere && { "aria-current": "page" })}>
                {name}
              </a>
            </li>
          );
        })}
      </ul>
    </nav>
  );
}
