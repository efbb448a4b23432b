import { expect, test } from "vitest";
import { llmsText, partNames, partsIn, withGeneratedParts } from "../../build/docs.ts";
import { llms, pages } from "./pages.ts";

const generated = pages.filter(({ text }) => partsIn(text).length > 0);

test("the generated parts are up to date: npm run docs", async () => {
  for (const { text } of generated) expect(text).toBe(await withGeneratedParts(text));
  expect(llms.text).toBe(llmsText());
});

test("no part is in two pages", () => {
  const parts = generated.flatMap(({ text }) => partsIn(text));
  expect(parts).toEqual([...new Set(parts)]);
  expect(partNames).toEqual(expect.arrayContaining(parts));
});

test("an unknown part is an error", async () => {
  await expect(withGeneratedParts("<!-- generated: opinions -->\n<!-- /generated -->\n")).rejects.toThrow(
    "opinions",
  );
});
