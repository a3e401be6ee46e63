import type { SiteEventView } from "@consilium/core/hospital/eventViews";

/** First parts of this console's query keys. */
type QueryKey = "status" | "studies" | "ledger" | "egress" | "policy";

/** The queries to refetch when the site's state changes. */
export function staleKeys(before: SiteEventView | null, now: SiteEventView): QueryKey[] {
  if (before === null) return [];
  const stale = new Set<QueryKey>();
  const add = (...keys: QueryKey[]) => {
    for (const key of keys) stale.add(key);
  };
  if (before.connected !== now.connected) add("status");
  if (before.studies !== now.studies || before.waiting !== now.waiting) add("status", "studies");
  // A study's cost and approval depend on the policy and on the spent budget.
  if (before.policy !== now.policy) add("status", "studies", "ledger", "egress", "policy");
  if (before.ledger !== now.ledger) add("status", "studies", "ledger", "egress");
  if (before.egress !== now.egress) add("egress");
  return [...stale];
}
