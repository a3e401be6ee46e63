import {
  changedEntries,
  entryMost,
  type HistogramQuery,
  isDivisible,
  largest,
  lengthOf,
  type Query,
  sensitivitySquared,
} from "@consilium/gate/query";
import { rootOf } from "@consilium/gate/root";
import type { EntryChange } from "./plan.js";
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

/** What one record changes entry by entry; undefined where only the length of the change is bounded usefully. */
function entryChanges(query: Query): EntryChange[] | undefined {
  if (query.kind === "blocks" && query.answer.kind === "groups")
    return [{ entries: changedEntries(query.answer.groups), most: query.answer.most }];
  if (query.kind !== "histogram") return undefined;
  const { sections, channels, touches } = query;
  if (sections === undefined)
    return channels.map((channel) => ({ entries: touches, most: largest(channel) }));
  const entries = new Map<number, number>();
  const change = (most: number, count: number) => entries.set(most, (entries.get(most) ?? 0) + count);
  for (const section of sections) {
    const { touches = 1, root } = section;
    if (root === undefined) change(largest(section), touches);
    else for (const factor of rootOf(root.run, root.exponent)) change(factor * section.most, 1);
  }
  entries.delete(0);
  return [...entries].map(([most, count]) => ({ entries: count, most }));
}

/** Counts of records, each a single 1. */
export function countQuery(cells: number): HistogramQuery {
  return { kind: "histogram", cells, touches: 1, channels: [{ least: 0, most: 1 }] };
}
