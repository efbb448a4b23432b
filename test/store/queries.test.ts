import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const store = new URL("../../src/store/", import.meta.url);

test("no query has a bare LIMIT parameter, which makes SQLite prepare it again at every call", () => {
  const files = readdirSync(store).filter((name) =>
    readFileSync(new URL(name, store), "utf8").includes("LIMIT ?"),
  );
  expect(files).toEqual([]);
});
