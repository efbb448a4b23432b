import type { Contract } from "../contract/dialect.ts";
import type { Environment } from "../contract/identifiers.ts";
import type { OpenapiDocument } from "../contract/openapi/named-document.ts";
import { operations } from "../contract/operations.ts";
import type { Orderer } from "../world/first-order.ts";
import type { StartPageOptions } from "./start-page.ts";

/** The files of the API reference that are not the sandbox's own. */
export const docsFiles = ["swagger-ui-bundle.js", "swagger-ui.css"] as const;

/** The files that the API reference shares with the dashboard. */
const sharedFiles = ["dashboard.css", "mark.svg"] as const;

export type DocsFile = (typeof docsFiles)[number] | (typeof sharedFiles)[number];

const fileTypes = { css: "text/css", js: "text/javascript", svg: "image/svg+xml" } as const;

/** Reads a file of the API reference; undefined if the build did not add it. */
export type DocsFiles = (name: DocsFile) => Promise<Uint8Array<ArrayBuffer> | undefined>;

interface DescriptionOptions {
  /** The environments that this base URL serves. */
  readonly environments: readonly Environment[];
  readonly livePort: number | undefined;
  readonly control: StartPageOptions["control"];
  /** The contract under the dialect of the sandbox, which can change. */
  readonly contract: () => Contract;
  readonly version: string;
  readonly files: DocsFiles | undefined;
  /** The member whose API key a request to this host may see. */
  readonly ordererAt: (hostname: string) => Orderer | undefined;
}

type Content = string | Uint8Array<ArrayBuffer>;

const documents = new WeakMap<Contract, Promise<OpenapiDocument>>();

/** Made on first use: loading the code that makes it takes longer than the start of the sandbox. */
function documentOnce(contract: Contract): Promise<OpenapiDocument> {
  const made = documents.get(contract);
  if (made) return made;
  const making = import("../contract/openapi/document.ts").then(({ openapiDocument }) =>
    openapiDocument(undefined, contract),
  );
  documents.set(contract, making);
  return making;
}

/**
 * Serves the start page under `/`, the OpenAPI document of the service under `/openapi.json`, and the API reference under
 * `/docs`, without credentials. The journal does not record these requests.
 */
export function createDescription(options: DescriptionOptions) {
  const { environments, contract, version, files } = options;
  const hasControl = options.control !== "none";
  return async (request: Request): Promise<Response> => {
    if (request.method !== "GET" && request.method !== "HEAD") {
      return reply(request, 405, "text/plain", `${request.method}: method not allowed. Use GET or HEAD.`, {
        Allow: "GET, HEAD",
      });
    }
    const { pathname, origin, hostname } = new URL(request.url);
    if (pathname === "/") {
      const varying = { "Cache-Control": "no-store", Vary: "Accept" };
      if (request.headers.get("Accept")?.includes("text/html")) {
        const Location = hasControl ? "/_sandbox/ui" : "/docs";
        return new Response(null, { status: 303, headers: { Location, ...varying } });
      }
      const { startPage } = await import("./start-page.ts");
      const orderer = options.ordererAt(hostname);
      const onBehalfOfRequired = contract().choices["on_behalf_of.mode"] === "required";
      const text = startPage(origin, { ...options, onBehalfOfRequired, orderer });
      return reply(request, 200, "text/plain", text, varying);
    }
    if (pathname === "/openapi.json") {
      const text = JSON.stringify(await documentAt(environments, contract(), origin));
      return reply(request, 200, "application/json", text, { "Cache-Control": "no-cache" });
    }
    const page = pageAt(pathname, hasControl);
    if (page) {
      const headers = { "Content-Security-Policy": docsPolicy, "Cache-Control": "no-cache" };
      return reply(request, 200, "text/html", docsPage(page, hasControl, version), headers);
    }
    const name = pathname.slice("/docs/".length);
    if (name === "page.js") return reply(request, 200, "text/javascript", docsScript, immutable);
    if (name === "page.css") return reply(request, 200, "text/css", docsStyle, immutable);
    const file = [...docsFiles, ...sharedFiles].find((each) => each === name);
    if (!file)
      return reply(request, 404, "text/plain", `${pathname} does not exist. The API reference is at /docs.`);
    const content = await files?.(file);
    const ending = file.slice(file.lastIndexOf(".") + 1) as keyof typeof fileTypes;
    if (content) return reply(request, 200, fileTypes[ending], content, immutable);
    return reply(request, 503, "text/plain", "The API reference is not built. Run npm run build.");
  };
}

/** One page of the API reference. */
interface DocsPage {
  readonly path: string;
  readonly title: string;
  /** The path of the OpenAPI document. */
  readonly document: string;
}

const servicePage: DocsPage = { path: "/docs", title: "Company card service", document: "/openapi.json" };
const controlPage: DocsPage = {
  path: "/docs/control",
  title: "Control API",
  document: "/_sandbox/openapi.json",
};

function pageAt(pathname: string, hasControl: boolean): DocsPage | undefined {
  const path = pathname.replace(/\/$/, "");
  return (hasControl ? [servicePage, controlPage] : [servicePage]).find((page) => page.path === path);
}

/** The URLs of the files contain the version, so they never change. */
const immutable = { "Cache-Control": "public, max-age=31536000, immutable" };

/** The OpenAPI document of an origin, without the token endpoints that it does not serve. */
async function documentAt(
  environments: readonly Environment[],
  contract: Contract,
  origin: string,
): Promise<OpenapiDocument> {
  const { serversAt } = await import("../contract/openapi/document.ts");
  const document = await documentOnce(contract);
  const servers = serversAt(Object.fromEntries(environments.map((environment) => [environment, origin])));
  const unserved: string[] = [];
  if (!environments.includes("sandbox")) unserved.push(operations.exchangeSandboxKey.path);
  if (!environments.includes("live")) unserved.push(operations.exchangeLiveKey.path);
  const paths = Object.fromEntries(
    Object.entries(document.paths ?? {}).filter(([path]) => !unserved.includes(path)),
  );
  return { ...document, servers, paths };
}

function reply(
  { method }: Request,
  status: number,
  type: string,
  content: Content,
  headers: Readonly<Record<string, string>> = { "Cache-Control": "no-store" },
): Response {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  return new Response(method === "HEAD" ? null : bytes, {
    status,
    headers: {
      "Content-Type": type === "application/json" ? type : `${type}; charset=utf-8`,
      "Content-Length": String(bytes.byteLength),
      "X-Content-Type-Options": "nosniff",
      ...headers,
    },
  });
}

/** The page loads only files of the sandbox, and sends requests only to it. */
const docsPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** A page of the API reference. The URLs of its files contain the version, so that a browser may cache them. */
function docsPage(page: DocsPage, hasControl: boolean, version: string): string {
  const file = (name: string) => `/docs/${name}?v=${encodeURIComponent(version)}`;
  const link = ({ path, title }: DocsPage) =>
    `<a href="${path}"${path === page.path ? ' aria-current="page"' : ""}>${title}</a>`;
  const pages = hasControl ? [servicePage, controlPage] : [servicePage];
  const links = [...pages.map(link), ...(hasControl ? ['<a href="/_sandbox/ui">Dashboard</a>'] : [])];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${page.title} · card-sandbox</title>
<link rel="icon" href="${file("mark.svg")}">
<link rel="stylesheet" href="${file("swagger-ui.css")}">
<link rel="stylesheet" href="${file("dashboard.css")}">
<link rel="stylesheet" href="${file("page.css")}">
<script src="${file("page.js")}"></script>
</head>
<body>
<header>
<a class="brand" href="${hasControl ? "/_sandbox/ui" : "/docs"}"><span>card-sandbox <small>${version}</small></span></a>
<nav aria-label="API reference"><ul>${links.map((each) => `<li>${each}</li>`).join("\n")}</ul></nav>
</header>
<main id="content">
<div id="reference" data-document="${page.document}">
The API reference needs JavaScript. You can read <a href="${page.document}">the OpenAPI document</a> without it.
</div>
</main>
<script src="${file("swagger-ui-bundle.js")}"></script>
</body>
</html>
`;
}

/** Shows the document without an external validator and without configuration from the query, in the system's colours. */
const docsScript = `const dark = matchMedia("(prefers-color-scheme: dark)");
const follow = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
follow();
dark.addEventListener("change", follow);
addEventListener("DOMContentLoaded", () => {
  const reference = document.querySelector("#reference");
  SwaggerUIBundle({
    url: reference.dataset.document,
    domNode: reference,
    deepLinking: true,
    docExpansion: "list",
    queryConfigEnabled: false,
    showCommonExtensions: true,
    validatorUrl: null,
  });
});
`;

/** Gives Swagger UI the colours and the type of the dashboard. */
const docsStyle = `.swagger-ui, .swagger-ui :is(h1, h2, h3, h4, h5, p, a, table, label, button, input, select, .info, .opblock-tag,
  .opblock-summary-description, .markdown p, .renderedMarkdown p, .tab li, .response-col_status, .model-title, section.models h4) {
  color: var(--ink); font-family: inherit;
}
.swagger-ui :is(code, pre, .opblock-summary-path, .opblock-summary-method, .model, .parameter__name, .parameter__type, .prop-type) {
  font-family: var(--mono) !important;
}
html.dark-mode :is(body, .swagger-ui, .swagger-ui .opblock) { background-color: transparent; }
html.dark-mode { background: var(--page); }
.swagger-ui .wrapper { max-width: none; padding: 0; }
.swagger-ui .info { margin: 0 0 var(--s6); }
.swagger-ui .info .title { font-family: var(--display); font-size: 1.625rem; color: var(--ink); }
.swagger-ui .info a, .swagger-ui .markdown a { color: var(--accent); }
.swagger-ui .scheme-container { background: var(--surface); border: 1px solid var(--line); border-radius: var(--radius); box-shadow: none; padding: var(--s4); }
.swagger-ui .opblock-tag { border-color: var(--line); font-family: var(--display); font-size: 1.0625rem; }
.swagger-ui .opblock-tag small, .swagger-ui .opblock-summary-description { color: var(--quiet); }
.swagger-ui .opblock, .swagger-ui section.models, .swagger-ui .opblock .opblock-section-header, .swagger-ui section.models .model-container {
  background: var(--surface); border-color: var(--line); box-shadow: none;
}
.swagger-ui .opblock .opblock-summary { border-color: var(--line); }
.swagger-ui .opblock-summary-path, .swagger-ui .parameter__name, .swagger-ui .prop-type, .swagger-ui .model { color: var(--ink); }
.swagger-ui :is(input, select, textarea) { background: var(--sunken); border-color: var(--edge); color: var(--ink); }
.swagger-ui .btn { border-color: var(--edge); color: var(--ink); box-shadow: none; }
.swagger-ui .btn.execute { background: var(--accent-strong); border-color: var(--accent-strong); color: #fff; }
.swagger-ui table thead tr :is(td, th) { border-color: var(--line); color: var(--quiet); }
.swagger-ui svg { fill: currentcolor; }
.swagger-ui .info .title small { background: none; }
.swagger-ui .info .title small pre { background: var(--sunken); border: 1px solid var(--line); color: var(--ink); }
.swagger-ui :is(code, .markdown code, .renderedMarkdown code) { background: var(--sunken); color: var(--ink); }
#reference :is(.dialog-ux .modal-ux, .modal-ux-header) { background: var(--surface); border-color: var(--line); }
.table { background: none; border: 0; }
@media (width >= 48rem) { body > header a[href="/_sandbox/ui"]:not(.brand) { margin-top: var(--s4); } }
@media (width < 48rem) { .swagger-ui .opblock-summary-description { display: none; } }
`;
