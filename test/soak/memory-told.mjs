// Loaded into the sandbox that is soaked: tells whoever started it how much of its heap lives, whenever it is asked.
import process from "node:process";
import { setTimeout as pass } from "node:timers/promises";

process.on("message", async () => {
  // What a collection finds dead may keep something else until its finalizer has run.
  for (let n = 0; n < 3; n++) {
    globalThis.gc();
    await pass(20);
  }
  process.send({ liveBytes: process.memoryUsage().heapUsed });
});
// It is to end as it would without.
process.channel.unref();
