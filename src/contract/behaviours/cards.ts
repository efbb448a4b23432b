import { alternative, behaviour, changeOf } from "./behaviour.ts";

/** The life of a card without its replacement, and the roles that may change it (spec §2, §3, §5.6). */
export const cardBehaviours = {
  "cards.of_colleague": behaviour({
    title: "A colleague's card, for a member who sees only their own",
    spec: "§4, §5.6",
    provenance: "assumed",
    points: ["cards.not_found", "cards.of_colleague"],
    scope: "company",
    alternatives: [
      alternative("404", "404, as for a card that does not exist", "GitHub hides private repositories so", {
        unreachable: ["cards.of_colleague"],
      }),
      alternative("403", "403, because the permission is missing", "plausible: spec §5.6 answers with 403"),
    ],
  }),
  "cards.of_other_company": behaviour({
    title: "The card of another company",
    spec: "§4",
    provenance: "assumed",
    points: ["cards.not_found", "cards.of_other_company"],
    scope: "company",
    unobservable: "needs the id of another company's card",
    alternatives: [
      alternative(
        "404",
        "404, as for a card that does not exist",
        "the account of another company is 404 too",
        {
          unreachable: ["cards.of_other_company"],
        },
      ),
      alternative(
        "403",
        "403, because it is not the caller's",
        "plausible: a check of the owner after look-up",
      ),
    ],
  }),
  "cards.freeze_repeated": behaviour({
    title: "Freezing a card that is frozen",
    spec: "§3",
    provenance: "assumed",
    points: ["cards.state_conflict", "cards.frozen"],
    scope: "company",
    alternatives: [
      alternative("409", "409", "BVNK and Revolut freeze only active cards"),
      alternative("succeeds", "succeeds and changes nothing", "plausible: the card already has this status"),
    ],
  }),
  "cards.unfreeze_repeated": behaviour({
    title: "Unfreezing a card that is active",
    spec: "§3",
    provenance: "assumed",
    points: ["cards.state_conflict", "cards.unfrozen"],
    scope: "company",
    alternatives: [
      alternative("409", "409", "BVNK and Revolut unfreeze only frozen cards"),
      alternative("succeeds", "succeeds and changes nothing", "plausible: the card already has this status"),
    ],
  }),
  "cards.terminate_repeated": behaviour({
    title: "Terminating a card that is terminated",
    spec: "§3",
    provenance: "assumed",
    points: ["cards.state_conflict", "cards.terminated"],
    scope: "company",
    alternatives: [
      alternative("409", "409", "BVNK cancels cards from any status except cancelled"),
      alternative("succeeds", "succeeds and changes nothing", "Square allows disabling a disabled card"),
    ],
  }),
  "cards.terminate_held": behaviour({
    title: "Terminating a card that is suspended, locked or blocked",
    spec: "§3",
    provenance: "assumed",
    points: ["cards.state_conflict", "cards.terminated"],
    scope: "company",
    unobservable: "only the operator of the service sets these statuses",
    alternatives: [
      alternative("409", "409", "only the operator changes these statuses"),
      alternative("allowed", "is allowed", "BVNK cancels cards from any status except cancelled"),
    ],
  }),
  "cards.frozen_changes": behaviour({
    title: "Changing the name, auto_convert or spending limit of a frozen card",
    spec: "§3",
    provenance: "assumed",
    points: ["cards.state_conflict", "cards.changed", "cards.spending_limit_set"],
    scope: "company",
    alternatives: [
      alternative("allowed", "is allowed", "the change does not depend on the status"),
      alternative("409", "409", "plausible: a frozen card must be unfrozen first"),
    ],
  }),
  "cards.action_body": behaviour({
    title: "Response to freezing and unfreezing",
    spec: "§4",
    provenance: "assumed",
    points: ["cards.frozen", "cards.unfrozen"],
    scope: "company",
    alternatives: [
      alternative("card", "200 with the card", "Lithic and Stripe return the changed card"),
      alternative("none", "204 without a body", "Revolut returns 204", {
        ...changeOf(["cards.frozen", "cards.unfrozen"], { status: 204 }),
      }),
    ],
  }),
  "cards.terminate_status": behaviour({
    title: "Response to terminating a card",
    spec: "§4",
    provenance: "assumed",
    points: ["cards.terminated"],
    scope: "company",
    alternatives: [
      alternative("200", "200 with the card", "Stripe returns the canceled card"),
      alternative("204", "204 without a body", "Revolut returns 204", {
        ...changeOf(["cards.terminated"], { status: 204 }),
      }),
    ],
  }),
  "spending_limit.set_status": behaviour({
    title: "Response to setting a spending limit",
    spec: "§4",
    provenance: "assumed",
    points: ["cards.spending_limit_set"],
    scope: "company",
    alternatives: [
      alternative("200", "200 with the card", "the limit is a part of the card"),
      alternative("204", "204 without a body", "usual for PUT (RFC 9110 §9.3.4)", {
        ...changeOf(["cards.spending_limit_set"], { status: 204 }),
      }),
    ],
  }),
  "spending_limit.remove_status": behaviour({
    title: "Response to removing a spending limit",
    spec: "§4",
    provenance: "assumed",
    points: ["cards.spending_limit_removed"],
    scope: "company",
    alternatives: [
      alternative("200", "200 with the card", "the limit is a part of the card"),
      alternative("204", "204 without a body", "usual for DELETE (RFC 9110 §9.3.5)", {
        ...changeOf(["cards.spending_limit_removed"], { status: 204 }),
      }),
    ],
  }),
  "cards.terminated_listed": behaviour({
    title: "Terminated cards in the list of cards",
    spec: "§4",
    provenance: "assumed",
    points: ["cards.listed"],
    scope: "company",
    alternatives: [
      alternative("listed", "are listed", "Stripe lists canceled cards"),
      alternative("hidden", "are hidden, unless the filter status names them", "Revolut hides them", {
        points: {
          "cards.listed": {
            title:
              "Returns the company's cards that the member may see; terminated ones only if the filter status names them",
          },
        },
      }),
    ],
  }),
  "cards.expiry_years": behaviour({
    title: "Years until a new card expires",
    spec: "§2",
    provenance: "assumed",
    points: [],
    scope: "company",
    alternatives: [
      alternative("5", "5 years", "the default of Lithic"),
      alternative("3", "3 years", "plausible: usual for cards of companies"),
      alternative("4", "4 years", "Mastercard Processing sets 48 months"),
    ],
  }),
  "cards.virtual_first_status": behaviour({
    title: "First status of a virtual card",
    spec: "§3",
    provenance: "assumed",
    points: ["cards.virtual_created"],
    scope: "company",
    alternatives: [
      alternative("active", "active", "as for a physical card (spec §3)"),
      alternative("inactive", "inactive, until the operator activates it", "Stripe creates cards inactive", {
        points: { "cards.virtual_created": { title: "Creates a virtual card, which is inactive at first" } },
        changesCards: ["status"],
      }),
    ],
  }),
  "roles.admin_orders": behaviour({
    title: "Orders of cards by an admin",
    spec: "§5.6",
    provenance: "assumed",
    points: ["order.forbidden", "access.forbidden"],
    scope: "company",
    unobservable: "needs the API key of an admin",
    alternatives: [
      alternative("allowed", "are allowed", "HitPay lets owners and admins issue cards"),
      alternative("403", "403", "plausible: the specification names only the owner"),
    ],
  }),
  "roles.accountant_orders": behaviour({
    title: "Orders of cards by an accountant",
    spec: "§5.6",
    provenance: "assumed",
    points: ["order.forbidden", "access.forbidden"],
    scope: "company",
    unobservable: "needs the API key of an accountant",
    alternatives: [
      alternative("403", "403", "an accountant reads"),
      alternative("allowed", "are allowed", "plausible: finance teams order the cards of a company"),
    ],
  }),
  "roles.employee_freezes": behaviour({
    title: "Freezing of their own card by an employee",
    spec: "§5.6",
    provenance: "assumed",
    points: ["access.forbidden"],
    scope: "company",
    alternatives: [
      alternative("allowed", "is allowed", "a lost card must be frozen at once"),
      alternative("403", "403", "plausible: an employee has the most restricted access"),
    ],
  }),
};
