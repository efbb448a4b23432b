import { probe } from "../probe.ts";
import { isSuccess } from "../replies.ts";

/** The token endpoints, access tokens and X-On-Behalf-Of. */
export const credentialProbes = [
  probe("on_behalf_of.mode", "write", async (target) => {
    const list = async (company: string | undefined) =>
      isSuccess(
        await target.send({
          method: "GET",
          path: "/developer/accounts",
          headers: { "X-On-Behalf-Of": company },
        }),
      );
    if (await list(undefined)) return (await list(target.uuid())) ? "off" : "optional";
    const { request } = await target.sharedOrder();
    const replay = await target.send({
      ...request,
      headers: { ...request.headers, "X-On-Behalf-Of": undefined },
    });
    return isSuccess(replay) ? "required-except-order" : "required";
  }),
];
