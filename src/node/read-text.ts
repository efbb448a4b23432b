import { readFileSync } from "node:fs";

// A byte order mark is the reader's to skip, so that a text is its file's bytes.
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** @throws Error that says why a file cannot be read, or that it is no UTF-8 text */
export function readText(file: string): string {
  const bytes = readFileSync(file);
  try {
    return utf8.decode(bytes);
  } catch (error) {
    throw new Error("it is no UTF-8 text", { cause: error });
  }
}
