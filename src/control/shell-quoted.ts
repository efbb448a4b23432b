/** What a terminal would take for more than text; tabs and line feeds are text. */
const control = /(?![\t\n])\p{Cc}/u;

/** A word as a POSIX shell takes it; one with control characters, as bash and zsh do. */
export function shellQuoted(text: string): string {
  if (!control.test(text)) return `'${text.replaceAll("'", "'\\''")}'`;
  const escaped = text.replace(/[\\']/g, "\\$&").replace(new RegExp(control, "gu"), codeOf);
  return `$'${escaped}'`;
}

function codeOf(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
