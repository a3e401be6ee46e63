import type { StageId } from "@consilium/core/ids";
import type { Proposal } from "@consilium/gate/fold";
import { binOf } from "../shared/columns/binning.js";
import { cellOf } from "../shared/columns/counted.js";
import { noStage } from "../shared/plans/broadcastFaults.js";
import { proposed } from "../shared/records/proposal.js";
import { momentsOf, partsOf } from "./numbers.js";
import { type DescribeStudy, describeLayout } from "./study.js";

/**
 * What a record adds: its table's weight to one cell of every table, and of each number that it has two moments and its weight to one
 * small cell. L2 sensitivity under add-remove: docs/METHODS.md#describe-proof.
 * @throws ConsiliumError MESSAGE_UNEXPECTED for a stage of another method
 */
export function describeProposal(study: DescribeStudy, id: StageId): Proposal {
  const { features, marginals, numbers, stage } = describeLayout(study);
  if (id !== stage.id) throw noStage("describe", id);
  return proposed(study, stage, () => {
    const own = new Int32Array(features.length);
    return {
      kind: "histogram",
      write({ values, label }, cells, out) {
        for (let f = 0; f < features.length; f++) own[f] = cellOf(features[f]!, values[f]!);
        for (let i = 0; i < marginals.length; i++) {
          const { features: of, offset, weight } = marginals[i]!;
          const [row, column] = of.length === 1 ? [label, of[0]] : [own[of[0]]!, of[1]];
          cells[i] = offset + row * features[column]!.cells + own[column]!;
          out[i] = weight;
        }
        let touched = marginals.length;
        const add = (cell: number, value: number) => {
          cells[touched] = cell;
          out[touched++] = value;
        };
        for (let f = 0; f < numbers.length; f++) {
          const number = numbers[f]!;
          const value = values[f]!;
          if (number === null || Number.isNaN(value)) continue;
          const [sum, squares] = momentsOf(number, value);
          const { binned } = number.cells;
          add(number.sumsAt + label, sum);
          add(number.squaresAt + label, squares);
          add(number.cellsAt + label * binned.bins + binOf(binned, value), partsOf(number.unit).cell);
        }
        return touched;
      },
    };
  });
}
