import { boundedFeatures } from "@consilium/core/study/flow";
import type { Study } from "@consilium/core/study/study";
import { PatientFlow } from "@consilium/gate/flowRecords";
import type { RecordBlock } from "@consilium/gate/record";
import { type DecodeOptions, decodeTable, Tally } from "./decode.js";
import type { OpenedSource } from "./openSource.js";
import type { TableKeys } from "./rowHash.js";

/**
 * Records of a study's flow: one of each row, or of each patient where the study or the hospital counts patients. No row's values are among
 * them.
 * @param tally - of the last reading
 */
export async function* flowRows(
  opened: OpenedSource,
  study: Study,
  tally: Tally,
  options: Pick<DecodeOptions, "anyRows" | "signal"> & {
    readonly keys: TableKeys;
    /** Told after each pass over patients whether it was the last; then the table is read once more, as `usedRows` does. */
    readonly onNoted?: (isLast: boolean) => Promise<void>;
  },
): AsyncGenerator<RecordBlock> {
  const { onNoted } = options;
  const pass = (of: Tally) =>
    decodeTable(opened, study, of, { ...options, bound: null, isFlow: true, reuseBlock: true });
  if (study.patient === undefined) {
    for await (const { rows, columns } of pass(tally)) yield { rows, columns, labels: null };
    return;
  }
  for (let from = 0; from < Number.POSITIVE_INFINITY; ) {
    const patients = new PatientFlow(from);
    for await (const { rows, columns, patients: whose } of pass(new Tally(study)))
      patients.add({ rows, columns, patient: whose!.patient });
    from = patients.to;
    await onNoted?.(from === Number.POSITIVE_INFINITY);
    yield* patients.records(boundedFeatures(study).length);
  }
  if (onNoted !== undefined) for await (const _ of pass(tally));
}
