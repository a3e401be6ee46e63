import { ConsiliumError } from "@consilium/core/errors";
import type { StageId } from "@consilium/core/ids";
import type { Proposal } from "@consilium/gate/fold";
import { cellOf } from "../shared/columns/counted.js";
import { proposed } from "../shared/records/proposal.js";
import { type DescribeStudy, describeLayout } from "./study.js";

/**
 * What a record adds: its table's weight to one cell of every table. L2 sensitivity under add-remove: √Σw²
 * (docs/METHODS.md#describe-proof).
 * @throws ConsiliumError MESSAGE_UNEXPECTED for a stage of another method
 */
export function describeProposal(study: DescribeStudy, id: StageId): Proposal {
  const { features, marginals, stage } = describeLayout(study);
  if (id !== stage.id) throw new ConsiliumError("MESSAGE_UNEXPECTED", `describe has no sum stage ${id}`);
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
        return marginals.length;
      },
    };
  });
}
