import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";

const cli = new URL("../../dist/node/cli.js", import.meta.url).pathname;
const memoryTold = new URL("./memory-told.mjs", import.meta.url).href;

/** A sandbox in a process of its own, which /proc tells of. */
export class SoakedServer {
  readonly url: string;
  readonly #child: ChildProcess;

  private constructor(url: string, child: ChildProcess) {
    this.url = url;
    this.#child = child;
  }

  /** Starts one on a free port, with the journal on. */
  static async start(db: string): Promise<SoakedServer> {
    const env = Object.fromEntries(
      Object.entries(process.env).filter(([name]) => !/^(CARD_SANDBOX_|PORT$)/.test(name)),
    );
    const node = ["--expose-gc", "--import", memoryTold];
    const child = spawn(process.execPath, [...node, cli, "--port", "0", "--log", "silent", "--db", db], {
      env,
      stdio: ["ignore", "pipe", "inherit", "ipc"],
    });
    let lines = "";
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      lines += text;
    });
    while (!lines.endsWith("Ready.\n")) {
      const [over] = await Promise.race([
        once(child.stdout ?? child, "data"),
        once(child, "exit").then(() => [true]),
      ]);
      if (over === true) throw new Error("the sandbox ended before it was ready");
    }
    return new SoakedServer(/^Sandbox base address +(\S+)$/m.exec(lines)?.[1] ?? "", child);
  }

  get rssMiB(): number {
    const status = readFileSync(`/proc/${this.#child.pid}/status`, "utf8");
    return Number(/^VmRSS:\s+([0-9]+) kB$/m.exec(status)?.[1]) / 1024;
  }

  /** What lives of its JavaScript heap: it collects everything else first. */
  async liveMiB(): Promise<number> {
    this.#child.send("how much lives?");
    const [{ liveBytes }] = await once(this.#child, "message");
    return liveBytes / 2 ** 20;
  }

  /** Processor time since it started. */
  get cpuMs(): number {
    // Behind the command's name, which stands in brackets; Linux counts hundredths of a second.
    const fields = readFileSync(`/proc/${this.#child.pid}/stat`, "utf8")
      .replace(/^.*\) /, "")
      .split(" ");
    return (Number(fields[11]) + Number(fields[12])) * 10;
  }

  /** What each open descriptor is, such as `socket:[4711]` or a file's path. */
  get descriptors(): string[] {
    const folder = `/proc/${this.#child.pid}/fd`;
    return readdirSync(folder).flatMap((fd) => {
      try {
        return [readlinkSync(`${folder}/${fd}`)];
      } catch {
        // It was closed meanwhile.
        return [];
      }
    });
  }

  /** Ends it as Docker would. */
  async stop(): Promise<{ code: number | null; tookMs: number }> {
    const since = performance.now();
    this.#child.kill("SIGTERM");
    const [code] = await once(this.#child, "exit");
    return { code, tookMs: performance.now() - since };
  }

  /** Ends it whatever it does. */
  kill(): void {
    this.#child.kill("SIGKILL");
  }
}
