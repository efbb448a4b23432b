// Floor B: the same as floor A, by the framework and the adapter that the sandbox has.
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { answers } from "./answers.mjs";

const app = new Hono();
const headers = { "Content-Type": "application/json" };
app.get("*", (c) => c.body(answers.well.body, 200, headers));
app.post("*", async (c) => {
  await c.req.json();
  return c.body(answers.made.body, 201, headers);
});
serve({ fetch: app.fetch, hostname: "127.0.0.1", port: 0 }, ({ port }) => {
  process.stdout.write(`Floor base address  http://127.0.0.1:${port}\nReady.\n`);
});
process.once("SIGTERM", () => process.exit());
