import type { SiteEventView } from "@consilium/core/hospital/eventViews";

/** First parts of the query keys of this console. */
type QueryKey = "status" | "studies" | "ledger" | "egress" | "policy";

/** What must be asked for again when the site goes from one standing to another. */
export function staleKeys(before: SiteEventView | null, now: SiteEventView): QueryKey[] {
  if (before === null) return [];
  const stale = new Set<QueryKey>();
  const add = (...keys: QueryKey[]) => {
    for (const key of keys) stale.add(key);
  };
  if (before.connected !== now.connected) add("status");
  if (before.studies !== now.studies || before.waiting !== now.waiting) add("status", "studies");
  // What a study costs and who decides is judged by the policy, and by what is spent already.
  if (before.policy !== now.policy) add("status", "studies", "ledger", "egress", "policy");
  if (before.ledger !== now.ledger) add("status", "studies", "ledger", "egress");
  if (before.egress !== now.egress) add("egress");
  return [...stale];
}
