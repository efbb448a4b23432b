import * as z from "zod";
import { createDocument, type oas31, type ZodOpenApiObject } from "zod-openapi";

/** An OpenAPI 3.1 document. */
export type OpenapiDocument = oas31.OpenAPIObject;

/**
 * Makes an OpenAPI document in which each of these schemas is a component under its name: open in requests, closed in
 * responses. Schemas that the document does not use are left out.
 */
export function namedDocument(
  schemas: Readonly<Record<string, z.ZodType>>,
  document: ZodOpenApiObject,
): OpenapiDocument {
  // The registry belongs to every schema of the process, so it is put back afterwards.
  const named = Object.entries(schemas).map(([id, schema]) => {
    const known = z.globalRegistry.get(schema);
    z.globalRegistry.add(schema, { ...known, id });
    return { schema, known };
  });
  try {
    return createDocument(document, { override: ({ jsonSchema }) => tidy(jsonSchema) });
  } finally {
    for (const { schema, known } of named) {
      z.globalRegistry.remove(schema);
      if (known) z.globalRegistry.add(schema, known);
    }
  }
}

/** Removes a pattern that repeats the format, and bounds that belong to JavaScript. */
function tidy(schema: z.core.JSONSchema.BaseSchema): void {
  if (schema.format !== undefined && schema.format !== "uri") delete schema.pattern;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
}

/** The schema that the text of a parameter is read as, or the text itself if it is transformed further. */
export function schemaOfParameter(schema: z.ZodType): z.ZodType {
  if (!(schema instanceof z.ZodPipe)) return schema;
  const { in: before, out: after } = schema as z.ZodPipe<z.ZodType, z.ZodType>;
  return after instanceof z.ZodTransform ? before : schemaOfParameter(after);
}
