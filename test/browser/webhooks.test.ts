import { expect } from "vitest";
import { openBrowser, testInBrowser } from "../support/open-browser.ts";

testInBrowser("shows why a webhook was not delivered, and makes the next attempt due", async () => {
  const { page, open } = await openBrowser();
  await open("/webhooks");
  await page.getByRole("button", { name: "Add a receiver that returns 503" }).click();
  await page.getByRole("button", { name: "Send test event" }).click();
  await page.getByText("Receiver returned status 503. Attempt 2 of 10 follows in").waitFor();
  await page.getByRole("button", { name: "Advance the clock to the next attempt" }).click();
  await page.getByText("Attempt 3 of 10 follows in").waitFor();
  await page.getByRole("link", { name: "Webhooks" }).first().click();
  expect(await page.locator("#messages li").count()).toBe(2);
  await page.getByText("valid signature").first().waitFor();
});
