import { randomBytes } from "node:crypto";
import type { SandboxPorts } from "../../src/api.ts";
import type { Sandbox } from "../../src/node/create-sandbox.ts";
import { openDatabase } from "../../src/node/database/better-sqlite3.ts";
import { readDefaultFixtures, readShippedScenarios } from "../../src/node/input-files.ts";
import { wireSandbox } from "../../src/sandbox.ts";
import { Catalogue } from "../../src/scenarios/catalogue.ts";

/** A sandbox in this process that the fake timers of a test drive. `createSandbox()` keeps the real ones. */
export function openOnTestTimers(ports: Pick<SandboxPorts, "deliver">): Sandbox {
  const database = openDatabase(":memory:");
  const sandbox = wireSandbox({
    ...ports,
    database,
    clock: {
      now: () => Date.now(),
      ticks: () => performance.now(),
      after(ms, work) {
        const timer = setTimeout(work, ms);
        return () => clearTimeout(timer);
      },
    },
    version: "0.0.0-test",
    defaultFixtures: readDefaultFixtures,
    drawSecret: () => randomBytes(32),
    scenarios: new Catalogue(readShippedScenarios),
  });
  const close = () => {
    sandbox.abandon();
    database.close();
  };
  return { ...sandbox, close, tape: undefined };
}
