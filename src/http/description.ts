import type { Environment } from "../contract/identifiers.ts";
import type { OpenapiDocument } from "../contract/openapi/document.ts";
import { type OnBehalfOfMode, operations } from "../contract/operations.ts";

/** The files of the API reference that are not the sandbox's own. */
export const docsFiles = ["swagger-ui-bundle.js", "swagger-ui.css"] as const;
export type DocsFile = (typeof docsFiles)[number];

/** Reads a file of the API reference; undefined if the build did not add it. */
export type DocsFiles = (name: DocsFile) => Promise<Uint8Array<ArrayBuffer> | undefined>;

interface DescriptionOptions {
  /** The environments that this base address serves. */
  readonly environments: readonly Environment[];
  readonly onBehalfOf: OnBehalfOfMode;
  readonly version: string;
  readonly files: DocsFiles | undefined;
}

type Content = string | Uint8Array<ArrayBuffer>;

const documents = new Map<OnBehalfOfMode, Promise<OpenapiDocument>>();

/** Made on first use: loading the code that makes it takes longer than the start of the sandbox. */
function documentOnce(onBehalfOf: OnBehalfOfMode): Promise<OpenapiDocument> {
  const made = documents.get(onBehalfOf);
  if (made) return made;
  const making = import("../contract/openapi/document.ts").then(({ openapiDocument }) =>
    openapiDocument(undefined, onBehalfOf),
  );
  documents.set(onBehalfOf, making);
  return making;
}

/**
 * Serves the OpenAPI document, `/openapi.json`, and the API reference made of it, `/docs`, without credentials. Neither is
 * part of the service, and the journal does not record these requests.
 */
export function createDescription({ environments, onBehalfOf, version, files }: DescriptionOptions) {
  return async (request: Request): Promise<Response> => {
    if (request.method !== "GET" && request.method !== "HEAD") {
      return reply(request, 405, "text/plain", `use GET or HEAD, not ${request.method}`, {
        Allow: "GET, HEAD",
      });
    }
    const { pathname, origin } = new URL(request.url);
    if (pathname === "/openapi.json") {
      const text = JSON.stringify(await documentAt(environments, onBehalfOf, origin));
      return reply(request, 200, "application/json", text, { "Cache-Control": "no-cache" });
    }
    if (pathname === "/docs" || pathname === "/docs/") {
      const headers = { "Content-Security-Policy": docsPolicy, "Cache-Control": "no-cache" };
      return reply(request, 200, "text/html", docsPage(version), headers);
    }
    const name = pathname.slice("/docs/".length);
    if (name === "init.js") return reply(request, 200, "text/javascript", docsScript, immutable);
    const file = docsFiles.find((each) => each === name);
    if (!file) return reply(request, 404, "text/plain", "the API reference is at /docs");
    const content = await files?.(file);
    if (content)
      return reply(request, 200, file.endsWith(".css") ? "text/css" : "text/javascript", content, immutable);
    return reply(request, 503, "text/plain", "the API reference is not built: run npm run build");
  };
}

/** The URLs of the files contain the version, so they never change. */
const immutable = { "Cache-Control": "public, max-age=31536000, immutable" };

/** The OpenAPI document of an origin, without the token endpoints that it does not serve. */
async function documentAt(
  environments: readonly Environment[],
  onBehalfOf: OnBehalfOfMode,
  origin: string,
): Promise<OpenapiDocument> {
  const { serversAt } = await import("../contract/openapi/document.ts");
  const document = await documentOnce(onBehalfOf);
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

/** The page of the API reference. The URLs of its files contain the version, so that a browser may cache them. */
function docsPage(version: string): string {
  const file = (name: string) => `/docs/${name}?v=${encodeURIComponent(version)}`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Company card service</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${file("swagger-ui.css")}">
</head>
<body>
<div id="reference">The API reference needs JavaScript; /openapi.json is what it shows.</div>
<script src="${file("swagger-ui-bundle.js")}"></script>
<script src="${file("init.js")}"></script>
</body>
</html>
`;
}

/** Shows the document without an external validator, and without configuration from the query. */
const docsScript = `SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#reference",
  deepLinking: true,
  docExpansion: "list",
  queryConfigEnabled: false,
  showCommonExtensions: true,
  validatorUrl: null,
});
`;
