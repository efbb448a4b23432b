// Loaded into the sandbox under test: reports the size of its live heap whenever it receives a message.
import process from "node:process";
import { setTimeout as pass } from "node:timers/promises";

process.on("message", async () => {
  // A dead object may keep others alive until its finalizer has run.
  for (let n = 0; n < 3; n++) {
    globalThis.gc();
    await pass(20);
  }
  process.send({ liveBytes: process.memoryUsage().heapUsed });
});
// The channel must not keep the process alive.
process.channel.unref();
