import type { NoisyEntries } from "@consilium/core/privacy/pld";
import { mergedEntries } from "@consilium/core/privacy/pld";
import { checkQuery } from "@consilium/gate/checkQuery";
import { type ChargedEvent, chargedEvent, readEvent } from "@consilium/gate/cost";
import { changedEntries, largest, type Query } from "@consilium/gate/query";
import { rootOf } from "@consilium/gate/root";
import type { PlanFacts, ProvedSum, StageFacts } from "./schema.js";

/** What a stage of a plan costs by the gate's own formulas (docs/FORMAT.md#cost). */

/** A stage's query with the gate's names. */
export function queryOf({ query }: Pick<ProvedSum, "query">): Query {
  switch (query.kind) {
    case "histogram": {
      const { channels, sections, cellLimit, divisible, ...rest } = query;
      return {
        ...rest,
        channels: channels.map(({ min, max }) => ({ least: min, most: max })),
        ...(cellLimit === undefined ? {} : { cellLimit }),
        ...(divisible === undefined ? {} : { divisible }),
        ...(sections === undefined
          ? {}
          : {
              sections: sections.map(({ cells, max, min, touches, root }) => ({
                cells,
                most: max,
                ...(min === undefined ? {} : { least: min }),
                ...(touches === undefined ? {} : { touches }),
                ...(root === undefined ? {} : { root }),
              })),
            }),
      };
    }
    case "blocks": {
      const { maxRows, counts, answer, ...rest } = query;
      return {
        ...rest,
        ...(maxRows === undefined ? {} : { rowsMost: maxRows }),
        ...(counts === undefined ? {} : { counts }),
        answer:
          answer.kind === "length" ? answer : { kind: "groups", most: answer.max, groups: answer.groups },
      };
    }
    default:
      return query;
  }
}

/** The stage that counts a study's rows: each patient is one record of it, whatever rows weigh elsewhere. */
export const flowStage = "flow";

/**
 * The event of a stage for the plan's unit; `no-bound` where nothing is proven of it.
 * @throws RangeError for numbers that no stage has
 */
export function eventOf(stage: StageFacts, unit: PlanFacts["unit"]): ChargedEvent {
  if (!("query" in stage)) return { kind: "no-bound", reason: "by-authors" };
  const query = queryOf(stage);
  checkQuery(query);
  const isOfRecords = unit.kind === "record" || stage.id === flowStage;
  const patients = isOfRecords ? null : { rowsMost: unit.maxRows, unit: unit.weight };
  const event = chargedEvent({ query, scale: stage.scale, patients, noise: stage.noise });
  if (readEvent(event) === null) throw new RangeError("its numbers are those of no event");
  return event;
}

/** Whether every stage has a dominating pair, and a unit is one row (docs/methods/loss-distributions.md). */
export function hasPairs({ stages, unit }: PlanFacts): boolean {
  return (unit.kind === "record" || unit.maxRows === 1) && stages.every(isOfPairs);
}

function isOfPairs(stage: StageFacts): boolean {
  if (!("query" in stage) || stage.noise === null) return false;
  const { query } = stage;
  return query.kind === "histogram" || (query.kind === "blocks" && query.answer.kind === "groups");
}

/** Entries that one record changes of sections with roots, in all stages together. */
export const rootedEntries = ({ stages }: PlanFacts): number =>
  stages
    .flatMap((stage) =>
      "query" in stage && stage.query.kind === "histogram" ? (stage.query.sections ?? []) : [],
    )
    .reduce((sum, { root }) => sum + (root?.run ?? 0), 0);

/** What one record changes in all stages together, by the noise that hides it, of a plan with `hasPairs`. */
export function entriesOf({ stages }: PlanFacts): readonly NoisyEntries[] {
  const parts: NoisyEntries[] = [];
  for (const stage of stages) {
    if (!("query" in stage) || stage.noise === null)
      throw new RangeError("a stage without a dominating pair");
    const { shareVariance, shares: noiseShares } = stage.noise;
    for (const [most, count] of changesOf(queryOf(stage)))
      parts.push({ shift: { most: most * stage.scale, shareVariance, noiseShares }, count });
  }
  return mergedEntries(parts);
}

/** How many entries a record changes by so much each. */
function changesOf(query: Query): ReadonlyMap<number, number> {
  const changes = new Map<number, number>();
  const add = (most: number, count: number) => changes.set(most, (changes.get(most) ?? 0) + count);
  if (query.kind === "blocks" && query.answer.kind === "groups")
    add(query.answer.most, changedEntries(query.answer.groups));
  else if (query.kind !== "histogram") throw new RangeError("a query without a dominating pair");
  else if (query.sections === undefined)
    for (const channel of query.channels) add(largest(channel), query.touches);
  else
    for (const section of query.sections) {
      const { touches = 1, root, most } = section;
      if (root === undefined) add(largest(section), touches);
      else for (const factor of rootOf(root.run, root.exponent)) add(factor * most, 1);
    }
  changes.delete(0);
  return changes;
}
