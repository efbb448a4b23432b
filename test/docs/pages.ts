import { existsSync, readdirSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { marked, type Token, type Tokens } from "marked";

export const root = new URL("../..", import.meta.url).pathname;

/** A page of the documentation. */
export interface Page {
  /** From the repository's root, for example `docs/ci.md`. */
  readonly path: string;
  readonly text: string;
  readonly tokens: readonly Token[];
  readonly blocks: readonly Block[];
}

/** A fenced code block. */
export interface Block {
  readonly language: string;
  readonly code: string;
  /** The file that the block is written to. */
  readonly title: string | undefined;
  /** The exit code that its commands must end with. */
  readonly exit: number;
  /** Whether its command starts a sandbox that serves the blocks after it. */
  readonly isServer: boolean;
  /** The only test that runs it, if it needs more than the repository. */
  readonly only: "consumers" | "docker" | undefined;
  /** The program that must be installed for the block to run. */
  readonly needs: string | undefined;
}

/** README.md and all pages in docs/. */
export const pages: readonly Page[] = [
  "README.md",
  ...readdirSync(join(root, "docs"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
].map(readPage);

/** The index of the documentation for agents. */
export const llms = readPage("llms.txt");

function readPage(path: string): Page {
  const text = readFileSync(join(root, path), "utf8");
  return readMarkdown(path, text);
}

export function readMarkdown(path: string, text: string): Page {
  const tokens = marked.lexer(text);
  const blocks = allTokens(tokens)
    .filter((token): token is Tokens.Code => token.type === "code" && token.codeBlockStyle !== "indented")
    .map((token) => readBlock(token, path));
  return { path, text, tokens, blocks };
}

/** The tokens and everything inside them, in the order of the page. */
export function allTokens(tokens: readonly Token[]): Token[] {
  const all: Token[] = [];
  marked.walkTokens([...tokens], (token) => void all.push(token));
  return all;
}

/** @throws Error if the language or an attribute is unknown, so that no block stays untested by a typing mistake */
function readBlock({ lang = "", text }: Tokens.Code, path: string): Block {
  const [, language = "", rest = ""] = /^([a-z]*)(.*)$/.exec(lang) ?? [];
  const fail = (problem: string): never => {
    throw new Error(`${path}: ${problem} in the block \`\`\`${lang}\n${text}`);
  };
  const words = rest.trim() === "" ? [] : (rest.trim().match(/[a-z]+="[^"]*"|\S+/g) ?? []);
  const attributes = new Map(
    words.map((word) => {
      const [name = "", value = ""] = word.split(/=(.*)/s);
      return [name, value.replace(/^"(.*)"$/, "$1")];
    }),
  );
  for (const name of attributes.keys()) {
    if (!["title", "exit", "server", "consumers", "docker", "needs"].includes(name))
      fail(`unknown attribute ${name}`);
  }
  const title = attributes.get("title");
  if (!["sh", "text", "json"].includes(language) && title === undefined) {
    fail('neither commands nor a file: add title="NAME"');
  }
  const only = attributes.has("consumers") ? "consumers" : attributes.has("docker") ? "docker" : undefined;
  return {
    language,
    code: text,
    title,
    exit: Number(attributes.get("exit") ?? 0),
    isServer: attributes.has("server"),
    only,
    needs: attributes.get("needs"),
  };
}

export function isInstalled(program: string): boolean {
  const folders = (process.env.PATH ?? "").split(delimiter);
  return folders.some((folder) => existsSync(join(folder, program)));
}

/** The targets of the page's relative links and images. */
export function linksOf({ tokens, text }: Page): string[] {
  const inMarkdown = allTokens(tokens).flatMap((token) =>
    token.type === "link" || token.type === "image" ? [String(token.href)] : [],
  );
  const inHtml = [...text.matchAll(/<(?:img|source)[^>]*? src(?:set)?="([^"]+)"/g)].map(
    ([, href = ""]) => href,
  );
  return [...inMarkdown, ...inHtml].filter((href) => !/^[a-z]+:/.test(href));
}
