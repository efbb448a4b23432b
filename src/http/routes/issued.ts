import type { Context } from "hono";
import type { IssueOutcome, IssuingRequest } from "../../cards/issue-once.ts";
import type { SuccessPointId } from "../../contract/points.ts";
import { answer } from "../answer.ts";
import type { HttpEnv, HttpServices } from "../http-services.ts";

/** What makes a card goes by these of a request. */
export function issuingRequest(c: Context<HttpEnv>): IssuingRequest {
  return {
    caller: c.get("caller"),
    key: c.get("idempotencyKey"),
    generation: c.get("generation"),
    overlay: c.get("overlay"),
  };
}

/** Answers with the card that was made, or with the one that the key made before. */
export function answerIssued(
  services: HttpServices,
  c: Context<HttpEnv>,
  outcome: IssueOutcome | Promise<IssueOutcome>,
  points: {
    readonly made: SuccessPointId;
    readonly replayed: SuccessPointId;
    /** Absent: as `replayed`. */
    readonly replayedWithOtherBody?: SuccessPointId;
  },
): Response | Promise<Response> {
  const { made, replayed: repeated, replayedWithOtherBody = repeated } = points;
  const reply = ({ card, replayed }: IssueOutcome) => {
    if (replayed === undefined) return answer(services, c, made, card);
    const point = replayed === "same order" ? repeated : replayedWithOtherBody;
    return answer(services, c, point, card, { "Idempotent-Replayed": "true" });
  };
  if (!("then" in outcome)) return reply(outcome);
  c.get("turn")?.reserve();
  return outcome.then(reply);
}
