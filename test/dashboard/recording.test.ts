import { expect, test } from "vitest";
import { decodeTape } from "../../src/node/tape/tape-file.ts";
import { openDashboard } from "../support/open-dashboard.ts";

test("records in memory, and saves the tape up to a request", async () => {
  const { visit, send, submit, order, serve, origin } = openDashboard();
  await order();
  const before = await visit("/requests/2");
  expect(before.text).toContain("Nothing is recorded, so there is no tape with this request.");
  expect((await visit("")).text).toContain("Begin recording");
  expect((await submit("/recording")).text).toContain("Done. The sandbox records a tape in memory.");
  expect((await submit("/recording")).text).toContain(
    "Error: tape: the sandbox has been recording since 2026-03-10",
  );
  await order();
  await order();
  expect((await visit("/requests/2")).text).toContain(
    "it was sent before the recording began. Send it again.",
  );
  const { html, text } = await visit("/requests/3");
  expect(text).toContain("npx card-sandbox replay card-sandbox-request-3.tape --until 3 --serve");
  const action =
    /action="(\/_sandbox\/tape\/file)" class="action"><input type="hidden" name="until" value="(\d+)"/;
  const [, path, until] = action.exec(html) ?? [];
  const fetch = serve({ environments: ["sandbox", "live"], control: { kind: "loopback" } });
  const response = await fetch(new Request(`${origin}${path}?until=${until}`));
  expect(response.headers.get("Content-Disposition")).toBe(
    'attachment; filename="card-sandbox-request-3.tape"',
  );
  const { events } = decodeTape(Buffer.from(await response.arrayBuffer()));
  expect(events.flatMap((event) => (event.do === "request" ? [event.response?.id] : []))).toEqual([3]);
  const overview = await visit("");
  expect(overview.text).toMatch(/recording Since \(UTC\) .* Requests 4 Size \d+\.\d KiB/);
  expect((await submit("/recording/end")).text).toContain(
    "Done. The recording has ended. The tape is deleted.",
  );
  expect((await send("/recording", {}, { Origin: "http://localhost:1" })).status).toBe(403);
  expect((await visit("")).text).toContain("Begin recording");
});

test("the file needs the admin token or a session, as the pages do", async () => {
  const token = "correct-horse-battery-staple";
  const { visit, send, origin, order, control } = openDashboard({}, { kind: "token", token });
  control.tape.begin();
  await order();
  const { headers } = await send("/sign-in", { token });
  const Cookie = headers.get("Set-Cookie")?.split(";")[0] ?? "";
  expect((await visit("/requests/2", { headers: { Cookie } })).text).toContain("Save as tape");
  const path = `${origin}/_sandbox/tape/file?until=2`;
  expect((await visit(path)).status).toBe(401);
  expect((await visit(path, { headers: { Cookie } })).status).toBe(200);
  expect((await visit(path, { headers: { Cookie, "Sec-Fetch-Site": "cross-site" } })).status).toBe(403);
  expect((await visit(path, { headers: { Authorization: `Bearer ${token}` } })).status).toBe(200);
  const end = (from: string) => send("/recording/end", {}, { Cookie, Origin: from });
  expect((await end("http://localhost:1")).status).toBe(403);
  expect(control.tape.read().recording).toBe(true);
  expect((await end(origin)).status).toBe(303);
  expect(control.tape.read().recording).toBe(false);
});
