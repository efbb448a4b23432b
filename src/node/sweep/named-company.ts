import { ControlError } from "../../control/errors.ts";
import type { IsolatedCompany } from "../../control/isolated-company.ts";
import { slugOf } from "../../rules/company.ts";
import type { Sandbox } from "../create-sandbox.ts";

/** The isolated company of a test or of a sweep. Its slug derives from the name, unless that is taken. */
export async function namedCompany(
  sandbox: Pick<Sandbox, "isolatedCompany">,
  name: string,
): Promise<IsolatedCompany> {
  try {
    return await sandbox.isolatedCompany({ slug: slugOf(name) });
  } catch (error) {
    if (error instanceof ControlError && error.status === 409) return sandbox.isolatedCompany();
    throw error;
  }
}
