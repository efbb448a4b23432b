import { expect, test } from "vitest";
import { openDashboard } from "./support/open-dashboard.ts";
import { openSandbox } from "./support/open-sandbox.ts";

/** Words, since anything that looks like a token is masked. */
const long = (characters: number) => "no such ".repeat(characters / 8);
const manyKeys = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`key${n}`, 1]));
const manyParameters = Array.from({ length: 2000 }, (_, n) => `key${n}=1`).join("&");

const mostBytes = 4096;

test.each<[what: string, path: string, body: unknown, says: RegExp]>([
  [
    "80,000 unknown keys of a company",
    "/companies",
    manyKeys(80_000),
    /^unknown key "key0"\. .*; and 799\d\d more$/,
  ],
  [
    "80,000 unknown keys of an arming",
    "/scenarios/quota-reached/arm",
    manyKeys(80_000),
    /^unknown key "key0"\. .*; and 799\d\d more$/,
  ],
  [
    "1,000 members that do not fit",
    "/companies",
    { members: Array(1000).fill({ slug: 1, nam: 1 }) },
    /; and \d+ more$/,
  ],
  [
    "a long unknown key",
    "/companies",
    { [long(900_000)]: 1 },
    /^unknown key "no such .{92}…"\. Allowed: slug, .*cards$/,
  ],
  [
    "an unknown key of quotation marks",
    "/companies",
    { ['"'.repeat(400_000)]: 1 },
    /^unknown key "(\\"){100}…"\. Allowed: slug, .*cards$/,
  ],
  [
    "a long company",
    "/reset",
    { company: long(900_000) },
    /^company: no company has the id or slug "no such .{92}…"\. Use the id, slug/,
  ],
  [
    "a member of control characters",
    "/api-keys",
    { member: "\u0001".repeat(100_000), environment: "sandbox" },
    /lists all members\.$/,
  ],
  ["a long scenario", `/scenarios/${long(8000)}/arm`, {}, /^unknown scenario "no such .{92}…"\. GET/],
  [
    "a long path",
    `/${long(8000)}`,
    {},
    /^the control API has no POST .* … .*GET \/_sandbox\/openapi\.json lists all operations\.$/,
  ],
])("%s: the error of the control API has at most 4 KB", async (_, path, body, says) => {
  const { post } = openSandbox();
  const { status, text, json } = await post(`/_sandbox${path}`, body, {
    "Content-Type": "application/json",
  });
  expect(status).toBeGreaterThanOrEqual(400);
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(mostBytes);
  expect(json.error).toMatch(says);
});

test.each<[what: string, path: string, says: RegExp]>([
  [
    "2,000 unknown parameters of the control API",
    `/_sandbox/requests?${manyParameters}`,
    /^unknown parameter "key0"\. Allowed: .*; and 19\d\d more$/,
  ],
  [
    "a long pattern",
    `/_sandbox/coverage?exclude=${long(8000)}`,
    /^exclude: unknown contract point "no such .{92}…"/,
  ],
  [
    "a long request id",
    `/_sandbox/requests/${long(8000)}`,
    /^id: no recorded request has the id "no such .{92}…"/,
  ],
  [
    "2,000 unknown parameters of the service",
    `/developer/cards?${manyParameters}`,
    /^unknown parameter "key0"\. Allowed: .*; and 19\d\d more$/,
  ],
  [
    "a long parameter of the service",
    `/developer/cards?${long(8000)}=1`,
    /^unknown parameter "no such .*…"\. Allowed: tokens/,
  ],
  [
    "a long path of the service",
    `/developer/${long(8000)}`,
    /^GET \/developer\/no such.* … .* does not exist\. The API reference is at \/docs\.$/,
  ],
])("%s: the error has at most 4 KB", async (_, path, says) => {
  const { status, text, json } = await openSandbox().get(path);
  expect(status).toBeGreaterThanOrEqual(400);
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(mostBytes);
  expect(json.error.message ?? json.error).toMatch(says);
});

test.each([
  ["page", `/${long(8000)}`],
  ["request", `/requests/${"%3C".repeat(5000)}`],
  ["company", `/companies/${long(8000)}`],
])("the dashboard's error page about a %s with a long name has at most 4 KB", async (_, path) => {
  const { status, html } = await openDashboard().visit(path);
  expect(status).toBe(404);
  expect(Buffer.byteLength(html)).toBeLessThanOrEqual(mostBytes);
});
