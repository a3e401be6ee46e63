import { faults } from "@consilium/core/fault";
import type { SiteId, StageId } from "@consilium/core/ids";
import type { Feature } from "@consilium/core/study/features";
import type { Proposal } from "@consilium/gate/fold";
import type { OneRecord } from "@consilium/gate/record";
import type { BroadcastSays } from "@consilium/words/says/broadcasts";
import { isMissing } from "../shared/counts/missing.js";
import { noStage } from "../shared/plans/broadcastFaults.js";
import { proposed } from "../shared/records/proposal.js";
import { type CountsStudy, type Criterion, countsLayout, groupOf } from "./study.js";

/**
 * What a record adds: 1 for each condition that it meets, at the group of its site. L2 sensitivity under add-remove: the root of how
 * many conditions there are (docs/METHODS.md#counts-proof). Which site answers is public.
 * @throws ConsiliumError MESSAGE_UNEXPECTED for a stage of another method, or at a site of no group
 */
export function countsProposal(study: CountsStudy, id: StageId, site: SiteId): Proposal {
  const { groups, stage } = countsLayout(study);
  if (id !== stage.id) throw noStage("counts", id);
  const group = groupOf(study, site);
  if (group === null) throw faults<BroadcastSays>()("MESSAGE_UNEXPECTED", "broadcast.no-group", { site });
  const tests = study.parameters.conditions.map(({ all }) => all.map((one) => testOf(study.features, one)));
  return proposed(study, stage, () => ({
    kind: "histogram",
    write(record, cells, values) {
      let met = 0;
      for (let i = 0; i < tests.length; i++) {
        if (!tests[i]!.every((test) => test(record))) continue;
        cells[met] = i * groups + group;
        values[met] = 1;
        met++;
      }
      return met;
    },
  }));
}

/** A missing number is neither at least nor below anything. */
function testOf(features: readonly Feature[], one: Criterion): (record: OneRecord) => boolean {
  const f = features.findIndex(({ name }) => name === one.column);
  const feature = features[f]!;
  if ("missing" in one) return ({ values }) => isMissing(feature, values[f]!) === one.missing;
  if ("in" in one) {
    const all = feature.type === "categorical" ? feature.levels : [];
    const wanted = new Set(one.in.map((level) => all.indexOf(level)));
    return ({ values }) => wanted.has(values[f]!);
  }
  const { atLeast = Number.NEGATIVE_INFINITY, below = Number.POSITIVE_INFINITY } = one;
  return ({ values }) => values[f]! >= atLeast && values[f]! < below;
}
