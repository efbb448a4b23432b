// Floor A: what a server cannot do without. It reads the body, parses it, and answers a constant card.
import { createServer } from "node:http";
import { answers } from "./answers.mjs";

const server = createServer((request, response) => {
  const chunks = /** @type {Buffer[]} */ ([]);
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => {
    if (chunks.length > 0) JSON.parse(Buffer.concat(chunks).toString());
    const { status, body } = request.method === "POST" ? answers.made : answers.well;
    response.writeHead(status, {
      "Content-Type": "application/json",
      "Content-Length": Buffer.byteLength(body),
    });
    response.end(body);
  });
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (address && typeof address === "object") {
    process.stdout.write(`Floor base address  http://127.0.0.1:${address.port}\nReady.\n`);
  }
});
process.once("SIGTERM", () => process.exit());
