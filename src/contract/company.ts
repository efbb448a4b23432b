import * as z from "zod";
import { companyId } from "./identifiers.ts";

/** Company, as one of its members sees it (assumed). */
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
