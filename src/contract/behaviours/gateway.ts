import type { ContractPointId } from "../points.ts";
import { alternative, behaviour, changeOf } from "./behaviour.ts";

const noOperation = [
  "gateway.not_found",
  "gateway.method_not_allowed",
] as const satisfies readonly ContractPointId[];

/** Rate limits, and requests without an operation (spec §7, §8). */
export const gatewayBehaviours = {
  "rate_limit.retry_after": behaviour({
    title: "Retry-After header of a 429",
    spec: "§8",
    provenance: "assumed",
    points: ["gateway.rate_limited"],
    scope: "company",
    unobservable: "a client must first exceed a limit",
    alternatives: [
      alternative("seconds", "a number of seconds", "the usual form (RFC 9110 §10.2.3)"),
      alternative("http_date", "an HTTP date", "the other form that RFC 9110 §10.2.3 allows"),
      alternative("none", "is missing", "Scaleway returned 429 without it", {
        points: { "gateway.rate_limited": { title: "The client sends too many requests" } },
      }),
    ],
  }),
  "rate_limit.envelope": behaviour({
    title: "Body of a 429",
    spec: "§7, §8",
    provenance: "assumed",
    points: ["gateway.rate_limited"],
    scope: "company",
    unobservable: "a client must first exceed a limit",
    alternatives: [
      alternative(
        "gateway",
        "the forbidden body, with a code",
        "the gateway of the specification has this body for 403",
      ),
      alternative(
        "card",
        "error alone",
        "the card operations of the specification have this body",
        changeOf(["gateway.rate_limited"], { envelope: "card" }),
      ),
      alternative(
        "problem",
        "problem details",
        "the standard for errors of HTTP APIs (RFC 9457)",
        changeOf(["gateway.rate_limited"], { envelope: "problem" }),
      ),
    ],
  }),
  "unknown_path.status": behaviour({
    title: "Status for a path that does not exist",
    spec: "§4, §7",
    provenance: "assumed",
    points: ["gateway.not_found"],
    scope: "sandbox",
    alternatives: [
      alternative("404", "404", "RFC 9110 §15.5.5 defines it"),
      alternative(
        "403",
        "403, as for a path that is not allowed",
        "AWS API Gateway returns 403 for unknown paths",
        changeOf(["gateway.not_found"], { status: 403, code: "forbidden" }),
      ),
    ],
  }),
  "unknown_path.envelope": behaviour({
    title: "Body of an error without an operation",
    spec: "§7",
    provenance: "assumed",
    points: noOperation,
    scope: "sandbox",
    alternatives: [
      alternative(
        "gateway",
        "the forbidden body, with a code",
        "the gateway of the specification has this body for 403",
      ),
      alternative(
        "card",
        "error alone",
        "the card operations of the specification have this body",
        changeOf(noOperation, { envelope: "card" }),
      ),
      alternative(
        "problem",
        "problem details",
        "Spring and ASP.NET Core can return them (RFC 9457)",
        changeOf(noOperation, { envelope: "problem" }),
      ),
    ],
  }),
  "method_not_allowed.status": behaviour({
    title: "Status for a method that the path does not support",
    spec: "§4, §7",
    provenance: "assumed",
    points: ["gateway.method_not_allowed"],
    scope: "sandbox",
    alternatives: [
      alternative("405", "405 with Allow", "RFC 9110 §15.5.6 defines it"),
      alternative(
        "404",
        "404",
        "Express and Rails return 404 for a route without the method",
        changeOf(["gateway.method_not_allowed"], { status: 404, code: "not_found" }),
      ),
    ],
  }),
};
