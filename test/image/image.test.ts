import { chmodSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { readMarkdown } from "../docs/pages.ts";
import { succeed } from "../support/command.ts";
import { freePort, temporaryFolder } from "../support/command-line.ts";
import { composeOptions } from "../support/compose-options.ts";
import { type Engine, missingTools, openEngine } from "./engine.ts";

const file = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), "utf8");
const blocks = readMarkdown("docs/docker.md", file("docs/docker.md")).blocks.filter(
  ({ only }) => only === "docker",
);
/** The commands of the page's block that starts like this. */
const block = (start: string) => {
  const found = blocks.find(({ code }) => code.startsWith(start));
  if (!found) throw new Error(`docs/docker.md has no block that starts with ${start}`);
  return found.code.replaceAll("127.0.0.1", "localhost");
};
const build = block("docker build");
const [run = "", wait = "", logs = ""] = block("docker run --detach --name card-sandbox").split("\n");
const order = block("TOKEN=");
const compose = block("export CARD_SANDBOX_ADMIN_TOKEN");
const create = block("curl -s http://127.0.0.1:4242/_sandbox/companies");
const takingCommand = block("docker run --rm");
const secure = block("docker run --detach --name secure");

const missing = await missingTools();
if (missing.length > 0) {
  process.stdout.write(
    `Not tested: the image. There is no ${missing.join(", ")}; on Debian, as root: apt-get install --no-install-recommends podman buildah debootstrap runc slirp4netns\n`,
  );
}

describe.skipIf(missing.length > 0)("the image", () => {
  let engine: Engine;

  beforeAll(async () => {
    engine = await openEngine(await freePort());
    await engine.shell(build);
  }, 900_000);

  afterAll(() => engine?.close(), 60_000);

  /** Waits for a container's sandbox, and returns what it has printed. */
  const ready = async (container: string) => {
    await engine.shell(wait.replace("exec card-sandbox", `exec ${container}`));
    return await engine.shell(logs.replace("card-sandbox", container));
  };
  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    fetch(engine.url + path, { method: "POST", body: JSON.stringify(body), headers });

  test("adds less than 40 MB to its base", async () => {
    const size = async (image: string) =>
      Number(await engine.docker("image", "inspect", "--format", "{{.Size}}", image));
    const added = ((await size("card-sandbox")) - (await size(engine.base))) / 1_000_000;
    process.stdout.write(`The image adds ${added.toFixed(1)} MB to its base.\n`);
    expect(added).toBeLessThan(40);
  });

  test("has labels and a help text", async () => {
    const [inspected] = JSON.parse(await engine.docker("image", "inspect", "card-sandbox"));
    expect(inspected.Config).toMatchObject({
      User: "1000:0",
      Entrypoint: ["card-sandbox"],
      Volumes: { "/data": {} },
      ExposedPorts: { "4242/tcp": {} },
      Env: expect.arrayContaining(["CARD_SANDBOX_HOST=0.0.0.0", "CARD_SANDBOX_DB=/data/sandbox.db"]),
      Labels: { "org.opencontainers.image.version": JSON.parse(file("package.json")).version },
    });
    expect(inspected.Config.Cmd ?? []).toEqual([]);
    expect(inspected.Config.StopSignal ?? "SIGTERM").toBe("SIGTERM");
    expect(inspected.Healthcheck.Test).toEqual(["CMD", "card-sandbox", "health"]);
  });

  test("orders a card, and replays the order from its volume: restarted, and in another container", async () => {
    await engine.shell(run);
    const log = await ready("card-sandbox");
    expect(log).toMatch(/^Admin token for \/_sandbox {2}\S+$/m);
    const first = await engine.shell(order);
    expect(JSON.parse(first)).toMatchObject({ status: "active" });
    await engine.docker("restart", "card-sandbox");
    await ready("card-sandbox");
    expect(await engine.shell(order)).toBe(first);
    await engine.docker("rm", "--force", "card-sandbox");
    await engine.shell(run);
    await ready("card-sandbox");
    expect(await engine.shell(order)).toBe(first);
  });

  test("runs as user 1000 of group 0, and writes nothing outside its volume", async () => {
    const inside = (script: string) => engine.docker("exec", "card-sandbox", "sh", "-c", script);
    expect(await inside("id -u; id -g; stat -c %U /data /data/*")).toMatch(/^1000\n0\n(node\n?)+$/);
    expect(await inside("touch /tmp/x /usr/local/x ~/x 2>&1 || true")).toMatch(
      /(Read-only file system[\s\S]*){3}/,
    );
    expect(await inside("tr '\\0' ' ' < /proc/1/cmdline")).toBe("node /usr/local/bin/card-sandbox");
    expect(await inside("which gcc cc make python3 || true")).toBe("");
  });

  test("reports its health", async () => {
    expect(await engine.docker("healthcheck", "run", "card-sandbox")).toBe("");
    expect(await engine.docker("exec", "card-sandbox", "card-sandbox", "health")).toContain("is healthy");
  });

  test("stops in less than 2 s on SIGTERM while an order is in progress", async () => {
    const { access_token } = (await (
      await post("/auth/v1/sandbox/token", { api_key: "sk_sandbox_northwind_owner" })
    ).json()) as { access_token: string };
    const headers = {
      Authorization: `Bearer ${access_token}`,
      "Content-Type": "application/json",
      "Idempotency-Key": crypto.randomUUID(),
      "Sandbox-Scenario": "issuer-slow",
    };
    const body = JSON.parse(/-d '(\{\n[\s\S]*?\n {2}\})'/.exec(order)?.[1] ?? "{}");
    let isAnswered = false;
    const slow = post("/developer/cards/physical", body, headers).finally(() => {
      isAnswered = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(isAnswered).toBe(false);
    const started = performance.now();
    await engine.docker("stop", "card-sandbox");
    const seconds = (performance.now() - started) / 1000;
    expect((await slow).status).toBe(201);
    process.stdout.write(`With an order under way the container stops in ${seconds.toFixed(2)} s.\n`);
    expect(seconds).toBeLessThan(2);
    expect(await engine.docker("inspect", "--format", "{{.State.ExitCode}}", "card-sandbox")).toBe("0");
    await engine.docker("rm", "card-sandbox");
  });

  test("runs any command by its name", async () => {
    const sandbox = (...args: string[]) =>
      engine.docker("run", "--rm", "--read-only", "card-sandbox", ...args);
    expect(await sandbox("--version")).toBe(JSON.parse(file("package.json")).version);
    expect(await engine.shell(takingCommand)).toContain("quota-reached");
    const print = "console.log(process.env.CARD_SANDBOX_API_KEY)";
    expect(await sandbox("exec", "--allow-no-requests", "--", "node", "-e", print)).toBe(
      "sk_sandbox_northwind_owner",
    );
    await expect(sandbox("health")).rejects.toThrow("no response");
  });

  test("serves a team with compose.yaml, each tester with an isolated company", async () => {
    const token = "correct-horse-battery-staple";
    const options = composeOptions(parse(file("compose.yaml")).services.sandbox, {
      CARD_SANDBOX_ADMIN_TOKEN: token,
    });
    await engine.docker("run", "--detach", "--name", "team", ...options);
    expect(await ready("team")).not.toContain("Admin token");
    expect(compose).toContain("\ndocker compose up --build --detach --wait");
    const company = JSON.parse(await engine.shell(create, { CARD_SANDBOX_ADMIN_TOKEN: token }));
    expect(company.members[0].api_keys[0].secret).toMatch(/^sk_sandbox_/);
    expect((await post("/_sandbox/companies", {})).status).toBe(401);
    await engine.docker("rm", "--force", "team");
  });

  test("serves HTTPS with a mounted certificate, and is healthy", async () => {
    const folder = temporaryFolder();
    const made = ["-nodes", "-keyout", join(folder, "key.pem"), "-out", join(folder, "cert.pem")];
    const names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"];
    await succeed("openssl", ["req", "-x509", "-newkey", "rsa:2048", ...made, ...names]);
    for (const [name, mode] of [[".", 0o755] as const, ["key.pem", 0o644] as const]) {
      chmodSync(join(folder, name), mode);
    }
    await engine.shell(secure.replace("$PWD/tls", folder));
    await engine.shell(wait.replace("exec card-sandbox", "exec secure"));
    expect(await engine.docker("exec", "secure", "card-sandbox", "health")).toContain("https://");
    await engine.docker("rm", "--force", "secure");
  });

  test("runs as any other user of group 0, on a new volume and on one of another user", async () => {
    for (const user of ["1000:0", "1000650000:0"]) {
      const other = run.replaceAll("card-sandbox:/data", "users:/data");
      await engine.shell(other.replace("--name card-sandbox", `--name other --user ${user}`));
      await ready("other");
      expect(`${await engine.docker("exec", "other", "id", "-u")}:0`).toBe(user);
      expect(JSON.parse(await engine.shell(order))).toMatchObject({ status: "active" });
      await engine.docker("rm", "--force", "other");
    }
  }, 300_000);
});
