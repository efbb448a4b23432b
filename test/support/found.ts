import type { Sandbox } from "../../src/api.ts";

/** The findings at the end of the run, such as `["IDEM-2 critical"]`. */
export function found({ findings }: Pick<Sandbox, "findings">, company?: string): string[] {
  return findings({ company, final: true }).findings.map(({ id, severity }) => `${id} ${severity}`);
}
