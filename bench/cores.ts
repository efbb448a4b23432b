import { spawnSync } from "node:child_process";
import { cpus } from "node:os";

/** Who runs where, so that the load takes nothing from the server. */
export interface Cores {
  /** Stands before the command that starts a server. */
  readonly serverPrefix: readonly string[];
  /** What the output says of it. */
  readonly description: string;
}

/** Keeps this process, which makes the load, off the core that servers get, where the machine lets it. */
export function divideCores(): Cores {
  const [server, load] = allowedCores();
  if (server === undefined) {
    return { serverPrefix: [], description: "server and load unpinned: this machine has no taskset" };
  }
  if (load === undefined) {
    return { serverPrefix: [], description: "server and load share the one core there is" };
  }
  const pinned = spawnSync("taskset", ["-a", "-c", "-p", String(load), String(process.pid)]);
  if (pinned.status !== 0) {
    return { serverPrefix: [], description: "server and load unpinned: taskset may not pin them here" };
  }
  return {
    serverPrefix: ["taskset", "-c", String(server)],
    description: `server pinned to core ${server}, load to core ${load}, of ${cpus().length}`,
  };
}

/** The cores that this process may use; none where taskset does not say. */
function allowedCores(): number[] {
  const { status, stdout } = spawnSync("taskset", ["-c", "-p", String(process.pid)], { encoding: "utf8" });
  if (status !== 0) return [];
  const list = stdout.trim().split(": ").at(-1) ?? "";
  return list.split(",").flatMap((part) => {
    const [from = Number.NaN, to = from] = part.split("-").map(Number);
    return Array.from({ length: to - from + 1 }, (_, i) => from + i);
  });
}
