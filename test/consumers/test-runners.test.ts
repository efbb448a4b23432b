import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, inject, test } from "vitest";
import { succeed } from "../support/command.ts";

const root = new URL("../..", import.meta.url).pathname;
const readme = readFileSync(join(root, "README.md"), "utf8");
const section = readme.slice(readme.indexOf("### A company for each test"));
const block = (language: string) =>
  new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, "m").exec(section)?.[1] ?? "";

const client = `
export class CardClient {
  constructor({ url, apiKey }) {
    this.url = url;
    this.apiKey = apiKey;
  }
  async #post(path, body, headers) {
    const response = await fetch(this.url + path, { method: "POST", body: JSON.stringify(body), headers });
    const json = await response.json();
    if (!response.ok) throw new Error(\`\${response.status} \${JSON.stringify(json)}\`);
    return json;
  }
  async order({ account }) {
    const { access_token } = await this.#post("/auth/v1/sandbox/token", { api_key: this.apiKey });
    const body = {
      account_id: account,
      pin: "4821",
      delivery_address: { line1: "1 Long Lane", city: "London", post_code: "SE1 4PG", country_code: "GB" },
      delivery_method: "express",
    };
    return this.#post("/developer/cards/physical", body, {
      Authorization: \`Bearer \${access_token}\`,
      "Content-Type": "application/json",
      "Idempotency-Key": crypto.randomUUID(),
    });
  }
}
`;

const hooks = block("js");
const rest = `
let sandbox, company;
HOOKS
test("a reached quota is told, and the next test knows nothing of it", async () => {
  const client = new CardClient({ url: sandbox.url, apiKey: company.apiKey });
  company.scenario("quota-reached");
  let message = "no error";
  await client.order({ account: company.accountId }).catch((error) => { message = error.message; });
  if (!message.includes("quota")) throw new Error(message);
});
test("the next test", async () => {
  const client = new CardClient({ url: sandbox.url, apiKey: company.apiKey });
  const card = await client.order({ account: company.accountId });
  if (card.status !== "active") throw new Error(card.status);
});
`;
const suite = (imports: string, ownHooks = hooks) =>
  `import { startSandbox } from "card-sandbox";\nimport { CardClient } from "./card-client.js";\n${imports}${rest.replace("HOOKS", () => ownHooks)}`;

describe("what the README says of test runners runs as it stands", () => {
  const folder = inject("installed");
  const bin = (name: string) => join(folder, "node_modules", ".bin", name);
  writeFileSync(join(folder, "card-client.js"), client);

  test("Vitest", async () => {
    writeFileSync(join(folder, "vitest.test.ts"), block("ts"));
    await succeed(bin("vitest"), ["run", "vitest.test.ts"], { cwd: folder });
  });

  test("Jest", async () => {
    writeFileSync(join(folder, "jest.test.js"), suite(""));
    const env = { NODE_OPTIONS: "--experimental-vm-modules" };
    await succeed(bin("jest"), ["jest.test.js"], { cwd: folder, env });
  });

  test("node:test", async () => {
    const imports = `import { after as afterAll, before as beforeAll, beforeEach, test } from "node:test";\n`;
    writeFileSync(join(folder, "node.test.js"), suite(imports));
    await succeed(process.execPath, ["--test", "node.test.js"], { cwd: folder });
  });

  test("Playwright", async () => {
    const ownHooks = hooks.replace(/^(before|after)/gm, "test.$1");
    writeFileSync(
      join(folder, "playwright.spec.js"),
      suite(`import { test } from "@playwright/test";\n`, ownHooks),
    );
    await succeed(bin("playwright"), ["test", "playwright.spec.js"], { cwd: folder });
  });
});
