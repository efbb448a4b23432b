import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { contractPoints } from "../../src/contract/points.ts";
import { baseAddress } from "../../src/node/running-sandbox.ts";
import { shippedScenarios } from "../../src/scenarios/shipped.ts";
import { cli, freePort, run, startCommandLine, temporaryFolder } from "../support/command-line.ts";

async function outcome(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const { output, ended } = run(args, env);
  const { code } = await ended;
  return { code, ...output };
}

const commands = ["start", "exec", "wait", "health", "env", "keys", "scenarios", "contract", "validate"];

test("the command line that is built may be run as it stands: npm link leaves its mode alone", () => {
  expect(execFileSync(cli, ["--version"], { encoding: "utf8" })).toMatch(/^[0-9]/);
});

describe("help", () => {
  test("lists every command, and tells how each is used and what its exit codes say", async () => {
    const { stdout } = await outcome(["--help"]);
    for (const name of commands) {
      expect(stdout).toMatch(new RegExp(`^  ${name} +\\S`, "m"));
      const [own, helped] = [await outcome([name, "--help"]), await outcome(["help", name])];
      expect(own).toEqual(helped);
      expect(own).toMatchObject({ code: 0, stderr: "" });
      expect(own.stdout).toMatch(/\nExit codes:\n {2}/);
      expect(own.stdout).toContain(name === "start" ? "card-sandbox [start]" : `card-sandbox ${name}`);
    }
  });

  test.each([
    ["exce", "exec"],
    ["scenario", "scenarios"],
    ["__proto__", "start"],
  ])("of the unknown command %s names the nearest, and is exit 2", async (word, nearest) => {
    for (const args of [[word], ["help", word]]) {
      const { code, stderr } = await outcome(args);
      expect(code).toBe(2);
      if (word !== "__proto__") expect(stderr).toContain(`did you mean "${nearest}"?`);
      expect(stderr.trimEnd()).not.toContain("\n");
    }
  });

  test("of a word with control characters shows them escaped, on one line", async () => {
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

  test("of a command that is like none names them all, and none as the nearest", async () => {
    const { code, stderr } = await outcome(["nope"]);
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/^card-sandbox: unknown command "nope": there are start, /),
    ]);
  });
});

describe("wait", () => {
  test("ends once the sandbox answers that is started meanwhile", async () => {
    const port = await freePort();
    const waiting = outcome(["wait", `http://127.0.0.1:${port}/`]);
    run(["--port", String(port)]);
    expect(await waiting).toEqual({ code: 0, stdout: "", stderr: "" });
  });

  test("goes by CARD_SANDBOX_URL, and by the port that a start would listen on", async () => {
    const { url } = await startCommandLine();
    expect((await outcome(["wait"], { CARD_SANDBOX_URL: url })).code).toBe(0);
    expect((await outcome(["wait"], { CARD_SANDBOX_PORT: new URL(url).port })).code).toBe(0);
    expect((await outcome(["wait"], { PORT: new URL(url).port, CARD_SANDBOX_PORT: "" })).code).toBe(0);
  });

  test("says what is wrong where nobody answers in time, or somebody else, and is exit 3", async () => {
    const nobody = await outcome(["wait", `http://127.0.0.1:${await freePort()}`, "--timeout", "0"]);
    expect(nobody.code).toBe(3);
    expect(nobody.stderr).toMatch(
      /^card-sandbox: waited for 0 s: .* does not answer \(ECONNREFUSED\): .*\n$/,
    );
    const server = createServer((_request, response) => response.end("{}"));
    await new Promise<void>((bound) => server.listen(0, "127.0.0.1", bound));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const other = await outcome(["wait", `http://127.0.0.1:${port}`, "--timeout", "0"]);
    expect([other.code, other.stderr]).toEqual([3, expect.stringContaining("no card-sandbox")]);
  });

  test.each([
    [["wait", "localhost"]],
    [["wait", "--timeout", "soon"]],
    [["health", "ftp://a"]],
    [["health", "http://127.0.0.1:4242?a=b"]],
    [["wait", "http://127.0.0.1:4242/#a"]],
    [["env", "http://127.0.0.1:4242/?"]],
  ])("%j is exit 2", async (args) => expect((await outcome(args)).code).toBe(2));
});

describe("health", () => {
  test("is 0 where the sandbox is well, 1 where it is not", async () => {
    const { url } = await startCommandLine(["--admin-token", "correct-horse"]);
    expect(await outcome(["health", url])).toEqual({ code: 0, stdout: `${url} is well\n`, stderr: "" });
    const bare = await startCommandLine(["--no-control"]);
    const without = await outcome(["health", bare.url]);
    expect([without.code, without.stderr]).toEqual([1, expect.stringContaining("--no-control")]);
    expect((await outcome(["health"], { PORT: String(await freePort()) })).code).toBe(1);
  });
});

test.each([
  [{ PORT: "abc" }, '"http://127.0.0.1:abc", which PORT makes it, is no base address'],
  [
    { PORT: "1", CARD_SANDBOX_PORT: "abc" },
    '"http://127.0.0.1:abc", which CARD_SANDBOX_PORT makes it, is no base address',
  ],
  [{ CARD_SANDBOX_URL: "nope" }, '"nope", which CARD_SANDBOX_URL says, is no base address'],
])("an address that a variable spoils names it: %j", (variables, message) => {
  expect(() => baseAddress(undefined, variables)).toThrow(message);
  expect(() => baseAddress("nope", variables)).toThrow('"nope" is no base address');
});

test("http to a sandbox that speaks HTTPS, and the other way round, is told", async () => {
  const folder = temporaryFolder();
  const [cert, key] = [join(folder, "cert.pem"), join(folder, "key.pem")];
  const made = ["-keyout", key, "-out", cert, "-newkey", "rsa:2048", "-nodes", "-days", "2"];
  execFileSync("openssl", ["req", "-x509", ...made, "-subj", "/CN=127.0.0.1"], { stdio: "ignore" });
  const secure = (await startCommandLine(["--tls-cert", cert, "--tls-key", key])).url;
  const plain = (await startCommandLine()).url;
  const swapped = [secure.replace("https", "http"), plain.replace("http", "https")];
  const [toSecure, toPlain] = await Promise.all(swapped.map((url) => outcome(["health", url])));
  expect(toSecure?.stderr).toContain(`it may speak HTTPS, so try ${secure}\n`);
  expect(toPlain?.stderr).toContain(`it speaks plain HTTP, so try ${plain}\n`);
});

describe("env", () => {
  test("prints what a shell takes, so that an order goes through", async () => {
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

  test("needs the admin token where one is demanded, and hands it on", async () => {
    const { url } = await startCommandLine(["--admin-token", "it's"]);
    const without = await outcome(["env", url]);
    expect([without.code, without.stdout]).toEqual([2, ""]);
    expect(without.stderr).toContain("--admin-token");
    const wrong = await outcome(["env", url, "--admin-token", "its"]);
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringMatching(/--admin-token.* is wrong$/m)]);
    const env = { CARD_SANDBOX_URL: url, CARD_SANDBOX_ADMIN_TOKEN: "it's" };
    const { stdout, stderr } = await outcome(["env"], env);
    expect(stdout).toContain("export CARD_SANDBOX_ADMIN_TOKEN='it'\\''s'\n");
    expect(stderr).toBe("");
  });

  test("says beside what is not to be had, and unsets it", async () => {
    const file = join(temporaryFolder(), "world.yaml");
    writeFileSync(file, "companies:\n  - { slug: solo, name: Solo Ltd, country_code: IE }\n");
    const { url } = await startCommandLine(["--fixtures", file]);
    const { code, stdout, stderr } = await outcome(["env", url]);
    expect(code).toBe(0);
    expect(stdout).toContain("unset CARD_SANDBOX_API_KEY\n");
    expect(stderr).toContain("CARD_SANDBOX_ACCOUNT_ID");
    expect(stderr).toContain("(solo (sandbox) has no active account; no live company)");
  });

  test("says why nobody can order any more, and what helps", async () => {
    const { url, world } = await startCommandLine();
    const { companies } = await world();
    const change = (id: string, body: unknown) =>
      fetch(`${url}/_sandbox/companies/${id}`, { method: "PATCH", body: JSON.stringify(body) });
    for (const { id, environment, live_cards } of companies) {
      await change(id, environment === "live" ? { status: "suspended" } : { card_quota: live_cards });
    }
    const { stdout, stderr } = await outcome(["env", url]);
    expect(stdout).toContain("unset CARD_SANDBOX_LIVE_API_KEY\n");
    expect(stderr).toContain("northwind (sandbox) has reached its card quota, ");
    expect(stderr).toContain("northwind (live) is suspended");
    const reset = /curl -X POST \S+/.exec(stderr)?.[0] ?? "";
    execFileSync("bash", ["-c", `${reset} -s`]);
    expect((await outcome(["env", url])).stderr).toBe("");
  });

  test("is exit 3 where nobody answers", async () => {
    const { code, stdout } = await outcome(["env", `http://127.0.0.1:${await freePort()}`]);
    expect([code, stdout]).toEqual([3, ""]);
  });
});

describe("keys", () => {
  test("are made, listed and revoked; the secret is on standard output this once", async () => {
    const { url, exchange } = await startCommandLine();
    const env = { CARD_SANDBOX_URL: url };
    const made = await outcome(["keys", "create", "--member", "northwind-admin", "--label", "ci"], env);
    expect(made.stdout).toMatch(/^sk_sandbox_[A-Za-z0-9]+\n$/);
    const secret = made.stdout.trim();
    expect(await exchange(secret)).toBeTruthy();
    const id = /^made (\S+) for northwind-admin/.exec(made.stderr)?.[1] ?? "";

    const listed = await outcome(["keys", "--url", url, "--company", "northwind"]);
    expect(listed.stdout).toMatch(/^COMPANY +ENVIRONMENT +MEMBER +PREFIX +STATUS +ID +LABEL\n/);
    expect(listed.stdout).toMatch(
      new RegExp(`^northwind +sandbox +northwind-admin +\\S+… +active +${id} +ci$`, "m"),
    );
    expect(listed.stdout).not.toContain(secret);
    expect(listed.stdout).not.toContain("fullhouse");

    expect((await outcome(["keys", "revoke", id], env)).stdout).toMatch(
      /^revoked \S+… of northwind-admin, northwind\n$/,
    );
    const json = JSON.parse((await outcome(["keys", "--json"], env)).stdout);
    expect(json.api_keys.find((key: { id: string }) => key.id === id).status).toBe("revoked");
  });

  test("are listed with their control characters escaped, also as JSON", async () => {
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
    [["create", "--member", "nobody"], /no member "nobody"/],
    [["create"], /--member/],
    [["revoke", "none"], /no such key/],
    [["revoke"], /missing required argument 'id'/],
    [["--company", "none"], /no company "none"/],
    [["remove", "it"], /unexpected argument "remove": .* or is followed by create or revoke/],
    [["revoke", "one", "two"], /unexpected argument "two": this command takes id/],
  ])("%j is refused in one line, and exit 2", async (args, message) => {
    const { url } = await startCommandLine();
    const { code, stdout, stderr } = await outcome(["keys", ...args], { CARD_SANDBOX_URL: url });
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(message);
    expect(stderr.trimEnd()).not.toContain("\n");
  });
});

describe("lists", () => {
  const rowsOf = (stdout: string) => stdout.trimEnd().split("\n").slice(1);

  test("every scenario with its points, those of a folder last, and as JSON", async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "own.yaml"), scenarioFile("own"));
    const { stdout } = await outcome(["scenarios", "--scenarios", folder]);
    expect(rowsOf(stdout).map((row) => row.split(" ")[0])).toEqual([...shippedScenarios, "own"]);
    expect(stdout).toMatch(/^quota-reached +§7, §8 +Card quota reached +order\.quota_reached$/m);
    const { scenarios } = JSON.parse((await outcome(["scenarios", "--json"])).stdout);
    expect(scenarios).toHaveLength(shippedScenarios.length);
    expect(scenarios[0]).toHaveProperty("steps");
  });

  test("every contract point, and as JSON", async () => {
    const { stdout } = await outcome(["contract"]);
    expect(rowsOf(stdout).map((row) => row.split(" ")[0])).toEqual(Object.keys(contractPoints));
    expect(stdout).toMatch(/^order\.created +201 +specified +§\S.* The card is made/m);
    const { points } = JSON.parse((await outcome(["contract", "--json"])).stdout);
    expect(points).toHaveLength(Object.keys(contractPoints).length);
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
  test("tells the kind of each file that fits, folders included", async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "own.yaml"), scenarioFile("own"));
    writeFileSync(join(folder, "notes.txt"), "a: 1");
    const root = new URL("../..", import.meta.url).pathname;
    const fixtures = join(root, "fixtures", "default.yaml");
    const { code, stdout, stderr } = await outcome(["validate", fixtures, folder, join(root, "scenarios")]);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toContain(`${fixtures}: fixtures, fits\n${join(folder, "own.yaml")}: scenario, fits\n`);
    expect(stdout.trimEnd().split("\n")).toHaveLength(2 + shippedScenarios.length);
  });

  test("tells all that is wrong with each, with file, line, column and the nearest key, and is exit 1", async () => {
    const folder = temporaryFolder();
    const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
    write("own.yaml", scenarioFile("own", "titel: Full\nexmple: []\n"));
    write("other.yaml", scenarioFile("another"));
    write("conflict.yaml", scenarioFile("conflict"));
    write("world.yaml", "companies:\n  - { slug: solo, name: Solo, country_code: XX, card_qouta: 1 }\n");
    write("broken.yaml", "companies: [\n");
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
      "binary.yaml: cannot be read: it is no UTF-8 text",
      expect.stringMatching(/^broken\.yaml:[0-9]+:[0-9]+: /),
      "conflict.yaml:1:7: name: a scenario named conflict is there already: rename this one",
      "empty.yaml:1:1: holds nothing",
      expect.stringMatching(/^list\.yaml:[0-9]+:[0-9]+: Flow/),
      expect.stringMatching(
        /^neither\.yaml:1:1: is neither a fixtures file \(.*companies.*\) nor a scenario file/,
      ),
      "other.yaml:1:7: name: must be the file's, other; it is another",
      expect.stringMatching(/^own\.yaml:8:1: unknown key "titel": did you mean "title"\?/),
      expect.stringMatching(/^own\.yaml:9:1: unknown key "exmple": did you mean "example"\?/),
      expect.stringMatching(/^world\.yaml:2:[0-9]+: unknown key "card_qouta": did you mean "card_quota"\?/),
      expect.stringMatching(/^world\.yaml:2:[0-9]+: companies\.0\.country_code: must be an ISO 3166-1/),
      expect.stringMatching(/^none\.yaml: cannot be read: ENOENT/),
      "folder.yaml: holds no YAML file",
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
      expect.stringContaining("is active key 6 of the company solo"),
    ]);
    expect((await outcome(["validate", "--key-quota", "member", file])).code).toBe(0);
  });

  test("describes the first 100 problems of a file, and counts the others", async () => {
    const file = join(temporaryFolder(), "own.yaml");
    const keys = Array.from({ length: 50_000 }, (_, n) => `key${n}: 1\n`).join("");
    writeFileSync(file, scenarioFile("own", keys));
    const { code, stderr } = await outcome(["validate", file]);
    const problems = stderr.trimEnd().split("\n");
    expect([code, problems.length]).toEqual([1, 101]);
    expect(problems.at(-2)).toMatch(/own\.yaml:107:1: unknown key "key99"; known here: /);
    expect(problems.at(-1)).toBe(`${file}: and 49900 more`);
  }, 60_000);

  test("takes a file at least", async () => {
    expect((await outcome(["validate"])).code).toBe(2);
  });
});
