import type { Exchange } from "../journal/exchange.ts";
import { escapeControls } from "../journal/formats/escape.ts";
import type { Paint, Style } from "../journal/formats/terminal.ts";
import { maskPath } from "../journal/masking.ts";
import { DatabaseUnusable } from "../rules/errors.ts";
import { messageLine, plain } from "./colors.ts";

export const logFormats = ["pretty", "json", "silent"] as const;
export type LogFormat = (typeof logFormats)[number];

/**
 * Logs a line for each response, without keys, tokens, PINs, queries and bodies.
 * @param paint - colors the lines of the format `pretty`
 */
export function requestLog(
  format: LogFormat,
  write: (line: string) => void,
  paint: Paint = plain,
): ((exchange: Exchange) => void) | undefined {
  if (format === "silent") return undefined;
  if (format === "json") return (exchange) => write(`${escapeControls(jsonLine(exchange, new Date()))}\n`);
  return (exchange) => write(`${prettyLine(exchange, new Date(), paint)}\n`);
}

/** The path without its secrets, percent-encoded as in a request line. */
function shownPath(path: string): string {
  return encodeURI(maskPath(path).toWellFormed()).replaceAll("%E2%80%A6", "…");
}

function jsonLine(exchange: Exchange, at: Date): string {
  const { method, path, status, point, contract, caller, scenario, fault, durationMs, defect } = exchange;
  return JSON.stringify({
    time: at.toISOString(),
    method,
    path: shownPath(path),
    status,
    point,
    provenance: point && contract.points[point].provenance,
    scenario,
    fault,
    environment: caller?.environment,
    company: caller?.companySlug,
    duration_ms: Math.round(durationMs * 100) / 100,
    defect: isUnusable(defect) ? defect?.message : defect?.stack,
  });
}

function prettyLine(exchange: Exchange, at: Date, paint: Paint): string {
  const { method, path, status, point = "-", caller, scenario, fault, durationMs, defect } = exchange;
  const forced =
    scenario === undefined ? "" : paint("cyan", ` (${[scenario, fault].filter(Boolean).join(": ")})`);
  const who = caller ? `${caller.companySlug} (${caller.environment})` : "-";
  const time = paint("dim", at.toISOString().slice(11, 23));
  const shownStatus = paint(statusStyle(status), String(status ?? "---"));
  const duration = paint("dim", `${durationMs.toFixed(1)} ms`);
  const line = `${time} ${shownStatus} ${escapeControls(`${method} ${shownPath(path)}`)} ${point}${forced} ${who} ${duration}`;
  if (!defect) return line;
  const problem = isUnusable(defect) ? defect.message : `internal error of the sandbox: ${defect}`;
  return `${line} ${paint("red", escapeControls(`(${problem})`))}`;
}

/** @param status - undefined if the connection ended without a response */
function statusStyle(status = 500): Style {
  if (status >= 500) return "red";
  if (status >= 400) return "yellow";
  return status >= 300 ? "cyan" : "green";
}

function isUnusable(defect: Error | undefined): boolean {
  return defect instanceof DatabaseUnusable;
}

/**
 * Logs a line when the database cannot be used, even with `--log silent`. It repeats the same line only after
 * a successful change.
 */
export function databaseLog(write: (line: string) => void): (exchange: Exchange) => void {
  let logged: string | undefined;
  return ({ method, status, defect }) => {
    if (isUnusable(defect)) {
      const message = defect?.message ?? "";
      if (message !== logged) write(messageLine(message));
      logged = message;
    } else if (method !== "GET" && status !== undefined && status < 300) logged = undefined;
  };
}
