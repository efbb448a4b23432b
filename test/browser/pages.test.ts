import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AxeResults } from "axe-core";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { formatSweep } from "../../src/journal/formats/sweep.ts";
import { fillWorld } from "../support/eventful-world.ts";
import { openBrowser, testInBrowser } from "../support/open-browser.ts";
import { variedReport } from "../support/sweep-report.ts";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** The accessibility problems that axe finds: each rule with the elements that violate it. */
async function violationsOf(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  const { violations } = await page.evaluate<AxeResults>(`axe.run({ resultTypes: ["violations"] })`);
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target} ${failureSummary}`),
  );
}

const windows = [
  ["light", { colorScheme: "light" }],
  ["dark", { colorScheme: "dark" }],
  ["on a phone", { viewport: { width: 375, height: 812 }, isMobile: true, hasTouch: true }],
  ["wide", { viewport: { width: 1920, height: 1080 } }],
] as const;

for (const [name, context] of windows) {
  testInBrowser(
    `every page, ${name}, has no accessibility violation and does not scroll sideways`,
    async () => {
      const { sandbox, page, open } = await openBrowser({ context });
      const pages = await fillWorld(sandbox);
      for (const path of [...Object.values(pages), "/requests?q=status:7"]) {
        await open(path);
        expect([path, await violationsOf(page)]).toEqual([path, []]);
        const overflow = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
        expect([path, overflow]).toEqual([path, 0]);
      }
    },
  );
}

for (const [name, context] of windows) {
  testInBrowser(
    `the report of a sweep, ${name}, has no accessibility violation, and its grid leads to details`,
    async () => {
      const { page, open } = await openBrowser({ context });
      await open("/sweep");
      const buffer = Buffer.from(formatSweep(variedReport(), "json").text);
      await page
        .getByLabel("Report file")
        .last()
        .setInputFiles({ name: "sweep.json", mimeType: "application/json", buffer });
      await page.getByRole("button", { name: "Show report" }).click();
      await page.getByRole("link", { name: "✓ survived" }).first().click();
      await page.locator("details[open]:has(:target)").getByText("Repeat:").waitFor();
      expect(await violationsOf(page)).toEqual([]);
      expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
    },
  );
}

testInBrowser("empty pages have no accessibility violation", async () => {
  const { page, open } = await openBrowser();
  for (const path of ["", "/requests", "/report", "/scenarios"]) {
    await open(path);
    expect([path, await violationsOf(page)]).toEqual([path, []]);
  }
});

testInBrowser("pages follow the colour scheme of the system", async () => {
  const { page, open } = await openBrowser();
  const brightness = async (colorScheme: "light" | "dark") => {
    await page.emulateMedia({ colorScheme });
    const color = await page.evaluate<string>("getComputedStyle(document.body).backgroundColor");
    return Number(/[0-9]+/.exec(color)?.[0]);
  };
  await open("");
  expect(await brightness("light")).toBeGreaterThan(220);
  expect(await brightness("dark")).toBeLessThan(40);
});

testInBrowser("pages work without JavaScript, except for live requests", async () => {
  const { sandbox, page, open } = await openBrowser({ context: { javaScriptEnabled: false } });
  await fillWorld(sandbox);
  await open("/requests");
  expect(await page.getByRole("row").count()).toBeGreaterThan(5);
  expect(await page.getByRole("button", { name: "Pause" }).count()).toBe(0);
  await open("");
  await page.getByRole("button", { name: "+ 1 day" }).click();
  expect(await page.locator("#notice").textContent()).toContain("Done.");
});
