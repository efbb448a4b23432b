import { cpSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { succeed } from "../support/command.ts";

export interface Base {
  readonly folder: string;
  readonly docker: (...args: string[]) => Promise<string>;
  readonly tag: string;
  /** Is written: where npm finds its registry while an image is built. */
  readonly npmrc: string;
}

/** Makes what node:24-slim is, as far as it matters here: Debian, Node 24 with npm, and the user node. */
export async function makeBase({ folder, docker, tag, npmrc }: Base): Promise<void> {
  const rootFs = join(folder, "root");
  mkdirSync(folder);
  await succeed("debootstrap", ["--variant=minbase", "bookworm", rootFs]);
  await addNode(folder, rootFs);
  await succeed("chroot", [rootFs, "groupadd", "--gid", "1000", "node"]);
  await succeed("chroot", [rootFs, "useradd", "--uid", "1000", "--gid", "node", "--create-home", "node"]);
  await configureNpm(rootFs, npmrc);
  const leftOut = ["./var/cache/apt/archives/*", "./var/lib/apt/lists/*", "./usr/share/doc/*", "./dev/*"];
  const excluded = leftOut.map((path) => `--exclude=${path}`);
  await succeed("tar", [
    "--create",
    "--directory",
    rootFs,
    ...excluded,
    "--file",
    join(folder, "root.tar"),
    ".",
  ]);
  rmSync(rootFs, { recursive: true });
  // The official image has this command too, and what is built on it is to be rid of it.
  writeFileSync(join(folder, "Dockerfile"), 'FROM scratch\nADD root.tar /\nCMD ["node"]\n');
  await docker("build", "--tag", tag, folder);
}

async function addNode(folder: string, rootFs: string): Promise<void> {
  const local = join(rootFs, "usr", "local");
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true }));
  await succeed("npm", ["install", "node@24", "--no-audit", "--no-fund"], { cwd: folder });
  cpSync(join(folder, "node_modules", "node", "bin", "node"), join(local, "bin", "node"));
  const npm = join((await succeed("npm", ["root", "--global"])).trim(), "npm");
  mkdirSync(join(local, "lib", "node_modules"), { recursive: true });
  cpSync(npm, join(local, "lib", "node_modules", "npm"), { recursive: true });
  symlinkSync("../lib/node_modules/npm/bin/npm-cli.js", join(local, "bin", "npm"));
}

/** The build is to use this machine's registry, whichever that is, and nothing else of what npm knows here. */
async function configureNpm(rootFs: string, npmrc: string): Promise<void> {
  const setting = async (name: string) => (await succeed("npm", ["config", "get", name])).trim();
  const lines = [`registry=${await setting("registry")}`];
  const certificates = trustedCertificates(await setting("cafile"));
  if (certificates) {
    const inside = "/etc/ssl/certs/ca-certificates.crt";
    mkdirSync(join(rootFs, "etc", "ssl", "certs"), { recursive: true });
    cpSync(certificates, join(rootFs, inside), { dereference: true });
    lines.push(`cafile=${inside}`);
  }
  writeFileSync(npmrc, `${lines.join("\n")}\n`);
}

/** The certificates that this machine's npm trusts, where it is told of any. */
function trustedCertificates(cafile: string): string | undefined {
  const named = [cafile, process.env.NODE_EXTRA_CA_CERTS, "/etc/ssl/certs/ca-certificates.crt"];
  return named.find((file) => file !== undefined && file !== "null" && existsSync(file));
}
