import { once } from "node:events";
import { appendFileSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createSandbox } from "../../src/node/create-sandbox.ts";
import { type StartOptions, start } from "../../src/node/start-sandbox.ts";
import { readTape } from "../../src/node/tape/tape-file.ts";
import { startCommandLine, temporaryFolder } from "../support/command-line.ts";
import { exec } from "../support/suite.ts";
import { differencesOf } from "../support/taped.ts";

/** As without `pollMs`. */
const defaultPollMs = 200;
const clock = "2026-03-10T09:30:00Z";

/** A scenario file. Each step leads to the contract point of its fact. */
function scenarioFile(name: string, ...facts: (keyof typeof points)[]): string {
  return [
    `name: ${name}`,
    "title: Mine",
    "description: My own",
    "spec: [§7]",
    `points: [${facts.map((fact) => points[fact]).join(", ")}]`,
    `steps: [${facts.map((fact) => `{ facts: { ${fact} } }`).join(", ")}]`,
    "example: [{ expect: {} }]",
    "",
  ].join("\n");
}
const points = {
  "quota_reached: true": "order.quota_reached",
  "entitled: false": "order.not_entitled",
  "company_status: closed": "order.company_inactive",
} as const;
const quota = "quota_reached: true";
const entitled = "entitled: false";

/** A folder with one scenario, `mine`, and a sandbox that watches it. */
async function openWatched(options: StartOptions = {}, pollMs = 20) {
  const folder = join(temporaryFolder(), "scenarios");
  mkdirSync(folder);
  const writeScenario = (name: string, text: string) => writeFileSync(join(folder, name), text);
  writeScenario("mine.yaml", scenarioFile("mine", quota));
  const lines: string[] = [];
  const waiting = new Set<() => void>();
  const report = (message: string) => {
    lines.push(message);
    for (const wake of waiting) wake();
  };
  const sandbox = await start(
    { port: 0, clock, scenarios: folder, ...options },
    { lightGlobals: false, watch: { report, pollMs } },
  );
  onTestFinished(() => sandbox.close());
  const { apiKey, accounts } = await sandbox.isolatedCompany();
  const order = async (scenario?: string) => {
    const exchanged = await sandbox.fetch("http://sandbox/auth/v1/sandbox/token", {
      method: "POST",
      body: JSON.stringify({ api_key: apiKey }),
    });
    const { access_token } = (await exchanged.json()) as { access_token: string };
    const response = await sandbox.fetch("http://sandbox/developer/cards/physical", {
      method: "POST",
      headers: {
        Authorization: `Bearer ${access_token}`,
        "Content-Type": "application/json",
        "Idempotency-Key": crypto.randomUUID(),
        ...(scenario !== undefined && { "Sandbox-Scenario": scenario }),
      },
      body: JSON.stringify({
        account_id: accounts[0]?.id,
        pin: "4821",
        delivery_address: { line1: "1 Long Lane", city: "London", post_code: "SE1 4PG", country_code: "GB" },
        delivery_method: "express",
      }),
    });
    return response.headers.get("Sandbox-Contract-Point")?.split(";")[0];
  };
  return {
    sandbox,
    folder,
    write: writeScenario,
    order,
    lines,
    /** Resolves with the next line that the watch reports. */
    next: async () => {
      const count = lines.length;
      while (lines.length === count) await new Promise<void>((wake) => waiting.add(wake));
      return lines.at(-1);
    },
  };
}

describe("a watched dialect file", () => {
  const statusOfReplay = (text: string) => `format: 1\nreplay.status: { use: ${text} }\n`;

  test("takes effect when it changes, unless it is invalid", async () => {
    const file = join(temporaryFolder(), "real.yaml");
    writeFileSync(file, statusOfReplay('"200"'));
    const { sandbox, next } = await openWatched({ dialect: file });
    const status = async () => {
      const response = await sandbox.fetch("http://sandbox/_sandbox/contract");
      const { points } = (await response.json()) as { points: { id: string; status: number }[] };
      return points.find(({ id }) => id === "order.replayed")?.status;
    };
    expect(await status()).toBe(200);
    writeFileSync(file, statusOfReplay('"201"'));
    expect(await next()).toBe(`${file}: replay.status: 201 (was 200)`);
    expect(await status()).toBe(201);
    writeFileSync(file, statusOfReplay("200"));
    expect(await next()).toBe(
      `${file}:2:23: replay.status.use: must be in quotes: use: "200" (the last valid version stays in use until you correct it)`,
    );
    expect(await status()).toBe(201);
    sandbox.control.dialect.replace({ dialect: { "replay.header": "none" } });
    writeFileSync(file, statusOfReplay('"200", note: known'));
    expect(await next()).toMatch(
      /^.*: replay\.status: 200 \(was 201\) \(not in effect: another dialect was selected/,
    );
    expect(await status()).toBe(201);
    sandbox.control.dialect.remove();
    expect(await status()).toBe(200);
  });

  test("is refused if the fixtures do not fit it", async () => {
    const file = join(temporaryFolder(), "real.yaml");
    const world = join(temporaryFolder(), "world.yaml");
    const keys = [1, 2, 3, 4, 5, 6].map((n) => `{ secret: sk_sandbox_ann_key_${n}, status: active }`);
    const members = [keys.slice(0, 3), keys.slice(3)].map(
      (each, m) => `{ slug: m${m}, name: M, role: owner, api_keys: [${each.join(", ")}] }`,
    );
    writeFileSync(
      world,
      `companies: [{ slug: solo, name: Solo, country_code: IE, members: [${members.join(", ")}] }]\n`,
    );
    writeFileSync(file, "format: 1\napi_keys.quota: { use: member }\n");
    const { next } = await openWatched({ dialect: file, fixtures: world });
    writeFileSync(file, "format: 1\n");
    expect(await next()).toContain("is the active API key number 6 of the company solo");
  });
});

describe("a watched folder of scenarios", () => {
  // Another process may take the processor for longer than a second.
  test("an edited scenario takes effect within a second, and the world is kept", { retry: 3 }, async () => {
    const { sandbox, folder, write, order, next } = await openWatched({}, defaultPollMs);
    expect(await order()).toBe("order.created");
    expect(await order("mine")).toBe("order.quota_reached");
    const world = sandbox.world();
    const editedAt = performance.now();
    write("mine.yaml", scenarioFile("mine", entitled));
    expect(await next()).toBe(`${folder}: changed mine`);
    expect(performance.now() - editedAt).toBeLessThan(1000);
    expect(await order("mine")).toBe("order.not_entitled");
    expect(sandbox.world()).toEqual(world);
  });

  test("a file that an editor replaces, an added and a removed file take effect", async () => {
    const { folder, write, order, next } = await openWatched();
    write(".mine.yaml.tmp", scenarioFile("mine", entitled));
    renameSync(join(folder, ".mine.yaml.tmp"), join(folder, "mine.yaml"));
    expect(await next()).toBe(`${folder}: changed mine`);
    expect(await order("mine")).toBe("order.not_entitled");
    write("other.yaml", scenarioFile("other", quota));
    expect(await next()).toBe(`${folder}: added other`);
    expect(await order("other")).toBe("order.quota_reached");
    rmSync(join(folder, "other.yaml"));
    rmSync(join(folder, "mine.yaml"));
    expect(await next()).toBe(`${folder}: removed mine, removed other`);
    expect(await order("mine")).toBe("gateway.scenario_unknown");
  });

  test("a folder that is moved away and back is read again", async () => {
    const { folder, order, next } = await openWatched();
    renameSync(folder, `${folder}-2`);
    expect(await next()).toMatch(
      /scenarios: cannot read the folder of scenario files: ENOENT.* stays in use/,
    );
    expect(await order("mine")).toBe("order.quota_reached");
    writeFileSync(join(`${folder}-2`, "mine.yaml"), scenarioFile("mine", entitled));
    renameSync(`${folder}-2`, folder);
    expect(await next()).toBe(`${folder}: changed mine`);
  });

  test("an invalid edit keeps the scenarios and reports file, line and column, until it is corrected", async () => {
    const { folder, write, order, next } = await openWatched();
    write("mine.yaml", scenarioFile("mine", entitled).replace("entitled:", "entitld:"));
    expect(await next()).toMatch(
      /scenarios\/mine\.yaml:6:20: unknown key "entitld"\. Did you mean "entitled"\? .*\(the last valid version stays in use until you correct it\)$/,
    );
    write("other.yaml", scenarioFile("other", quota));
    expect(await next()).toContain('"entitld"');
    expect([await order("mine"), await order("other")]).toEqual([
      "order.quota_reached",
      "gateway.scenario_unknown",
    ]);
    rmSync(join(folder, "other.yaml"));
    write("mine.yaml", scenarioFile("mine", quota));
    expect(await next()).toBe(`${folder}: valid again`);
  });

  test("a file that is written in parts is read when it is complete", async () => {
    const { folder, write, lines, next } = await openWatched({}, defaultPollMs);
    const text = scenarioFile("mine", entitled);
    for (let length = 0; length < text.length; length += 40) {
      write("mine.yaml", text.slice(0, length));
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    write("mine.yaml", text);
    await next();
    expect(lines).toEqual([`${folder}: changed mine`]);
  });

  test("an edited scenario takes effect while the log of the sandbox grows in the same folder", async () => {
    const { folder, write, next } = await openWatched();
    const logging = setInterval(() => appendFileSync(join(folder, "sandbox.log"), "a line\n"), 1);
    onTestFinished(() => clearInterval(logging));
    write("mine.yaml", scenarioFile("mine", entitled));
    expect(await next()).toBe(`${folder}: changed mine`);
  });
});

describe("an armed scenario whose file changes", () => {
  test("stays armed, and begins again with its first step", async () => {
    const { sandbox, write, order, next } = await openWatched();
    const armed = sandbox.scenario("mine", { times: 2 });
    expect([await order(), await order(), await order()]).toEqual([
      "order.quota_reached",
      "order.quota_reached",
      "order.created",
    ]);
    write("mine.yaml", scenarioFile("mine", "company_status: closed", entitled));
    await next();
    expect(armed.listing()).toMatchObject({ known: true, steps_taken: 0, fired: 2, spent: false });
    expect([await order(), await order()]).toEqual(["order.company_inactive", "order.not_entitled"]);
  });

  test("keeps its step if another file changes, or only a comment of its own", async () => {
    const { sandbox, folder, write, order, next } = await openWatched();
    write("mine.yaml", scenarioFile("mine", quota, entitled));
    await next();
    const armed = sandbox.scenario("mine");
    await order();
    write("mine.yaml", `# My own\n${scenarioFile("mine", quota, entitled)}`);
    write("other.yaml", scenarioFile("other", quota));
    expect(await next()).toBe(`${folder}: added other`);
    expect(armed.listing()).toMatchObject({ steps_taken: 1 });
    expect(await order()).toBe("order.not_entitled");
  });

  test("forces nothing while its file is missing", async () => {
    const { sandbox, folder, write, order, next } = await openWatched();
    const armed = sandbox.scenario("mine");
    rmSync(join(folder, "mine.yaml"));
    await next();
    expect([armed.listing().known, await order()]).toEqual([false, "order.created"]);
    write("mine.yaml", scenarioFile("mine", quota));
    await next();
    expect([armed.listing().known, await order()]).toEqual([true, "order.quota_reached"]);
  });

  test("the scenario of the start cannot be removed, because each reset arms it", async () => {
    const { sandbox, folder, next } = await openWatched({ scenario: "mine" });
    rmSync(join(folder, "mine.yaml"));
    expect(await next()).toMatch(/^scenario: unknown scenario "mine"\..* stays in use/);
    sandbox.reset();
    expect(sandbox.control.scenarios.armed().armed).toMatchObject([{ name: "mine", known: true }]);
  });
});

describe("a watched fixtures file", () => {
  const worldOf = (...slugs: string[]) =>
    `companies:\n${slugs.map((slug) => `  - { slug: ${slug}, name: Solo, country_code: IE }\n`).join("")}`;
  const slugs = ({ companies }: { readonly companies: readonly { readonly slug: string }[] }) =>
    companies.map(({ slug }) => slug);

  test("takes effect at the next reset, as in a sandbox that is started with it", async () => {
    const fixtures = join(temporaryFolder(), "world.yaml");
    writeFileSync(fixtures, worldOf("one"));
    const db = join(temporaryFolder(), "sandbox.db");
    const { sandbox, next } = await openWatched({ fixtures, db });
    sandbox.snapshot("before");
    await sandbox.clock.advance({ by: "P1D" });
    writeFileSync(fixtures, worldOf("two", "three"));
    expect(await next()).toBe(
      `${fixtures}: changed. Reset the sandbox (POST /_sandbox/reset) or restart it to load the fixtures.`,
    );
    expect(slugs(sandbox.world())[0]).toBe("one");
    sandbox.reset();
    const fresh = createSandbox({ clock, fixtures });
    expect(sandbox.world()).toEqual(fresh.world());
    expect(sandbox.clock.read()).toEqual(fresh.clock.read());
    fresh.close();

    sandbox.restore("before");
    expect(slugs(sandbox.world())[0]).toBe("one");
    expect(() => sandbox.reset("one")).toThrow("cannot be reset");
    sandbox.reset();
    expect(slugs(sandbox.world())).toEqual(["two", "three"]);
    await sandbox.close();
    const again = createSandbox({ db, fixtures });
    expect(slugs(again.world())).toEqual(["two", "three"]);
    again.close();
  });

  test("an invalid edit keeps the fixtures and reports file, line and column", async () => {
    const fixtures = join(temporaryFolder(), "world.yaml");
    writeFileSync(fixtures, worldOf("one"));
    const { sandbox, next } = await openWatched({ fixtures });
    writeFileSync(fixtures, worldOf("two").replace("country_code", "country"));
    expect(await next()).toMatch(/world\.yaml:2:30: .*unknown key "country".* stays in use/);
    sandbox.reset();
    expect(slugs(sandbox.world())).toEqual(["one"]);
  });
});

describe("on the command line", () => {
  function folderWith(name: string): string {
    const folder = temporaryFolder();
    writeFileSync(join(folder, `${name}.yaml`), scenarioFile(name, quota));
    return folder;
  }

  test("CARD_SANDBOX_WATCH makes start watch, and report to standard error", async () => {
    const folder = folderWith("mine");
    const env = { CARD_SANDBOX_WATCH: "true", FORCE_COLOR: "1" };
    const { child, output, order } = await startCommandLine(["--scenarios", folder], env);
    expect((await order("7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30")).status).toBe(201);
    writeFileSync(join(folder, "mine.yaml"), scenarioFile("mine", entitled));
    await once(child.stderr ?? child, "data");
    expect(output.stderr).toBe(`\u001b[32mcard-sandbox:\u001b[39m ${folder}: changed mine\n`);
    expect(output.stdout).toContain(" \u001b[32m201\u001b[39m POST /developer/cards/physical ");
  });

  test("exec --watch watches while its command runs", async () => {
    const folder = folderWith("mine");
    const file = JSON.stringify(join(folder, "other.yaml"));
    const edit = `
      fs.writeFileSync(${file}, ${JSON.stringify(scenarioFile("other", quota))});
      while (!(await arm("other")).ok) await new Promise((resolve) => setTimeout(resolve, 20));
      console.log(String((await order()).status));`;
    const code = `const fs = await import("node:fs");${edit}`;
    const { output, ended } = exec(["--scenarios", folder, "--watch"], code, { FORCE_COLOR: "1" });
    expect((await ended).code, output.stderr).toBe(0);
    expect(output.stdout).toBe("422\n");
    expect(output.stderr).toMatch(/^\S+ .*: added other\n/);
    expect(output.stderr).toContain("\u001b[32mcard-sandbox: passed\u001b[39m\n");
  });
});

describe("on a tape", () => {
  test("changes of scenarios, fixtures and the dialect replay without a difference", async () => {
    const folder = temporaryFolder();
    const [tape, world, dialect] = ["a.tape", "world.yaml", "real.yaml"].map((name) =>
      join(folder, name),
    ) as [string, string, string];
    const fixtures = (slug: string) =>
      `companies: [{ slug: ${slug}, name: Solo, country_code: IE, members: [{ slug: ann, name: Ann, role: owner, api_keys: [{ secret: sk_sandbox_${slug}_ann, status: active }] }] }]\n`;
    writeFileSync(world, fixtures("first"));
    writeFileSync(dialect, "format: 1\n");
    const { sandbox, write, order, next } = await openWatched({ tape, dialect, fixtures: world });
    const exchange = async (key: string) => {
      const body = JSON.stringify({ api_key: key });
      const response = await sandbox.fetch("http://sandbox/auth/v1/sandbox/token", { method: "POST", body });
      return response.status;
    };
    expect(await order("mine")).toBe("order.quota_reached");
    write("mine.yaml", scenarioFile("mine", entitled));
    await next();
    expect(await order("mine")).toBe("order.not_entitled");
    writeFileSync(dialect, 'format: 1\ntoken.status: { use: "201" }\n');
    await next();
    expect(await exchange("sk_sandbox_first_ann")).toBe(201);
    writeFileSync(world, fixtures("second"));
    await next();
    sandbox.reset();
    expect(await exchange("sk_sandbox_first_ann")).toBe(401);
    expect(await exchange("sk_sandbox_second_ann")).toBe(201);
    await sandbox.close();
    const recorded = readTape(tape);
    expect(recorded.events.filter((event) => event.do === "inputs")).toHaveLength(3);
    expect(await differencesOf(recorded)).toEqual([]);
    expect(JSON.stringify(recorded)).not.toContain("sk_sandbox_second_ann");
  });
});
