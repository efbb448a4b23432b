import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { behaviourIds } from "../../src/contract/behaviours.ts";
import { defaultContract, reachablePoints } from "../../src/contract/dialect.ts";
import { commands } from "../../src/node/commands/commands.ts";
import { baseUrl } from "../../src/node/running-sandbox.ts";
import { shippedScenarios } from "../../src/scenarios/shipped.ts";
import {
  cli,
  freePort,
  outcomeOf as outcome,
  run,
  startCommandLine,
  temporaryFolder,
} from "../support/command-line.ts";

const names = [
  "start",
  "exec",
  "sweep",
  "contrary",
  "verify",
  "wait",
  "health",
  "env",
  "keys",
  "scenarios",
  "contract",
  "init",
  "mcp",
  "validate",
];

test("the built command line is executable, because npm link does not change its mode", () => {
  expect(execFileSync(cli, ["--version"], { encoding: "utf8" })).toMatch(/^[0-9]/);
});

describe("help", () => {
  test("lists every command, and describes the usage and the exit codes of each", async () => {
    const { stdout } = await outcome(["--help"]);
    for (const name of names) {
      expect(stdout).toMatch(new RegExp(`^  ${name} +\\S`, "m"));
      const [own, helped] = [await outcome([name, "--help"]), await outcome(["help", name])];
      expect(own).toEqual(helped);
      expect(own).toMatchObject({ code: 0, stderr: "" });
      expect(own.stdout).toMatch(/\nExit codes:\n {2}/);
      expect(own.stdout).toContain(name === "start" ? "card-sandbox [start]" : `card-sandbox ${name}`);
    }
  });

  test.each([[[]], [["exec"]], [["sweep"]], [["contrary"]]])(
    "for %j fits on a screen of 42 lines and 80 columns",
    async (words) => {
      const lines = (await outcome([...words, "--help"])).stdout.trimEnd().split("\n");
      expect(lines.length).toBeLessThanOrEqual(42);
      expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
    },
  );

  test.each([[[]], [["start"]], [["exec"]], [["sweep"]], [["contrary"]]])(
    "for %j lists every option with --all",
    async (words) => {
      const { stdout } = await outcome([...words, "--help", "--all"]);
      expect(await outcome(["help", ...words, "--all"])).toMatchObject({ code: 0 });
      const command = (await commands[words[0] ?? "start"]?.load())?.define();
      for (const { long, envVar } of command?.options ?? []) {
        expect(stdout).toMatch(new RegExp(`^  (-., )?${long}\\b`, "m"));
        expect(stdout.replace(/\s+/g, " ")).toContain(envVar ?? "");
      }
    },
  );

  test.each([
    ["exce", "exec"],
    ["scenario", "scenarios"],
    ["__proto__", "start"],
  ])("for the unknown command %s suggests the nearest one, with exit code 2", async (word, nearest) => {
    for (const args of [[word], ["help", word]]) {
      const { code, stderr } = await outcome(args);
      expect(code).toBe(2);
      if (word !== "__proto__") expect(stderr).toContain(`Did you mean "${nearest}"?`);
      expect(stderr.trimEnd()).not.toContain("\n");
    }
  });

  test("escapes control characters of a word, in one line", async () => {
    for (const args of [
      ["\u001b[2J\u009b31m\r\nforged"],
      ["wait", "--\u001b[2J\r\nforged"],
      ["health", "\u001b[2J\nforged"],
    ]) {
      const { code, stderr } = await outcome(args);
      expect(code).toBe(2);
      expect(stderr).toContain("\\u001b[2J");
      expect(stderr.trimEnd()).not.toMatch(/\p{Cc}/u);
    }
  });

  test("for a command without a similar name lists all commands, without a suggestion", async () => {
    const { code, stderr } = await outcome(["nope"]);
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/^card-sandbox: unknown command "nope"\. Commands: start, /),
    ]);
  });
});

describe("wait", () => {
  test("ends when a sandbox that starts later is ready", async () => {
    const port = await freePort();
    const waiting = outcome(["wait", `http://127.0.0.1:${port}/`]);
    run(["--port", String(port)]);
    expect(await waiting).toEqual({ code: 0, stdout: "", stderr: "" });
  });

  test("uses CARD_SANDBOX_URL, or the port that start would use", async () => {
    const { url } = await startCommandLine();
    expect((await outcome(["wait"], { CARD_SANDBOX_URL: url })).code).toBe(0);
    expect((await outcome(["wait"], { CARD_SANDBOX_PORT: new URL(url).port })).code).toBe(0);
    expect((await outcome(["wait"], { PORT: new URL(url).port, CARD_SANDBOX_PORT: "" })).code).toBe(0);
  });

  test("reports with exit code 3 that no sandbox responded in time", async () => {
    const nobody = await outcome(["wait", `http://127.0.0.1:${await freePort()}`, "--timeout", "0"]);
    expect(nobody.code).toBe(3);
    expect(nobody.stderr).toMatch(
      /^card-sandbox: http.*: no response \(ECONNREFUSED\)\. .* \(waited 0 s\)\n$/,
    );
    const server = createServer((_request, response) => response.end("{}"));
    await new Promise<void>((bound) => server.listen(0, "127.0.0.1", bound));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const other = await outcome(["wait", `http://127.0.0.1:${port}`, "--timeout", "0"]);
    expect([other.code, other.stderr]).toEqual([
      3,
      expect.stringContaining("Check that it is a card-sandbox server"),
    ]);
  });

  test.each([
    [["wait", "localhost"]],
    [["wait", "--timeout", "soon"]],
    [["health", "ftp://a"]],
    [["health", "http://127.0.0.1:4242?a=b"]],
    [["wait", "http://127.0.0.1:4242/#a"]],
    [["env", "http://127.0.0.1:4242/?"]],
  ])("%j is a usage error", async (args) => expect((await outcome(args)).code).toBe(2));
});

describe("health", () => {
  test("has exit code 0 for a healthy sandbox, otherwise 1", async () => {
    const { url } = await startCommandLine(["--admin-token", "correct-horse"]);
    expect(await outcome(["health", url])).toEqual({ code: 0, stdout: `${url} is healthy\n`, stderr: "" });
    const bare = await startCommandLine(["--no-control"]);
    const without = await outcome(["health", bare.url]);
    expect([without.code, without.stderr]).toEqual([1, expect.stringContaining("--no-control")]);
    expect((await outcome(["health"], { PORT: String(await freePort()) })).code).toBe(1);
  });
});

test.each([
  [{ PORT: "abc" }, 'PORT: must be an integer from 0 to 65535, but is "abc"'],
  [
    { PORT: "1", CARD_SANDBOX_PORT: "abc" },
    'CARD_SANDBOX_PORT: must be an integer from 0 to 65535, but is "abc"',
  ],
  [{ CARD_SANDBOX_URL: "nope" }, "CARD_SANDBOX_URL: must be a base URL such as http://127.0.0.1:4242"],
])("an invalid base URL from an environment variable names the variable: %j", (variables, message) => {
  expect(() => baseUrl(undefined, variables)).toThrow(message);
  expect(() => baseUrl("nope", variables)).toThrow(/^url: must be a base URL .*, but is "nope"$/);
});

test("refuses a base URL with a password, which messages and the results of tools would show", () => {
  expect(() => baseUrl("http://me:secret@127.0.0.1:4242", {})).toThrow(
    /^url: must be a base URL .* user name/,
  );
});

test("suggests HTTPS for a server that uses it, and plain HTTP for one that does not", async () => {
  const folder = temporaryFolder();
  const [cert, key] = [join(folder, "cert.pem"), join(folder, "key.pem")];
  const made = ["-keyout", key, "-out", cert, "-newkey", "rsa:2048", "-nodes", "-days", "2"];
  execFileSync("openssl", ["req", "-x509", ...made, "-subj", "/CN=127.0.0.1"], { stdio: "ignore" });
  const secure = (await startCommandLine(["--tls-cert", cert, "--tls-key", key])).url;
  const plain = (await startCommandLine()).url;
  const toSecure = await outcome(["health", secure.replace("https", "http")]);
  const toPlain = await outcome(["health", plain.replace("http", "https")]);
  expect(toSecure.stderr).toContain(`The server probably uses HTTPS. Try ${secure}.\n`);
  expect(toPlain.stderr).toContain(`The server uses plain HTTP. Try ${plain}.\n`);
});

describe("env", () => {
  test("prints commands that a shell can evaluate", async () => {
    const { url } = await startCommandLine();
    const script = `eval "$('${process.execPath}' '${cli}' env ${url})"
      printf '%s\\n' "$CARD_SANDBOX_URL" "$CARD_SANDBOX_API_KEY" "$CARD_SANDBOX_LIVE_API_KEY" "\${CARD_SANDBOX_ADMIN_TOKEN-unset}"`;
    const env = { ...process.env, CARD_SANDBOX_ADMIN_TOKEN: "" };
    expect(execFileSync("bash", ["-c", script], { encoding: "utf8", env }).split("\n")).toEqual([
      url,
      "sk_sandbox_northwind_owner",
      "sk_live_northwind_owner",
      "unset",
      "",
    ]);
  });

  test("requires the admin token of the sandbox, and prints it", async () => {
    const { url } = await startCommandLine(["--admin-token", "it's"]);
    const without = await outcome(["env", url]);
    expect([without.code, without.stdout]).toEqual([2, ""]);
    expect(without.stderr).toContain("--admin-token");
    const wrong = await outcome(["env", url, "--admin-token", "its"]);
    expect([wrong.code, wrong.stderr]).toEqual([
      2,
      expect.stringMatching(/^card-sandbox: --admin-token: does not match the admin token of /),
    ]);
    const env = { CARD_SANDBOX_URL: url, CARD_SANDBOX_ADMIN_TOKEN: "it's" };
    const { stdout, stderr } = await outcome(["env"], env);
    expect(stdout).toContain("export CARD_SANDBOX_ADMIN_TOKEN='it'\\''s'\n");
    expect(stderr).toBe("");
  });

  test("warns about variables without a value, and unsets them", async () => {
    const file = join(temporaryFolder(), "world.yaml");
    writeFileSync(file, "companies:\n  - { slug: solo, name: Solo Ltd, country_code: IE }\n");
    const { url } = await startCommandLine(["--fixtures", file]);
    const { code, stdout, stderr } = await outcome(["env", url]);
    expect(code).toBe(0);
    expect(stdout).toContain("unset CARD_SANDBOX_API_KEY\n");
    expect(stderr).toContain("CARD_SANDBOX_ACCOUNT_ID");
    expect(stderr).toContain("(solo (sandbox) has no active account; there is no live company)");
  });

  test("explains why no company can order a card, and how to reset the sandbox", async () => {
    const { url, world } = await startCommandLine();
    const { companies } = await world();
    const change = (id: string, body: unknown) =>
      fetch(`${url}/_sandbox/companies/${id}`, { method: "PATCH", body: JSON.stringify(body) });
    for (const { id, environment, live_cards } of companies) {
      await change(id, environment === "live" ? { status: "suspended" } : { card_quota: live_cards });
    }
    const { stdout, stderr } = await outcome(["env", url]);
    expect(stdout).toContain("unset CARD_SANDBOX_LIVE_API_KEY\n");
    expect(stderr).toContain("northwind (sandbox) has reached its card quota (");
    expect(stderr).toContain("northwind (live) is suspended");
    const reset = /curl -X POST \S+/.exec(stderr)?.[0] ?? "";
    execFileSync("bash", ["-c", `${reset} -s`]);
    expect((await outcome(["env", url])).stderr).toBe("");
  });

  test("has exit code 3 if there is no response", async () => {
    const { code, stdout } = await outcome(["env", `http://127.0.0.1:${await freePort()}`]);
    expect([code, stdout]).toEqual([3, ""]);
  });
});

describe("keys", () => {
  test("are created, listed and revoked; only create prints the secret", async () => {
    const { url, exchange } = await startCommandLine();
    const env = { CARD_SANDBOX_URL: url };
    const made = await outcome(["keys", "create", "--member", "northwind-admin", "--label", "ci"], env);
    expect(made.stdout).toMatch(/^sk_sandbox_[A-Za-z0-9]+\n$/);
    const secret = made.stdout.trim();
    expect(await exchange(secret)).toBeTruthy();
    const id = /^Created the key (\S+) for northwind-admin/.exec(made.stderr)?.[1] ?? "";

    const listed = await outcome(["keys", "--url", url, "--company", "northwind"]);
    expect(listed.stdout).toMatch(/^COMPANY +ENVIRONMENT +MEMBER +PREFIX +STATUS +ID +LABEL\n/);
    expect(listed.stdout).toMatch(
      new RegExp(`^northwind +sandbox +northwind-admin +\\S+… +active +${id} +ci$`, "m"),
    );
    expect(listed.stdout).not.toContain(secret);
    expect(listed.stdout).not.toContain("fullhouse");

    expect((await outcome(["keys", "revoke", id], env)).stdout).toMatch(
      /^Revoked the key \S+… of northwind-admin \(northwind\)\n$/,
    );
    const json = JSON.parse((await outcome(["keys", "--json"], env)).stdout);
    expect(json.api_keys.find((key: { id: string }) => key.id === id).status).toBe("revoked");
  });

  test("are listed with escaped control characters, also as JSON", async () => {
    const { url } = await startCommandLine();
    const label = "a\u009b31m\u202eb";
    const sent = await fetch(`${url}/_sandbox/api-keys`, {
      method: "POST",
      body: JSON.stringify({ member: "northwind-admin", environment: "sandbox", label }),
      headers: { "Content-Type": "application/json" },
    });
    expect(sent.status).toBe(201);
    const list = async (...args: string[]) =>
      (await outcome(["keys", ...args], { CARD_SANDBOX_URL: url })).stdout;
    const [table, json] = [await list(), await list("--json")];
    expect(table).toContain("a\\u009b31m\\u202eb");
    expect(`${table}${json}`).not.toMatch(/(?!\n)[\p{Cc}\u202e]/u);
    expect(JSON.parse(json).api_keys.map((key: { label: string | null }) => key.label)).toContain(label);
  });

  test.each([
    [["create", "--member", "nobody"], /no member has the id or slug "nobody"/],
    [["create"], /--member: is required/],
    [["revoke", "none"], /no API key has the id "none"/],
    [["revoke"], /id: is required/],
    [["--company", "none"], /no company has the id or slug "none"/],
    [["remove", "it"], /unexpected argument "remove": .* Subcommands: create, revoke/],
    [["revoke", "one", "two"], /unexpected argument "two": this command takes only id/],
  ])("%j is refused in one line, with exit code 2", async (args, message) => {
    const { url } = await startCommandLine();
    const { code, stdout, stderr } = await outcome(["keys", ...args], { CARD_SANDBOX_URL: url });
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(message);
    expect(stderr.trimEnd()).not.toContain("\n");
  });
});

describe("scenarios and contract", () => {
  const rowsOf = (stdout: string) => stdout.trimEnd().split("\n").slice(1);

  test("list every scenario with its points, those of a folder last, also as JSON", async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "own.yaml"), scenarioFile("own"));
    const { stdout } = await outcome(["scenarios", "--scenarios", folder]);
    expect(rowsOf(stdout).map((row) => row.split(" ")[0])).toEqual([...shippedScenarios, "own"]);
    expect(stdout).toMatch(/^quota-reached +§7, §8 +422: the card quota is reached +order\.quota_reached$/m);
    const { scenarios } = JSON.parse((await outcome(["scenarios", "--json"])).stdout);
    expect(scenarios).toHaveLength(shippedScenarios.length);
    expect(scenarios[0]).toHaveProperty("steps");
  });

  test("list every contract point, also as JSON", async () => {
    const { stdout } = await outcome(["contract"]);
    expect(rowsOf(stdout).map((row) => row.split(" ")[0])).toEqual(
      reachablePoints(defaultContract).map(({ id }) => id),
    );
    expect(stdout).toMatch(/^order\.created +201 +specified +§\S.* Creates the card/m);
    const { points } = JSON.parse((await outcome(["contract", "--json"])).stdout);
    expect(points).toHaveLength(reachablePoints(defaultContract).length);
  });

  test("list the contract points under a dialect, and the behaviors", async () => {
    const file = join(temporaryFolder(), "real.yaml");
    writeFileSync(file, 'format: 1\nreplay.status: { use: "200", provenance: observed }\n');
    const { stdout } = await outcome(["contract", "--dialect", file]);
    expect(stdout).toMatch(/^order\.replayed +200 /m);
    const listed = await outcome(["contract", "--behaviors", "--dialect", file]);
    expect(rowsOf(listed.stdout).map((row) => row.split(" ")[0])).toEqual(behaviourIds);
    expect(listed.stdout).toMatch(/^replay\.status +200 +201 +200 +observed +Status of a replayed request$/m);
    const { behaviors } = JSON.parse((await outcome(["contract", "--behaviors", "--json"])).stdout);
    expect(behaviors).toHaveLength(behaviourIds.length);
  });
});

const scenarioFile = (name: string, more = "") => `name: ${name}
title: Full
description: The quota is used up
spec: [§7]
points: [order.quota_reached]
steps: [{ facts: { quota_reached: true } }]
example: [{ expect: { status: 422 } }]
${more}`;

describe("validate", () => {
  test("prints the kind of each valid file, also in folders", async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "own.yaml"), scenarioFile("own"));
    writeFileSync(join(folder, "notes.txt"), "a: 1");
    writeFileSync(join(folder, "real.yaml"), 'format: 1\nreplay.status: { use: "200" }\n');
    const root = new URL("../..", import.meta.url).pathname;
    const fixtures = join(root, "fixtures", "default.yaml");
    const { code, stdout, stderr } = await outcome(["validate", fixtures, folder, join(root, "scenarios")]);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toContain(
      `${fixtures}: valid (fixtures)\n${join(folder, "own.yaml")}: valid (scenario)\n${join(folder, "real.yaml")}: valid (dialect)\n`,
    );
    expect(stdout.trimEnd().split("\n")).toHaveLength(3 + shippedScenarios.length);
  });

  test("prints all problems with file, line, column and the nearest key, with exit code 1", async () => {
    const folder = temporaryFolder();
    const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
    write("own.yaml", scenarioFile("own", "titel: Full\nexmple: []\n"));
    write("other.yaml", scenarioFile("another"));
    write("conflict.yaml", scenarioFile("conflict"));
    write("world.yaml", "companies:\n  - { slug: solo, name: Solo, country_code: XX, card_qouta: 1 }\n");
    write("broken.yaml", "companies: [\n");
    write("dialect.yaml", 'format: 1\nreply.status: { use: "200" }\napi_keys.quota: { use: all }\n');
    write("list.yaml", "[\n");
    write("neither.yaml", "- a\n- b\n");
    writeFileSync(join(folder, "binary.yaml"), Buffer.from([0x89, 0x50, 0x4e, 0x47]));
    mkdirSync(join(folder, "folder.yaml"));
    write("empty.yaml", "");
    const { code, stdout, stderr } = await outcome([
      "validate",
      folder,
      join(folder, "none.yaml"),
      join(folder, "folder.yaml"),
    ]);
    expect([code, stdout]).toEqual([1, ""]);
    const problems = stderr.trimEnd().replaceAll(`${folder}/`, "").split("\n");
    expect(problems).toEqual([
      "binary.yaml: cannot read the file: it is not a UTF-8 text file",
      expect.stringMatching(/^broken\.yaml:[0-9]+:[0-9]+: /),
      'conflict.yaml:1:7: name: "conflict" is already the name of another scenario. Choose another name, and rename the file.',
      expect.stringMatching(
        /^dialect\.yaml:2:1: unknown key "reply\.status"\. Did you mean "replay\.status"\?/,
      ),
      'dialect.yaml:3:24: api_keys.quota.use: unknown "all". Allowed: company, member',
      "empty.yaml:1:1: must contain a mapping, but the file is empty",
      expect.stringMatching(/^list\.yaml:[0-9]+:[0-9]+: Flow/),
      expect.stringMatching(
        /^neither\.yaml:1:1: must be a fixtures file \(keys: .*companies.*\) or a scenario file/,
      ),
      'other.yaml:1:7: name: must be "other", the file name without its extension, but is "another"',
      expect.stringMatching(/^own\.yaml:8:1: unknown key "titel"\. Did you mean "title"\?/),
      expect.stringMatching(/^own\.yaml:9:1: unknown key "exmple"\. Did you mean "example"\?/),
      expect.stringMatching(/^world\.yaml:2:[0-9]+: unknown key "card_qouta"\. Did you mean "card_quota"\?/),
      expect.stringMatching(/^world\.yaml:2:[0-9]+: companies\.0\.country_code: must be an ISO 3166-1/),
      expect.stringMatching(/^none\.yaml: cannot read the file: ENOENT/),
      "folder.yaml: contains no YAML files (*.yaml or *.yml)",
    ]);
  });

  test("counts active keys per company, or per member with --key-quota member", async () => {
    const keys = (name: string) => [1, 2, 3].map((n) => `{ secret: sk_sandbox_${name}_key_${n} }`).join(", ");
    const member = (name: string) =>
      `{ slug: ${name}, name: ${name}, role: owner, api_keys: [${keys(name)}] }`;
    const company = "slug: solo, name: Solo, country_code: IE";
    const file = join(temporaryFolder(), "world.yaml");
    writeFileSync(file, `companies: [{ ${company}, members: [${member("ann")}, ${member("bob")}] }]\n`);
    const perCompany = await outcome(["validate", file]);
    expect([perCompany.code, perCompany.stderr]).toEqual([
      1,
      expect.stringContaining("is the active API key number 6 of the company solo"),
    ]);
    expect((await outcome(["validate", "--key-quota", "member", file])).code).toBe(0);
  });

  test("prints the first 100 problems of a file and the number of the others", async () => {
    const file = join(temporaryFolder(), "own.yaml");
    const keys = Array.from({ length: 50_000 }, (_, n) => `key${n}: 1\n`).join("");
    writeFileSync(file, scenarioFile("own", keys));
    const { code, stderr } = await outcome(["validate", file]);
    const problems = stderr.trimEnd().split("\n");
    expect([code, problems.length]).toEqual([1, 101]);
    expect(problems.at(-2)).toMatch(/own\.yaml:107:1: unknown key "key99"\. Allowed: /);
    expect(problems.at(-1)).toBe(`${file}: and 49900 more problems`);
  }, 60_000);

  test("requires a file", async () => {
    expect((await outcome(["validate"])).code).toBe(2);
  });
});
