import type { CompanyListing } from "../../src/store/world-listing.ts";
import { openSandbox, type TestOptions } from "./open-sandbox.ts";

/** Opens a sandbox, with shorthands for making companies and for sending JSON to the control API. */
export function openCompanies(options: TestOptions = {}) {
  const sandbox = openSandbox(options);
  const send = (method: string, path: string, body: object = {}) =>
    sandbox.request(`/_sandbox/${path}`, { method, body: JSON.stringify(body) });
  const make = async (body: object = {}): Promise<CompanyListing> => {
    const reply = await send("POST", "companies", body);
    if (reply.status !== 201) throw new Error(reply.text);
    return reply.json;
  };
  const orderAs = (company: CompanyListing, member = 0) =>
    sandbox.order({
      apiKey: company.members[member]?.api_keys[0]?.secret ?? "",
      body: { account_id: company.accounts[0]?.id },
    });
  return { ...sandbox, send, make, orderAs };
}
