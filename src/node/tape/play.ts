import { setImmediate as turn } from "node:timers/promises";
import type { ShortenWait } from "../../runtime/services.ts";
import { Catalogue } from "../../scenarios/catalogue.ts";
import { Player } from "../../tape/player.ts";
import type { Tape, Waits } from "../../tape/tape.ts";
import { type Inputs, openSandbox, type Sandbox } from "../create-sandbox.ts";
import { readShippedScenarios } from "../input-files.ts";

/**
 * Opens a sandbox in memory in which a tape can be played.
 * @throws SetupError if this version cannot make the world of the tape
 */
export async function openPlayer(tape: Tape): Promise<Player<Sandbox>> {
  const { seed, clock, fixtures, dialect, scenarios, options, rows } = tape.head;
  const inputs: Inputs = {
    // A database that is opened again keeps its fixtures.
    fixtures: rows ? undefined : fixtures,
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
        { privateSecrets: false, inputs, rows: rows ?? undefined, shortenWait: shorten(waits), ...ports },
      );
    },
    changeInputs: (_, { fixtures: changed, dialect: selected, scenarios: own }) => {
      if (changed) inputs.fixtures = changed;
      if (own) inputs.catalogue.replaceOwn(own);
      if (selected) inputs.dialectChanged?.(selected);
    },
    idle: () => turn(),
  });
  await player.load();
  return player;
}

function shorten(waits: Waits | null): ShortenWait | undefined {
  if (waits === null) return undefined;
  return "times" in waits ? (ms) => ms * waits.times : (ms) => Math.min(ms, waits.atMostMs);
}
