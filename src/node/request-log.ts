import { contractPoints } from "../contract/points.ts";
import type { Exchange } from "../journal/exchange.ts";
import { escapeControls } from "../journal/formats/escape.ts";
import { maskPath } from "../journal/masking.ts";
import { DatabaseUnusable } from "../rules/errors.ts";

export const logFormats = ["pretty", "json", "silent"] as const;
export type LogFormat = (typeof logFormats)[number];

/** Writes a line for each response, without keys, tokens, PINs, queries and bodies. */
export function requestLog(
  format: LogFormat,
  write: (line: string) => void,
): ((exchange: Exchange) => void) | undefined {
  if (format === "silent") return undefined;
  const lineOf = format === "json" ? jsonLine : prettyLine;
  return (exchange) => write(`${escapeControls(lineOf(exchange, new Date()))}\n`);
}

/** The path without its secrets, percent-encoded as in a request line. */
function shownPath(path: string): string {
  return encodeURI(maskPath(path).toWellFormed()).replaceAll("%E2%80%A6", "…");
}

function jsonLine(exchange: Exchange, at: Date): string {
  const { method, path, status, point, caller, scenario, fault, durationMs, defect } = exchange;
  return JSON.stringify({
    time: at.toISOString(),
    method,
    path: shownPath(path),
    status,
    point,
    provenance: point && contractPoints[point].provenance,
    scenario,
    fault,
    environment: caller?.environment,
    company: caller?.companySlug,
    duration_ms: Math.round(durationMs * 100) / 100,
    defect: isUnusable(defect) ? defect?.message : defect?.stack,
  });
}

function prettyLine(exchange: Exchange, at: Date): string {
  const { method, path, status = "---", point = "-", caller, scenario, fault, durationMs, defect } = exchange;
  const who = caller ? `${caller.companySlug} (${caller.environment})` : "-";
  const forced = scenario === undefined ? "" : ` (${[scenario, fault].filter(Boolean).join(": ")})`;
  const line = `${at.toISOString().slice(11, 23)} ${status} ${method} ${shownPath(path)} ${point}${forced} ${who} ${durationMs.toFixed(1)} ms`;
  if (isUnusable(defect)) return `${line} (${defect?.message})`;
  return defect ? `${line} (a defect of card-sandbox: ${defect})` : line;
}

function isUnusable(defect: Error | undefined): boolean {
  return defect instanceof DatabaseUnusable;
}

/**
 * Writes a line when the database cannot be used, even if requests are not logged: once, and again only after a
 * successful change.
 */
export function databaseLog(write: (line: string) => void): (exchange: Exchange) => void {
  let told: string | undefined;
  return ({ method, status, defect }) => {
    if (isUnusable(defect)) {
      const message = defect?.message ?? "";
      if (message !== told) write(`card-sandbox: ${escapeControls(message)}\n`);
      told = message;
    } else if (method !== "GET" && status !== undefined && status < 300) told = undefined;
  };
}
