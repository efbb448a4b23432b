import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Build } from "./sandbox.ts";
import { childrenCpuMs } from "./server.ts";
import { VitestFiles } from "./vitest-files.ts";

/** A cost of a test run; one figure per round. */
export interface TestCost {
  readonly name: "bare" | "load" | "exec" | "sandbox" | "first company" | "company" | "order" | "vitest";
  readonly title: string;
  /** Undefined for the bare process. */
  readonly build?: string;
  readonly ms: number[];
  /** The processor time of a process; its mean counts, because each figure is a multiple of 10 ms. */
  readonly cpuMs?: number[];
  /** The bare process of the same round, if it was measured in another way than that of the others. */
  readonly bareMs?: number[];
  /** The memory that it holds, if that was measured. */
  readonly kb?: number[];
}

const inProcess = new URL("in-process.mjs", import.meta.url).pathname;
const memory = new URL("memory.mjs", import.meta.url).pathname;

/** Measures, in turn and so many times each, a bare process and the costs of each build. */
export function measureTestRuns(builds: readonly Build[], times: number): TestCost[] {
  const bare = {
    name: "bare" as const,
    title: "a bare process: `node -e ''`",
    ms: [] as number[],
    cpuMs: [] as number[],
  };
  const ofBuilds = builds.map(({ name: build, folder }) => {
    const cost = (name: TestCost["name"], title: string) => ({ name, title, build, ms: [] as number[] });
    const processCost = (name: TestCost["name"], title: string) => ({
      ...cost(name, title),
      cpuMs: [] as number[],
    });
    return {
      folder,
      load: processCost("load", 'a process with `import "card-sandbox"` and the first `createSandbox()`'),
      exec: processCost("exec", "`card-sandbox exec --allow-no-requests -- true`"),
      sandbox: { ...cost("sandbox", "each further `createSandbox()`"), kb: [] as number[] },
      firstCompany: cost("first company", "the first isolated company of a process"),
      company: cost("company", "each further isolated company"),
      order: cost("order", "an order in process"),
    };
  });
  for (let time = 1; time <= times; time++) {
    measureProcess(bare, ["-e", ""]);
    for (const { folder, load, exec, sandbox, firstCompany, company, order } of ofBuilds) {
      const index = pathToFileURL(join(folder, "dist/node/index.js")).href;
      const script = `import { createSandbox } from "${index}"; createSandbox().close();`;
      measureProcess(load, ["--input-type=module", "--eval", script]);
      const cli = join(folder, "dist/node/cli.js");
      measureProcess(exec, [cli, "exec", "--allow-no-requests", "--", "true"]);
      const printed = execFileSync(process.execPath, [inProcess, index], { encoding: "utf8" });
      const { sandboxMs, firstCompanyMs, companyMs, orderMs } = JSON.parse(printed);
      sandbox.ms.push(sandboxMs);
      sandbox.kb.push(Number(execFileSync(process.execPath, ["--expose-gc", memory, index])));
      firstCompany.ms.push(firstCompanyMs);
      company.ms.push(companyMs);
      order.ms.push(orderMs);
    }
  }
  const rows = ofBuilds.map(({ folder: _, ...costs }) => Object.values(costs));
  // The rows of one cost stand together.
  return [bare, ...(rows[0] ?? []).flatMap((_, n) => rows.flatMap((costs) => costs[n] ?? []))];
}

const vitestFiles = 100;

/**
 * Measures, in turn and so many times each, how much longer Vitest takes if its tests use a sandbox.
 * @param scratch - an empty folder outside this repository
 */
export function measureVitest(builds: readonly Build[], times: number, scratch: string): TestCost[] {
  const title = `each of ${vitestFiles} Vitest files with one test: with a sandbox, minus without (processor time)`;
  const project = new VitestFiles(scratch, vitestFiles);
  const costs = builds.map((build) => ({ build, ms: [] as number[], bareMs: [] as number[] }));
  for (let time = 1; time <= times; time++) {
    for (const { build, ms, bareMs } of costs) {
      const measured = project.measure(build);
      ms.push(measured.ms);
      bareMs.push(measured.bareMs);
    }
  }
  return costs.map(({ build, ms, bareMs }) => ({ name: "vitest", title, build: build.name, ms, bareMs }));
}

/** Measures a process from its start to its end. */
function measureProcess({ ms, cpuMs }: { ms: number[]; cpuMs: number[] }, args: readonly string[]): void {
  const [startedMs, startedCpuMs] = [performance.now(), childrenCpuMs()];
  execFileSync(process.execPath, args, { stdio: "ignore" });
  ms.push(performance.now() - startedMs);
  cpuMs.push(childrenCpuMs() - startedCpuMs);
}
