import type { Cores } from "./cores.ts";
import { type LoadRequest, load } from "./load.ts";
import { type Build, newCaller, order, startSandbox } from "./sandbox.ts";
import { residentMibOf, type Server } from "./server.ts";
import { floorOrder, floors, startFloor } from "./servers.ts";

/** What a server has in memory, in MiB. */
export interface Memory {
  readonly title: string;
  readonly orders: number;
  readonly atStart: number | undefined;
  readonly afterOrders: number | undefined;
  readonly wrong: readonly string[];
}

/** Looks at memory once a server has answered for the first time, and again after so many orders. */
export async function measureMemory(
  builds: readonly Build[],
  cores: Cores,
  orders: number,
  tell: (line: string) => void,
): Promise<Memory[]> {
  const [floorA] = floors;
  const server = await startFloor(floorA.file, cores);
  await fetch(server.url);
  const found = [await memoryOf(floorA.title, server, async () => floorOrder, orders)];
  for (const build of builds) {
    const server = await startSandbox(build, cores);
    await fetch(`${server.url}/_sandbox/health`);
    const title = builds.length > 1 ? `card-sandbox (${build.name})` : "card-sandbox";
    found.push(await memoryOf(title, server, async () => order(await newCaller(server)), orders));
  }
  for (const { title, atStart, afterOrders } of found) {
    tell(`memory of ${title}: ${atStart?.toFixed(0)} MiB, then ${afterOrders?.toFixed(0)} MiB`);
  }
  return found;
}

async function memoryOf(
  title: string,
  server: Server,
  prepare: () => Promise<LoadRequest>,
  orders: number,
): Promise<Memory> {
  const atStart = residentMibOf(server.pid);
  const request = await prepare();
  const { wrong } = await load({
    url: server.url,
    pid: server.pid,
    request,
    connections: 10,
    until: { requests: orders },
    expectedStatus: 201,
    perSecondAtMost: 0,
  });
  const afterOrders = residentMibOf(server.pid);
  await server.stop();
  return { title, orders, atStart, afterOrders, wrong };
}
