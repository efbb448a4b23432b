import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { watchServer } from "../support/watched-server.ts";

test("a hundred requests in one write are answered in their order", async () => {
  const { connect } = await watchServer();
  const socket = await connect();
  const requests = Array.from({ length: 100 }, (_, i) => {
    const last = i === 99 ? "Connection: close\r\n" : "";
    return `GET /nothing/${i} HTTP/1.1\r\nHost: a\r\n${last}\r\n`;
  });
  socket.end(requests.join(""));
  const paths = [...(await text(socket)).matchAll(/GET (\/nothing\/\d+) is no path/g)].map(
    ([, path]) => path,
  );
  expect(paths).toEqual(requests.map((_, i) => `/nothing/${i}`));
});

test("a client that asks over and over, and reads nothing, has one answer in memory", async () => {
  const { connect, orders, memoryMiB, before } = await watchServer();
  const socket = await connect();
  socket.pause().write("GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n".repeat(1000));
  expect((await orders(100)).p99Ms).toBeLessThan(1000);
  expect(memoryMiB() - before.memoryMiB).toBeLessThan(150);
});
