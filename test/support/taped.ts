import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { createSandbox, type Sandbox, type SandboxOptions } from "../../src/node/create-sandbox.ts";
import { openPlayer } from "../../src/node/tape/play.ts";
import { readTape } from "../../src/node/tape/tape-file.ts";
import type { Difference } from "../../src/tape/difference.ts";
import type { Tape } from "../../src/tape/tape.ts";

/** A name for a file in a folder that is deleted when the test ends. */
function temporaryFile(name: string): string {
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
  const player = await openPlayer(tape);
  try {
    await player.play();
    return player.differences;
  } finally {
    player.sandbox.close();
  }
}
