import { expect, test } from "vitest";
import { contractPoints } from "../../src/contract/points.ts";
import { playHistories } from "./histories.ts";

/** What histories leave to other tests. */
const leftOut =
  /^(invoices|webhooks|companies)\.|\.(query_invalid|shown|not_entitled|key_in_progress|content_type_invalid)$/;
const alsoLeftOut = [
  "token.member_inactive",
  "auth.environment_mismatch",
  "on_behalf_of.required",
  "order.body_too_large",
  "order.address_field_blank",
  "cards.delivery_options_listed",
];

test("fifteen hundred histories do as the model says, and meet what they are about", {
  timeout: 600_000,
}, async () => {
  const met = await playHistories(1500);
  const missed = Object.keys(contractPoints).filter((point) => !leftOut.test(point) && !met.has(point));
  expect(missed.filter((point) => !alsoLeftOut.includes(point))).toEqual([]);
});
