import { drawParts } from "@consilium/core/learning/heldOut";
import { weighsPatients } from "@consilium/core/study/patientWeights";
import type { Study } from "@consilium/core/study/study";
import { PatientBound } from "@consilium/gate/patientBound";
import { type DecodedBlock, type DecodeOptions, decodeTable, type PassOptions, Tally } from "./decode.js";
import type { OpenedSource } from "./openSource.js";
import type { TableKeys } from "./rowHash.js";

/**
 * The rows that a study uses of a table. Where the study names the patient the table is read at least twice: the rows are
 * noted first, then those that the bound takes are handed out. In a study whose patients weigh alike the blocks also say
 * how many rows each patient has.
 * @param tally - of the reading that hands out rows
 */
export async function* usedRows(
  opened: OpenedSource,
  study: Study,
  tally: Tally,
  options: DecodeOptions & {
    readonly keys: TableKeys;
    /** Told after each pass in which rows were noted, whether the next one hands rows out. */
    readonly onNoted?: (isSettled: boolean) => Promise<void>;
  },
): AsyncGenerator<DecodedBlock> {
  if (study.patient === undefined) {
    yield* decodeTable(opened, study, tally, { ...options, bound: null });
    return;
  }
  const bound = new PatientBound({ maxRows: study.patient.maxRows });
  do {
    await notePatients(opened, study, { ...options, bound });
    const isSettled = bound.settle();
    await options.onNoted?.(isSettled);
  } while (!bound.isSettled);
  for await (const block of decodeTable(opened, study, tally, { ...options, bound })) {
    const places = block.patients!.places.subarray(0, block.rows);
    yield weighsPatients(study) ? { ...block, patientRows: bound.rowsOf(places) } : block;
  }
}

/** Notes all usable rows of a table once. */
export async function notePatients(
  opened: OpenedSource,
  study: Study,
  { bound, ...options }: PassOptions & { readonly bound: PatientBound },
): Promise<void> {
  // The limit on rows is one on those that are used.
  const pass = { ...options, bound, reuseBlock: true, maxRows: undefined };
  for await (const block of decodeTable(opened, study, new Tally(study), pass)) {
    const draws = weighsPatients(study) ? drawParts(block) : null;
    for (let r = 0; r < block.rows; r++) bound.note(block.patients!, r, draws === null ? 0 : draws[r]!);
  }
}
