import type { Cores } from "./cores.ts";
import { type Build, sent, startSandbox } from "./sandbox.ts";
import { type Spread, spread } from "./statistics.ts";

/** How long one of the sandbox's own operations takes, in milliseconds from request to answer. */
export interface Reset {
  readonly title: string;
  readonly ms: Spread;
}

/** Resets, keeps and restores the default world, so many times each. */
export async function measureResets(builds: readonly Build[], cores: Cores, times: number): Promise<Reset[]> {
  const found: Reset[] = [];
  for (const build of builds) {
    const { url, stop } = await startSandbox(build, cores);
    const timed = async (title: string, path: string, body: unknown) => {
      const took: number[] = [];
      // The first ones run code that the engine has not compiled.
      for (let time = -5; time < times; time++) {
        const began = performance.now();
        await sent(url, path, body);
        if (time >= 0) took.push(performance.now() - began);
      }
      found.push({ title: builds.length > 1 ? `${title} (${build.name})` : title, ms: spread(took) });
    };
    await timed("reset of the default world", "/_sandbox/reset", {});
    await timed("reset of one company of it", "/_sandbox/reset", { company: "northwind" });
    await timed("snapshot", "/_sandbox/snapshots", { name: "bench" });
    await timed("restore", "/_sandbox/snapshots/bench/restore", {});
    await stop();
  }
  return found;
}
