import { expect, test } from "vitest";
import { defaultContract, reachablePoints } from "../../src/contract/dialect.ts";
import { playHistories } from "./histories.ts";

/** Contract points that other tests cover. */
const coveredElsewhere = [
  /^(invoices|webhooks|companies)\./,
  /\.(query_invalid|not_entitled|key_in_progress)$/,
  /^gateway\.(?!rate_limited)/,
  /^(accounts|transactions)\.(shown|not_found)$/,
  /^cards\.(content_type_invalid|invalid_request|address_field_required|post_code_format)$/,
  /^cards\.(delivery_method_not_offered|delivery_options_listed)$/,
  /^(token\.member_inactive|auth\.environment_mismatch)$/,
  /on_behalf_of[._]required$/,
  /^order\.(body_too_large|address_field_blank)$/,
];

const histories = Number(process.env.MODEL_HISTORIES ?? 2000);
/** One history in 200 reaches the rarest point, so chance makes so many miss it once in 10^9 runs. */
const most = Math.max(histories, 4500);

test(`${histories} histories match the model, and reach every contract point`, {
  timeout: 300_000 + most * 200,
}, async () => {
  const missing = new Set<string>(
    reachablePoints(defaultContract)
      .map(({ id }) => id)
      .filter((point) => !coveredElsewhere.some((each) => each.test(point))),
  );
  const atOnce = 500;
  for (let played = 0; played < histories || (played < most && missing.size > 0); played += atOnce) {
    for (const point of await playHistories(atOnce, played / atOnce)) missing.delete(point);
  }
  expect([...missing]).toEqual([]);
});
