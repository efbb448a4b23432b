import { execFile } from "node:child_process";
import { randomBytes, randomUUID } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { onTestFinished } from "vitest";
import type { Sandbox as PortableSandbox, SandboxPorts } from "../../src/api.ts";
import type { Choices } from "../../src/contract/behaviours.ts";
import {
  createSandbox,
  openSandbox,
  type Sandbox,
  type SandboxOptions,
} from "../../src/node/create-sandbox.ts";
import { openDatabase } from "../../src/node/database/better-sqlite3.ts";
import { openPlayer } from "../../src/node/tape/play.ts";
import { encodeTape, readTape } from "../../src/node/tape/tape-file.ts";
import { type Overlay, plainOverlay } from "../../src/rules/overlay.ts";
import { wireSandbox } from "../../src/sandbox.ts";
import { readOrigin } from "../../src/store/meta.ts";
import { insertStoredRows } from "../../src/store/stored-rows.ts";
import type { Difference } from "../../src/tape/difference.ts";
import { eventsOf } from "../../src/tape/lines.ts";
import { Player } from "../../src/tape/player.ts";
import { Recorder } from "../../src/tape/recorder.ts";
import type { Tape } from "../../src/tape/tape.ts";
import { type Watch, withChoices } from "./open-sandbox.ts";

/** A name for a file in a folder that is deleted when the test ends. */
export function temporaryFile(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), "card-sandbox-tape-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, name);
}

/** Does work on a sandbox that records it, and returns the tape. */
export async function tapeOf(
  work: (sandbox: Sandbox) => Promise<void>,
  options: SandboxOptions = {},
): Promise<Tape> {
  const tape = temporaryFile("a.tape");
  const sandbox = createSandbox({ ...options, tape });
  try {
    await work(sandbox);
  } finally {
    sandbox.close();
  }
  return readTape(tape);
}

/** Plays a tape in memory, and returns what it answers differently. */
export async function differencesOf(tape: Tape): Promise<readonly Difference[]> {
  const player = await openPlayer(tape, openSandbox);
  try {
    await player.play();
    return player.differences;
  } finally {
    player.sandbox.close();
  }
}

/** A recorded sandbox of a test. */
export interface TapedTest {
  readonly tape: Tape;
  readonly ports: SandboxPorts;
  /** What the test forced on the requests, in their order. A tape does not have it. */
  readonly overlays: readonly Overlay[];
}

/**
 * Runs work, and records each sandbox that it opens with `openSandbox()` of the tests.
 * @param ofPorts - changes the ports of the sandboxes
 */
export async function tapesWhile(
  work: () => Promise<unknown>,
  choices: Partial<Choices> = {},
  ofPorts: (ports: SandboxPorts) => Partial<SandboxPorts> = () => ({}),
): Promise<TapedTest[]> {
  const made: TapedTest[] = [];
  const watch: Watch = (given) => {
    const ports = { ...given, ...ofPorts(given) };
    const recorder = new Recorder({ clock: ports.clock, afterTurn: (each) => void setImmediate(each) });
    const overlays: Overlay[] = [];
    const lines: string[] = [];
    const baseOverlay = () => {
      const overlay = ports.baseOverlay?.() ?? plainOverlay;
      overlays.push(overlay);
      return overlay;
    };
    const isNew = readOrigin(ports.database) === undefined;
    const { clock } = recorder;
    return {
      ports: { ...ports, clock, tap: recorder, baseOverlay },
      opened: () => recorder.begin({ write: (text) => void lines.push(text) }, randomBytes(32), isNew),
      ended: () => {
        recorder.end();
        const [head, ...events] = lines
          .join("")
          .trimEnd()
          .split("\n")
          .map((line) => JSON.parse(line));
        made.push({ tape: { head, events: eventsOf(events), isComplete: true }, ports, overlays });
      },
    };
  };
  await withChoices(choices, work, watch);
  return made;
}

/** Whether a tape has everything that the test forced. */
export function isWhole({ overlays }: TapedTest): boolean {
  return overlays.every(
    ({ facts, issuer }) => Object.keys(facts).length === 0 && issuer === plainOverlay.issuer,
  );
}

/** As `differencesOf`, with what the test forced. */
export async function differencesOfTest(test: TapedTest): Promise<readonly Difference[]> {
  if (isWhole(test)) return differencesOf(test.tape);
  const { tape, ports, overlays } = test;
  const left = [...overlays];
  const database = openDatabase(":memory:");
  if (tape.head.rows) insertStoredRows(database, tape.head.rows);
  const open = (played: Partial<SandboxPorts>): PortableSandbox =>
    wireSandbox({
      ...ports,
      fixtures: { ...tape.head.fixtures, digest: randomUUID() },
      observe: undefined,
      privateSecrets: false,
      baseOverlay: () => left.shift() ?? plainOverlay,
      ...played,
      database,
    });
  const player = new Player(tape, { open, changeInputs: () => {}, idle: () => turn() });
  try {
    await player.load();
    await player.play();
    return player.differences;
  } finally {
    player.sandbox.abandon();
    database.close();
  }
}

/** Plays tapes in another process, and returns what each answers differently. */
export async function differencesElsewhere(tapes: readonly Tape[]): Promise<readonly Difference[][]> {
  const paths = tapes.map((tape, n) => {
    const path = temporaryFile(`${n}.tape`);
    writeFileSync(path, encodeTape(tape));
    return path;
  });
  const list = temporaryFile("tapes.json");
  writeFileSync(list, JSON.stringify(paths));
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--import", "tsx", fileURLToPath(import.meta.resolve("./play-tapes.ts")), list],
    { maxBuffer: 2 ** 28 },
  );
  return JSON.parse(stdout);
}
