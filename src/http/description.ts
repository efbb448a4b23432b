import type { Contract } from "../contract/dialect.ts";
import type { Environment } from "../contract/identifiers.ts";
import type { OpenapiDocument } from "../contract/openapi/named-document.ts";
import { operations } from "../contract/operations.ts";
import type { Orderer } from "../world/first-order.ts";
import type { StartPageOptions } from "./start-page.ts";

/** The files of the API reference that are not the sandbox's own. */
export const docsFiles = ["swagger-ui-bundle.js", "swagger-ui.css"] as const;
export type DocsFile = (typeof docsFiles)[number];

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
    const file = docsFiles.find((each) => each === name);
    if (!file)
      return reply(request, 404, "text/plain", `${pathname} does not exist. The API reference is at /docs.`);
    const content = await files?.(file);
    if (content)
      return reply(request, 200, file.endsWith(".css") ? "text/css" : "text/javascript", content, immutable);
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
<title>${page.title} · card-sandbox</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${file("swagger-ui.css")}">
<link rel="stylesheet" href="${file("page.css")}">
<script src="${file("page.js")}"></script>
</head>
<body>
<header>
<nav aria-label="API reference">${links.join("\n")}</nav>
<p>card-sandbox ${version} · Documentation: README.md and docs/ in the package</p>
</header>
<div id="reference" data-document="${page.document}">
The API reference needs JavaScript. You can read <a href="${page.document}">the OpenAPI document</a> without it.
</div>
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

const docsStyle = `:root { color-scheme: light; --page: #fafafa; --text: #1b1b1b; --link: #0550ae; --line: #d0d0d0; }
@media (prefers-color-scheme: dark) {
  :root { color-scheme: dark; --page: #1c2022; --text: #e4e6e6; --link: #8ec5ff; --line: #454a4d; }
}
body { margin: 0; background: var(--page); color: var(--text); font: 15px/1.5 system-ui, sans-serif; }
header {
  display: flex; flex-wrap: wrap; gap: 4px 24px; align-items: baseline; justify-content: space-between;
  max-width: 1420px; margin: 0 auto; padding: 12px 20px; border-bottom: 1px solid var(--line);
}
header nav { display: flex; flex-wrap: wrap; gap: 4px 20px; }
header a { color: var(--link); }
header a[aria-current] { color: inherit; font-weight: 600; text-decoration: none; }
header p { margin: 0; font-size: 13px; }
`;
