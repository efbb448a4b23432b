import type { Page } from "playwright-core";
import { expect } from "vitest";
import { httpClient } from "../support/http-client.ts";
import { openBrowser, testInBrowser } from "../support/open-browser.ts";

const rows = (page: Page) => page.locator("#requests tr");

testInBrowser("adds new requests, and keeps the place of a reader who has scrolled down", async () => {
  const { sandbox, page, open } = await openBrowser({ context: { viewport: { width: 1280, height: 500 } } });
  const { url } = sandbox;
  const send = async (count: number) => {
    for (let n = 0; n < count; n++) await fetch(`${url}/developer/cards`);
  };
  await send(30);
  await open("/requests");
  await page.getByText("New requests appear here").waitFor();
  await send(1);
  await rows(page).nth(30).waitFor();
  expect(await rows(page).first().getAttribute("class")).toContain("new");

  await page.evaluate("scrollTo(0, 600)");
  const placeOf = (id: string) =>
    page.evaluate<number>(`document.getElementById("${id}").getBoundingClientRect().top`);
  const id = (await rows(page).nth(20).getAttribute("id")) ?? "";
  const before = await placeOf(id);
  await send(5);
  await page.getByText("5 new ↑").waitFor();
  expect(Math.abs((await placeOf(id)) - before)).toBeLessThanOrEqual(1);
  await page.getByText("5 new ↑").click();
  await page.waitForFunction("scrollY < 40");
  await page.getByText("5 new ↑").waitFor({ state: "hidden" });
  expect(await rows(page).count()).toBe(36);
});

testInBrowser("does not replace a part that the reader uses", async () => {
  const { sandbox, page, open } = await openBrowser();
  await open("/requests?q=company:northwind");
  await page.locator("[data-key='/']").fill("half a sea");
  const { order } = httpClient(sandbox.url);
  await order(sandbox.world().companies[0]?.accounts[0]?.id);
  await rows(page).first().waitFor();
  expect(await page.locator("[data-key='/']").inputValue()).toBe("half a sea");
});

testInBrowser("shows where requests are missing when more came than a page has", async () => {
  const { sandbox, page, open } = await openBrowser({ context: { viewport: { width: 1280, height: 500 } } });
  const send = (count: number) =>
    Promise.all(Array.from({ length: count }, () => fetch(`${sandbox.url}/developer/cards`)));
  await send(50);
  await open("/requests");
  await page.getByText("New requests appear here").waitFor();
  await page.evaluate("scrollTo(0, 600)");
  await page.locator("[data-pause]").dispatchEvent("click");
  await send(60);
  await page.getByText("Paused: 60 new").waitFor({ timeout: 8000 });
  await page.locator("[data-pause]").dispatchEvent("click");
  await page.getByText("Too many came at once").waitFor();
  expect(await rows(page).count()).toBe(101);
  expect(await rows(page).nth(50).textContent()).toContain("Reload the page");
});
