import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import GithubSlugger from "github-slugger";
import { describe, expect, test } from "vitest";
import { allTokens, linksOf, llms, pages, readMarkdown, root } from "./pages.ts";

/** The anchors of a page: of its headings, as GitHub makes them, and its own. */
function anchorsOf(path: string): ReadonlySet<string> {
  const { tokens, text } = readMarkdown(path, readFileSync(join(root, path), "utf8"));
  const slugger = new GithubSlugger();
  const headings = allTokens(tokens).flatMap((token) => (token.type === "heading" ? [token.text] : []));
  const own = [...text.matchAll(/<a (?:id|name)="([^"]+)"/g)].map(([, id = ""]) => id);
  return new Set([...headings.map((heading) => slugger.slug(heading.replaceAll("`", ""))), ...own]);
}

describe("each relative link and image leads somewhere", () => {
  test.each([...pages, llms].map((page) => [page.path, page] as const))("%s", (path, page) => {
    const broken = linksOf(page).filter((link) => {
      const [file = "", anchor] = link.split("#");
      const target = file === "" ? path : normalize(join(dirname(path), decodeURI(file)));
      if (!existsSync(join(root, target))) return true;
      if (anchor === undefined) return false;
      return statSync(join(root, target)).isDirectory() || !anchorsOf(target).has(anchor);
    });
    expect(broken).toEqual([]);
  });
});
test("every page of docs/ is in the index, and has one title", () => {
  const index = pages.find(({ path }) => path === "docs/README.md");
  const linked = index ? linksOf(index) : [];
  const names = pages.map(({ path }) => path.replace("docs/", "")).filter((name) => name !== "README.md");
  expect(names.filter((name) => !linked.includes(name))).toEqual([]);
  for (const { path, tokens } of pages) {
    expect([path, tokens.filter((token) => token.type === "heading" && token.depth === 1).length]).toEqual([
      path,
      1,
    ]);
  }
});
