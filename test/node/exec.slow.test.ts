import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { countedPoints } from "../../src/journal/coverage.ts";
import { shellQuoted } from "../../src/journal/formats/escape.ts";
import {
  cli,
  freePort,
  isRunning,
  type Run,
  run,
  takenPort,
  temporaryFolder,
} from "../support/command-line.ts";
import { exec, reportOf, suiteOf } from "../support/suite.ts";

const key = "7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30";
const allBut = (id: string) => countedPoints.filter((each) => each !== id).join();
/** Makes IDEM-2, a critical finding. */
const reusesKey = `await order("${key}"); await order("${key}", { name: "another" });`;

describe("the command", () => {
  test("gets the URL, API keys and ids as environment variables, and standard output for itself", async () => {
    const { output, ended } = exec(
      ["--seed", "1"],
      `const answer = await order();
       console.log(JSON.stringify([answer.status, process.env]));`,
      { CARD_SANDBOX_LIVE_API_KEY: "sk_live_of_elsewhere" },
    );
    expect((await ended).code).toBe(0);
    const [status, env] = JSON.parse(output.stdout);
    expect(status).toBe(201);
    expect(env).toMatchObject({
      CARD_SANDBOX_URL: expect.stringMatching(/^http:\/\/127\.0\.0\.1:[0-9]+$/),
      CARD_SANDBOX_LIVE_URL: env.CARD_SANDBOX_URL,
      CARD_SANDBOX_API_KEY: "sk_sandbox_northwind_owner",
      CARD_SANDBOX_LIVE_API_KEY: "sk_live_northwind_owner",
      CARD_SANDBOX_ACCOUNT_ID: "1d541080-dfcd-4ea6-937b-cc4bd3db87af",
    });
    expect(env).not.toHaveProperty("CARD_SANDBOX_ADMIN_TOKEN");
    expect(output.stderr).toMatch(/^\nContract points met/);
  });

  test("gets the admin token if the sandbox requires one", async () => {
    const code = `
      const { CARD_SANDBOX_ADMIN_TOKEN: token } = process.env;
      const world = await fetch(url + "/_sandbox/world", { headers: { Authorization: "Bearer " + token } });
      console.log(token, world.status);`;
    const generated = exec(["--host", "0.0.0.0"], code);
    const given = exec(["--admin-token", "correct-horse"], code);
    await Promise.all([generated.ended, given.ended]);
    expect(generated.output.stdout).toMatch(/^\S{43} 200\n$/);
    expect(given.output.stdout).toBe("correct-horse 200\n");
    expect(given.output.stderr).not.toContain("correct-horse");
  });

  test("gets no API key if no member can order a card", async () => {
    const file = join(temporaryFolder(), "world.yaml");
    writeFileSync(file, "companies:\n  - { slug: solo, name: Solo Ltd, country_code: IE }\n");
    const { output, ended } = exec(
      ["--fixtures", file],
      "await fetch(url + '/developer/cards'); console.log(process.env.CARD_SANDBOX_API_KEY, typeof url)",
      { CARD_SANDBOX_API_KEY: "sk_sandbox_of_elsewhere" },
    );
    expect((await ended).code).toBe(0);
    expect(output.stdout).toBe("undefined string\n");
  });

  test("runs without a shell, also without --, and keeps its own options", async () => {
    const { output, ended } = run([
      "exec",
      "--allow-no-requests",
      "--seed",
      "7",
      process.execPath,
      "-p",
      "process.argv.slice(1).join()",
      "--",
      "$HOME",
      "--seed",
    ]);
    expect((await ended).code).toBe(0);
    expect(output.stdout).toBe("$HOME,--seed\n");
  });

  test("PORT is for the command; CARD_SANDBOX_PORT and --port are for the sandbox", async () => {
    const taken = String(await takenPort());
    const mine = exec(["--allow-no-requests"], "console.log(process.env.PORT === new URL(url).port)", {
      PORT: taken,
    });
    expect((await mine.ended).code).toBe(0);
    expect(mine.output.stdout).toBe("false\n");
    const theirs = exec([], "", { CARD_SANDBOX_PORT: taken });
    expect((await theirs.ended).code).toBe(3);
    expect(theirs.output.stderr).toMatch(/^card-sandbox: port [0-9]+ on 127\.0\.0\.1 is in use\. .*\n$/);
  });

  test("requests are logged to standard error only with --log", async () => {
    const { output, ended } = exec(["--log", "json"], "await order(); console.log('1..1')");
    await ended;
    expect(output.stdout).toBe("1..1\n");
    expect(output.stderr).toContain('"point":"order.created"');
  });
});

describe("the exit code", () => {
  test.each([
    ["0 on success", "await exchange()", 0],
    ["the command's own", "process.exit(7)", 7],
    ["128 and the signal's number", "process.kill(process.pid, 'SIGKILL')", 137],
  ])("is %s", async (_title, code, expected) => {
    const { ended, output } = exec([], code);
    expect(await ended).toEqual({ code: expected, signal: null });
    expect(output.stderr).toContain("Contract points met");
  });

  const neverFired =
    "armed but never fired: conflict. Remove unused scenarios, or add --allow-unused-scenarios";
  const fails = (check: string, message: RegExp | string) => ({ code: 1, check, message });
  test.each<[string, string[], string, { code: number; check?: string; message?: RegExp | string }]>([
    ["--min-coverage is met", ["--min-coverage", "1"], "await order()", { code: 0 }],
    [
      "--min-coverage is not met",
      ["--min-coverage", "50"],
      "await order()",
      fails("--min-coverage 50", /^2 of [0-9]+ contract points met \([0-9]+%\), at least [0-9]+ required$/),
    ],
    [
      "--min-coverage is met by what is not excluded",
      ["--min-coverage", "100", "--exclude", allBut("order.created"), "--exclude", "order.re*"],
      "await order()",
      { code: 0 },
    ],
    ["--require is met", ["--require", "order.created,token.issued"], "await order()", { code: 0 }],
    [
      "--require is not met",
      ["--require", "order.created", "--require", "order.repl*"],
      "await order()",
      fails("--require", "contract points not met: order.replayed"),
    ],
    [
      "--fail-on meets a finding as grave",
      ["--fail-on", "critical"],
      reusesKey,
      fails("--fail-on critical", "findings of severity critical: IDEM-2"),
    ],
    [
      "--fail-on meets a graver finding",
      ["--fail-on", "info"],
      reusesKey,
      fails("--fail-on info", "findings of severity info or higher: IDEM-2"),
    ],
    ["a finding, and no --fail-on", [], reusesKey, { code: 0 }],
    [
      "--require names a point that no request can meet without a dialect",
      ["--require", "order.created,order.on_behalf_of_required"],
      "await order()",
      fails("--require", "unreachable under the dialect: order.on_behalf_of_required"),
    ],
    [
      "--require is met but for what is excluded",
      ["--require", "order.c*", "--exclude", "order.co*,order.ch*,order.ca*"],
      "await order()",
      { code: 0 },
    ],
    ["--fail-on meets none", ["--fail-on", "info"], "await order()", { code: 0 }],
    ["what was armed fired", [], "await arm('conflict'); await order()", { code: 0 }],
    [
      "what was armed never fired, and is gone",
      [],
      "await arm('conflict', { company: 'northwind' }); await post('/_sandbox/reset'); await order()",
      fails("unused scenarios", neverFired),
    ],
    [
      "what it was started with never fired",
      ["--scenario", "conflict"],
      "await exchange()",
      fails("unused scenarios", neverFired),
    ],
    [
      "an armed scenario never fired, which is allowed",
      ["--scenario", "conflict", "--allow-unused-scenarios"],
      "await exchange()",
      { code: 0 },
    ],
    [
      "a check fails, and the command too",
      ["--require", "order.created"],
      "await exchange(); process.exit(4)",
      { code: 4, check: "--require", message: "contract points not met: order.created" },
    ],
  ])("where %s", async (_title, options, code, expected) => {
    const { ended, output, report } = reportOf((more) => exec([...options, ...more], code));
    expect((await ended).code).toBe(expected.code);
    const failed = report().gates.filter(({ passed, name }) => !passed && name !== process.execPath);
    expect(failed.map(({ name }) => name)).toEqual(expected.check ? [expected.check] : []);
    if (expected.message) expect(failed[0]?.message).toMatch(expected.message);
    expect(report().exit_code).toBe(expected.code);
    for (const { name, message } of failed) expect(output.stderr).toContain(`✗ ${name}: ${message}`);
  });

  test("counts the requests that a scenario still holds when the command ends", async () => {
    const { ended, report } = reportOf((more) =>
      exec(
        more,
        `await arm("in-flight", { company: "northwind", times: 1 });
         const token = await exchange();
         order();
         for (;;) {
           const { armed } = await (await fetch(url + "/_sandbox/armed")).json();
           if (armed[0].held === 1) process.exit(0);
         }`,
      ),
    );
    expect((await ended).code).toBe(0);
    expect(report().coverage.points.find(({ id }) => id === "order.created")?.times).toBe(1);
  });
});

describe("the report", () => {
  test("on standard error lists coverage, points not met, findings and the result in under 40 lines", async () => {
    const { ended, output } = exec(
      ["--fail-on", "critical", "--scenario", "forbidden"],
      `await exchange("sk_live_" + "q8Zr2Vn5Lk0Xw7Td3Hs9Bf1Yc6Jm4Gp2")`,
    );
    await ended;
    expect(output.stderr).toMatch(/^Contract points met {2,}1 of [0-9]+ \([0-9]+%\)$/m);
    expect(output.stderr).toMatch(/^ {2}specified {2,}0 of /m);
    expect(output.stderr).toMatch(/^ {2}POST \/auth\/v1\/sandbox\/token {2,}1 of [0-9]+ \([0-9]+%\)$/m);
    expect(output.stderr).not.toContain("/developer/cards/{id}/freeze");
    expect(output.stderr).toMatch(
      /^Specified contract points not met: [0-9]+\n( {2}.*\n){10} {2}and [0-9]+ more/m,
    );
    expect(output.stderr).toContain("Findings: 1 critical, 0 high, 0 warn, 0 info\n");
    expect(output.stderr).toMatch(
      /^ {2}critical {2}AUTH-2 .* \(once\)\n {4}observed: .*\(request 1: POST .*\n {4}fix: /m,
    );
    expect(output.stderr).toContain(
      "Unused scenarios (armed but never fired): 1\n  forbidden, armed for all companies\n",
    );
    expect(output.stderr).toMatch(/\ncard-sandbox: failed, exit code 1\n( {2}✗ .*\n){2}$/);
    expect(output.stderr.split("\n").length).toBeLessThan(40);
  });

  test("is written in each format, also if the command fails, without secrets", async () => {
    const folder = temporaryFolder();
    const files = ["md", "json", "xml", "HTML"].map((ending) => join(folder, `report.${ending}`));
    const { ended } = exec(
      files.flatMap((file) => ["--report", file]),
      `${reusesKey}
       await exchange(process.env.CARD_SANDBOX_LIVE_API_KEY);
       await fetch(url + "/" + await exchange() + "/" + api_key);
       process.exit(9)`,
    );
    expect((await ended).code).toBe(9);
    const [md = "", json = "", xml = "", html = ""] = files.map((file) => readFileSync(file, "utf8"));
    expect(md).toContain("### critical: IDEM-2 ");
    expect(md).toContain("## Contract coverage");
    expect(JSON.parse(json)).toMatchObject({
      exit_code: 9,
      findings: { totals: { critical: 3 } },
      unused_scenarios: [],
      coverage: { total: { met: expect.any(Number) } },
    });
    expect(xml.match(/<testsuite name="[^"]+"/g)).toEqual([
      '<testsuite name="gates"',
      '<testsuite name="findings"',
      '<testsuite name="contract coverage"',
    ]);
    expect(html.indexOf("IDEM-2")).toBeLessThan(html.indexOf("Contract coverage"));
    expect(html).toContain("default-src 'none'");
    expect(html).not.toMatch(/<script|https?:|src=|href=/);
    for (const text of [md, json, xml, html]) {
      expect(text).not.toMatch(/sk_(sandbox|live)\\?_[a-z0-9]|[A-Za-z0-9_-]{43,}|4821/);
    }
  });

  test("that cannot be written fails the run, and the other files say so", async () => {
    const [gone, kept] = [join(temporaryFolder(), "gone"), join(temporaryFolder(), "report.json")];
    mkdirSync(gone);
    const removes = `(await import("node:fs")).rmSync(${JSON.stringify(gone)}, { recursive: true });`;
    const file = join(gone, "report.md");
    const { ended, output } = exec(["--allow-no-requests", "--report", kept, "--report", file], removes);
    expect((await ended).code).toBe(3);
    expect(output.stderr).toContain("card-sandbox: failed, exit code 3\n");
    expect(output.stderr).toContain(`✗ --report ${file}: cannot be written: ENOENT`);
    expect(JSON.parse(readFileSync(kept, "utf8"))).toMatchObject({
      exit_code: 3,
      gates: expect.arrayContaining([expect.objectContaining({ name: `--report ${file}`, passed: false })]),
    });
  });

  test("fails a command that sends no request to the service, in every format", async () => {
    const said = "the sandbox received no requests. Make the client use CARD_SANDBOX_URL, or add";
    const folder = temporaryFolder();
    const [md = "", json = "", xml = "", html = ""] = ["md", "json", "xml", "html"].map((ending) =>
      join(folder, `report.${ending}`),
    );
    const files = [md, json, xml, html].flatMap((file) => ["--report", file]);
    // The control API is not part of the service.
    const { ended, output } = exec(files, "await fetch(url + '/_sandbox/health')");
    expect((await ended).code).toBe(1);
    expect(output.stderr).toContain(`card-sandbox: failed, exit code 1\n  ✗ requests: ${said}`);
    const text = (file: string) => readFileSync(file, "utf8");
    expect(text(md)).toContain("**failed**: requests: the sandbox received no requests");
    expect(JSON.parse(text(json))).toMatchObject({
      exit_code: 1,
      requests: 0,
      gates: expect.arrayContaining([
        { name: "requests", passed: false, message: `${said} --allow-no-requests.` },
      ]),
    });
    expect(text(xml)).toMatch(
      /name="requests" classname="card-sandbox.gates"><failure[^>]*the sandbox received no request/,
    );
    expect(text(html)).toContain("<code>requests</code>: the sandbox received no request");
  });

  test("passes a command that sends a request, or none with --allow-no-requests", async () => {
    const one = reportOf((more) => exec(more, "await exchange()"));
    const none = reportOf((more) => exec(["--allow-no-requests", ...more], ""));
    expect([(await one.ended).code, (await none.ended).code]).toEqual([0, 0]);
    const messages = [one, none].map(
      ({ report }) => report().gates.find(({ name }) => name === "requests")?.message,
    );
    expect(messages).toEqual([
      "the sandbox received 1 request",
      "the sandbox received no requests (allowed by --allow-no-requests)",
    ]);
  });

  test("in JUnit format, fails only the tests of failed gates", async () => {
    const file = join(temporaryFolder(), "report.xml");
    const failures = async (options: string[]) => {
      await exec(["--report", file, ...options], reusesKey).ended;
      return [...readFileSync(file, "utf8").matchAll(/name="([^"]+)" classname="[^"]+"><failure/g)].map(
        ([, name]) => name?.split(" ")[0],
      );
    };
    expect(await failures([])).toEqual([]);
    expect(await failures(["--fail-on", "high", "--require", "order.forbidden"])).toEqual([
      "--require",
      "--fail-on",
      "IDEM-2",
      "order.forbidden",
    ]);
  });
});

describe("before the command runs", () => {
  const folder = () => {
    const made = temporaryFolder();
    mkdirSync(join(made, "folder.md"));
    return made;
  };
  test.each([
    [
      ["--report", "report.pdf"],
      /--report: must end in one of \.md, \.json, \.xml, \.html, but is "report\.pdf"/,
    ],
    [
      ["--exclude", "*", "--min-coverage", "100"],
      /--exclude: must not match every contract point if --min-coverage is set/,
    ],
    [
      ["--require", "token.issued", "--require", "order.created", "--exclude", "order.*"],
      /--require: "order\.created" matches only contract points that --exclude excludes/,
    ],
    [
      ["--require", "order.create"],
      /--require: unknown contract point "order\.create"\. Did you mean "order\.created"\?/,
    ],
    [
      ["--exclude", "ordr.*"],
      /--exclude: unknown contract point "ordr\.\*"\. List them with card-sandbox contract/,
    ],
    [["--require", "order.created,"], /--require: must not contain an empty entry/],
    [["--require", "gateway.internal_error"], /unknown contract point/],
    [["--min-coverage", "101"], /--min-coverage: must be an integer from 0 to 100/],
    [["--fail-on", "fatal"], /--fail-on: must be one of critical, high, warn, info, but is "fatal"/],
    [["--seed", "x"], /--seed/],
    [["--scenario", "quota-reach"], /Did you mean "quota-reached"\?/],
  ])("%j is a usage error in one line", (options, message) => refused(options, 2, message));

  test.each([
    [["--report", "none/report.md"], /--report: cannot write "none\/report\.md": ENOENT/],
    [["--report", "FOLDER/folder.md"], /folder\.md": it exists, but is not a file/],
  ])("%j, a report that cannot be written, is an error in one line with exit code 3", (options, message) =>
    refused(options, 3, message),
  );

  async function refused(options: readonly string[], exitCode: number, message: RegExp) {
    const made = folder();
    const marker = join(made, "ran");
    const code = `(await import("node:fs")).writeFileSync(${JSON.stringify(marker)}, "")`;
    const { output, ended } = exec(
      options.map((word) => word.replace("FOLDER", made)),
      code,
    );
    expect((await ended).code).toBe(exitCode);
    expect(output.stderr).toMatch(message);
    expect(output.stderr.trimEnd()).not.toContain("\n");
    expect(existsSync(marker)).toBe(false);
  }

  test("a missing command is a usage error in one line", async () => {
    for (const args of [["exec"], ["exec", "--"], ["exec", "--fail-on", "warn", "--"]]) {
      const { output, ended } = run(args);
      expect((await ended).code).toBe(2);
      expect(output.stderr).toBe(
        "card-sandbox: command: is required. Example: card-sandbox exec -- npm test\n",
      );
    }
  });

  test("a command that cannot be started is an error in one line with exit code 3", async () => {
    const port = await freePort();
    for (const [word, why] of [
      ["no-such-program", "it was not found, neither as a file nor on the PATH"],
      ["/etc/passwd", "the current user has no permission to execute it"],
    ] as const) {
      const { output, ended } = run(["exec", "--port", String(port), "--", word]);
      expect((await ended).code).toBe(3);
      expect(output.stderr).toBe(`card-sandbox: cannot start the command "${word}": ${why}\n`);
    }
  });
});

/** Prints its process id and the URL, and then waits for signals. */
const waits = (onSignal: string) => `
for (const name of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(name, () => { console.log(name); ${onSignal} });
setInterval(() => {}, 1000);
await order();
console.log(process.pid + " " + url);`;

async function untilSaid({ child, output }: Pick<Run, "child" | "output">, pattern: RegExp): Promise<string> {
  for (;;) {
    const [said] = pattern.exec(output.stdout) ?? [];
    if (said) return said;
    await new Promise((more) => child.stdout?.once("data", more));
  }
}

describe("a signal", () => {
  test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
    "%s is forwarded to the command; the report follows, and no process remains",
    async (signal) => {
      const started = exec([], waits("process.exit(5)"));
      const [pid = "", url = ""] = (await untilSaid(started, /^[0-9]+ http.*$/m)).split(" ");
      started.child.kill(signal);
      expect(await started.ended).toEqual({ code: 5, signal: null });
      expect(started.output.stdout).toContain(`${signal}\n`);
      expect(started.output.stderr).toContain("Contract points met");
      expect(isRunning(Number(pid))).toBe(false);
      await expect(fetch(url)).rejects.toThrow();
    },
  );

  test("is forwarded to the processes of the command", async () => {
    const inner = suiteOf(waits("process.exit(0)"));
    const started = run(["exec", "--", "sh", "-c", '"$@"; exit 6', "sh", ...inner]);
    await untilSaid(started, /^[0-9]+ http.*$/m);
    started.child.kill("SIGINT");
    await started.ended;
    expect(started.output.stdout).toContain("SIGINT\n");
  });

  test("a second one kills a command that does not exit, and the report follows", async () => {
    const started = exec([], waits(""));
    const [pid = ""] = (await untilSaid(started, /^[0-9]+ http.*$/m)).split(" ");
    started.child.kill("SIGTERM");
    await untilSaid(started, /SIGTERM/);
    await new Promise((later) => setTimeout(later, 300));
    started.child.kill("SIGTERM");
    expect((await started.ended).code).toBe(137);
    expect(started.output.stderr).toContain("Contract points met");
    expect(isRunning(Number(pid))).toBe(false);
  });

  test("that arrives twice at once, as from npm at a terminal, counts once", async () => {
    const started = exec([], waits("setTimeout(() => process.exit(5), 500)"));
    await untilSaid(started, /^[0-9]+ http.*$/m);
    started.child.kill("SIGINT");
    await untilSaid(started, /SIGINT/);
    started.child.kill("SIGINT");
    expect((await started.ended).code).toBe(5);
    expect(started.output.stdout.match(/SIGINT/g)).toHaveLength(1);
  });

  test("processes that the command left running end with it", async () => {
    const { ended, output } = run(["exec", "--allow-no-requests", "--", "sh", "-c", "sleep 60 & echo $!"]);
    expect((await ended).code).toBe(0);
    expect(isRunning(Number(output.stdout))).toBe(false);
  });

  // Other systems have a different `script` command.
  describe.runIf(process.platform === "linux")("at a terminal", () => {
    const atTerminal = (words: readonly string[]) => {
      const all = [process.execPath, cli, "exec", "--allow-no-requests", "--", ...words];
      // `exec` replaces the shell: after Ctrl-C, some shells would exit with 130 regardless of the command.
      const line = `exec ${all.map(shellQuoted).join(" ")}`;
      const child = spawn("script", ["-qec", line, "/dev/null"]);
      onTestFinished(() => void child.kill("SIGKILL"));
      const output = { stdout: "", stderr: "" };
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        output.stdout += text.replaceAll("\r", "");
      });
      return { child, output, ended: once(child, "close").then(([code, signal]) => ({ code, signal })) };
    };

    test("processes that the command left running end with it", async () => {
      const { ended, output } = atTerminal(["sh", "-c", "trap '' HUP; sleep 60 & echo pid $!"]);
      expect((await ended).code).toBe(0);
      expect(isRunning(Number(/pid ([0-9]+)/.exec(output.stdout)?.[1]))).toBe(false);
    });

    test("the command reads input and receives Ctrl-C, and the report follows", async () => {
      const reads = `process.stdin.on("data", (typed) => console.log("read " + typed));
        process.on("SIGINT", () => { console.log("interrupted"); process.exit(5) });
        console.log("ready");`;
      const started = atTerminal([process.execPath, "--eval", reads]);
      await untilSaid(started, /ready/);
      started.child.stdin.write("hello\n");
      await untilSaid(started, /read hello/);
      started.child.stdin.write("\x03");
      expect((await started.ended).code).toBe(5);
      expect(started.output.stdout).toMatch(/interrupted\n[\s\S]*Contract points met/);
    });

    test.each(["SIGINT", "SIGHUP"] as const)("%s is forwarded to the command", async (signal) => {
      const started = atTerminal(suiteOf(`${waits("process.exit(5)")} console.log("exec " + process.ppid);`));
      process.kill(Number((await untilSaid(started, /exec [0-9]+/)).split(" ")[1]), signal);
      expect((await started.ended).code).toBe(5);
      expect(started.output.stdout).toContain(`${signal}\n`);
    });
  });
});

test.each(["stdout", "stderr"] as const)("a closed reader of %s does not end the run", async (stream) => {
  const started = exec([], `process.stdout.on("error", () => {}); ${waits("process.exit(5)")}`);
  await untilSaid(started, /^[0-9]+ http.*$/m);
  started.child[stream]?.destroy();
  started.child.kill("SIGTERM");
  expect((await started.ended).code).toBe(5);
});
