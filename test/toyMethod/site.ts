import { ConsiliumError } from "@consilium/core/errors";
import { anyTable, type SiteSide } from "@consilium/core/method/siteSide";
import { proposed } from "@consilium/methods/shared/records/proposal";
import { toyStage } from "./study.js";

export const site: SiteSide = {
  demands: () => anyTable,

  proposal(id, input) {
    const { study } = input;
    if (id !== toyStage.id) throw new ConsiliumError("MESSAGE_UNEXPECTED", `toy-halves has no stage ${id}`);
    const first = study.features[0]!;
    const middle = first.type === "numeric" ? (first.min + first.max) / 2 : 1;
    return proposed(study, toyStage, () => ({
      kind: "histogram",
      write(record, cells, values) {
        cells[0] = record.values[0]! < middle ? 0 : 1;
        values[0] = 1;
        return 1;
      },
    }));
  },
};
