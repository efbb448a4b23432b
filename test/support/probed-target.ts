import { randomUUID } from "node:crypto";
import type { Choices } from "../../src/contract/behaviours.ts";
import { openTarget, type TargetOptions } from "../../src/verify/target.ts";
import { openSandbox } from "./open-sandbox.ts";

/** Opens a sandbox with these alternatives in this process, as the target of probes. */
export function openProbed(choices: Partial<Choices> = {}, options: Partial<TargetOptions> = {}) {
  const sandbox = openSandbox({ choices });
  const sent: { readonly path: string; readonly init: RequestInit }[] = [];
  const target = openTarget({
    fetch: async (path, init) => {
      sent.push({ path, init });
      const { status, headers, text } = await sandbox.request(path, init);
      return new Response(text === "" ? null : text, { status, headers });
    },
    apiKey: "sk_sandbox_northwind_owner",
    employeeApiKey: "sk_sandbox_northwind_employee",
    companyId: sandbox.company("northwind").id,
    effect: "write",
    uuid: randomUUID,
    ...options,
  });
  return { sandbox, target, sent };
}
