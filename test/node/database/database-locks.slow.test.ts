import { linkSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { expect, onTestFinished, test } from "vitest";
import { createSandbox } from "../../../src/node/create-sandbox.ts";
import { run, startCommandLine, temporaryFolder } from "../../support/command-line.ts";

const inUse = /sandbox\.db is in use by another process/;

/** Opens a sandbox on a file in this process. */
function openHere(): string {
  const file = join(temporaryFolder(), "sandbox.db");
  const sandbox = createSandbox({ db: file });
  onTestFinished(() => sandbox.close());
  return file;
}

async function expectRefusedInAnotherProcess(file: string, why = inUse): Promise<void> {
  const second = run(["--port", "0", "--db", file]);
  expect(await second.ended).toEqual({ code: 2, signal: null });
  expect(second.output.stderr).toMatch(why);
}

/** Opens the file in a worker thread, by the built package. */
function openInWorker(file: string): Promise<string> {
  const script = `
    const { createSandbox } = await import(${JSON.stringify(new URL("../../../dist/node/index.js", import.meta.url).href)});
    const { parentPort } = await import("node:worker_threads");
    let outcome = "opened";
    try { createSandbox({ db: ${JSON.stringify(file)} }) } catch (error) { outcome = error.message }
    parentPort.postMessage(outcome);`;
  const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(script)}`));
  return new Promise((resolve, reject) => {
    let outcome = "";
    worker.on("message", (text: string) => {
      outcome = text;
    });
    worker.on("error", reject);
    worker.on("exit", () => resolve(outcome));
  });
}

test("refuses a second createSandbox() on a file, and then another process", async () => {
  const file = openHere();
  expect(() => createSandbox({ db: file })).toThrow(inUse);
  await expectRefusedInAnotherProcess(file);
});

test("refuses a worker thread on a file in use, and then another process", async () => {
  const file = openHere();
  expect(await openInWorker(file)).toMatch(inUse);
  await expectRefusedInAnotherProcess(file);
});

test("refuses a symbolic link to a file in use, and then another process", async () => {
  const file = openHere();
  const link = join(temporaryFolder(), "link.db");
  symlinkSync(file, link);
  expect(() => createSandbox({ db: link })).toThrow(/link\.db is in use/);
  await expectRefusedInAnotherProcess(file);
  await expectRefusedInAnotherProcess(link, /link\.db is in use/);
});

test("refuses a hard link to a file in use, and then another process", async () => {
  const file = openHere();
  const link = join(temporaryFolder(), "link.db");
  linkSync(file, link);
  const refused =
    /has 2 names \(hard links\), but SQLite keeps a separate log for each name\. Remove the other names/;
  expect(() => createSandbox({ db: link })).toThrow(refused);
  await expectRefusedInAnotherProcess(link, refused);
  await expectRefusedInAnotherProcess(file, refused);
});

test("refuses a hard link while the other name has the log of a killed process", async () => {
  const file = join(temporaryFolder(), "sandbox.db");
  const killed = await startCommandLine(["--db", file]);
  const ordered = await killed.order("f8b0e7a2-6f0c-4a57-9d4f-2f7f2f6f0a01");
  expect(ordered.status).toBe(201);
  killed.child.kill("SIGKILL");
  await killed.ended;
  const link = join(temporaryFolder(), "link.db");
  linkSync(file, link);
  expect(() => createSandbox({ db: link })).toThrow(/has 2 names/);
});

test("opens a file that was refused before, after it is closed", () => {
  const file = join(temporaryFolder(), "sandbox.db");
  const first = createSandbox({ db: file });
  expect(() => createSandbox({ db: file })).toThrow(inUse);
  first.close();
  createSandbox({ db: file }).close();
});
