import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { dialectText } from "../../src/verify/drift.ts";
import { run, startCommandLine, temporaryFolder } from "../support/command-line.ts";
import { drawnChoices } from "../support/drawn-choices.ts";
import { dialectWith } from "../support/open-sandbox.ts";

const keys = { OWNER: "sk_sandbox_northwind_owner", EMPLOYEE: "sk_sandbox_northwind_employee" };

test("recognizes the twenty changed behaviors of a second sandbox, and writes its dialect", async () => {
  const folder = temporaryFolder();
  const file = (name: string) => join(folder, name);
  const choices = drawnChoices(20, 20);
  writeFileSync(
    file("dialect.yaml"),
    dialectText(dialectWith(choices)).replaceAll(/, provenance: [^}]*/g, " "),
  );
  const { url, world } = await startCommandLine(["--dialect", file("dialect.yaml"), "--log", "silent"]);
  const company = (await world()).companies.find(({ slug }) => slug === "northwind")?.id ?? "";
  const verify = async (args: readonly string[]) => {
    const own = ["--api-key-env", "OWNER", "--employee-api-key-env", "EMPLOYEE", "--company-id", company];
    const { output, ended } = run(["verify", "--target", url, "--write", ...own, ...args], keys);
    const { code } = await ended;
    return { code, ...output };
  };
  const outputs = ["--report", file("report.json"), "--write-dialect", file("observed.yaml")];
  expect(await verify(outputs)).toMatchObject({ code: 0, stderr: "" });
  const { behaviours } = JSON.parse(readFileSync(file("report.json"), "utf8"));
  const contradicted = behaviours.filter((each: { outcome: string }) => each.outcome === "contradicted");
  const found = contradicted.map((each: { id: string; alternative: string }) => [each.id, each.alternative]);
  expect(Object.fromEntries(found)).toEqual(choices);

  const again = await verify(["--dialect", file("observed.yaml"), "--check", file("report.json")]);
  expect(again).toMatchObject({ code: 0, stderr: "" });
  expect(again.stdout).toContain(" confirmed, 0 contradicted, ");
  expect(again.stdout).not.toContain("Contradicted");
});
