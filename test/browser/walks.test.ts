import { expect } from "vitest";
import { httpClient } from "../support/http-client.ts";
import { openBrowser, testInBrowser } from "../support/open-browser.ts";

testInBrowser("creates an API key with the keyboard only, and exchanges its secret for a token", async () => {
  const { sandbox, page, open } = await openBrowser();
  const { keyboard } = page;
  const focused = () =>
    page.evaluate<string>("document.activeElement.name || document.activeElement.innerText");
  const tabTo = async (name: string) => {
    for (let presses = 0; presses < 80; presses++) {
      await keyboard.press("Tab");
      if ((await focused()).startsWith(name)) return;
    }
    throw new Error(`the Tab key does not reach ${name}`);
  };

  await open("");
  await keyboard.press("Tab");
  expect(await focused()).toBe("Skip to content");
  await tabTo("World");
  await keyboard.press("Enter");
  await page.waitForURL("**/world");
  await tabTo("Northwind Traders Ltd");
  await keyboard.press("Enter");
  await page.waitForURL("**/companies/*");
  await tabTo("member");
  await keyboard.press("ArrowDown");
  await tabTo("label");
  await keyboard.type("by keyboard");
  await tabTo("Create key");
  await keyboard.press("Enter");
  await page.waitForURL("**/companies/*?flash=*");

  expect(await focused()).toContain("The API key is created.");
  const secret = (await page.locator("#notice code").textContent()) ?? "";
  expect(await httpClient(sandbox.url).exchange(secret)).toBeTruthy();

  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await tabTo("Copy");
  await keyboard.press("Enter");
  await page.getByText("Copied").waitFor();
  expect(await page.evaluate("navigator.clipboard.readText()")).toBe(secret);

  await page.reload();
  expect(await page.content()).not.toContain(secret);
  expect(await page.getByText("by keyboard").count()).toBe(1);
});

testInBrowser("arms a scenario, and shows the refused order live", async () => {
  const { sandbox, page, open } = await openBrowser();
  await open("/scenarios");
  await page.getByLabel("Arm for", { exact: true }).selectOption("northwind");
  await page.getByRole("button", { name: "Select" }).click();
  await page.getByRole("button", { name: "Arm once quota-reached for northwind" }).click();
  await page.getByText("quota-reached is armed for northwind, once.").waitFor();

  await open("/requests");
  await page.getByText("No requests yet.").waitFor();
  const order = () => httpClient(sandbox.url).order(sandbox.world().companies[0]?.accounts[0]?.id);
  await order();
  const refused = page.getByRole("row").filter({ hasText: "order.quota_reached" });
  await refused.waitFor();
  expect((await refused.locator("th, td").allInnerTexts()).slice(0, 5).map((cell) => cell.trim())).toEqual([
    "422",
    "POST /developer/cards/physical",
    "northwind",
    "order.quota_reached specified",
    "quota-reached",
  ]);

  await page.getByRole("button", { name: "Pause" }).click();
  await order();
  await page.getByText("Paused: 2 new").waitFor();
  expect(await page.getByRole("row").count()).toBe(3);
  await page.getByRole("button", { name: "Pause" }).click();
  await page.getByRole("row").nth(4).waitFor();
  await page.getByRole("status").filter({ hasText: "2 new requests" }).waitFor();

  await fetch(`${sandbox.url}/developer/<img src=x onerror=alert(1)>`);
  const strange = page.getByRole("row").filter({ hasText: "img" });
  expect(await strange.getByRole("link").textContent()).toMatch(/^GET \/developer\/(<|%3C)img/);
  expect(await page.locator("img").count()).toBe(0);

  await refused.locator(".row-link").click();
  await page.getByText("Terminate a card or raise the quota").first().waitFor();
  await page.getByText("Returned the response: quota").waitFor();
  await open("/scenarios");
  await page.getByText("Finished (1)").click();
  await page.getByRole("link", { name: "1", exact: true }).waitFor();
});

testInBrowser(
  "keeps the place of a reader who scrolled down the requests, and counts the new ones",
  async () => {
    const { sandbox, page, open } = await openBrowser();
    const send = (path: string) => fetch(`${sandbox.url}/developer/${path}`);
    for (let n = 1; n <= 60; n++) await send(`old-${n}`);
    await open("/requests?q=path:developer");
    const read = page.getByRole("link", { name: "GET /developer/old-30", exact: true });
    await read.scrollIntoViewIfNeeded();
    const place = () => read.evaluate((link) => Math.round(link.getBoundingClientRect().top));
    const before = await place();
    for (const path of ["new-1", "new-2", "new-3"]) await send(path);
    await page.getByRole("link", { name: "3 new" }).waitFor();
    expect(await place()).toBe(before);
    await page.getByRole("link", { name: "3 new" }).click();
    await page.getByRole("link", { name: "GET /developer/new-3", exact: true }).waitFor();
    expect(await page.evaluate("scrollY")).toBeLessThan(300);
  },
);

testInBrowser("finds a scenario by words of its title and description", async () => {
  const { page, open } = await openBrowser();
  await open("/scenarios");
  await page.getByLabel("Search").fill("webhook twice");
  await page.getByText(/^1 of [0-9]+$/).waitFor();
  expect(await page.locator(".item .row-link:visible").allTextContents()).toEqual([
    "Webhook event delivered twice",
  ]);
  await page.getByRole("heading", { name: "Webhooks" }).waitFor();
  await page.getByRole("heading", { name: "Refusals" }).waitFor({ state: "hidden" });
});

testInBrowser("signs in with the admin token, shows live requests, and signs out", async () => {
  const { sandbox, page, open } = await openBrowser({ sandbox: { adminToken: "correct-horse" } });
  await open("/requests");
  await page.getByLabel("Admin token").fill("correct-horse");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByText("New requests appear here").waitFor();
  await fetch(`${sandbox.url}/developer/cards`);
  await page.getByRole("row").filter({ hasText: "auth.token_missing" }).waitFor();
  await open("");
  await page.getByRole("button", { name: "Freeze" }).click();
  await page.getByText("The clock is frozen").waitFor();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByLabel("Admin token").waitFor();
});

testInBrowser(
  "the base URL leads to the dashboard, where a scenario is armed with its waiting time",
  async () => {
    const { sandbox, page } = await openBrowser();
    await page.goto(sandbox.url);
    expect(page.url()).toBe(`${sandbox.url}/_sandbox/ui`);
    await page.getByRole("navigation").getByRole("link", { name: "Scenarios" }).first().click();
    await page.locator("#rate-limited").getByRole("link").click();
    await page.getByLabel("Retry-After (s)").fill("0");
    await page.getByRole("button", { name: "Arm", exact: true }).click();
    await page.getByText("retry_after_s: 0").waitFor();
    expect(sandbox.control.scenarios.armed().armed).toMatchObject([
      { name: "rate-limited", retry_after_s: 0 },
    ]);
  },
);

testInBrowser("the base URL leads to the sign-in page if there is an admin token", async () => {
  const { sandbox, page } = await openBrowser({ sandbox: { adminToken: "the-admin-token" } });
  await page.goto(sandbox.url);
  expect(new URL(page.url()).pathname).toBe("/_sandbox/ui/sign-in");
});
