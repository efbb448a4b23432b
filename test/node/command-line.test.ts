import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { Agent, createServer, request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { type AddressInfo, connect } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Card } from "../../src/contract/card.ts";
import { version } from "../../src/node/create-sandbox.ts";
import { run, startCommandLine, temporaryFolder, untilReady } from "../support/command-line.ts";

const key = "7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30";
const card = async (response: Response) => (await response.json()) as Card;

describe("start-up lines", () => {
  test("tell the base addresses, the keys by role, and last that it is ready", async () => {
    const { output, url, liveUrl } = await startCommandLine();
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:[1-9][0-9]+$/);
    expect(liveUrl).toBe(url);
    for (const secret of ["sk_sandbox_northwind_owner", "sk_live_northwind_owner"]) {
      expect(output.stdout).toMatch(new RegExp(`northwind +(sandbox|live) +owner +${secret}$`, "m"));
    }
    expect(output.stdout).toMatch(/sk_sandbox_northwind_revoked +revoked$/m);
    expect(output.stdout.trimEnd().split("\n").at(-1)).toBe("Ready.");
    expect(output.stderr).toBe("");
  });

  test("hold commands that order a card when pasted, and the same card when pasted again", async () => {
    const { output } = await startCommandLine(["--log", "silent"]);
    const pasted = output.stdout.slice(output.stdout.indexOf("TOKEN="), output.stdout.lastIndexOf("Ready."));
    const paste = () => JSON.parse(execFileSync("bash", ["-c", pasted], { encoding: "utf8" })) as Card;
    const first = paste();
    expect(first).toMatchObject({ status: "active", type: "physical" });
    expect(paste()).toEqual(first);
  });

  test("hold commands that order even where the first company cannot, and the header is required", async () => {
    const file = join(temporaryFolder(), "world.yaml");
    const companies = [
      "  - { slug: a, name: A, country_code: GB }",
      "  - { slug: b, name: B, country_code: GB, entitlements: [], ",
    ];
    const member = (slug: string, more: string) =>
      `members: [{ slug: ${slug}, name: N, role: owner${more}, api_keys: [{ secret: sk_sandbox_${slug} }] }]`;
    const account = "accounts: [{ slug: gbp, name: Main, currency: GBP }]";
    companies[1] += `${account}, ${member("b_owner", "")} }`.replace("slug: b_owner", "slug: b-owner");
    companies.push(
      `  - { slug: c, name: C, country_code: GB, details_complete: false, ${account}, ${member("c_owner", "").replace("slug: c_owner", "slug: c-owner")} }`,
      `  - { slug: d, name: D, country_code: GB, ${account}, ${member("d_owner", ", details_complete: false").replace("slug: d_owner", "slug: d-owner")} }`,
      `  - { slug: e, name: E, country_code: GB, ${account}, ${member("e_owner", "").replace("slug: e_owner", "slug: e-owner")} }`,
    );
    writeFileSync(file, `companies:\n${companies.join("\n")}\n`);
    const { output } = await startCommandLine([
      "--fixtures",
      file,
      "--on-behalf-of",
      "required",
      "--log",
      "silent",
    ]);
    const pasted = output.stdout.slice(output.stdout.indexOf("TOKEN="), output.stdout.lastIndexOf("Ready."));
    const ordered = JSON.parse(execFileSync("bash", ["-c", pasted], { encoding: "utf8" }));
    expect(ordered).toMatchObject({ status: "active" });
  });

  test("go to standard output whatever the log", async () => {
    const { output } = await startCommandLine(["--log", "json"]);
    expect(output.stdout).toContain("Sandbox base address");
  });
});

describe("a bad command line is one clear line, and exit 2", () => {
  test.each([
    [["--prot", "1"], /unknown option '--prot'.*Did you mean --port\?/],
    [["begin"], /begin.*start/],
    [["start", "now"], /too many arguments/],
    [["--port", "http"], /--port.*whole number from 0 to 65535/],
    [["--port", "65536"], /--port/],
    [["--port", ""], /--port/],
    [["--live-port", "-1"], /--live-port/],
    [["--seed", "1.5"], /--seed.*whole number/],
    [["--clock", "yesterday"], /ISO 8601 instant.*yesterday/],
    [["--clock", "2026-03-10"], /ISO 8601 instant/],
    [["--clock", "9995-01-01T00:00:00Z"], /years 1970 to 9994/],
    [["--clock", "0050-01-01T00:00:00Z"], /years 1970 to 9994/],
    [["--db", " "], /database has no name/],
    [["--admin-token", ""], /--admin-token/],
    [["--log", "loud"], /--log.*pretty, json, silent/],
    [["--on-behalf-of", "always"], /--on-behalf-of.*off, optional, required/],
    [["--host", ""], /--host/],
    [["--db", ""], /--db/],
    [["--tls-cert", "cert.pem"], /--tls-cert and --tls-key go together/],
    [["--tls-cert", "none.pem", "--tls-key", "none.pem"], /--tls-cert none\.pem cannot be read/],
    [["--fixtures", "none.yaml"], /fixtures file none\.yaml cannot be read/],
  ])("%j", async (args, message) => {
    const { output, ended } = run(args);
    expect((await ended).code).toBe(2);
    expect(output.stderr).toMatch(message);
    expect(output.stderr.trimEnd()).not.toContain("\n");
    expect(output.stderr).not.toMatch(/\bat .*:[0-9]+/);
    expect(output.stdout).toBe("");
  });

  test("a variable that says nothing counts as absent, one that says nonsense does not", async () => {
    const { url } = await startCommandLine([], { CARD_SANDBOX_SEED: "", CARD_SANDBOX_DB: "" });
    expect(url).toBeTruthy();
    for (const env of [
      { CARD_SANDBOX_PORT: "http" },
      { PORT: "http" },
      { CARD_SANDBOX_NO_SANDBOX_HEADERS: "maybe" },
    ]) {
      const { output, ended } = run([], env);
      expect((await ended).code).toBe(2);
      expect(output.stderr).toContain(Object.keys(env)[0]);
      expect(output.stderr.trimEnd()).not.toContain("\n");
    }
  });
});

describe("options and their variables", () => {
  test("--help and --version answer and exit 0", async () => {
    const help = run(["--help"]);
    expect((await help.ended).code).toBe(0);
    for (const option of ["--port", "--host", "--live-port", "--db", "--seed", "--clock", "--fixtures"]) {
      expect(help.output.stdout).toContain(option);
    }
    const shown = run(["--version"]);
    expect((await shown.ended).code).toBe(0);
    expect(shown.output.stdout).toBe(`${version}\n`);
  });

  test("each option is also a variable, and the option wins", async () => {
    const env = { CARD_SANDBOX_SEED: "7", CARD_SANDBOX_CLOCK: "2026-03-29T02:30:00+01:00" };
    const health = async (args: string[]) => {
      const { url } = await startCommandLine(args, env);
      return (await fetch(`${url}/_sandbox/health`)).json();
    };
    const now = "2026-03-29T01:30:00.000Z";
    expect(await health([])).toEqual({ status: "ok", version, seed: 7, now });
    expect(await health(["--seed", "8"])).toEqual({ status: "ok", version, seed: 8, now });
  });

  test("CARD_SANDBOX_PORT comes before PORT, and both after --port", async () => {
    const taken = String(await takenPort());
    const byPort = run([], { PORT: taken });
    expect((await byPort.ended).code).toBe(1);
    await untilReady(run([], { CARD_SANDBOX_PORT: "0", PORT: taken }));
    await untilReady(run(["--port", "0"], { CARD_SANDBOX_PORT: taken, PORT: taken }));
  });

  test("--no-sandbox-headers, as a switch and as a variable that may also say no", async () => {
    const header = async (args: string[], env: NodeJS.ProcessEnv) => {
      const { url } = await startCommandLine(args, env);
      return (await fetch(`${url}/nothing`)).headers.has("Sandbox-Contract-Point");
    };
    expect(await header(["--no-sandbox-headers"], {})).toBe(false);
    expect(await header([], { CARD_SANDBOX_NO_SANDBOX_HEADERS: "true" })).toBe(false);
    expect(await header([], { CARD_SANDBOX_NO_SANDBOX_HEADERS: "false" })).toBe(true);
  });

  test("--live-port opens the live base address on its own", async () => {
    const { url, liveUrl, post } = await startCommandLine(["--live-port", "0"]);
    expect(liveUrl).not.toBe(url);
    const body = JSON.stringify({ api_key: "sk_live_northwind_owner" });
    expect((await post("/auth/v1/token", {})).status).toBe(404);
    expect((await fetch(`${liveUrl}/auth/v1/token`, { method: "POST", body })).status).toBe(200);
    expect((await fetch(`${liveUrl}/auth/v1/sandbox/token`, { method: "POST", body })).status).toBe(404);
  });

  test("--no-control leaves out the sandbox's own API", async () => {
    const { url, output } = await startCommandLine(["--no-control"]);
    expect((await fetch(`${url}/_sandbox/health`)).status).toBe(404);
    expect(output.stdout).not.toContain("Admin token");
  });

  test("beyond loopback the sandbox's own API demands an admin token, generated where none is given", async () => {
    const generated = await startCommandLine(["--host", "0.0.0.0"]);
    const token = /^Admin token for \/_sandbox +(\S{32})$/m.exec(generated.output.stdout)?.[1];
    const given = await startCommandLine(["--host", "0.0.0.0"], {
      CARD_SANDBOX_ADMIN_TOKEN: "correct-horse",
    });
    expect(given.output.stdout).not.toContain("correct-horse");
    for (const [url, admin] of [
      [generated.url, token],
      [given.url, "correct-horse"],
    ]) {
      const ask = (headers: Record<string, string>) => fetch(`${url}/_sandbox/world`, { headers });
      expect((await ask({})).status).toBe(401);
      expect((await ask({ Authorization: `Bearer ${admin}` })).status).toBe(200);
      expect((await fetch(`${url}/_sandbox/health`)).status).toBe(200);
    }
  });

  test("--fixtures loads another world", async () => {
    const file = join(temporaryFolder(), "world.yaml");
    writeFileSync(file, "companies:\n  - { slug: solo, name: Solo Ltd, country_code: IE }\n");
    const { world, output } = await startCommandLine(["--fixtures", file]);
    expect((await world()).companies.map(({ slug }) => slug)).toEqual(["solo"]);
    expect(output.stdout).toMatch(/Ready\.\n$/);
  });

  test("--tls-cert and --tls-key serve HTTPS", async () => {
    const folder = temporaryFolder();
    const [cert, certKey] = [join(folder, "cert.pem"), join(folder, "key.pem")];
    const subject = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-days", "2"];
    const files = ["-keyout", certKey, "-out", cert, "-newkey", "rsa:2048", "-nodes"];
    execFileSync("openssl", ["req", "-x509", ...files, ...subject], { stdio: "ignore" });
    const { url, output } = await startCommandLine(["--tls-cert", cert, "--tls-key", certKey]);
    expect(url).toMatch(/^https:/);
    expect(output.stdout).toContain(`curl -s --cacert '${cert}'`);
    const status = await new Promise((resolve, reject) => {
      const ca = readFileSync(cert);
      const sent = httpsRequest(`${url}/_sandbox/health`, { ca, agent: false }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      sent.on("error", reject).end();
    });
    expect(status).toBe(200);

    const mixed = run(["--port", "0", "--tls-cert", cert, "--tls-key", cert]);
    expect((await mixed.ended).code).toBe(2);
    expect(mixed.output.stderr).toContain("certificate and key do not fit");
  });
});

/** A port that something else holds until the test's end. */
async function takenPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((bound) => server.listen(0, "127.0.0.1", bound));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

describe("ports and signals", () => {
  test("a taken port is one clear line, and exit 1", async () => {
    const { output, ended } = run(["--port", String(await takenPort())]);
    expect((await ended).code).toBe(1);
    expect(output.stderr).toMatch(/^card-sandbox: port [0-9]+ on 127\.0\.0\.1 is taken: .*\n$/);
  });

  test("a taken live port too, and the other is let go", async () => {
    const { output, ended } = run(["--port", "0", "--live-port", String(await takenPort())]);
    expect((await ended).code).toBe(1);
    expect(output.stderr).toContain("is taken");
  });

  test.each(["SIGTERM", "SIGINT"] as const)(
    "%s drains and exits 0, idle connections notwithstanding",
    async (signal) => {
      const { child, ended, url } = await startCommandLine();
      const socket = connect(Number(new URL(url).port), "127.0.0.1");
      onTestFinished(() => void socket.destroy());
      await (await fetch(`${url}/_sandbox/health`)).text();
      child.kill(signal);
      expect(await ended).toEqual({ code: 0, signal: null });
    },
  );

  test.each(["destroyed", "unread"])(
    "standard output that is %s holds up neither answers nor the end",
    async (how) => {
      const { child, url, ended } = await startCommandLine();
      if (how === "unread") child.stdout?.pause();
      else child.stdout?.destroy();
      const answers = async () => {
        for (let n = 0; n < 300; n++) expect((await fetch(`${url}/${"x".repeat(500)}`)).status).toBe(404);
      };
      await Promise.all([answers(), answers(), answers()]);
      child.kill("SIGTERM");
      await once(child, "exit");
      expect(child.exitCode).toBe(0);
      child.stdout?.resume();
      await ended;
    },
  );

  test("an answer under way is given, and the end does not wait for its connection to time out", async () => {
    const { child, url, ended } = await startCommandLine();
    const agent = new Agent({ keepAlive: true });
    onTestFinished(() => agent.destroy());
    const answered = new Promise<number | undefined>((resolve, reject) => {
      const sent = httpRequest(`${url}/auth/v1/sandbox/token`, { method: "POST", agent }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      sent.on("error", reject);
      sent.write("{");
      sent.on("socket", () => {
        setTimeout(() => {
          child.kill("SIGTERM");
          setTimeout(() => sent.end("}"), 100);
        }, 100);
      });
    });
    expect(await answered).toBe(400);
    const answeredAt = performance.now();
    expect((await ended).code).toBe(0);
    expect(performance.now() - answeredAt).toBeLessThan(1000);
  });

  test("standard output that nobody reads any more does not end it", async () => {
    const { child, url } = await startCommandLine();
    child.stdout?.destroy();
    for (let n = 0; n < 3; n++) expect((await fetch(`${url}/nothing`)).status).toBe(404);
    expect(child.exitCode).toBeNull();
  });
});

describe("a database file keeps everything across restarts", () => {
  test("an order answered 201 survives kill -9, and replays", async () => {
    const file = join(temporaryFolder(), "sandbox.db");
    const first = await startCommandLine(["--db", file]);
    const ordered = await card(await first.order(key));
    first.child.kill("SIGKILL");
    expect((await first.ended).signal).toBe("SIGKILL");

    const second = await startCommandLine(["--db", file]);
    const replay = await second.order(key);
    expect(replay.headers.get("Idempotent-Replayed")).toBe("true");
    expect(await card(replay)).toEqual(ordered);
    expect((await second.world()).companies[0]?.live_cards).toBe(1);
  });

  test("killed amid a stream of orders, every 201 is there, once, and nothing half-made", async () => {
    const folder = temporaryFolder();
    const file = join(folder, "sandbox.db");
    const fixtures = join(folder, "world.yaml");
    const world = readFileSync(new URL("../../fixtures/default.yaml", import.meta.url), "utf8");
    writeFileSync(fixtures, world.replace("card_quota: 20", "card_quota: 100000"));
    const options = ["--db", file, "--fixtures", fixtures, "--log", "silent"];

    const answered = new Map<string, Card>();
    for (let round = 0; round < 3; round++) {
      const sandbox = await startCommandLine(options);
      const token = await sandbox.exchange();
      const enough = answered.size + 25;
      const client = async () => {
        while (sandbox.child.exitCode === null) {
          const orderKey = randomUUID();
          const response = await sandbox.order(orderKey, token);
          if (response.status !== 201) throw new Error(`${response.status}: ${await response.text()}`);
          answered.set(orderKey, await card(response));
          if (answered.size >= enough) sandbox.child.kill("SIGKILL");
        }
      };
      await Promise.allSettled(Array.from({ length: 5 }, client));
      await sandbox.ended;
    }
    expect(answered.size).toBeGreaterThanOrEqual(75);

    const sandbox = await startCommandLine(options);
    const token = await sandbox.exchange();
    for (const [orderKey, ordered] of answered) {
      const replay = await sandbox.order(orderKey, token);
      expect(replay.headers.get("Idempotent-Replayed")).toBe("true");
      expect(await card(replay)).toEqual(ordered);
    }
    const liveCards = (await sandbox.world()).companies[0]?.live_cards ?? 0;
    // An order whose answer the kill cut off may be there too, one for each client and round at the most.
    expect(liveCards).toBeGreaterThanOrEqual(answered.size);
    expect(liveCards).toBeLessThanOrEqual(answered.size + 15);
  });

  test("tokens and card numbers go on where they were", async () => {
    const file = join(temporaryFolder(), "sandbox.db");
    const first = await startCommandLine(["--db", file]);
    const token = await first.exchange();
    const one = await card(await first.order(key, token));
    first.child.kill("SIGTERM");
    await first.ended;
    const second = await startCommandLine(["--db", file]);
    const two = await card(await second.order(randomUUID(), token));
    const fresh = await startCommandLine();
    const kept = [await card(await fresh.order(key)), await card(await fresh.order(randomUUID()))];
    expect([one.token, two.token]).toEqual(kept.map((each) => each.token));
  });

  test("a flag that says otherwise is refused, the same again is not", async () => {
    const folder = temporaryFolder();
    const file = join(folder, "sandbox.db");
    const fixtures = join(folder, "world.yaml");
    writeFileSync(fixtures, "companies:\n  - { slug: solo, name: Solo Ltd, country_code: IE }\n");
    const clock = "2026-03-10T09:30:00Z";
    const made = ["--db", file, "--seed", "5", "--clock", clock];
    const first = await startCommandLine(made);
    first.child.kill("SIGTERM");
    await first.ended;
    for (const [flag, value, message] of [
      ["--seed", "6", /made with seed 5, not 6/],
      ["--clock", "2027-01-01T00:00:00Z", /clock at 2026-03-10T09:30:00\.000Z/],
      ["--fixtures", fixtures, /other fixtures/],
    ] as const) {
      const { output, ended } = run(["--port", "0", "--db", file, flag, value]);
      expect((await ended).code).toBe(2);
      expect(output.stderr).toMatch(message);
      expect(output.stderr.trimEnd()).not.toContain("\n");
    }
    for (const args of [made, ["--db", file]]) {
      const again = await startCommandLine(args);
      const health = await (await fetch(`${again.url}/_sandbox/health`)).json();
      expect(health).toMatchObject({ seed: 5, now: "2026-03-10T09:30:00.000Z" });
      again.child.kill("SIGTERM");
      await again.ended;
    }
  });

  test("two processes on one file: the second says so and exits", async () => {
    const file = join(temporaryFolder(), "sandbox.db");
    await startCommandLine(["--db", file]);
    const { output, ended } = run(["--port", "0", "--db", file]);
    expect((await ended).code).toBe(2);
    expect(output.stderr).toContain("is in use by another process");
  });

  test("a start that fails leaves no file that would hold the next one to its options", async () => {
    const folder = temporaryFolder();
    const file = join(folder, "sandbox.db");
    const failed = run(["--db", file, "--seed", "7", "--port", String(await takenPort())]);
    expect((await failed.ended).code).toBe(1);
    expect(readdirSync(folder)).toEqual([]);
    await startCommandLine(["--db", file, "--seed", "8"]);
  });

  test("what is refused creates nothing", async () => {
    const folder = temporaryFolder();
    const bad = join(folder, "bad.yaml");
    writeFileSync(bad, "companies: []\n");
    for (const args of [
      ["--db", join(folder, "none", "sandbox.db")],
      ["--db", join(folder, "a.db"), "--clock", "yesterday"],
      ["--db", join(folder, "b.db"), "--fixtures", bad],
    ]) {
      const { output, ended } = run(["--port", "0", ...args]);
      expect((await ended).code).toBe(2);
      expect(output.stderr.trimEnd()).not.toContain("\n");
    }
    expect(readdirSync(folder)).toEqual(["bad.yaml"]);
    expect(existsSync(join(folder, "none"))).toBe(false);
  });
});

describe("request logs", () => {
  test("never show a key, a token or a PIN, wherever a client puts one", async () => {
    for (const format of ["pretty", "json"]) {
      const sandbox = await startCommandLine(["--log", format]);
      const token = await sandbox.exchange();
      await sandbox.order(key, token);
      await sandbox.order(randomUUID(), "sk_sandbox_northwind_owner");
      await fetch(`${sandbox.url}/cards/${token}/sk_live_northwind_owner?pin=4821&token=${token}`);
      await fetch(`${sandbox.url}/a%0AForged%20line`);
      await sandbox.post("/auth/v1/sandbox/token", { api_key: "sk_sandbox_northwind_revoked" });
      sandbox.child.kill("SIGTERM");
      await sandbox.ended;
      const log = sandbox.output.stdout.split("Ready.\n")[1] ?? "";
      expect(log.trimEnd().split("\n")).toHaveLength(6);
      expect(log).toContain("order.created");
      for (const secret of [token, "sk_sandbox_northwind", "sk_live_northwind", "4821"]) {
        expect(log + sandbox.output.stderr).not.toContain(secret);
      }
    }
  });

  test("as JSON, a line an answer; silent, none", async () => {
    const sandbox = await startCommandLine(["--log", "json"]);
    await sandbox.order(key);
    sandbox.child.kill("SIGTERM");
    await sandbox.ended;
    const lines = sandbox.output.stdout.split("Ready.\n")[1]?.trimEnd().split("\n") ?? [];
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { method: "POST", path: "/auth/v1/sandbox/token", status: 200, point: "token.issued" },
      {
        method: "POST",
        path: "/developer/cards/physical",
        status: 201,
        point: "order.created",
        provenance: "specified",
        environment: "sandbox",
        company: "northwind",
        duration_ms: expect.any(Number),
      },
    ]);

    const silent = await startCommandLine(["--log", "silent"]);
    await silent.order(key);
    silent.child.kill("SIGTERM");
    await silent.ended;
    expect(silent.output.stdout).toMatch(/Ready\.\n$/);
  });
});

describe("over a real socket", () => {
  /** Sends bytes as they stand, and reads until the server closes. */
  const sendRaw = async (url: string, bytes: string): Promise<string> => {
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    socket.end(bytes);
    return text(socket);
  };

  test("a body over 64 KiB is drained, then answered: declared, and in chunks", async () => {
    const sandbox = await startCommandLine();
    const token = await sandbox.exchange();
    const head = `POST /developer/cards/physical HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nIdempotency-Key: ${key}\r\n`;
    const mebibyte = "x".repeat(1 << 20);
    const chunk = `${(1 << 20).toString(16)}\r\n${mebibyte}\r\n`;
    for (const request of [
      `${head}Content-Length: ${8 << 20}\r\n\r\n${mebibyte.repeat(8)}`,
      `${head}Transfer-Encoding: chunked\r\n\r\n${chunk.repeat(8)}0\r\n\r\n`,
    ]) {
      const answer = await sendRaw(sandbox.url, request);
      expect(answer).toMatch(/^HTTP\/1\.1 400 /);
      expect(answer).toContain("order.body_too_large");
      expect(answer).toContain('{"error":"the body is over 64 KiB"}');
    }
  });

  test("a client that goes away in the middle of its body orders nothing", async () => {
    const sandbox = await startCommandLine();
    const token = await sandbox.exchange();
    const socket = connect(Number(new URL(sandbox.url).port), "127.0.0.1");
    socket.write(
      `POST /developer/cards/physical HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nIdempotency-Key: ${key}\r\nContent-Length: 500\r\n\r\n{"account_id"`,
      () => socket.destroy(),
    );
    expect((await sandbox.order(key, token)).headers.has("Idempotent-Replayed")).toBe(false);
    expect(sandbox.output.stdout).not.toContain("gateway.internal_error");
  });

  test("a body that comes slowly does not cost the early answer its connection", async () => {
    const { url } = await startCommandLine();
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    const received = text(socket);
    const head = `POST /developer/cards/physical HTTP/1.1\r\nHost: a\r\nContent-Length: 8\r\n\r\n`;
    socket.write(`${head}half`);
    await new Promise((later) => setTimeout(later, 900));
    socket.end(`half${head.replace("\r\nContent-Length: 8", "\r\nConnection: close")}`);
    expect((await received).match(/HTTP\/1\.1 401 /g)).toHaveLength(2);
  });

  test("HTTP/1.0 may leave out Host", async () => {
    const { url } = await startCommandLine();
    expect(await sendRaw(url, "GET /_sandbox/health HTTP/1.0\r\n\r\n")).toMatch(/^HTTP\/1\.1 200 /);
  });

  test.each([
    ["an unknown method", "FOO / HTTP/1.1\r\nHost: a\r\n\r\n", 400],
    ["two lengths", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", 400],
    ["no HTTP at all", "hello\r\n\r\n", 400],
    ["headers beyond measure", `GET / HTTP/1.1\r\nHost: a\r\nX: ${"x".repeat(20_000)}\r\n\r\n`, 431],
  ])("%s is answered in the gateway's envelope", async (_, bytes, status) => {
    const { url } = await startCommandLine();
    const answer = await sendRaw(url, bytes);
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(answer).toContain("Content-Type: application/json".toLowerCase());
    expect(answer).toContain('"code":"bad_request"');
  });

  test("a Host or a target that cannot be read is a 400 in the gateway's envelope", async () => {
    const { url } = await startCommandLine();
    for (const [host, target] of [
      ["a b", "/"],
      ["a/b", "/"],
      ["[::1", "/"],
      ["a", "/\\evil"],
      ["a", "http://["],
    ]) {
      const answer = await sendRaw(
        url,
        `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
      );
      expect(answer).toMatch(/^HTTP\/1\.1 400 /);
      expect(answer).toContain('"code":"bad_request"');
    }
  });

  test("fifty parallel orders with one key make one card", async () => {
    const sandbox = await startCommandLine();
    const token = await sandbox.exchange();
    const replies = await Promise.all(Array.from({ length: 50 }, () => sandbox.order(key, token)));
    const ids = new Set(await Promise.all(replies.map(async (reply) => (await card(reply)).id)));
    expect(ids.size).toBe(1);
    expect(replies.filter((reply) => !reply.headers.has("Idempotent-Replayed"))).toHaveLength(1);
  });
});
