import * as z from "zod";

/** Token exchange request (spec §4). */
export const tokenExchangeRequest = z.object(
  {
    api_key: z
      .string({ error: ({ input }) => (input === undefined ? "is required" : "must be a string") })
      .min(1, "must not be empty"),
  },
  { error: "the body must be a JSON object" },
);

/** Token exchange response (spec §2). */
export const tokenExchangeResponse = z.object({
  access_token: z.string(),
  expires_at: z.iso.datetime(),
});
export type TokenExchangeResponse = z.output<typeof tokenExchangeResponse>;

/** "About 15 minutes" (spec §5, §8). */
export const accessTokenLifetimeMs = 15 * 60 * 1000;
