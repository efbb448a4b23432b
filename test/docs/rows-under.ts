import type { Tokens } from "marked";
import { pages } from "./pages.ts";

/** The rows of the first table after a heading, as the text of their cells. */
export function rowsUnder(path: string, heading: string): string[][] {
  const tokens = pages.find((page) => page.path === path)?.tokens ?? [];
  const from = tokens.findIndex((token) => token.type === "heading" && token.text === heading);
  const table = tokens.slice(from).find((token): token is Tokens.Table => token.type === "table");
  return (table?.rows ?? []).map((row) => row.map(({ text }) => text));
}
