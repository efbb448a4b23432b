import { once } from "node:events";
import { Agent, type IncomingMessage, request } from "node:http";
import type { Cores } from "./cores.ts";
import { type Build, startSandbox } from "./sandbox.ts";
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
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const timed = async (title: string, method: string, path: string, body?: unknown) => {
      const took: number[] = [];
      // The first ones run code that the engine has not compiled.
      for (let time = -5; time < times; time++) {
        const began = performance.now();
        await asked(agent, method, url + path, body);
        if (time >= 0) took.push(performance.now() - began);
      }
      found.push({ title: builds.length > 1 ? `${title} (${build.name})` : title, ms: spread(took) });
    };
    await timed("`GET /_sandbox/clock`, which is little but the way", "GET", "/_sandbox/clock");
    await timed("reset of the default world", "POST", "/_sandbox/reset", {});
    await timed("reset of one company of it", "POST", "/_sandbox/reset", { company: "northwind" });
    await timed("snapshot", "POST", "/_sandbox/snapshots", { name: "bench" });
    await timed("restore", "POST", "/_sandbox/snapshots/bench/restore", {});
    agent.destroy();
    await stop();
  }
  return found;
}

/** By Node's bare client: `fetch` takes longer than what it would measure. */
async function asked(agent: Agent, method: string, url: string, body: unknown): Promise<void> {
  const sent = request(url, { method, agent });
  sent.end(body === undefined ? undefined : JSON.stringify(body));
  const [answer] = (await once(sent, "response")) as [IncomingMessage];
  const { statusCode = 0 } = answer.resume();
  await once(answer, "end");
  if (statusCode >= 300) throw new Error(`${method} ${url} answered ${statusCode}`);
}
