import type { oas31 } from "zod-openapi";
import { type Resource, resources } from "./resources.ts";

/** An OpenAPI 3.1 description. */
export type OpenapiDocument = oas31.OpenAPIObject;

/** A JSON Schema, as far as fields are found in it. */
interface Schema {
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  description?: string;
  "x-provenance"?: string;
  "x-spec"?: string;
}

/** Says of each object of the description, and of each field of it, who says so; changes it in place. */
export function withProvenance(document: OpenapiDocument): OpenapiDocument {
  const schemas = (document.components?.schemas ?? {}) as Record<string, Schema>;
  for (const [name, resource] of Object.entries<Resource>(resources)) {
    const schema = schemas[name];
    if (!schema) throw new Error(`the description has no object ${name}`);
    mark(schema, resource, resource.description);
    markFields(schema, resource);
  }
  return document;
}

function markFields(schema: Schema, resource: Resource): void {
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    mark(field, resource, resource.notes?.[name]);
    markFields(field, resource);
  }
  for (const part of [schema.items, ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]) {
    if (part) markFields(part, resource);
  }
}

function mark(schema: Schema, { provenance, spec }: Resource, description: string | undefined): void {
  if (description !== undefined) schema.description = description;
  schema["x-provenance"] = provenance;
  schema["x-spec"] = spec;
}
