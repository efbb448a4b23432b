import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { behaviourIds, behaviours, type Choices } from "../../src/contract/behaviours.ts";
import { conflictIn, contractUnder, type Dialect } from "../../src/contract/dialect.ts";
import { openapiDocument } from "../../src/contract/openapi/document.ts";
import { dialectWith } from "../support/open-sandbox.ts";

interface Media {
  readonly schema: object;
  readonly examples: Readonly<Record<string, object>>;
}

/** The examples of responses that do not match their schemas. */
function broken(choices: Partial<Choices>): string[] {
  // biome-ignore lint/suspicious/noExplicitAny: the test reads all parts of the document
  const document: any = openapiDocument(undefined, contractUnder(dialectWith(choices)));
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  ajv.addSchema(document, "openapi.json");
  const operations = Object.values<object>(document.paths).flatMap((path) => Object.values(path));
  return operations.flatMap(({ operationId, responses }) =>
    Object.values<{ content?: Record<string, Media> }>(responses).flatMap(({ content = {} }) =>
      Object.values(content).flatMap(({ schema, examples }) => {
        const validate = ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"openapi.json#/')));
        return Object.keys(examples)
          .filter((point) => !validate(document.components.examples[point].value))
          .map((point) => `${operationId}: ${point}: ${ajv.errorsText(validate.errors)}`);
      }),
    ),
  );
}

const anyChoices: fc.Arbitrary<Partial<Choices>> = fc
  .record(
    Object.fromEntries(
      behaviourIds.map((id) => [id, fc.constantFrom(...behaviours[id].alternatives.map((each) => each.id))]),
    ),
  )
  .map((choices) => choices as Partial<Choices>)
  .filter((choices) => conflictIn(dialectWith(choices) as Dialect) === undefined);

const seed = Number(process.env.DIALECT_SEED ?? 20261123);
const numRuns = Number(process.env.DOCUMENTS ?? 10);

describe(`each example matches its schema under the random dialects of the seed ${seed}:`, () => {
  test.each(fc.sample(anyChoices, { seed, numRuns }).map((choices, n) => [n + 1, choices] as const))(
    "number %i",
    (_, choices) => {
      expect([choices, broken(choices)]).toEqual([choices, []]);
    },
  );
});
