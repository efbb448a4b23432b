import * as z from "zod";
import { signedDecimal } from "./amount.ts";
import { accountId, companyId } from "./identifiers.ts";

/** Account (assumed). */
export const account = z.strictObject({
  id: accountId,
  company_id: companyId,
  name: z.string(),
  currency: z.string(),
  status: z.enum(["active", "closed"]),
  balance: signedDecimal,
  /** The balance without what pending card payments hold. */
  available_balance: signedDecimal,
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
});
export type Account = z.output<typeof account>;
