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

/** Tests in a browser; without one they are skipped, except where they are demanded. */
export const testInBrowser = executablePath
  ? test
  : process.env.BROWSER_TESTS === "required"
    ? missing("BROWSER_TESTS=required")
    : test.skip;

function missing(why: string): never {
  throw new Error(
    `no browser was found, and ${why} demands one: apt-get install chromium, or name one in CHROMIUM`,
  );
}

if (!executablePath) {
  process.stderr.write(
    "No browser was found, and the tests in one are skipped: install chromium, or name one in CHROMIUM.\n",
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
  /** Opens one of the dashboard's pages. */
  open(path: string): Promise<void>;
}

/**
 * A sandbox on a port, and a browser to look at it. Whatever the browser complains of, and each request to anybody
 * else, fails the test at its end.
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
      complaints.push(`asked elsewhere: ${request.url()}`);
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
