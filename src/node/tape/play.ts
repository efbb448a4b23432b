import { createHash } from "node:crypto";
import { setImmediate as turn } from "node:timers/promises";
import type { Replay } from "../../control/replay.ts";
import { Catalogue } from "../../scenarios/catalogue.ts";
import { Player } from "../../tape/player.ts";
import type { Tape } from "../../tape/tape.ts";
import type { Fixtures } from "../../world/open-world.ts";
import type { Inputs, OpenSandbox, Sandbox } from "../create-sandbox.ts";
import { readShippedScenarios } from "../input-files.ts";

/**
 * Opens a sandbox in memory in which a tape can be played.
 * @param openSandbox - an argument, because each sandbox can play its own tape
 * @param replay - for the dashboard of the sandbox
 * @throws SetupError if this version cannot make the world of the tape
 */
export async function openPlayer(
  tape: Tape,
  openSandbox: OpenSandbox,
  replay?: Replay,
): Promise<Player<Sandbox>> {
  const { seed, clock, fixtures, dialect, scenarios, options, rows } = tape.head;
  const inputs: Inputs = {
    // A database that is opened again keeps its fixtures.
    fixtures: rows ? undefined : withOwnDigest(fixtures),
    dialect,
    catalogue: new Catalogue(readShippedScenarios, scenarios),
    files: [],
  };
  const player = new Player(tape, {
    open: (ports) => {
      const { assumed, sandboxHeaders, fixtureKeys, scenario, allowWebhookHosts, waits } = options;
      return openSandbox(
        {
          seed,
          clock: rows ? undefined : (clock ?? undefined),
          assumed,
          sandboxHeaders,
          fixtureKeys,
          scenario: scenario ?? undefined,
          allowWebhookHosts,
        },
        {
          privateSecrets: false,
          inputs,
          rows: rows ?? undefined,
          waits: waits ?? undefined,
          replay,
          ...ports,
        },
      );
    },
    changeInputs: (_, { fixtures: changed, dialect: selected, scenarios: own }) => {
      if (changed) inputs.fixtures = withOwnDigest(changed);
      if (own) inputs.catalogue.replaceOwn(own);
      if (selected) inputs.dialectChanged?.(selected);
    },
    idle: () => turn(),
  });
  // It signs deliveries: while it is loaded, time stands still.
  await Promise.all([player.load(), import("standardwebhooks")]);
  return player;
}

/** The worlds of two tapes differ by their stand-ins, so that they must not share a copy. */
function withOwnDigest({ world }: Fixtures): Fixtures {
  return { world, digest: createHash("sha256").update(JSON.stringify(world)).digest("hex") };
}
