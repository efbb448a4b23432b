import { readFileSync } from "node:fs";
import { openSandbox } from "../../src/node/create-sandbox.ts";
import { openPlayer } from "../../src/node/tape/play.ts";
import { readTape } from "../../src/node/tape/tape-file.ts";
import type { Difference } from "../../src/tape/difference.ts";

// Plays the tapes that a file lists, and prints what each answers differently.

const differences: (readonly Difference[])[] = [];
for (const path of JSON.parse(readFileSync(process.argv[2] ?? "", "utf8"))) {
  const player = await openPlayer(readTape(path), openSandbox);
  await player.play();
  differences.push(player.differences);
  player.sandbox.close();
}
process.stdout.write(JSON.stringify(differences));
