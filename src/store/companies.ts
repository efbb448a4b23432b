import type { Database, Store } from "../core/ports.ts";
import { inserted } from "./inserted.ts";

const insert = `
  INSERT INTO companies (id, environment, slug, name, country_code, status, details_complete, entitlements,
    card_quota, design_id, max_per_purchase_minor, daily_minor, rolling_32_days_minor)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING pk`;

const pkBySlug = "SELECT pk FROM companies WHERE environment = ? AND slug = ?";

export function companies(database: Database): Store["companies"] {
  return {
    insert(company) {
      const { limits } = company;
      return inserted(
        database.get(
          insert,
          company.id,
          company.environment,
          company.slug,
          company.name,
          company.countryCode,
          company.status,
          company.detailsComplete ? 1 : 0,
          company.entitlements.join(" "),
          company.cardQuota,
          company.designId,
          limits.maxPerPurchaseMinor,
          limits.dailyMinor,
          limits.rolling32DaysMinor,
        ),
      );
    },
    pkBySlug(environment, slug) {
      return database.get<{ pk: number }>(pkBySlug, environment, slug)?.pk;
    },
  };
}

/** A company as the sandbox's own API names it. */
export interface NamedCompany {
  readonly pk: number;
  readonly slug: string;
  readonly clockOffsetMs: number;
}

const named = `
  SELECT pk, slug, clock_offset_ms FROM companies
  WHERE id = ? OR (slug = ? AND environment = ?)`;

/** Finds a company by its id, its slug in the sandbox environment, or `live/SLUG`. */
export function findCompany(database: Database, name: string): NamedCompany | undefined {
  const live = name.startsWith("live/");
  const slug = live ? name.slice("live/".length) : name;
  const row = database.get<{ pk: number; slug: string; clock_offset_ms: number }>(
    named,
    name.toLowerCase(),
    slug,
    live ? "live" : "sandbox",
  );
  return row && { pk: row.pk, slug: row.slug, clockOffsetMs: row.clock_offset_ms };
}

/** Sets how far a company's time is ahead of the sandbox's clock. */
export function setClockOffset(database: Database, companyPk: number, offsetMs: number): void {
  database.run("UPDATE companies SET clock_offset_ms = ? WHERE pk = ?", offsetMs, companyPk);
}
