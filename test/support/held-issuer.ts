import type { IssuerAnswer } from "../../src/rules/overlay.ts";

/** An issuer that works until the test answers for it: `asked` has a function for each order. */
export function heldIssuer() {
  const asked: ((answer: IssuerAnswer) => void)[] = [];
  const issue = () => new Promise<IssuerAnswer>((resolve) => asked.push(resolve));
  return { issuer: { issue }, asked };
}
