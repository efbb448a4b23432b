import { randomInt, randomUUID } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import { cardIn, type Started, startCommandLine, temporaryFolder } from "../support/command-line.ts";
import { physicalOrder } from "../support/physical-order.ts";
import { seededNumbers } from "../support/seeded-random.ts";

/** Part of each test's name, so that one that fails says it. */
const seed = Number(process.env.HANG_UP_SEED ?? randomInt(1_000_000));
const hangUps = 200;
const atOnce = 20;

/** What a client has sent when it hangs up, and whether it waits until the answer comes in. */
interface HangUp {
  readonly key: string;
  readonly sent: string;
  readonly isWhole: boolean;
  readonly whenAnswered: boolean;
  /** Ends its own side, and reads on until the other ends too; else the connection is reset. */
  readonly politely: boolean;
}

async function hangUp({ url }: Started, { sent, whenAnswered, politely }: HangUp): Promise<void> {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  socket.on("error", () => {});
  const closed = new Promise((resolve) => socket.on("close", resolve));
  if (whenAnswered) {
    socket.once("data", () => socket.destroy());
    socket.write(sent);
  } else if (politely) {
    socket.resume();
    socket.end(sent);
  } else {
    socket.write(sent, () => socket.resetAndDestroy());
  }
  await closed;
}

/** A whole request, its body in one piece or in chunks. */
function requestOf(key: string, token: string, accountId: string, chunked: boolean): string {
  const body = JSON.stringify(physicalOrder(accountId));
  const head = `POST /developer/cards/physical HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nIdempotency-Key: ${key}\r\n`;
  if (!chunked) return `${head}Content-Length: ${body.length}\r\n\r\n${body}`;
  const chunks = [body.slice(0, 100), body.slice(100)].map(
    (chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`,
  );
  return `${head}Transfer-Encoding: chunked\r\n\r\n${chunks.join("")}0\r\n\r\n`;
}

test.each([
  ["in memory", false],
  ["on a file", true],
])(
  `each of ${hangUps} clients that disconnect, %s, has one card after a retry (HANG_UP_SEED=${seed})`,
  { timeout: 60_000 },
  async (_, onFile) => {
    const folder = temporaryFolder();
    const fixtures = join(folder, "world.yaml");
    const world = readFileSync(new URL("../../fixtures/default.yaml", import.meta.url), "utf8");
    writeFileSync(fixtures, world.replace("card_quota: 20", "card_quota: 100000"));
    const db = onFile ? ["--db", join(folder, "sandbox.db")] : [];
    const sandbox = await startCommandLine(["--fixtures", fixtures, ...db]);
    const token = await sandbox.exchange();
    const accountId = (await sandbox.world()).companies[0]?.accounts[0]?.id ?? "";
    const random = seededNumbers(seed);

    const planned = Array.from({ length: hangUps }, (): HangUp => {
      const key = randomUUID();
      const request = requestOf(key, token, accountId, random() < 0.4);
      const isWhole = random() < 0.4;
      const sent = isWhole ? request : request.slice(0, Math.floor(random() * request.length));
      return { key, sent, isWhole, whenAnswered: isWhole && random() < 0.5, politely: random() < 0.5 };
    });
    const cards = new Set<string>();
    const tryOne = async (planned: HangUp) => {
      await hangUp(sandbox, planned);
      const order = () =>
        sandbox.post("/developer/cards/physical", physicalOrder(accountId), {
          Authorization: `Bearer ${token}`,
          "Content-Type": "application/json",
          "Idempotency-Key": planned.key,
        });
      const retry = await order();
      expect(retry.status).toBe(201);
      const replayed = retry.headers.get("Idempotent-Replayed") === "true";
      if (!planned.isWhole) expect(replayed, `made by a request of ${planned.sent.length} bytes`).toBe(false);
      if (planned.whenAnswered) expect(replayed, "lost though it was answered").toBe(true);
      const { id } = await cardIn(retry);
      const again = await order();
      expect([again.headers.get("Idempotent-Replayed"), (await cardIn(again)).id]).toEqual(["true", id]);
      cards.add(id);
    };
    for (let n = 0; n < hangUps; n += atOnce) await Promise.all(planned.slice(n, n + atOnce).map(tryOne));

    expect(cards.size).toBe(hangUps);
    expect((await sandbox.world()).companies[0]?.live_cards).toBe(hangUps);
    expect(sandbox.output.stderr).toBe("");
    expect(sandbox.output.stdout).not.toContain("gateway.internal_error");
  },
);
