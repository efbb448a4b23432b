import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { command, succeed } from "../support/command.ts";
import { makeBase } from "./base.ts";

const tools = ["buildah", "podman", "runc", "debootstrap"];

/** What makes and runs images without an engine that runs already, and what of it is not here. */
export async function missingTools(): Promise<string[]> {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return ["Linux, as root"];
  const found = await Promise.all(tools.map((tool) => command("which", [tool])));
  return tools.filter((_tool, index) => found[index]?.code !== 0);
}

export interface Engine {
  /** Does as `docker` would. */
  docker(...args: string[]): Promise<string>;
  /** Runs a shell in which `docker` is this one, and `localhost:4242` is where its containers listen. */
  shell(script: string, env?: NodeJS.ProcessEnv): Promise<string>;
  readonly url: string;
  /** The image that stands in for node:24-slim. */
  readonly base: string;
  /** Ends all containers, and leaves nothing behind. */
  close(): Promise<void>;
}

/**
 * podman and buildah in the place of Docker, with a storage of their own. Containers share the host's network, so their
 * sandbox is told to listen on a free port.
 */
export async function openEngine(port: number): Promise<Engine> {
  const scratch = mkdtempSync(join(tmpdir(), "card-sandbox-image-"));
  const base = "localhost/node:24-slim";
  const bin = join(scratch, "bin");
  mkdirSync(bin);
  const shim = join(bin, "docker");
  const npmrc = join(scratch, "npmrc");
  writeFileSync(shim, dockerShim({ scratch, base, npmrc, port }));
  chmodSync(shim, 0o755);
  const url = `http://localhost:${port}`;
  const docker = async (...args: string[]) => (await succeed(shim, args)).trim();
  const close = async () => {
    await command(shim, ["rm", "--force", "--all", "--time", "1"]);
    rmSync(scratch, { recursive: true, force: true });
  };
  try {
    await makeBase({ folder: join(scratch, "base"), docker, tag: base, npmrc });
  } catch (error) {
    await close();
    throw error;
  }
  return {
    docker,
    shell: (script, env = {}) =>
      succeed("bash", ["-euc", script.replaceAll("http://localhost:4242", url)], {
        cwd: new URL("../..", import.meta.url).pathname,
        env: { ...env, PATH: [bin, process.env.PATH].join(delimiter) },
      }),
    url,
    base,
    close,
  };
}

interface Shim {
  readonly scratch: string;
  readonly base: string;
  readonly npmrc: string;
  readonly port: number;
}

function dockerShim({ scratch, base, npmrc, port }: Shim): string {
  const storage = `--root '${scratch}/storage' --runroot '${scratch}/run' --storage-driver vfs`;
  const build = `--isolation chroot --format docker --network host --build-arg NODE_IMAGE=${base} --secret id=npmrc,src='${npmrc}'`;
  // Docker adds no file systems in memory to a read-only container.
  const run = `--network host --read-only-tmpfs=false --ulimit nofile=4096:4096 --ulimit nproc=4096:4096 --env CARD_SANDBOX_PORT=${port}`;
  return `#!/bin/sh
case "$1" in
build) shift; exec buildah ${storage} build ${build} "$@" ;;
run) shift; set -- run ${run} "$@" ;;
esac
exec podman ${storage} --runtime runc --cgroup-manager cgroupfs "$@"
`;
}
