import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { Agent, request as httpRequest } from "node:http";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { describe, expect, onTestFinished, test } from "vitest";
import { run, startCommandLine, takenPort } from "../support/command-line.ts";

const key = "7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30";

describe("ports and signals", () => {
  test("a port in use is an error in one line with exit code 3", async () => {
    const { output, ended } = run(["--port", String(await takenPort())]);
    expect((await ended).code).toBe(3);
    expect(output.stderr).toMatch(/^card-sandbox: port [0-9]+ on 127\.0\.0\.1 is in use\. .*\n$/);
  });

  test("a live port in use is an error too, and the other port is released", async () => {
    const { output, ended } = run(["--port", "0", "--live-port", String(await takenPort())]);
    expect((await ended).code).toBe(3);
    expect(output.stderr).toContain("is in use");
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
    "standard output that is %s delays neither responses nor the exit",
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

  test("completes a response in progress, and does not wait for its connection to time out", async () => {
    const { child, url, ended } = await startCommandLine();
    const agent = new Agent({ keepAlive: true });
    onTestFinished(() => agent.destroy());
    const answered = new Promise<number | undefined>((resolve, reject) => {
      const headers = { Expect: "100-continue" };
      const sent = httpRequest(
        `${url}/auth/v1/sandbox/token`,
        { method: "POST", agent, headers },
        (response) => {
          response.resume();
          resolve(response.statusCode);
        },
      );
      sent.on("error", reject);
      // The server has taken the request up, and waits for its body.
      sent.on("continue", () => {
        child.kill("SIGTERM");
        sent.write("{");
        setTimeout(() => sent.end("}"), 100);
      });
      sent.flushHeaders();
    });
    expect(await answered).toBe(400);
    const answeredAt = performance.now();
    expect((await ended).code).toBe(0);
    expect(performance.now() - answeredAt).toBeLessThan(1000);
  });

  test("a signal that arrives twice at once, as from npm at a terminal, counts once; a later one exits immediately", async () => {
    const startAnswer = async () => {
      const { child, url, ended } = await startCommandLine();
      const idle = connect(Number(new URL(url).port), "127.0.0.1");
      const busy = connect(Number(new URL(url).port), "127.0.0.1");
      onTestFinished(() => void busy.destroy());
      busy.on("error", () => {});
      const received = text(busy);
      idle.write("GET /nothing HTTP/1.1\r\nHost: a\r\n\r\n");
      await once(idle, "readable");
      busy.write(
        "POST /auth/v1/sandbox/token HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n",
      );
      // The server has taken the request up, and waits for its body.
      await once(busy, "readable");
      child.kill("SIGINT");
      // It has begun to close.
      await once(idle.resume(), "close");
      return { child, busy, received, ended };
    };
    const twice = await startAnswer();
    twice.child.kill("SIGINT");
    twice.busy.write("{}");
    expect(await twice.received).toMatch(/HTTP\/1\.1 400 /);
    expect(await twice.ended).toEqual({ code: 0, signal: null });

    const again = await startAnswer();
    await new Promise((later) => setTimeout(later, 300));
    again.child.kill("SIGINT");
    expect(await again.ended).toEqual({ code: 3, signal: null });
  });

  test("a closed reader of standard output does not end the process", async () => {
    const { child, url } = await startCommandLine();
    child.stdout?.destroy();
    for (let n = 0; n < 3; n++) expect((await fetch(`${url}/nothing`)).status).toBe(404);
    expect(child.exitCode).toBeNull();
  });
});

describe("request logs", () => {
  test("never contain an API key, a token or a PIN, wherever a client sends one", async () => {
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

  test("have a line for each response as JSON, and none if silent", async () => {
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
