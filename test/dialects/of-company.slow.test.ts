import { describe, expect, test } from "vitest";
import { behaviours } from "../../src/contract/behaviours.ts";
import { probes } from "../../src/verify/probes.ts";
import { dialectWith } from "../support/open-sandbox.ts";
import { openProbed } from "../support/probed-target.ts";

const ofCompany = probes.filter(({ behaviour }) => behaviours[behaviour].scope === "company");

describe.each(ofCompany)("$behaviour", ({ behaviour, observe }) => {
  const others = behaviours[behaviour].alternatives.slice(1).map(({ id }) => id);
  test.each(others)("applies to a company whose own dialect selects %s", async (use) => {
    const { target, sandbox } = openProbed();
    sandbox.control.dialect.replace({ dialect: dialectWith({ [behaviour]: use }), company: "northwind" });
    expect(await observe(target)).toBe(use);
  });
});
