import { join } from "node:path";
import { expect, test } from "vitest";
import { run, startCommandLine, takenPort, temporaryFolder, untilReady } from "../support/command-line.ts";

test("a tape of a server replays in another process, which then serves its world", async () => {
  const tape = join(temporaryFolder(), "a.tape");
  const recorded = await startCommandLine(["--tape", tape]);
  const token = await recorded.exchange();
  for (let n = 0; n < 3; n++) {
    const key = `3f0c2a4e-1111-4222-8333-00000000000${n}`;
    expect((await recorded.order(key, token)).status).toBe(201);
  }
  recorded.child.kill("SIGTERM");
  expect(await recorded.ended).toEqual({ code: 0, signal: null });

  const replayed = run(["replay", tape, "--json"]);
  expect(await replayed.ended).toEqual({ code: 0, signal: null });
  expect(JSON.parse(replayed.output.stdout)).toMatchObject({
    complete: true,
    requests: { tape: 4, played: 4 },
    differences: [],
  });

  const served = run(["replay", tape, "--until", "2", "--serve", "--port", "0", "--admin-token", "token"]);
  await untilReady(served);
  const url = /^Sandbox base URL +(\S+)$/m.exec(served.output.stdout)?.[1];
  expect(served.output.stdout).toContain("Served world      after request 2\n");
  const headers = { Authorization: "Bearer token" };
  const requests = await fetch(`${url}/_sandbox/requests`, { headers });
  expect(await requests.json()).toMatchObject({ requests: [{ id: "2" }, { id: "1" }] });
  expect((await fetch(`${url}/_sandbox/requests`)).status).toBe(401);
  served.child.kill("SIGTERM");
  expect(await served.ended).toEqual({ code: 0, signal: null });

  const refused = run(["replay", tape, "--serve", "--port", String(await takenPort())]);
  expect(await refused.ended).toEqual({ code: 3, signal: null });
});
