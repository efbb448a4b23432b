import { expect, test } from "vitest";
import * as portable from "../src/index.ts";
import * as entry from "../src/node/index.ts";

test("the package exports only the documented functions", () => {
  expect(Object.keys(entry).toSorted()).toEqual([
    "SetupError",
    "contractPoints",
    "contrary",
    "createSandbox",
    "startSandbox",
    "sweep",
  ]);
  expect(Object.keys(portable).toSorted()).toEqual([
    "Catalogue",
    "SetupError",
    "contractPoints",
    "fixturesSchema",
    "scenarioSchema",
    "wireSandbox",
  ]);
});

test("a sandbox in process and one on a port return the same responses", async () => {
  const sandbox = entry.createSandbox({ clock: "2026-03-10T09:30:00Z" });
  const started = await entry.startSandbox({ port: 0, clock: "2026-03-10T09:30:00Z" });
  expect(started.url).toMatch(/^http:\/\/127\.0\.0\.1:[0-9]+$/);
  const [near, far] = [
    await sandbox.fetch("http://sandbox/_sandbox/world"),
    await fetch(`${started.url}/_sandbox/world`),
  ];
  expect(await far.text()).toBe(await near.text());
  sandbox.close();
  await started.close();
});

test("startSandbox() does not replace globals of the process", async () => {
  const { Request, Response } = globalThis;
  const started = await entry.startSandbox({ port: 0 });
  await fetch(`${started.url}/nothing`);
  expect([globalThis.Request, globalThis.Response]).toEqual([Request, Response]);
  await started.close();
});
