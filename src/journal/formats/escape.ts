const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Control characters, line separators and bidirectional overrides, which change how a terminal shows other text. */
const control = /[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** Escapes text for one line of a terminal or a log: control characters become escapes such as `\\u001b`. */
export function escapeControls(raw: string): string {
  return raw.replace(control, codeOf);
}

/** Joins the lines of a message; control characters become escapes. */
export function oneLine(message: string): string {
  return escapeControls(message.replace(/\s*\n\s*/g, " "));
}

/** Formats a value as indented JSON for a terminal. JSON itself escapes only some control characters. */
export function jsonLines(value: unknown): string {
  const lines = JSON.stringify(value, null, 2).split("\n");
  return `${lines.map(escapeControls).join("\n")}\n`;
}

/** Escapes text for XML and HTML, and removes control characters. */
export function escapeMarkup(raw: string): string {
  return raw
    .toWellFormed()
    .replace(/[^\t\n\r\u0020-\u007e\u00a0-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, "")
    .replace(/[&<>"']/g, (character) => entities[character] ?? "");
}

/** Escapes text for one line of Markdown, also in a table. */
export function escapeMarkdown(raw: string): string {
  return escapeControls(raw.replace(/\s+/g, " ")).replace(/[\\`*_{}[\]<>#|~]/g, "\\$&");
}

/** Characters that a terminal does not treat as text; tabs and line feeds are text. */
const beyondText = /(?![\t\n])\p{Cc}/u;

/** Quotes a word for a POSIX shell; for bash and zsh if it has control characters. */
export function shellQuoted(text: string): string {
  return beyondText.test(text) ? dollarQuoted(text, beyondText) : `'${text.replaceAll("'", "'\\''")}'`;
}

/** Joins the words of a command for a POSIX shell, on one line. Quotes only the words that need it. */
export function shellWords(words: readonly string[]): string {
  const quoted = (word: string) => (/[\t\n]/.test(word) ? dollarQuoted(word, /\p{Cc}/u) : shellQuoted(word));
  return words.map((word) => (/^[\w./-][\w./:@%+=,#-]*$/.test(word) ? word : quoted(word))).join(" ");
}

/** `$'…'`, which bash and zsh read. */
function dollarQuoted(text: string, escaped: RegExp): string {
  const escapes: Readonly<Record<string, string>> = { "\n": "\\n", "\t": "\\t" };
  const inner = text
    .replace(/[\\']/g, "\\$&")
    .replace(new RegExp(escaped, "gu"), (character) => escapes[character] ?? codeOf(character));
  return `$'${inner}'`;
}

function codeOf(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
