import type { AccountRole } from "@consilium/core/access/views";

/** The roles of a service, from the one that may do everything to the one that reads. */
export const operatorRoles = ["operator", "viewer"] as const satisfies readonly AccountRole[];
export const siteRoles = ["administrator", "approver"] as const satisfies readonly AccountRole[];
