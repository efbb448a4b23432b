import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { copyBuild } from "./installed.ts";
import type { Build } from "./sandbox.ts";
import { childrenCpuMs } from "./server.ts";

const vitest = new URL("../node_modules/vitest/", import.meta.url).pathname;

/** How long one run of Vitest may take. */
const timeoutMs = 5 * 60_000;

const plainTest = `
import { expect, test } from "vitest";

test("gets a token", async () => {
  const request = new Request("http://sandbox/auth/v1/sandbox/token", { method: "POST", body: "{}" });
  expect(await request.json()).toEqual({});
});
`;

const sandboxTest = `
import { createSandbox } from "card-sandbox";
import { expect, test } from "vitest";

test("gets a token", async () => {
  const sandbox = createSandbox();
  const { apiKey } = await sandbox.isolatedCompany();
  const body = JSON.stringify({ api_key: apiKey });
  const response = await sandbox.fetch("http://sandbox/auth/v1/sandbox/token", { method: "POST", body });
  expect(response.status).toBe(200);
  sandbox.close();
});
`;

/** Processor times: on a machine that does other work, they differ less than the time that passes. */
export interface VitestCost {
  /** How much more each file takes if its test uses a sandbox. */
  readonly ms: number;
  /** What a bare process takes, measured just before. */
  readonly bareMs: number;
}

/** Measures test files of Vitest, each with one test, in a project of its own. Files run one by one, each isolated. */
export class VitestFiles {
  readonly #folder: string;
  readonly #files: number;

  /** @param folder - a new folder, outside this repository, whose settings would otherwise apply */
  constructor(folder: string, files: number) {
    this.#folder = folder;
    this.#files = files;
    mkdirSync(join(folder, "node_modules"), { recursive: true });
    symlinkSync(vitest, join(folder, "node_modules/vitest"));
    writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  }

  measure(build: Build): VitestCost {
    this.#install(build);
    const bareMs = this.#cpuMs(["-e", ""], 10);
    const plainMs = this.#runMs(plainTest);
    return { ms: (this.#runMs(sandboxTest) - plainMs) / this.#files, bareMs };
  }

  /** Vitest transforms what lies outside node_modules, so the build is copied; its dependencies are linked. */
  #install({ folder }: Build): void {
    const installed = join(this.#folder, "node_modules/card-sandbox");
    rmSync(installed, { recursive: true, force: true });
    copyBuild(folder, installed);
    symlinkSync(join(folder, "node_modules"), join(installed, "node_modules"));
  }

  #runMs(test: string): number {
    for (let n = 0; n < this.#files; n++) writeFileSync(join(this.#folder, `${n}.test.js`), test);
    return this.#cpuMs(["node_modules/vitest/vitest.mjs", "run", "--no-file-parallelism"]);
  }

  /** The mean processor time of a process of Node with all that it starts. */
  #cpuMs(args: readonly string[], times = 1): number {
    const startedMs = childrenCpuMs();
    for (let time = 1; time <= times; time++) {
      execFileSync(process.execPath, args, { cwd: this.#folder, stdio: "ignore", timeout: timeoutMs });
    }
    return (childrenCpuMs() - startedMs) / times;
  }
}
