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
import { run, startCommandLine, takenPort, temporaryFolder, untilReady } from "../support/command-line.ts";

const key = "7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30";

describe("start-up lines", () => {
  test("tell the base addresses, the keys by role, and last that it is ready", async () => {
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

test("an unknown CARD_SANDBOX_ variable is a warning with the nearest known name, and without its value", async () => {
  const env = {
    CARD_SANDBOX_PROT: "s3cret",
    CARD_SANDBOX_COLOUR: "red",
    CARD_SANDBOX_API_KEY: "x",
    CARD_SANDBOX_SEED: "1",
  };
  const { output, ended } = run(["contract", "--json"], env);
  expect((await ended).code).toBe(0);
  expect(output.stderr.trimEnd().split("\n")).toEqual([
    "card-sandbox: warning: the environment variable CARD_SANDBOX_PROT is unknown and has no effect: did you mean CARD_SANDBOX_PORT?",
    "card-sandbox: warning: the environment variable CARD_SANDBOX_COLOUR is unknown and has no effect: card-sandbox --help lists them",
  ]);
});

describe("a bad command line is one clear line, and exit 2", () => {
  test.each([
    [["--prot", "1"], /unknown option '--prot'.*Did you mean --port\?/],
    [["begin"], /begin.*start/],
    [["start", "foo"], /unexpected argument "foo": this command takes no argument/],
    [["wait", "http://127.0.0.1:1", "foo"], /unexpected argument "foo": this command takes url/],
    [["--scenario", "quota-ful"], /unknown scenario "quota-ful": did you mean "quota-reached"\?/],
    [["--port", "http"], /--port.*whole number from 0 to 65535/],
    [["--port", "65536"], /--port/],
    [["--port", ""], /--port/],
    [["--live-port", "-1"], /--live-port/],
    [["--seed", "1.5"], /--seed.*whole number/],
    [["--journal-bytes", "64MiB"], /--journal-bytes.*whole number from 0 to 17179869184/],
    [["--journal", "all"], /--journal.*whole number from 0 to 100000/],
    [["--clock", "yesterday"], /ISO 8601 instant.*yesterday/],
    [["--clock", "2026-03-10"], /ISO 8601 instant/],
    [["--clock", "9995-01-01T00:00:00Z"], /years 1970 to 9994/],
    [["--clock", "0050-01-01T00:00:00Z"], /years 1970 to 9994/],
    [["--db", " "], /database has no name/],
    [["--admin-token", ""], /--admin-token/],
    [["--allow-webhook-hosts", "https://a.test"], /webhook hosts are names such as .*https:\/\/a\.test/],
    [
      ["--allow-webhook-hosts", "*.a.test"],
      /webhook hosts are names such as .*, each in full; got "\*\.a\.test"/,
    ],
    [["--log", "loud"], /--log.*pretty, json, silent/],
    [["--on-behalf-of", "always"], /--on-behalf-of.*off, optional, required, required-except-order/],
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
    expect((await byPort.ended).code).toBe(3);
    await untilReady(run([], { CARD_SANDBOX_PORT: "0", PORT: taken }));
    await untilReady(run(["--port", "0"], { CARD_SANDBOX_PORT: taken, PORT: taken }));
  });

  test("--on-behalf-of and --key-quota reach the service", async () => {
    const sandbox = await startCommandLine(["--on-behalf-of", "required", "--key-quota", "member"]);
    expect(await (await sandbox.order(key)).json()).toEqual({
      error: expect.stringContaining("X-On-Behalf-Of"),
    });
    for (const member of ["northwind-owner", "northwind-admin"]) {
      const made = await sandbox.post("/_sandbox/api-keys", { member, environment: "sandbox" });
      expect(made.status).toBe(201);
    }
  });

  test("the port is 4242 and the host 127.0.0.1 unless said otherwise", async () => {
    const { output, ended } = run(["--help"]);
    await ended;
    const help = output.stdout.replace(/\s+/g, " ");
    expect(help).toContain("(default: 4242, env: CARD_SANDBOX_PORT)");
    expect(help).toContain('(default: "127.0.0.1", env: CARD_SANDBOX_HOST)');
  });

  test("a host that is not this machine's is a bad value", async () => {
    const { output, ended } = run(["--port", "0", "--host", "203.0.113.1"]);
    expect((await ended).code).toBe(2);
    expect(output.stderr).toMatch(/^card-sandbox: 203\.0\.113\.1 port 0 cannot be bound: .*\n$/);
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
    for (const path of ["health", "ui"]) expect((await fetch(`${url}/_sandbox/${path}`)).status).toBe(404);
    expect(output.stdout).not.toMatch(/Admin token|Dashboard/);
  });

  test("beyond loopback the sandbox's own API demands an admin token, generated where none is given", async () => {
    const generated = await startCommandLine(["--host", "0.0.0.0"]);
    const token = /^Admin token for \/_sandbox +(\S{43})$/m.exec(generated.output.stdout)?.[1];
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

    // Whoever connects and never speaks TLS holds up no end.
    const silent = connect(Number(port), hostname);
    silent.on("error", () => {});
    await once(silent, "connect");
    started.child.kill("SIGTERM");
    expect(await started.ended).toMatchObject({ code: 0 });

    const mixed = run(["--port", "0", "--tls-cert", cert, "--tls-key", cert]);
    expect((await mixed.ended).code).toBe(2);
    expect(mixed.output.stderr).toContain("certificate and key do not fit");
  });
});
