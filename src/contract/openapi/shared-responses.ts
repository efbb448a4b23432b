import type { oas31 } from "zod-openapi";
import type { OpenapiDocument } from "./named-document.ts";

/**
 * Moves each response that several operations have into the components, as `Response401`; another one with the same
 * status is `Response401_2`. Otherwise they are two thirds of the document.
 */
export function withSharedResponses(document: OpenapiDocument): OpenapiDocument {
  const responses = Object.values(document.paths ?? {}).flatMap((path) =>
    Object.values(path as Record<string, oas31.OperationObject>).flatMap(({ responses = {} }) =>
      Object.entries(responses).map(([status, response]) => ({
        responses,
        status,
        text: JSON.stringify(response),
      })),
    ),
  );
  const times = new Map<string, number>();
  for (const { text } of responses) times.set(text, (times.get(text) ?? 0) + 1);
  const shared = new Map<string, string>();
  const components: Record<string, oas31.ResponseObject | oas31.ReferenceObject> = {
    ...document.components?.responses,
  };
  for (const { responses: own, status, text } of responses) {
    if (times.get(text) === 1) continue;
    const name = shared.get(text) ?? freeName(`Response${status}`, components);
    shared.set(text, name);
    components[name] ??= own[status] as oas31.ResponseObject;
    own[status] = { $ref: `#/components/responses/${name}` };
  }
  return { ...document, components: { ...document.components, responses: components } };
}

function freeName(wanted: string, taken: Readonly<Record<string, unknown>>): string {
  if (!(wanted in taken)) return wanted;
  let n = 2;
  while (`${wanted}_${n}` in taken) n++;
  return `${wanted}_${n}`;
}
