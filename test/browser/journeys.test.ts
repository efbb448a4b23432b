import { randomUUID } from "node:crypto";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { httpClient } from "../support/http-client.ts";
import { type InBrowser, openBrowser, testInBrowser } from "../support/open-browser.ts";

/**
 * The most steps and presses of the Tab key on the way to a goal, with the keyboard only. A step is a press of Enter or of
 * a key of the dashboard, or one field that is filled in.
 */
const most = {
  "force a 503 and see the retries": { steps: 8, tabs: 12 },
  "find the failed order of a key, and why it failed": { steps: 5, tabs: 0 },
  "repeat a request with one field changed": { steps: 6, tabs: 13 },
  "see why a webhook was not delivered": { steps: 3, tabs: 0 },
  "freeze a card, and see a payment declined": { steps: 4, tabs: 7 },
};

/** A user of the keyboard only, whose steps and presses of the Tab key are counted. */
class KeyboardUser {
  readonly #page: Page;
  steps = 0;
  tabs = 0;

  constructor(page: Page) {
    this.#page = page;
  }

  async press(key: string): Promise<void> {
    this.steps++;
    await this.#page.keyboard.press(key);
  }

  /** Presses Enter, and waits until the next page has the focus where it begins. */
  async open(): Promise<void> {
    const loaded = this.#page.waitForEvent("load");
    await this.press("Enter");
    await loaded;
    await this.#page.evaluate(
      "new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))",
    );
  }

  async type(text: string): Promise<void> {
    this.steps++;
    await this.#page.keyboard.type(text);
  }

  /** Replaces text in the focused field, on the line where it is. */
  async replace(old: string, text: string): Promise<void> {
    this.steps++;
    const { keyboard } = this.#page;
    const lines = (await this.#page.evaluate<string>("document.activeElement.value")).split("\n");
    await keyboard.press("Control+Home");
    const at = lines.findIndex((line) => line.includes(old));
    for (let line = 0; line < at; line++) await keyboard.press("ArrowDown");
    await keyboard.press("End");
    await keyboard.press("Shift+Home");
    await keyboard.type((lines[at] ?? "").replace(old, text));
  }

  /** Presses Tab up to the element with this label, text or name. */
  async tabTo(name: string): Promise<void> {
    const seen: string[] = [];
    while (seen.length < 60) {
      this.tabs++;
      await this.#page.keyboard.press("Tab");
      const focused = await this.#page.evaluate<string>(
        "(document.activeElement.labels?.[0] ?? document.activeElement).innerText",
      );
      if (focused.startsWith(name)) return;
      seen.push(focused);
    }
    throw new Error(`the Tab key does not reach ${name}, but ${seen.join(", ")}`);
  }

  async skipToContent(): Promise<void> {
    await this.tabTo("Skip to content");
    await this.press("Enter");
  }
}

function journey(name: keyof typeof most, walk: (user: KeyboardUser, browser: InBrowser) => Promise<void>) {
  testInBrowser(`a user of the keyboard can ${name}`, async () => {
    const browser = await openBrowser();
    const user = new KeyboardUser(browser.page);
    await walk(user, browser);
    const { steps, tabs } = user;
    expect(steps).toBeLessThanOrEqual(most[name].steps);
    expect(tabs).toBeLessThanOrEqual(most[name].tabs);
  });
}

const sectionOf = (page: Page, id: string) => page.locator(`section[aria-labelledby="${id}"]`);
const accountOf = ({ sandbox }: InBrowser) => sandbox.world().companies[0]?.accounts[0]?.id;

journey("force a 503 and see the retries", async (user, browser) => {
  const { page, open, sandbox } = browser;
  await open("/scenarios");
  await user.skipToContent();
  await user.tabTo("Arm for");
  await user.type("northwind");
  await user.tabTo("Select");
  await user.open();
  await user.press("/");
  await user.type("issuer-recovers");
  await user.tabTo("Arm once");
  await user.open();
  await page.getByText("issuer-recovers is armed for northwind").waitFor();

  const { order } = httpClient(sandbox.url);
  const key = randomUUID();
  for (let attempt = 1; attempt <= 3; attempt++) await order(accountOf(browser), { key });
  await open("/requests");
  await user.skipToContent();
  await user.tabTo("Idempotency-Keys");
  await user.open();
  await page.locator(".attempts .row-link").first().waitFor();
  expect(await page.locator(".attempts .row-link").allInnerTexts()).toEqual(["503", "503", "201"]);
});

journey("find the failed order of a key, and why it failed", async (user, browser) => {
  const { page, open, sandbox } = browser;
  const { order } = httpClient(sandbox.url);
  const key = randomUUID();
  await order(accountOf(browser), { key, headers: { "Sandbox-Scenario": "quota-reached" } });
  for (let other = 1; other <= 3; other++) await order(accountOf(browser));
  await open("");
  await user.press("/");
  await user.type(`key:${key}`);
  await user.open();
  await user.press("j");
  await user.open();
  expect(await page.locator(".why").textContent()).toContain("quota");
});

journey("repeat a request with one field changed", async (user, browser) => {
  const { page, open, sandbox } = browser;
  const { order } = httpClient(sandbox.url);
  await order(accountOf(browser), { fields: { delivery_method: "pigeon" } });
  await open(`/requests/${sandbox.requests.list().requests[0]?.id}`);
  await user.press("r");
  await user.tabTo("Edit and resend");
  await user.open();
  await user.skipToContent();
  await user.tabTo("Body");
  await user.replace("pigeon", "express");
  await user.tabTo("PIN");
  await user.type("4821");
  await user.open();
  await page.getByText("is sent again: 201 instead of 400").waitFor();
  expect(await sectionOf(page, "response").textContent()).toContain('"status": "active"');
});

journey("see why a webhook was not delivered", async (user, { page, open, sandbox }) => {
  const { exchange, post } = httpClient(sandbox.url);
  const headers = { Authorization: `Bearer ${await exchange()}`, "Content-Type": "application/json" };
  for (const status of [410, 204]) {
    const url = `${sandbox.url}/_sandbox/receiver/northwind?status=${status}`;
    const created = await post("/developer/webhooks", { url, events: ["card.created"] }, headers);
    const { id } = (await created.json()) as { id: string };
    await post(`/developer/webhooks/${id}/test`, {}, headers);
  }
  await sandbox.webhooks.settled();
  await open("/webhooks");
  await page.getByText("1 failed").waitFor();
  await user.press("j");
  await user.press("j");
  await user.open();
  await page.getByRole("heading", { name: "Why it was not delivered" }).waitFor();
  await page.getByText("The receiver is gone, so no attempt follows").waitFor();
});

journey("freeze a card, and see a payment declined", async (user, browser) => {
  const { page, open, sandbox } = browser;
  const ordered = await httpClient(sandbox.url).order(accountOf(browser));
  const { id } = (await ordered.json()) as { id: string };
  await open(`/cards/${id}`);
  await user.skipToContent();
  await user.tabTo("Freeze");
  await user.open();
  await user.tabTo("Simulate a payment");
  await user.press("Enter");
  await user.tabTo("Amount");
  await user.open();
  expect(await sectionOf(page, "transactions").textContent()).toContain("the card is frozen");
});
