import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe } from "vitest";
import { fillWorld } from "../support/eventful-world.ts";
import { openBrowser, testInBrowser } from "../support/open-browser.ts";

/** Where to put them; SCREENSHOTS_OF names those that are wanted, such as `requests,request-dark`. */
const folder = process.env.SCREENSHOTS;
const wanted = process.env.SCREENSHOTS_OF?.split(",");

const wide = { width: 1280, height: 780 };
const looks = [
  ["", { colorScheme: "light", viewport: wide }],
  ["-dark", { colorScheme: "dark", viewport: wide }],
  ["-phone", { viewport: { width: 390, height: 844 }, isMobile: true }],
] as const;

describe.runIf(folder)("pictures of each page", () => {
  for (const [look, context] of looks) {
    testInBrowser(look || "-light", async () => {
      const { sandbox, page, open } = await openBrowser({
        context,
        sandbox: { clock: "2026-03-10T09:30:00Z" },
      });
      const pages = await fillWorld(sandbox);
      mkdirSync(folder ?? "", { recursive: true });
      for (const [name, path] of Object.entries(pages)) {
        if (wanted && !wanted.includes(name + look)) continue;
        await open(path);
        await page.screenshot({ path: join(folder ?? "", `${name}${look}.png`), fullPage: !wanted });
      }
    });
  }
});
