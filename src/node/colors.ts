import { styleText } from "node:util";
import { oneLine } from "../journal/formats/escape.ts";
import type { Paint, Style } from "../journal/formats/terminal.ts";

export const plain: Paint = (_style, text) => text;

/**
 * Colors text for a stream. Node decides whether: at a terminal, unless NO_COLOR is set, and with FORCE_COLOR also
 * elsewhere.
 */
export function painter(stream: NodeJS.WriteStream): Paint {
  const hasColors = styleText("red", "x", { stream }) !== "x";
  return hasColors ? (style, text) => styleText(style, text, { validateStream: false }) : plain;
}

/** A line of this program for standard error: an error, or a message with another style. */
export function messageLine(message: string, style: Style = "red"): string {
  return `${painter(process.stderr)(style, "card-sandbox:")} ${oneLine(message)}\n`;
}
