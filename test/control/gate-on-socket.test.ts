import { once } from "node:events";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type StartedSandbox, startSandbox } from "../../src/node/start-sandbox.ts";

const adminToken = "correct-horse";
let loopback: StartedSandbox;
let guarded: StartedSandbox;
let everywhere: StartedSandbox;
beforeAll(async () => {
  loopback = await startSandbox({ port: 0 });
  guarded = await startSandbox({ port: 0, adminToken });
  everywhere = await startSandbox({ port: 0, host: "0.0.0.0", adminToken });
});
afterAll(() => Promise.all([loopback.close(), guarded.close(), everywhere.close()]));

interface Raw {
  readonly method?: string;
  /** As it stands in the request line. */
  readonly target?: string;
  readonly version?: string;
  /** Lines; PORT stands for the sandbox's port. */
  readonly headers?: readonly string[];
  readonly body?: string;
}

/** Sends what no HTTP client would, and returns the whole answer. */
async function send({ url }: StartedSandbox, raw: Raw): Promise<{ status: number; text: string }> {
  const {
    method = "GET",
    target = "/_sandbox/world",
    version = "1.1",
    headers = ["Host: localhost:PORT"],
  } = raw;
  const { body = "" } = raw;
  const port = Number(new URL(url).port);
  const lines = [
    `${method} ${target} HTTP/${version}`,
    ...headers,
    "Connection: close",
    ...(body === "" ? [] : [`Content-Length: ${body.length}`]),
  ];
  const socket = connect(port, "127.0.0.1").setEncoding("utf8");
  // What is let in to a stream by mistake is to fail, and not to wait.
  socket.setTimeout(5000, () => socket.destroy());
  let text = "";
  socket.on("data", (chunk: string) => {
    text += chunk;
  });
  socket.write(`${lines.join("\r\n").replaceAll("PORT", String(port))}\r\n\r\n${body}`);
  await once(socket, "close");
  return { status: Number(text.split(" ")[1]), text };
}

const hosts = (...names: string[]) => names.map((name) => [name] as const);

describe("a host", () => {
  test.each(
    hosts(
      "localhost:PORT",
      "LOCALHOST:PORT",
      "127.0.0.1",
      "127.255.0.9:PORT",
      "[::1]:PORT",
      "a.LocalHost",
      // What names this very address in another way; no name server is asked.
      "127.1",
      "2130706433",
      "0x7f000001",
      "0177.0.0.1",
      "127.0.0.1.",
    ),
  )("%s is this machine", async (host) => {
    expect((await send(loopback, { headers: [`Host: ${host}`] })).status).toBe(200);
  });

  test.each(
    hosts(
      "evil.test",
      "evil.test:PORT",
      "EVIL.test.",
      "127.0.0.1.nip.io:PORT",
      "localhost.evil.test",
      "notlocalhost:PORT",
      "localhost.:PORT",
      "192.168.0.7",
      "3232235527",
      "0300.0250.0.7",
      "128.0.0.1",
      "0.0.0.0:PORT",
      "0",
      "[::]:PORT",
      "[2001:db8::1]",
    ),
  )("%s is not: 403", async (host) => {
    for (const target of ["/_sandbox/world", "/_sandbox/ui", "/_sandbox/requests/stream", "/_sandbox"]) {
      expect([target, (await send(loopback, { target, headers: [`Host: ${host}`] })).status]).toEqual([
        target,
        403,
      ]);
    }
  });

  test.each(
    hosts(
      "127.0.0.256",
      "127.0.0.1@evil.test",
      "localhost:PORT@evil.test",
      "evil.test@localhost",
      "evil.test#localhost",
      "evil.test\\localhost",
      "localhost, evil.test",
      "localhost evil.test",
      "localhost:99999",
      "[::1%25lo]",
      "%6cocalhost",
      "ⓛocalhost",
    ),
  )("%s is none: 400, with or without the admin token", async (host) => {
    for (const sandbox of [loopback, guarded]) {
      for (const target of ["/_sandbox/world", "/_sandbox/ui", "/_sandbox/ui/sign-in", "/openapi.json"]) {
        const { status } = await send(sandbox, { target, headers: [`Host: ${host}`] });
        expect([target, status]).toEqual([target, 400]);
      }
    }
  });

  test("ignores the hosts in X-Forwarded-Host and similar headers", async () => {
    const said = [
      "X-Forwarded-Host: localhost",
      "Forwarded: host=localhost",
      "X-Host: localhost",
      "X-Real-IP: ::1",
    ];
    expect((await send(loopback, { headers: ["Host: evil.test", ...said] })).status).toBe(403);
    expect((await send(loopback, { target: "http://evil.test/_sandbox/world" })).status).toBe(403);
  });

  test("a missing Host is a 400, except for HTTP/1.0, which no browser uses", async () => {
    expect((await send(loopback, { headers: [] })).status).toBe(400);
    expect((await send(loopback, { headers: [], version: "1.0" })).status).toBe(200);
  });

  test.each([
    ["evil.test", "localhost"],
    ["localhost", "localhost"],
  ])("is sent twice, as %s and %s: 400", async (...names) => {
    const headers = names.map((name) => `Host: ${name}`);
    for (const target of ["/_sandbox/world", "/_sandbox/ui", "/openapi.json", "/developer/cards"]) {
      expect((await send(loopback, { target, headers })).status).toBe(400);
    }
  });

  test("beyond loopback any host is accepted with the admin token", async () => {
    for (const host of ["evil.test", "localhost:PORT", "192.168.0.7"]) {
      for (const [shown, status] of [
        ["Bearer wrong", 401],
        ["Basic correct-horse", 401],
        [`Bearer ${adminToken}`, 200],
      ]) {
        const headers = [`Host: ${host}`, `Authorization: ${shown}`];
        expect([host, shown, (await send(everywhere, { headers })).status]).toEqual([host, shown, status]);
      }
    }
  });
});

test("the right admin token is not delayed while wrong ones wait", async () => {
  const sandbox = await startSandbox({ port: 0, adminToken });
  const ask = (token: string) =>
    send(sandbox, { headers: ["Host: localhost:PORT", `Authorization: Bearer ${token}`] });
  let refused = 0;
  const guesses = Array.from({ length: 50 }, async (_, n) => {
    const { status } = await ask(`guess-${n}`);
    refused++;
    return status;
  });
  while (refused < 5) await new Promise((resolve) => setTimeout(resolve, 20));
  for (let n = 0; n < 10; n++) expect((await ask(adminToken)).status).toBe(200);
  expect(refused).toBeLessThan(50);
  expect(new Set(await Promise.all(guesses))).toEqual(new Set([401]));
  await sandbox.close();
});

/** A page that does not belong to the sandbox, as a browser tells of it. */
const foreign: readonly (readonly string[])[] = [
  ["Origin: null"],
  ["Origin: https://evil.test"],
  ["Origin: http://localhost:1"],
  ["Origin: http://localhost"],
  ["Origin: https://localhost:PORT"],
  ["Origin: http://127.0.0.1:PORT"],
  ["Origin: http://[::1]:PORT"],
  ["Origin: http://localhost.:PORT"],
  ["Origin: ftp://localhost:PORT"],
  ["Origin: chrome-extension://localhost"],
  ["Origin: http://localhost:PORT, http://evil.test"],
  ["Origin: http://localhost:PORT", "Sec-Fetch-Site: cross-site"],
  ["Sec-Fetch-Site: cross-site"],
  ["Sec-Fetch-Site: same-site"],
  ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: no-cors", "Sec-Fetch-Dest: image"],
  ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: iframe"],
];

/** What a page can have a browser send without asking first, and what it has to ask for. */
const requests: readonly Raw[] = [
  { target: "/_sandbox/world" },
  { target: "/_sandbox/requests/stream" },
  { target: "/_sandbox/ui/requests" },
  { method: "HEAD", target: "/_sandbox/world" },
  ...["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"].map((type) => ({
    method: "POST",
    target: "/_sandbox/clock/advance",
    headers: [`Content-Type: ${type}`],
    body: '{"by":"P1D"}',
  })),
  {
    method: "POST",
    target: "/_sandbox/ui/clock/advance",
    headers: ["Content-Type: application/x-www-form-urlencoded"],
    body: "by=P1D",
  },
  { method: "POST", target: "/_sandbox/reset", headers: ["Content-Type: application/json"], body: "{}" },
  { method: "DELETE", target: "/_sandbox/requests" },
  { method: "OPTIONS", target: "/_sandbox/reset" },
];

const asking = ["Access-Control-Request-Method: POST", "Access-Control-Request-Headers: authorization"];
const permissive = /^access-control-|^cross-origin-resource-policy: cross-origin/im;

describe("a page of another site", () => {
  test.each(foreign.map((said) => [said.join("; "), said] as const))("%s: 403", async (_, said) => {
    const before = loopback.clock.read();
    for (const { headers = [], ...raw } of requests) {
      const { status, text } = await send(loopback, {
        ...raw,
        headers: ["Host: localhost:PORT", ...headers, ...said, ...asking],
      });
      expect([raw.method, raw.target, status]).toEqual([raw.method, raw.target, 403]);
      expect(text).not.toMatch(permissive);
    }
    expect(Date.parse(loopback.clock.read().now) - Date.parse(before.now)).toBeLessThan(60_000);
  });

  // A proxy that speaks TLS has another scheme than the sandbox behind it.
  const cookieless = foreign.filter(
    ([origin]) => !/^Origin: (https|ftp):\/\/localhost:PORT$/.test(origin ?? ""),
  );
  test.each(cookieless.map((said) => [said.join("; "), said] as const))(
    "%s: 403, whatever cookie comes along",
    async (_, said) => {
      const cookie = await signIn(guarded);
      for (const { headers = [], ...raw } of requests) {
        const mine = ["Host: localhost:PORT", ...headers, `Cookie: ${cookie}`];
        const { status, text } = await send(guarded, { ...raw, headers: [...mine, ...said, ...asking] });
        expect(text).not.toMatch(permissive);
        expect([raw.method, raw.target, status]).toEqual([raw.method, raw.target, 403]);
      }
    },
  );

  test("gets no CORS headers from OPTIONS", async () => {
    for (const sandbox of [loopback, guarded, everywhere]) {
      for (const target of [
        "/_sandbox/reset",
        "/_sandbox/ui",
        "/_sandbox/health",
        "/developer/cards",
        "/auth/v1/token",
      ]) {
        for (const origin of ["https://evil.test", "null", "http://localhost:PORT"]) {
          const headers = ["Host: localhost:PORT", `Origin: ${origin}`, ...asking];
          const { status, text } = await send(sandbox, { method: "OPTIONS", target, headers });
          expect([target, origin, status < 200 || status > 299]).toEqual([target, origin, true]);
          expect(text).not.toMatch(permissive);
        }
      }
    }
  });

  describe.each(["cross-site", "same-site"])(
    "with a link that the user follows (Sec-Fetch-Site: %s)",
    (site) => {
      const headers = [
        "Host: localhost:PORT",
        `Sec-Fetch-Site: ${site}`,
        "Sec-Fetch-Mode: navigate",
        "Sec-Fetch-Dest: document",
      ];
      const status = async (sandbox: StartedSandbox, target: string, method = "GET", more: string[] = []) =>
        (await send(sandbox, { method, target, headers: [...headers, ...more] })).status;

      test("reaches the dashboard's start page or the sign-in page", async () => {
        expect(await status(loopback, "/_sandbox/ui")).toBe(200);
        expect(await status(loopback, "/_sandbox/ui", "HEAD")).toBe(200);
        expect(await status(guarded, "/_sandbox/ui")).toBe(303);
        expect(await status(guarded, "/_sandbox/ui/sign-in?next=%2F_sandbox%2Fui")).toBe(200);
      });

      test.each([
        "/_sandbox",
        "/_sandbox/health",
        "/_sandbox/world",
        "/_sandbox/requests",
        "/_sandbox/requests/stream",
        "/_sandbox/coverage?exclude=*",
        "/_sandbox/findings?final=true",
        "/_sandbox/ui?flash=1",
        "/_sandbox/ui/requests",
        "/_sandbox/ui/report",
        "/_sandbox/ui/dashboard.js",
        "/_sandbox/ui/nothing",
      ])("gets 403 for %s", async (target) => {
        const cookie = `Cookie: ${await signIn(guarded)}`;
        expect(await status(loopback, target)).toBe(403);
        expect(await status(loopback, target, "HEAD")).toBe(403);
        expect(await status(guarded, target)).toBe(403);
        expect(await status(guarded, target, "GET", [cookie])).toBe(403);
      });

      test("gets 403 for anything but GET and HEAD", async () => {
        expect(await status(loopback, "/_sandbox/reset", "POST")).toBe(403);
        expect(await status(loopback, "/_sandbox/ui", "POST")).toBe(403);
      });

      test("gets an error that names the page to which other sites can link", async () => {
        const { text } = await send(loopback, { headers });
        expect(text).toContain("Other sites can link only to /_sandbox/ui.");
      });
    },
  );

  test.each(["/_sandbox/ui", "/_sandbox/ui/dashboard.css", "/_sandbox/ui/dashboard.js", "/_sandbox/health"])(
    "gets 403 for %s where it embeds it",
    async (target) => {
      for (const mode of ["no-cors", "cors", "same-origin"]) {
        const embedded = ["Sec-Fetch-Site: cross-site", `Sec-Fetch-Mode: ${mode}`, "Sec-Fetch-Dest: image"];
        const headers = ["Host: localhost:PORT", ...embedded];
        expect((await send(loopback, { target, headers })).status).toBe(403);
        expect((await send(guarded, { target, headers })).status).toBe(403);
      }
    },
  );
});

describe("requests of the own origin, and without one", () => {
  test.each([
    [[]],
    [["Origin: http://localhost:PORT"]],
    [["Origin: http://LOCALHOST:PORT"]],
    [["Sec-Fetch-Site: same-origin", "Origin: http://localhost:PORT"]],
    [["Sec-Fetch-Site: none"]],
  ])("%j is answered", async (said) => {
    const headers = ["Host: localhost:PORT", ...said];
    expect((await send(loopback, { headers })).status).toBe(200);
    expect((await send(loopback, { method: "DELETE", target: "/_sandbox/requests", headers })).status).toBe(
      204,
    );
  });
});

test("admits any origin with the admin token, because no browser sends it by itself", async () => {
  const headers = [
    "Host: localhost:PORT",
    "Origin: https://evil.test",
    `Authorization: Bearer ${adminToken}`,
  ];
  const { status, text } = await send(guarded, { headers });
  expect(status).toBe(200);
  expect(text).not.toMatch(permissive);
});

/** The cookie of a browser that signed in. */
async function signIn({ url }: StartedSandbox): Promise<string> {
  const response = await fetch(`${url.replace("127.0.0.1", "localhost")}/_sandbox/ui/sign-in`, {
    method: "POST",
    body: new URLSearchParams({ token: adminToken }),
    headers: { "Sec-Fetch-Site": "same-origin" },
    redirect: "manual",
  });
  return response.headers.get("Set-Cookie")?.split(";")[0] ?? "";
}
