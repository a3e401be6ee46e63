import type { StageId } from "@consilium/core/ids";
import { recordHash } from "@consilium/core/learning/heldOut";
import type { Contributor, PlaceOf } from "@consilium/gate/contributions";
import type { Proposal } from "@consilium/gate/fold";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import { Bins } from "../shared/columns/binning.js";
import { bestCut } from "../shared/correlation-tree/bestCut.js";
import { lastProposal } from "../shared/correlation-tree/lastProposal.js";
import { levelsAbove } from "../shared/correlation-tree/treeSoFar.js";
import { noStage } from "../shared/plans/broadcastFaults.js";
import { heldOutRecord } from "../shared/records/heldOutRecord.js";
import { proposed, type ToldInput } from "../shared/records/proposal.js";
import { nodeOf, routeOf } from "../shared/records/route.js";
import { answerUnit, type DpPccSLayout, type DpPccSStudy, dpPccSLayout } from "./study.js";

/**
 * What a record adds to a stage of dp-pcc-s: integers without noise. At a level, of each node the sum of its blocks' answers. A
 * record is in one block and one node, so it changes one answer: of each attribute by at most √2, L2 sensitivity √(2m) under
 * add-remove. At the leaves and in the evaluation a record is a single 1.
 * @throws ConsiliumError as `dpPccProposal`
 */
export function dpPccSProposal(study: DpPccSStudy, id: StageId, input: ToldInput): Proposal {
  const layout = dpPccSLayout(study);
  if (id === layout.leaves.id || id === layout.evaluation?.id) return lastProposal(study, layout, id, input);
  const level = layout.levels.findIndex((stage) => stage.id === id);
  if (level === -1) throw noStage("dp-pcc-s", id);
  const stage = layout.levels[level]!;
  const contributor = levelContributor(study, layout, level, input);
  return proposed(study, stage, contributor);
}

function levelContributor(
  study: DpPccSStudy,
  layout: DpPccSLayout,
  level: number,
  { broadcasts }: ToldInput,
): () => Contributor {
  const { features } = layout;
  const { depth, evaluation, seed } = study.parameters;
  const above = levelsAbove(broadcasts, level, depth, features);
  return () => {
    const route = routeOf(above, features);
    const isHeldOut = heldOutRecord(evaluation, seed);
    const blockOf = blockOfRecord(study, layout.levels[level]!.id);
    const count = counterOf(layout);
    return {
      kind: "blocks",
      placeOf(record, counted) {
        if (isHeldOut(record)) return -1;
        count(record, counted);
        return blockOf(record.values) * 2 ** level + nodeOf(route, record.values);
      },
      answer: ({ counts }, out) => writeAnswers(layout, counts, out),
    };
  };
}

/** Writes the cell of each attribute that a record counts in: its bin and class. */
function counterOf({ features, classes }: DpPccSLayout): (...asked: Parameters<PlaceOf>) => void {
  const starts: number[] = [];
  let length = 0;
  for (const { bins } of features) {
    starts.push(length);
    length += bins * classes;
  }
  const binned = Bins.for(features);
  return ({ values, label }, counted) => {
    for (let f = 0; f < features.length; f++)
      counted[f] = starts[f]! + binned.of(f, values[f]!) * classes + label;
  };
}

/** Of each attribute a block's answer at a node. */
function writeAnswers(layout: DpPccSLayout, counts: Float64Array, out: Int32Array): void {
  let from = 0;
  layout.features.forEach(({ bins }, f) => {
    const to = from + bins * layout.classes;
    writeAnswer(out, layout, f, counts.subarray(from, to));
    from = to;
  });
}

/**
 * A block's answer about one attribute: of an ordered one |φ| and |φ|·c, c from 0 to 1 by the rank of the cut, 1 for the last;
 * of a nominal one |φ| at the level that is taken out. Nothing where no cut has a correlation.
 */
function writeAnswer(out: Int32Array, layout: DpPccSLayout, feature: number, bins: Float64Array): void {
  const { kind, bins: count } = layout.features[feature]!;
  const best = bestCut(bins, kind, layout.classes, 0);
  if (best === null) return;
  const { at } = layout.answers[feature]!;
  const units = Math.trunc(best.correlation * answerUnit);
  if (kind === "nominal") out[at + best.cut] = units;
  else {
    out[at] = units;
    out[at + 1] = Math.trunc((units * (best.cut + 1)) / (count - 1));
  }
}

/** The block of a record: a function of its own features, of public text and of nothing else; other ones at each level. */
function blockOfRecord(study: DpPccSStudy, stage: StageId): (values: Float64Array) => number {
  const { seed, blocks } = study.parameters;
  const start = Number.parseInt(sha256("consilium blocks of rows v1\n", `${stage} ${seed}`).slice(0, 8), 16);
  return (values) => recordHash(values, start) % blocks;
}
