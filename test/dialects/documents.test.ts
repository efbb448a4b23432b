import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { describe, expect, test } from "vitest";
import type { Choices } from "../../src/contract/behaviours.ts";
import { contractUnder } from "../../src/contract/dialect.ts";
import { openapiDocument } from "../../src/contract/openapi/document.ts";
import { dialectSeed, randomDialects } from "../support/drawn-choices.ts";
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

const dialects = randomDialects(Number(process.env.DOCUMENTS ?? 10));

describe(`each example matches its schema under the random dialects of the seed ${dialectSeed}:`, () => {
  test.each(dialects.map((choices, n) => [n + 1, choices] as const))("number %i", (_, choices) => {
    expect([choices, broken(choices)]).toEqual([choices, []]);
  });
});
