import { readFileSync, statfsSync } from "node:fs";
import { cpus, type as osType, release, totalmem } from "node:os";
import type { Cores } from "./cores.ts";

/** What the figures were taken on, without its name or its folders. */
export function machineLines(
  { description }: Cores,
  scratch: string,
  began: Date,
  seconds: number,
): string[] {
  const [cpu] = cpus();
  const tmpfs = 0x01021994;
  const file =
    statfsSync(scratch).type === tmpfs ? "in memory (tmpfs): durability costs nothing here" : "on a disk";
  return [
    `- machine: ${cpu?.model.trim() ?? "unknown processor"}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB`,
    `- system: ${systemName()}; database files ${file}`,
    `- Node ${process.versions.node}; ${description}`,
    `- ${began.toISOString().slice(0, 10)}, in ${Math.ceil(seconds / 60)} minutes`,
  ];
}

function systemName(): string {
  const kernel = `${osType()} ${/^\d+\.\d+/.exec(release())?.[0] ?? ""}`.trim();
  try {
    const found = /^PRETTY_NAME="?([^"\n]+)/m.exec(readFileSync("/etc/os-release", "utf8"))?.[1];
    return found === undefined ? kernel : `${found}, ${kernel}`;
  } catch {
    return kernel;
  }
}
