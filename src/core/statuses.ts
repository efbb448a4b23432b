import * as z from "zod";

/** The records around a card, whose fields the spec does not show (§2): these states are assumed. */
export const companyStatus = z.enum(["active", "suspended", "closed"]);
export type CompanyStatus = z.output<typeof companyStatus>;

export const accountStatus = z.enum(["open", "closed"]);
export type AccountStatus = z.output<typeof accountStatus>;

export const memberStatus = z.enum(["active", "inactive"]);
export type MemberStatus = z.output<typeof memberStatus>;

export const keyStatus = z.enum(["active", "revoked"]);
export type KeyStatus = z.output<typeof keyStatus>;
