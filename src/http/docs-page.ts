/** Nothing but the sandbox's own files, and requests to nobody but the sandbox. */
export const docsPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** The API reference, whose files are named with the version so that a browser may keep them. */
export function docsPage(version: string): string {
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

/** Shows the description; no validator and no configuration of the address's choosing is asked. */
export const docsScript = `SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#reference",
  deepLinking: true,
  docExpansion: "list",
  queryConfigEnabled: false,
  showCommonExtensions: true,
  validatorUrl: null,
});
`;
