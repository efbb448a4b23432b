import * as z from "zod";
import { signedDecimal } from "./amount.ts";
import { accountId, companyId } from "./identifiers.ts";

/** A company that the member belongs to (assumed). */
export const company = z.strictObject({
  id: companyId,
  name: z.string(),
  country_code: z.string(),
  status: z.enum(["active", "suspended", "closed"]),
  /** The member's own role in it. */
  role: z.enum(["owner", "admin", "accountant", "employee"]),
  created_at: z.iso.datetime(),
});
export type Company = z.output<typeof company>;

/** Account (assumed). */
export const account = z.strictObject({
  id: accountId,
  company_id: companyId,
  name: z.string(),
  currency: z.string(),
  status: z.enum(["active", "closed"]),
  balance: signedDecimal,
  /** The balance minus the money that pending card payments hold. */
  available_balance: signedDecimal,
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
});
export type Account = z.output<typeof account>;
