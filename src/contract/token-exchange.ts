import * as z from "zod";
import { mustBe } from "./expected.ts";

/** Token exchange request (spec §4). */
export const tokenExchangeRequest = z.object(
  {
    api_key: z
      .string({ error: ({ input }) => (input === undefined ? "is required" : "must be a string") })
      .min(1, "must not be empty"),
  },
  mustBe("a JSON object"),
);

/** Token exchange response (spec §2). */
export const tokenExchangeResponse = z.object({
  access_token: z.string(),
  expires_at: z.iso.datetime(),
});
export type TokenExchangeResponse = z.output<typeof tokenExchangeResponse>;
