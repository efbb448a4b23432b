import { describe, inject, test } from "vitest";
import { pages } from "../docs/pages.ts";
import { plainEnvironment, runPage } from "../docs/run-page.ts";

const forConsumers = pages.filter(({ blocks }) => blocks.some(({ only }) => only === "consumers"));

describe("the commands and files of each page work in a project that installed the package", () => {
  test.each(forConsumers.map((page) => [page.path, page] as const))("%s", async (_path, page) => {
    const reader = { folder: inject("installed"), env: plainEnvironment() };
    await runPage(page, reader, ({ only }) => only !== "docker");
  });
});
