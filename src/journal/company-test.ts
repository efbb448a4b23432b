import type { CompanyNames } from "../store/callers.ts";

/**
 * Returns a function that tests whether a request belongs to a company; without a name, every request matches.
 * @param pk - the company's row number, which no other company ever has; without it, the name decides
 */
export function companyTest(
  name: string | undefined,
  pk?: number,
): (exchange: { readonly caller: CompanyNames | undefined }) => boolean {
  if (pk !== undefined) return ({ caller }) => caller?.companyPk === pk;
  if (name === undefined) return () => true;
  const id = name.toLowerCase();
  const live = name.startsWith("live/");
  const slug = live ? name.slice("live/".length) : name;
  const environment = live ? "live" : "sandbox";
  return ({ caller }) =>
    caller !== undefined &&
    (caller.companyId === id || (caller.companySlug === slug && caller.environment === environment));
}
