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
