import * as z from "zod";
import { account } from "../contract/account.ts";

/** The records around a card, whose fields the spec does not show (§2): these states are assumed. */
export const companyStatus = z.enum(["active", "suspended", "closed"]);
export type CompanyStatus = z.output<typeof companyStatus>;

export const accountStatus = account.shape.status;
export type AccountStatus = z.output<typeof accountStatus>;

export const memberStatus = z.enum(["active", "inactive"]);
export type MemberStatus = z.output<typeof memberStatus>;

export const keyStatus = z.enum(["active", "revoked"]);
export type KeyStatus = z.output<typeof keyStatus>;
