/**
 * Replaces the SDK's shims in the bundle. The default validator brings Ajv (290 kB) for JSON Schemas that a client fills
 * in; our tools ask a client for nothing, and zod checks their input.
 */
export { default as process } from "node:process";

export class DefaultJsonSchemaValidator {
  getValidator(): never {
    throw new Error("this server validates no JSON Schema");
  }
}
