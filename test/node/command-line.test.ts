import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { request as httpsRequest } from "node:https";
import { connect } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { connect as connectTls } from "node:tls";
import { describe, expect, test } from "vitest";
import type { Card } from "../../src/contract/card.ts";
import { version } from "../../src/node/create-sandbox.ts";
import {
  outcomeOf,
  run,
  startCommandLine,
  takenPort,
  temporaryFolder,
  untilReady,
} from "../support/command-line.ts";

const key = "7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30";

describe("start-up lines", () => {
  test("show the base URLs, the API keys by role, and finally Ready.", async () => {
    const { output, url, liveUrl } = await startCommandLine();
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:[1-9][0-9]+$/);
    expect(liveUrl).toBe(url);
    const dashboard = /^Dashboard +(\S+)$/m.exec(output.stdout)?.[1] ?? "";
    expect(await (await fetch(dashboard)).text()).toContain("<title>Overview");
    for (const secret of ["sk_sandbox_northwind_owner", "sk_live_northwind_owner"]) {
      expect(output.stdout).toMatch(new RegExp(`northwind +(sandbox|live) +owner +${secret}$`, "m"));
    }
    expect(output.stdout).toMatch(/sk_sandbox_northwind_revoked +revoked$/m);
    expect(output.stdout.trimEnd().split("\n").at(-1)).toBe("Ready.");
    expect(output.stderr).toBe("");
  });

  test("contain commands that order a card, and return the same card when they run again", async () => {
    const { output } = await startCommandLine(["--log", "silent"]);
    const pasted = output.stdout.slice(output.stdout.indexOf("TOKEN="), output.stdout.lastIndexOf("Ready."));
    const paste = () => JSON.parse(execFileSync("bash", ["-c", pasted], { encoding: "utf8" })) as Card;
    const first = paste();
    expect(first).toMatchObject({ status: "active", type: "physical" });
    expect(paste()).toEqual(first);
  });

  test("contain commands that order for a company that can, with X-On-Behalf-Of if it is required", async () => {
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

  test("go to standard output with every log format", async () => {
    const { output } = await startCommandLine(["--log", "json"]);
    expect(output.stdout).toContain("Sandbox base URL");
  });
});

test("warns about an unknown CARD_SANDBOX_ variable with the nearest known name, without its value", async () => {
  const env = {
    CARD_SANDBOX_PROT: "s3cret",
    CARD_SANDBOX_COLOUR: "red",
    CARD_SANDBOX_API_KEY: "x",
    CARD_SANDBOX_SEED: "1",
  };
  const { code, stderr } = await outcomeOf(["contract", "--json"], env);
  expect(code).toBe(0);
  expect(stderr.trimEnd().split("\n")).toEqual([
    "card-sandbox: warning: CARD_SANDBOX_PROT: unknown environment variable, ignored. Did you mean CARD_SANDBOX_PORT? List the variables with card-sandbox --help --all.",
    "card-sandbox: warning: CARD_SANDBOX_COLOUR: unknown environment variable, ignored. List the variables with card-sandbox --help --all.",
  ]);
});

describe("reports a usage error in one line, with exit code 2", () => {
  test.each([
    [["--prot", "1"], /^card-sandbox: --prot: unknown option\. Did you mean --port\?/],
    [["begin"], /begin.*start/],
    [["--jornal-bytes", "1"], /--jornal-bytes: unknown option\. Did you mean --journal-bytes\?/],
    [["--all"], /--all: use this option together with --help/],
    [["--port"], /--port: requires a value: --port <number>/],
    [["start", "foo"], /unexpected argument "foo": this command takes no arguments/],
    [["wait", "http://127.0.0.1:1", "foo"], /unexpected argument "foo": this command takes only url/],
    [["--scenario", "quota-ful"], /unknown scenario "quota-ful"\. Did you mean "quota-reached"\?/],
    [["--port", "http"], /--port: must be an integer from 0 to 65535, but is "http"$/m],
    [["--port", "65536"], /--port/],
    [["--port", ""], /--port/],
    [["--live-port", "-1"], /--live-port/],
    [["--seed", "1.5"], /--seed: must be an integer/],
    [["--journal-bytes", "64MiB"], /--journal-bytes: must be an integer from 0 to 17179869184/],
    [["--journal", "all"], /--journal: must be an integer from 0 to 100000/],
    [["--clock", "yesterday"], /ISO 8601 timestamp.*yesterday/],
    [["--clock", "2026-03-10"], /ISO 8601 timestamp/],
    [["--clock", "9995-01-01T00:00:00Z"], /clock: must be an ISO 8601 timestamp .* from 1970 to 9994/],
    [["--clock", "0050-01-01T00:00:00Z"], /clock: must be an ISO 8601 timestamp .* from 1970 to 9994/],
    [["--db", " "], /db: must not be empty/],
    [["--admin-token", ""], /--admin-token/],
    [
      ["--allow-webhook-hosts", "https://a.test"],
      /--allow-webhook-hosts .*: must be host names .*but one is "https:\/\/a\.test"/,
    ],
    [
      ["--allow-webhook-hosts", "*.a.test"],
      /--allow-webhook-hosts .*: must be host names .*without wildcards, but one is "\*\.a\.test"/,
    ],
    [["--watch"], /--watch: requires --scenarios, --fixtures or --dialect, because it watches their files$/m],
    [["--log", "loud"], /--log: must be one of pretty, json, silent, but is "loud"$/m],
    [["--on-behalf-of", "always"], /--on-behalf-of.*off, optional, required, required-except-order/],
    [["--host", ""], /--host/],
    [["--db", ""], /--db/],
    [
      ["--tls-cert", "cert.pem"],
      /--tls-key: is required, because --tls-cert and --tls-key must be used together/,
    ],
    [
      ["--tls-cert", "none.pem", "--tls-key", "none.pem"],
      /--tls-cert: cannot read the file: ENOENT.*none\.pem/,
    ],
    [["--dialect", "none.yaml"], /none\.yaml: cannot read the dialect file: ENOENT/],
    [["--fixtures", "none.yaml"], /none\.yaml: cannot read the fixtures file: ENOENT/],
  ])("%j", async (args, message) => {
    const { code, stdout, stderr } = await outcomeOf(args, { PORT: "0" });
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(message);
    expect(stderr.trimEnd()).not.toContain("\n");
    expect(stderr).not.toMatch(/\bat .*:[0-9]+/);
  });

  test("an empty variable counts as unset, and an invalid one is a usage error", async () => {
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

describe("options and their environment variables", () => {
  test("--help and --version print to standard output, with exit code 0", async () => {
    const help = run(["--help", "--all"]);
    expect((await help.ended).code).toBe(0);
    for (const option of ["--port", "--host", "--live-port", "--db", "--seed", "--clock", "--fixtures"]) {
      expect(help.output.stdout).toContain(option);
    }
    const shown = run(["--version"]);
    expect((await shown.ended).code).toBe(0);
    expect(shown.output.stdout).toBe(`${version}\n`);
  });

  test("an option overrides its environment variable", async () => {
    const env = { CARD_SANDBOX_SEED: "7", CARD_SANDBOX_CLOCK: "2026-03-29T02:30:00+01:00" };
    const health = async (args: string[]) => {
      const { url } = await startCommandLine(args, env);
      return (await fetch(`${url}/_sandbox/health`)).json();
    };
    const now = "2026-03-29T01:30:00.000Z";
    expect(await health([])).toEqual({ status: "ok", version, seed: 7, now });
    expect(await health(["--seed", "8"])).toEqual({ status: "ok", version, seed: 8, now });
  });

  test("--port overrides CARD_SANDBOX_PORT, which overrides PORT", async () => {
    const taken = String(await takenPort());
    const byPort = run([], { PORT: taken });
    expect((await byPort.ended).code).toBe(3);
    await untilReady(run([], { CARD_SANDBOX_PORT: "0", PORT: taken }));
    await untilReady(run(["--port", "0"], { CARD_SANDBOX_PORT: taken, PORT: taken }));
  });

  test("--on-behalf-of and --key-quota take effect", async () => {
    const sandbox = await startCommandLine(["--on-behalf-of", "required", "--key-quota", "member"]);
    expect(await (await sandbox.order(key)).json()).toEqual({
      error: expect.stringContaining("X-On-Behalf-Of"),
    });
    for (const member of ["northwind-owner", "northwind-admin"]) {
      const made = await sandbox.post("/_sandbox/api-keys", { member, environment: "sandbox" });
      expect(made.status).toBe(201);
    }
  });

  test("--help shows the default port 4242 and the default host 127.0.0.1", async () => {
    const { stdout } = await outcomeOf(["--help", "--all"]);
    const help = stdout.replace(/\s+/g, " ");
    expect(help).toContain("(default: 4242; env: CARD_SANDBOX_PORT)");
    expect(help).toContain("(default: 127.0.0.1; env: CARD_SANDBOX_HOST)");
  });

  test("a host that is not an address of this machine is a usage error", async () => {
    const { output, ended } = run(["--port", "0", "--host", "203.0.113.1"]);
    expect((await ended).code).toBe(2);
    expect(output.stderr).toMatch(/^card-sandbox: cannot listen on port 0 of 203\.0\.113\.1: .*\n$/);
  });

  test("--no-sandbox-headers works as an option and as a variable, which can also be false", async () => {
    const header = async (args: string[], env: NodeJS.ProcessEnv) => {
      const { url } = await startCommandLine(args, env);
      return (await fetch(`${url}/nothing`)).headers.has("Sandbox-Contract-Point");
    };
    expect(await header(["--no-sandbox-headers"], {})).toBe(false);
    expect(await header([], { CARD_SANDBOX_NO_SANDBOX_HEADERS: "true" })).toBe(false);
    expect(await header([], { CARD_SANDBOX_NO_SANDBOX_HEADERS: "false" })).toBe(true);
  });

  test("--live-port serves the live base URL on a separate port", async () => {
    const { url, liveUrl, post } = await startCommandLine(["--live-port", "0"]);
    expect(liveUrl).not.toBe(url);
    const body = JSON.stringify({ api_key: "sk_live_northwind_owner" });
    expect((await post("/auth/v1/token", {})).status).toBe(404);
    expect((await fetch(`${liveUrl}/auth/v1/token`, { method: "POST", body })).status).toBe(200);
    expect((await fetch(`${liveUrl}/auth/v1/sandbox/token`, { method: "POST", body })).status).toBe(404);
  });

  test("--no-control disables the control API and the dashboard", async () => {
    const { url, output } = await startCommandLine(["--no-control"]);
    for (const path of ["health", "ui"]) expect((await fetch(`${url}/_sandbox/${path}`)).status).toBe(404);
    expect(output.stdout).not.toMatch(/Admin token|Dashboard/);
  });

  test("on a host other than loopback, the control API requires an admin token, generated by default", async () => {
    const generated = await startCommandLine(["--host", "0.0.0.0"]);
    const token = /^Admin token +(\S{43})$/m.exec(generated.output.stdout)?.[1];
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

  test("--fixtures replaces the default world", async () => {
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
    const started = await startCommandLine(["--tls-cert", cert, "--tls-key", certKey]);
    const { url, output } = started;
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

    const { hostname, port } = new URL(url);
    const half = connectTls({
      host: hostname,
      port: Number(port),
      rejectUnauthorized: false,
    });
    half.end("GET /_sandbox/health HTTP/1.1\r\nHost: localhost\r\n\r\n");
    expect(await text(half)).toMatch(/^HTTP\/1\.1 200 /);

    // A connection without a TLS handshake must not delay the exit.
    const silent = connect(Number(port), hostname);
    silent.on("error", () => {});
    await once(silent, "connect");
    started.child.kill("SIGTERM");
    expect(await started.ended).toMatchObject({ code: 0 });

    const mixed = run(["--port", "0", "--tls-cert", cert, "--tls-key", cert]);
    expect((await mixed.ended).code).toBe(2);
    expect(mixed.output.stderr).toContain("certificate and its private key are invalid or do not match");
  });
});
