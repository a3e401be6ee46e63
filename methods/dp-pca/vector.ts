import type { Contributor, WriteVector } from "@consilium/gate/contributions";
import type { Proposal } from "@consilium/gate/fold";
import { proposed } from "../shared/records/proposal.js";
import type { DpPcaBall } from "./ball.js";
import { checkDirections, projectRecord, RecordQuantiser } from "./records.js";
import { type DpPcaLayout, type DpPcaStage, type DpPcaStudy, dpPcaLayout, momentQuery } from "./study.js";

/**
 * What a record adds to a stage of dp-pca, in one pass over its rows: integers without noise. L2 sensitivity under
 * add-remove, with the weights of the plan's noise (docs/METHODS.md#dp-pca-proof): A = 4^h + K² of second moments, √A of the
 * sums that choose a centre, 1 of the counts that choose a radius.
 *
 * Its shape depends on public numbers alone: an absent class, or an empty table, is zeros.
 * @param stage - one of the study's layout
 * @param directions - [k × d] as broadcast for this stage; null for a stage that has none
 * @param ball - what rows are clipped by or measured from; left out by a stage that is about the declared one
 * @throws ConsiliumError BROADCAST_INVALID
 */
export function dpPcaProposal(options: {
  readonly study: DpPcaStudy;
  readonly stage: DpPcaStage;
  readonly directions: Float64Array | null;
  readonly ball?: DpPcaBall;
}): Proposal {
  const { study, stage } = options;
  const layout = dpPcaLayout(study);
  if ((options.directions !== null) !== stage.directed) {
    throw new RangeError(`stage ${stage.id} and its directions do not fit`);
  }
  if (stage.about !== "declared" && options.ball === undefined) {
    throw new RangeError(`stage ${stage.id} needs the ball that was chosen`);
  }
  const directions =
    options.directions === null
      ? null
      : checkDirections(options.directions, layout.components, layout.columns);
  const ball = options.ball ?? layout.declared;
  const contributor = () => contributorOf({ study, stage, layout, directions, ball });
  const { choice } = layout;
  if (choice !== null && stage.shape === "sums") return proposed(study, choice.centre, contributor);
  if (choice !== null && stage.shape === "distances") return proposed(study, choice.radius, contributor);
  return { query: momentQuery(stage, layout), scale: 1, contributor };
}

function contributorOf(options: {
  readonly study: DpPcaStudy;
  readonly stage: DpPcaStage;
  readonly layout: DpPcaLayout;
  readonly directions: Float64Array | null;
  readonly ball: DpPcaBall;
}): Contributor {
  const { study, stage, layout, directions, ball } = options;
  const quantiser = new RecordQuantiser(study, layout, ball);
  if (stage.shape === "distances")
    return {
      kind: "histogram",
      write(record, cells, values) {
        quantiser.load(record);
        cells[0] = quantiser.distance();
        values[0] = 1;
        return 1;
      },
    };
  if (stage.shape === "rectangle")
    return {
      kind: "product",
      write(record, left, right) {
        quantiser.load(record);
        quantiser.write(left);
        projectRecord(layout, left, directions!, right);
        return true;
      },
    };
  const whole = new Int32Array(layout.columns + 1);
  const write: WriteVector = (record, out) => {
    quantiser.load(record);
    if (directions === null) quantiser.write(out);
    else {
      quantiser.write(whole);
      projectRecord(layout, whole, directions, out);
    }
    return stage.blocks === 1 ? 0 : record.label;
  };
  return { kind: stage.shape === "sums" ? "vector" : "gram", write };
}
