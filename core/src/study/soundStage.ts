import {
  entryChanges,
  entryMost,
  type HistogramQuery,
  isDivisible,
  lengthOf,
  type Query,
  sensitivitySquared,
} from "@consilium/gate/query";
import type { SoundStage } from "./soundSums.js";

/** A stage as a method declares it: what it is, and its query, from which the gate computes all that privacy depends on. */
export type DeclaredStage = Pick<
  SoundStage,
  "id" | "broadcasts" | "share" | "integersPerUnit" | "what" | "mayBeSkipped"
> & { readonly query: Query };

export function soundStage(declared: DeclaredStage): SoundStage {
  const { id, broadcasts, share, query, integersPerUnit, what, mayBeSkipped } = declared;
  const changes = entryChanges(query);
  return {
    id,
    broadcasts,
    share,
    query,
    integersPerUnit,
    what,
    ...(mayBeSkipped === undefined ? {} : { mayBeSkipped }),
    length: lengthOf(query),
    sensitivitySquared: sensitivitySquared(query),
    entryMost: entryMost(query),
    ...(isDivisible(query) ? { onGrid: true } : {}),
    ...(changes === undefined ? {} : { changes }),
  };
}

/** Counts of records, each a single 1. */
export function countQuery(cells: number): HistogramQuery {
  return { kind: "histogram", cells, touches: 1, channels: [{ least: 0, most: 1 }] };
}
