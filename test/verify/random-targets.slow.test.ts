import { test } from "vitest";
import { expectRecognized } from "../support/verified.ts";

test.each([3, 4, 5, 6, 7, 8, 9, 10])(
  "a target with random alternatives is recognized, seed %i",
  expectRecognized,
);
