import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { behaviours } from "../../src/journal/coverage.ts";
import { shellQuoted } from "../../src/journal/formats/escape.ts";
import { cli, freePort, type Run, run, takenPort, temporaryFolder } from "../support/command-line.ts";
import { exec, reportOf, suiteOf } from "../support/suite.ts";

const key = "7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30";
const allBut = (id: string) => behaviours.filter((each) => each !== id).join();
/** Makes IDEM-2, a critical finding. */
const reusesKey = `await order("${key}"); await order("${key}", { name: "another" });`;

describe("the command", () => {
  test("finds the sandbox and who can order there in its environment, and has standard output to itself", async () => {
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

  test("is given the admin token where one is demanded", async () => {
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

  test("is told of nobody where nobody can order", async () => {
    const file = join(temporaryFolder(), "world.yaml");
    writeFileSync(file, "companies:\n  - { slug: solo, name: Solo Ltd, country_code: IE }\n");
    const { output, ended } = exec(
      ["--fixtures", file],
      "await fetch(url); console.log(process.env.CARD_SANDBOX_API_KEY, typeof url)",
      { CARD_SANDBOX_API_KEY: "sk_sandbox_of_elsewhere" },
    );
    expect((await ended).code).toBe(0);
    expect(output.stdout).toBe("undefined string\n");
  });

  test("is read by no shell, may stand without --, and keeps its own options and dashes", async () => {
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

  test("PORT is the command's; CARD_SANDBOX_PORT and --port are the sandbox's", async () => {
    const taken = String(await takenPort());
    const mine = exec(["--allow-no-requests"], "console.log(process.env.PORT === new URL(url).port)", {
      PORT: taken,
    });
    expect((await mine.ended).code).toBe(0);
    expect(mine.output.stdout).toBe("false\n");
    const theirs = exec([], "", { CARD_SANDBOX_PORT: taken });
    expect((await theirs.ended).code).toBe(3);
    expect(theirs.output.stderr).toMatch(/^card-sandbox: port [0-9]+ on 127\.0\.0\.1 is taken: .*\n$/);
  });

  test("requests are logged only where that is asked for, beside the command's own output", async () => {
    const { output, ended } = exec(["--log", "json"], "await order(); console.log('1..1')");
    await ended;
    expect(output.stdout).toBe("1..1\n");
    expect(output.stderr).toContain('"point":"order.created"');
  });
});

describe("the exit code", () => {
  test.each([
    ["0 where all is well", "await fetch(url)", 0],
    ["the command's own", "process.exit(7)", 7],
    ["128 and the signal's number", "process.kill(process.pid, 'SIGKILL')", 137],
  ])("is %s", async (_title, code, expected) => {
    const { ended, output } = exec([], code);
    expect(await ended).toEqual({ code: expected, signal: null });
    expect(output.stderr).toContain("Contract points met");
  });

  const fails = (check: string, message: RegExp | string) => ({ code: 1, check, message });
  test.each<[string, string[], string, { code: number; check?: string; message?: RegExp | string }]>([
    ["--min-coverage is met", ["--min-coverage", "1"], "await order(); await fetch(url)", { code: 0 }],
    [
      "--min-coverage is not met",
      ["--min-coverage", "50"],
      "await order()",
      fails("--min-coverage 50", /^2 of [0-9]+ contract points were met, and [0-9]+ are asked for$/),
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
      fails("--require", "not met: order.replayed"),
    ],
    [
      "--fail-on meets a finding as grave",
      ["--fail-on", "critical"],
      reusesKey,
      fails("--fail-on critical", "critical: IDEM-2"),
    ],
    [
      "--fail-on meets a graver finding",
      ["--fail-on", "info"],
      reusesKey,
      fails("--fail-on info", "info or graver: IDEM-2"),
    ],
    ["a finding, and no --fail-on", [], reusesKey, { code: 0 }],
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
      fails("armed scenarios", "never fired: conflict (--allow-unfired lets that pass)"),
    ],
    [
      "what it was started with never fired",
      ["--scenario", "conflict"],
      "await exchange()",
      fails("armed scenarios", "never fired: conflict (--allow-unfired lets that pass)"),
    ],
    [
      "an armed scenario never fired, which is allowed",
      ["--scenario", "conflict", "--allow-unfired"],
      "await exchange()",
      { code: 0 },
    ],
    [
      "a check fails, and the command too",
      ["--require", "order.created"],
      "await exchange(); process.exit(4)",
      { code: 4, check: "--require", message: "not met: order.created" },
    ],
  ])("where %s", async (_title, options, code, expected) => {
    const { ended, output, report } = reportOf((more) => exec([...options, ...more], code));
    expect((await ended).code).toBe(expected.code);
    const failed = report().checks.filter(({ passed, name }) => !passed && name !== process.execPath);
    expect(failed.map(({ name }) => name)).toEqual(expected.check ? [expected.check] : []);
    if (expected.message) expect(failed[0]?.message).toMatch(expected.message);
    expect(report().exit_code).toBe(expected.code);
    for (const { name, message } of failed) expect(output.stderr).toContain(`✗ ${name}: ${message}`);
  });

  test("counts what a scenario still holds when the command ends", async () => {
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
  test("on standard error reads in ten seconds: points, operations, what is missing, findings, the verdict", async () => {
    const { ended, output } = exec(
      ["--fail-on", "critical", "--scenario", "forbidden"],
      `await exchange("sk_live_" + "q8Zr2Vn5Lk0Xw7Td3Hs9Bf1Yc6Jm4Gp2")`,
    );
    await ended;
    expect(output.stderr).toMatch(/^Contract points met {2,}1 of [0-9]+ \([0-9]+ %\)$/m);
    expect(output.stderr).toMatch(/^ {2}specified {2,}0 of /m);
    expect(output.stderr).toMatch(/^ {2}POST \/auth\/v1\/sandbox\/token {2,}1 of [0-9]+ \([0-9]+ %\)$/m);
    expect(output.stderr).not.toContain("/developer/cards/{id}/freeze");
    expect(output.stderr).toMatch(/^Specified points not met: [0-9]+\n( {2}.*\n){10} {2}and [0-9]+ more/m);
    expect(output.stderr).toContain("Findings: 1 critical, 0 high, 0 warn, 0 info\n");
    expect(output.stderr).toMatch(
      /^ {2}critical {2}AUTH-2 .* \(once\)\n {4}seen: .*\(request 1: POST .*\n {4}mend: /m,
    );
    expect(output.stderr).toContain("Armed scenarios that never fired: 1\n  forbidden, for all\n");
    expect(output.stderr).toMatch(/\ncard-sandbox: failed, exit code 1\n( {2}✗ .*\n){2}$/);
    expect(output.stderr.split("\n").length).toBeLessThan(40);
  });

  test("goes to files of each format, also where the command failed, and holds no secret", async () => {
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
      unfired: [],
      coverage: { total: { met: expect.any(Number) } },
    });
    expect(xml.match(/<testsuite name="[^"]+"/g)).toEqual([
      '<testsuite name="checks"',
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

  test("that cannot be written at the end is no pass, nor in the files that can", async () => {
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
      checks: expect.arrayContaining([expect.objectContaining({ name: `--report ${file}`, passed: false })]),
    });
  });

  test("fails a command that sends the service no request, in every format", async () => {
    const said = "the sandbox received no request: make the client use CARD_SANDBOX_URL, or allow this with";
    const folder = temporaryFolder();
    const [md = "", json = "", xml = "", html = ""] = ["md", "json", "xml", "html"].map((ending) =>
      join(folder, `report.${ending}`),
    );
    const files = [md, json, xml, html].flatMap((file) => ["--report", file]);
    // The control API is no part of the service.
    const { ended, output } = exec(files, "await fetch(url + '/_sandbox/health')");
    expect((await ended).code).toBe(1);
    expect(output.stderr).toContain(`card-sandbox: failed, exit code 1\n  ✗ requests: ${said}`);
    const text = (file: string) => readFileSync(file, "utf8");
    expect(text(md)).toContain("**failed**: requests: the sandbox received no request");
    expect(JSON.parse(text(json))).toMatchObject({
      exit_code: 1,
      requests: 0,
      checks: expect.arrayContaining([
        { name: "requests", passed: false, message: `${said} --allow-no-requests` },
      ]),
    });
    expect(text(xml)).toMatch(
      /name="requests" classname="card-sandbox.checks"><failure[^>]*the sandbox received no request/,
    );
    expect(text(html)).toContain("<code>requests</code>: the sandbox received no request");
  });

  test("passes a command that sends one request, or none with --allow-no-requests", async () => {
    const one = reportOf((more) => exec(more, "await fetch(url)"));
    const none = reportOf((more) => exec(["--allow-no-requests", ...more], ""));
    expect([(await one.ended).code, (await none.ended).code]).toEqual([0, 0]);
    const messages = [one, none].map(
      ({ report }) => report().checks.find(({ name }) => name === "requests")?.message,
    );
    expect(messages).toEqual([
      "the sandbox received 1 request",
      "the sandbox received no request, which --allow-no-requests allows",
    ]);
  });

  test("JUnit fails what exec fails, and skips what it does not hold the suite to", async () => {
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

describe("before anything runs", () => {
  const folder = () => {
    const made = temporaryFolder();
    mkdirSync(join(made, "folder.md"));
    return made;
  };
  test.each([
    [
      ["--report", "report.pdf"],
      /--report report\.pdf: its ending tells the format, one of \.md,\.json,\.xml,\.html/,
    ],
    [
      ["--exclude", "*", "--min-coverage", "100"],
      /--min-coverage has nothing to go by: --exclude leaves no /,
    ],
    [
      ["--require", "token.issued", "--require", "order.created", "--exclude", "order.*"],
      /--require order\.created asks for nothing: --exclude takes out all that it names/,
    ],
    [["--require", "order.create"], /"order\.create" is no contract point: did you mean order\.created\?/],
    [["--exclude", "ordr.*"], /"ordr\.\*" is no contract point: card-sandbox contract lists them all/],
    [["--require", "order.created,"], /--require.*a comma too many/],
    [["--require", "gateway.internal_error"], /is no contract point/],
    [["--min-coverage", "101"], /--min-coverage.*whole number from 0 to 100/],
    [["--fail-on", "fatal"], /--fail-on.*critical, high, warn, info/],
    [["--seed", "x"], /--seed/],
    [["--scenario", "quota-reach"], /did you mean "quota-reached"\?/],
  ])("%j is one clear line, and exit 2", (options, message) => refused(options, 2, message));

  test.each([
    [["--report", "none/report.md"], /--report none\/report\.md cannot be written: ENOENT/],
    [["--report", "FOLDER/folder.md"], /folder\.md cannot be written: it is there, and no file/],
  ])("%j, a report that cannot be written, is one clear line, and exit 3", (options, message) =>
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

  test("no command is one clear line, and exit 2", async () => {
    for (const args of [["exec"], ["exec", "--"], ["exec", "--fail-on", "warn", "--"]]) {
      const { output, ended } = run(args);
      expect((await ended).code).toBe(2);
      expect(output.stderr).toBe(
        "card-sandbox: exec takes the command to run: card-sandbox exec -- npm test\n",
      );
    }
  });

  test("a command that cannot be started is one clear line, and exit 3", async () => {
    const port = await freePort();
    for (const [word, why] of [
      ["no-such-program", "there is no such program here, nor on the PATH"],
      ["/etc/passwd", "it is no program that this user may run"],
    ] as const) {
      const { output, ended } = run(["exec", "--port", String(port), "--", word]);
      expect((await ended).code).toBe(3);
      expect(output.stderr).toBe(`card-sandbox: the command "${word}" cannot be started: ${why}\n`);
    }
  });
});

/** Says that it runs and where, and then does nothing until a signal ends it, or does not. */
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

const isRunning = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe("a signal", () => {
  test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
    "%s goes on to the command; its report follows, and nothing is left",
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

  test("goes on to what the command itself runs", async () => {
    const inner = suiteOf(waits("process.exit(0)"));
    const started = run(["exec", "--", "sh", "-c", '"$@"; exit 6', "sh", ...inner]);
    await untilSaid(started, /^[0-9]+ http.*$/m);
    started.child.kill("SIGINT");
    await started.ended;
    expect(started.output.stdout).toContain("SIGINT\n");
  });

  test("a second one kills a command that does not go, and its report follows", async () => {
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

  test("that comes twice at once, as by npm at a terminal, is one", async () => {
    const started = exec([], waits("setTimeout(() => process.exit(5), 500)"));
    await untilSaid(started, /^[0-9]+ http.*$/m);
    started.child.kill("SIGINT");
    await untilSaid(started, /SIGINT/);
    started.child.kill("SIGINT");
    expect((await started.ended).code).toBe(5);
    expect(started.output.stdout.match(/SIGINT/g)).toHaveLength(1);
  });

  test("what the command left running ends with it", async () => {
    const { ended, output } = run(["exec", "--allow-no-requests", "--", "sh", "-c", "sleep 60 & echo $!"]);
    expect((await ended).code).toBe(0);
    expect(isRunning(Number(output.stdout))).toBe(false);
  });

  // Elsewhere `script` is told what to run in another way.
  describe.runIf(process.platform === "linux")("at a terminal", () => {
    const atTerminal = (words: readonly string[]) => {
      const all = [process.execPath, cli, "exec", "--allow-no-requests", "--", ...words];
      // In the shell's own place: at Ctrl-C some shells would end with 130, whatever their command made of it.
      const line = `exec ${all.map(shellQuoted).join(" ")}`;
      const child = spawn("script", ["-qec", line, "/dev/null"]);
      onTestFinished(() => void child.kill("SIGKILL"));
      const output = { stdout: "", stderr: "" };
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        output.stdout += text.replaceAll("\r", "");
      });
      return { child, output, ended: once(child, "close").then(([code, signal]) => ({ code, signal })) };
    };

    test("what the command left running ends with it too", async () => {
      const { ended, output } = atTerminal(["sh", "-c", "trap '' HUP; sleep 60 & echo pid $!"]);
      expect((await ended).code).toBe(0);
      expect(isRunning(Number(/pid ([0-9]+)/.exec(output.stdout)?.[1]))).toBe(false);
    });

    test("it reads what is typed, Ctrl-C goes on to it, and its report follows", async () => {
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

    test.each(["SIGINT", "SIGHUP"] as const)("%s goes on to it", async (signal) => {
      const started = atTerminal(suiteOf(`${waits("process.exit(5)")} console.log("exec " + process.ppid);`));
      process.kill(Number((await untilSaid(started, /exec [0-9]+/)).split(" ")[1]), signal);
      expect((await started.ended).code).toBe(5);
      expect(started.output.stdout).toContain(`${signal}\n`);
    });
  });
});

test.each(["stdout", "stderr"] as const)("%s that nobody reads any more ends nothing", async (stream) => {
  const started = exec([], `process.stdout.on("error", () => {}); ${waits("process.exit(5)")}`);
  await untilSaid(started, /^[0-9]+ http.*$/m);
  started.child[stream]?.destroy();
  started.child.kill("SIGTERM");
  expect((await started.ended).code).toBe(5);
});
