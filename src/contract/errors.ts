import * as z from "zod";

/** The card operations' error body (spec §2, CardError). */
export const cardError = z.object({ error: z.string() });
export type CardError = z.output<typeof cardError>;

/**
 * The gateway's error body: specified for 403 (spec §2, Forbidden error body); assumed for 401, for the
 * token endpoints, for unknown routes and for every operation outside `/developer/cards`.
 */
export const gatewayError = z.object({
  success: z.literal(false),
  error: z.object({ code: z.string(), message: z.string() }),
});
export type GatewayError = z.output<typeof gatewayError>;
