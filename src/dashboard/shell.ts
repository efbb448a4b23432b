/** A word as a POSIX shell takes it; one with control characters, as bash and zsh do. */
export function shellQuoted(text: string): string {
  if (!hasControl.test(text)) return `'${text.replaceAll("'", "'\\''")}'`;
  const escaped = text.replace(
    /[\\'\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g,
    (character) => `\\${character === "\\" || character === "'" ? character : codeOf(character)}`,
  );
  return `$'${escaped}'`;
}

/** What a terminal would take for more than text; tabs and line feeds are text. */
const hasControl = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/;

function codeOf(character: string): string {
  return `u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
