const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Text as XML and HTML take it; characters that XML cannot hold are left out. */
export function escapeMarkup(raw: string): string {
  return raw
    .toWellFormed()
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, "")
    .replace(/[&<>"']/g, (character) => entities[character] ?? "");
}

/** Text as Markdown takes it, also within a table: it is shown as it stands, on one line. */
export function escapeMarkdown(raw: string): string {
  return raw.replace(/\s+/g, " ").replace(/[\\`*_{}[\]<>#|~]/g, "\\$&");
}
