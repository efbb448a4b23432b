import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe } from "vitest";
import type { StartedSandbox } from "../../src/node/start-sandbox.ts";
import { fillWorld, idempotencyKey } from "../support/eventful-world.ts";
import { httpClient, type OrderOptions } from "../support/http-client.ts";
import { openBrowser, testInBrowser } from "../support/open-browser.ts";

/**
 * The folder of the pictures. SCREENSHOTS_OF selects some, such as `overview,request-dark`; default: all. For docs/images,
 * reduce their size afterwards: pngquant --ext .png --force docs/images/*.png
 */
const folder = process.env.SCREENSHOTS;
const wanted = process.env.SCREENSHOTS_OF?.split(",");

const wide = { width: 1280, height: 780 };
const looks = [
  ["", { colorScheme: "light", viewport: wide }],
  ["-dark", { colorScheme: "dark", viewport: wide }],
  ["-phone", { viewport: { width: 390, height: 844 }, isMobile: true }],
] as const;

describe.runIf(folder)("screenshots of each page", () => {
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

/** Orders, retries and forced responses that show at a glance how the sandbox is used. */
async function sendOrders(sandbox: StartedSandbox): Promise<void> {
  const { exchange, order } = httpClient(sandbox.url);
  // Reads the scenario files, so that no duration includes it.
  sandbox.control.scenarios.all();
  const token = await exchange();
  const account = sandbox.world().companies[0]?.accounts[0]?.id;
  const key = idempotencyKey;
  const orders: OrderOptions[] = [
    { key: key(1) },
    { key: key(1) },
    ...[1, 2, 3].map(() => ({ key: key(2), headers: { "Sandbox-Scenario": "issuer-recovers" } })),
    { key: key(3), headers: { "Sandbox-Scenario": "lost-response" } },
    { key: key(3) },
    { key: key(4), fields: { pin: "12" } },
    ...["conflict", "quota-reached", "rate-limited"].map((name, i) => ({
      key: key(5 + i),
      headers: { "Sandbox-Scenario": name },
    })),
  ];
  for (const options of orders) {
    await sandbox.clock.advance({ by: "PT1.25S" });
    await order(account, { token, ...options }).catch(() => {});
  }
}

describe.runIf(folder && (!wanted || wanted.includes("overview")))("the picture of the README", () => {
  testInBrowser("overview", async () => {
    const { sandbox, page, open } = await openBrowser({
      context: { colorScheme: "light", viewport: { width: 1280, height: 730 } },
      sandbox: { clock: "2026-03-10T09:30:00Z" },
    });
    await sendOrders(sandbox);
    mkdirSync(folder ?? "", { recursive: true });
    await open("/requests");
    await page.getByText("New requests appear here").waitFor();
    await page.screenshot({ path: join(folder ?? "", "overview.png") });
  });
});
