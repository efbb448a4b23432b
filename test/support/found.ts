import type { Sandbox } from "../../src/api.ts";

/** The findings about the client by id and severity, as `["IDEM-2 critical"]`, once its run is over. */
export function found({ findings }: Pick<Sandbox, "findings">, company?: string): string[] {
  return findings({ company, final: true }).findings.map(({ id, severity }) => `${id} ${severity}`);
}
