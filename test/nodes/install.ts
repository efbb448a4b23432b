import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { StepFailed, Trial } from "./trial.ts";

/** Orders a card in the process, and prints its status. */
export const orderInProcess = `
import { createSandbox } from "card-sandbox";

const sandbox = createSandbox({ clock: "2026-03-10T09:30:00Z" });
const post = async (path, body, headers) =>
  (await sandbox.fetch(\`http://sandbox\${path}\`, { method: "POST", body: JSON.stringify(body), headers })).json();
const { access_token } = await post("/auth/v1/sandbox/token", { api_key: "sk_sandbox_northwind_owner" });
const card = await post(
  "/developer/cards/physical",
  {
    account_id: sandbox.world().companies[0].accounts[0].id,
    pin: "4821",
    delivery_address: { line1: "1 Long Lane", city: "London", post_code: "SE1 4PG", country_code: "GB" },
    delivery_method: "express",
  },
  {
    Authorization: \`Bearer \${access_token}\`,
    "Content-Type": "application/json",
    "Idempotency-Key": "7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30",
  },
);
console.log(card.status);
sandbox.close();
`;

/** A package manager, and how it installs a tarball and runs a command. */
interface Manager {
  /** Its package in the registry, without a version for npm: each Node brings its own. */
  readonly spec: string;
  readonly add: readonly string[];
  readonly ignoreScripts: string;
  readonly files?: Readonly<Record<string, string>>;
  /** Runs the commands of installed packages. */
  readonly exec: readonly string[];
  readonly node?: readonly string[];
  /** Installs what the lockfile lists, into a project without node_modules. */
  readonly clean?: readonly string[];
}

const yarn4 = {
  spec: "@yarnpkg/cli-dist@4",
  add: ["yarn", "add"],
  ignoreScripts: "--mode=skip-build",
  exec: ["yarn"],
  node: ["yarn", "node"],
};

export const managers: Readonly<Record<string, Manager>> = {
  npm: {
    spec: "npm",
    add: ["npm", "install"],
    ignoreScripts: "--ignore-scripts",
    exec: ["npx", "--no-install"],
  },
  "npm ci": {
    spec: "npm",
    add: ["npm", "install"],
    ignoreScripts: "--ignore-scripts",
    exec: ["npx", "--no-install"],
    clean: ["npm", "ci"],
  },
  pnpm: { spec: "pnpm@10", add: ["pnpm", "add"], ignoreScripts: "--ignore-scripts", exec: ["pnpm", "exec"] },
  yarn1: {
    spec: "yarn@1",
    add: ["yarn", "add"],
    ignoreScripts: "--ignore-scripts",
    exec: ["yarn", "--silent"],
  },
  "yarn4 pnp": { ...yarn4, files: { "yarn.lock": "" } },
  "yarn4 node_modules": { ...yarn4, files: { "yarn.lock": "", ".yarnrc.yml": "nodeLinker: node-modules\n" } },
};

/** Folders to put on the path of a trial; the last one is that of Node. */
type Bins = readonly string[];

export interface Cell {
  readonly manager: string;
  readonly ignoresScripts: boolean;
  readonly tarball: string;
  /** An empty folder. */
  readonly folder: string;
  readonly bins: Bins;
  /** The Node to install with, if it is another one than runs the package. */
  readonly installBins?: Bins | undefined;
  /** Where npm, pnpm and Yarn keep what they download. */
  readonly home: string;
}

export interface Outcome {
  /** Where better-sqlite3 is installed. */
  readonly engine: { readonly version: string; readonly folder: string };
  /** The commands that repaired the installation, as the message or the documentation names them. */
  readonly repairs: readonly string[];
}

/**
 * Installs the package in an empty project and orders a card. If that fails, runs the command that the message names.
 * @throws Error unless the installation works or is repaired
 */
export async function tryInstall(cell: Cell): Promise<Outcome> {
  const manager = managers[cell.manager];
  if (!manager) throw new Error(`no package manager is named ${cell.manager}`);
  const { folder, home } = cell;
  const env = environment(home);
  const trial = new Trial(folder, cell.bins, env);
  const installing = new Trial(folder, cell.installBins ?? cell.bins, env);
  writeFileSync(
    join(folder, "package.json"),
    JSON.stringify({ name: "project", version: "1.0.0", private: true }),
  );
  writeFileSync(join(folder, "order.mjs"), orderInProcess);
  for (const [name, text] of Object.entries(manager.files ?? {})) writeFileSync(join(folder, name), text);
  const flags = cell.ignoresScripts ? [manager.ignoreScripts] : [];
  const repairs: string[] = [];
  const add = () => runWords(installing, [...manager.add, cell.tarball, ...flags]);
  try {
    await add();
  } catch (error) {
    // Yarn 1 refuses before anything of the package runs, so this command stands in the documentation alone.
    if (!(error instanceof StepFailed && error.printed.includes('The engine "node" is incompatible')))
      throw error;
    const command = "npm pkg set resolutions.better-sqlite3=~12.9.0";
    repairs.push(command);
    await trial.run(command, "sh", ["-c", command]);
    await add();
  }
  if (manager.clean) {
    rmSync(join(folder, "node_modules"), { recursive: true });
    await runWords(installing, [...manager.clean, ...flags]);
  }
  await expectLine(trial, [...manager.exec, "card-sandbox", "--version"], /^\d+\.\d+\.\d+$/);
  const order = [...(manager.node ?? ["node"]), "order.mjs"];
  /** Orders a card, and repairs the installation until that works. */
  const orderOn = async (bins: Bins) => {
    const trial = new Trial(folder, bins, env);
    for (let tries = 0; ; tries++) {
      const failure = await expectLine(trial, order, /^active$/).catch((error: Error) => error);
      if (!failure) return;
      if (tries === 2) throw failure;
      repairs.push(await repair(trial, manager, failure, env, bins));
    }
  };
  if (cell.installBins) await orderOn(cell.installBins);
  await orderOn(cell.bins);
  const engine = `const { dirname } = require("node:path");
    const ours = require("node:fs").realpathSync(require.resolve("card-sandbox/package.json"));
    const manifest = require.resolve("better-sqlite3/package.json", { paths: [ours] });
    console.log(JSON.stringify({ version: require(manifest).version, folder: dirname(manifest) }));`;
  const found = await runWords(trial, [...(manager.node ?? ["node"]), "--eval", engine]);
  return { engine: JSON.parse(found.split("\n").at(-1) ?? ""), repairs };
}

/** Runs the command that the command line names, in the folder that it names. */
async function repair(
  trial: Trial,
  manager: Manager,
  failure: Error,
  env: NodeJS.ProcessEnv,
  bins: Bins,
): Promise<string> {
  const words = [...manager.exec, "card-sandbox", "exec", "--allow-no-requests", "--", "node", "--version"];
  const failed = await runWords(trial, words).catch((error: Error) => error);
  if (!(failed instanceof StepFailed)) throw failure;
  const lines = failed.printed.split("\n").filter((line) => line.startsWith("card-sandbox: "));
  const [, folder, command] =
    /^card-sandbox: better-sqlite3 .* run this in (.*?): (.*)$/.exec(lines[0] ?? "") ?? [];
  const isPlain = lines.length === 1 && !/^\s+at /m.test(failed.printed) && failed.code === 3;
  if (!folder || !command || !isPlain) throw failed;
  if (!(failure instanceof StepFailed) || !failure.printed.includes(command)) throw failure;
  await new Trial(folder, bins, env).run(command, "sh", ["-c", command]);
  return command;
}

function runWords(trial: Trial, [file = "", ...args]: readonly string[]): Promise<string> {
  return trial.run([file, ...args].join(" "), file, args);
}

async function expectLine(trial: Trial, words: readonly string[], line: RegExp): Promise<void> {
  const printed = await runWords(trial, words);
  if (!printed.split("\n").some((text) => line.test(text))) throw new StepFailed(words.join(" "), printed);
}

/** Nothing of this machine's settings and caches, nor of the npm that runs this. */
function environment(home: string): NodeJS.ProcessEnv {
  const inherited = Object.keys(process.env).filter((name) => /^(npm_|yarn_|pnpm_|CI$)/i.test(name));
  return {
    ...Object.fromEntries(inherited.map((name) => [name, undefined])),
    HOME: home,
    XDG_CACHE_HOME: undefined,
    XDG_DATA_HOME: undefined,
    npm_config_cache: join(home, ".npm"),
    npm_config_fund: "false",
    npm_config_audit: "false",
    npm_config_update_notifier: "false",
    YARN_ENABLE_TELEMETRY: "0",
  };
}

/**
 * Puts a compiled engine where its install script keeps downloaded ones, so that it is compiled once where nothing can
 * be downloaded.
 */
export function keepBinary(packageFolder: string, home: string, modules: string): void {
  const { version } = JSON.parse(readFileSync(join(packageFolder, "package.json"), "utf8"));
  const built = "build/Release/better_sqlite3.node";
  // From 13 on, the package contains its binaries.
  if (!existsSync(join(packageFolder, built))) return;
  const tag = `node-v${modules}-${process.platform}-${process.arch}`;
  const url = `https://github.com/WiseLibs/better-sqlite3/releases/download/v${version}/better-sqlite3-v${version}-${tag}.tar.gz`;
  const folder = join(home, ".npm", "_prebuilds");
  const digest = createHash("sha512").update(url).digest("hex").slice(0, 6);
  const file = join(folder, `${digest}-${basename(url).replace(/[^a-zA-Z0-9.]+/g, "-")}`);
  if (existsSync(file)) return;
  mkdirSync(folder, { recursive: true });
  execFileSync("tar", ["-czf", file, "-C", packageFolder, built]);
}
