import { contributionFor, PlaceContribution } from "@consilium/gate/contributions";
import type { Proposal } from "@consilium/gate/fold";
import type { OneRecord } from "@consilium/gate/record";

/**
 * Where a method puts a record, by the gate's own reading of what it writes: block · parts + part, or the part where blocks are drawn by
 * lot; -1 for nowhere.
 */
export function placesOf({ query, contributor }: Proposal): (record: OneRecord) => number {
  const contribution = contributionFor(query, contributor());
  if (!(contribution instanceof PlaceContribution))
    throw new RangeError("only records of blocks have a place");
  return (record) => (contribution.ask(record) ? contribution.place : -1);
}
