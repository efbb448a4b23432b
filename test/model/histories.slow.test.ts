import { expect, test } from "vitest";
import { contractPoints } from "../../src/contract/points.ts";
import { playHistories } from "./histories.ts";

/** What histories leave to other tests. */
const leftOut = [
  /^(invoices|webhooks|companies)\./,
  /\.(query_invalid|not_entitled|key_in_progress)$/,
  /^gateway\.(?!rate_limited)/,
  /^(accounts|transactions)\.(shown|not_found)$/,
  /^cards\.(content_type_invalid|invalid_request|address_field_required|post_code_format)$/,
  /^cards\.(delivery_method_not_offered|delivery_options_listed)$/,
  /^(token\.member_inactive|auth\.environment_mismatch|on_behalf_of\.required)$/,
  /^order\.(body_too_large|address_field_blank)$/,
];

test("fifteen hundred histories do as the model says, and meet what they are about", {
  timeout: 600_000,
}, async () => {
  const met = await playHistories(1500);
  const meant = Object.keys(contractPoints).filter((point) => !leftOut.some((each) => each.test(point)));
  expect(meant.filter((point) => !met.has(point))).toEqual([]);
});
