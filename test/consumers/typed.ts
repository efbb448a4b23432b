/** A program that uses the published types, correctly and not. */
export const typed = `
import { type ContractPoint, contractPoints, createSandbox, type Sandbox, startSandbox } from "card-sandbox";

const sandbox: Sandbox = createSandbox({ seed: 7 });
const point: ContractPoint = contractPoints["order.created"];
const status: number = point.status;
const answer: Promise<Response> = sandbox.fetch("http://sandbox/developer/cards");
const url: Promise<string> = startSandbox({ port: 0 }).then((started) => started.url);
// @ts-expect-error a seed is a number
createSandbox({ seed: "7" });
sandbox.isolatedCompany({ card_quota: 2, members: [{ role: "owner" }], accounts: [{ currency: "EUR" }] });
// @ts-expect-error a company has no such field
sandbox.isolatedCompany({ quota: 2 });
export { answer, status, url };
`;
