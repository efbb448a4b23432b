import { existsSync } from "node:fs";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { type StartedSandbox, type StartOptions, startSandbox } from "../../src/node/start-sandbox.ts";

const places = [
  process.env.CHROMIUM ?? "",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
];
const executablePath = places.find((place) => place !== "" && existsSync(place));

/** A test in a browser. Without a browser it is skipped, or fails if `BROWSER_TESTS` is `required`. */
export const testInBrowser = executablePath
  ? test
  : process.env.BROWSER_TESTS === "required"
    ? missing("BROWSER_TESTS=required")
    : test.skip;

function missing(why: string): never {
  throw new Error(
    `no browser found, and ${why}: apt-get install chromium, or set CHROMIUM to the path of one`,
  );
}

if (!executablePath) {
  process.stderr.write(
    "No browser found, so its tests are skipped: install chromium, or set CHROMIUM to the path of one.\n",
  );
}

let launched: Promise<Browser> | undefined;
afterAll(async () => (await launched)?.close());

export interface BrowserOptions {
  readonly sandbox?: StartOptions;
  readonly context?: BrowserContextOptions;
}

export interface InBrowser {
  readonly sandbox: StartedSandbox;
  readonly page: Page;
  /** Opens a page of the dashboard. */
  open(path: string): Promise<void>;
}

/**
 * Opens a sandbox on a port, and a browser. The test fails if the browser logs a warning or an error, or sends a request
 * to another server.
 */
export async function openBrowser({ sandbox: options, context }: BrowserOptions = {}): Promise<InBrowser> {
  launched ??= chromium.launch({ ...(executablePath && { executablePath }), args: ["--no-sandbox"] });
  const browser = await launched;
  const sandbox = await startSandbox({ port: 0, ...options });
  const window = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...context });
  const page = await window.newPage();
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("request", (request) => {
    if (!request.url().startsWith(`${sandbox.url}/`) && !request.url().startsWith("data:")) {
      complaints.push(`request to another server: ${request.url()}`);
    }
  });
  onTestFinished(async () => {
    await window.close();
    await sandbox.close();
    expect(complaints).toEqual([]);
  });
  return {
    sandbox,
    page,
    open: async (path) => void (await page.goto(`${sandbox.url}/_sandbox/ui${path}`)),
  };
}
