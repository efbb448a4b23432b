import { probe } from "../probe.ts";

/** The token endpoints, access tokens and X-On-Behalf-Of. */
export const credentialProbes = [
  probe("on_behalf_of.mode", "read", async (target) => {
    const send = async (header: Readonly<Record<string, string>>) =>
      (await target.send({ method: "GET", path: "/developer/cards", headers: header })).status < 300;
    if (await send({})) return (await send({ "X-On-Behalf-Of": target.uuid() })) ? "off" : "optional";
    return { unexplained: "GET /developer/cards is refused without the header" };
  }),
];
