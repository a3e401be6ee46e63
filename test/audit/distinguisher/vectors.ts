import { drawParts } from "@consilium/core/learning/heldOut";
import { repeating, streamed } from "@consilium/core/learning/sums";
import { plainKernels } from "@consilium/core/linalg/plain";
import type { RandomSource } from "@consilium/core/random";
import type { ColumnBlock } from "@consilium/core/study/design";
import { countedPatients, weighsPatients } from "@consilium/core/study/patientWeights";
import type { Study } from "@consilium/core/study/study";
import type { foldRecords, Proposal } from "@consilium/gate/fold";
import { PatientBound } from "@consilium/gate/patientBound";
import type { Integers } from "../auditedMethod.js";
import { seededRandom } from "../statistics.js";

export interface Row {
  readonly values: readonly number[];
  readonly label: number;
}

/** Who is added or removed: a record, or all rows of a patient. */
export type Unit = readonly Row[];

/** Numbered, so that a patient is the same one in both tables. */
export type Table = readonly { readonly id: number; readonly unit: Unit }[];

/** The gate's, or a weakened twin of it. */
export type Fold = typeof foldRecords;

const kernel = plainKernels();
const zeros: RandomSource = { bytes: (count) => new Uint8Array(count) };

/**
 * The integers that a table's records add up to, by the method's own proposal and a fold.
 * @param lots - that records are dealt by: the same ones each time, or all 0, which are the same in every order
 */
export async function vectorOf(options: {
  readonly study: Study;
  readonly proposal: Proposal;
  readonly fold: Fold;
  readonly table: Table;
  readonly lots: "seeded" | "zeros";
}): Promise<Integers> {
  const { study, proposal, fold, table, lots } = options;
  const { exact } = await fold({
    ...proposal,
    records: streamed([blockOf(study, table)]),
    patients: countedPatients(study),
    rowsAtMost: study.participation.maxRowsPerSite,
    kernel,
    random: lots === "zeros" ? zeros : seededRandom("lots"),
    checks: repeating,
    features: study.features.length,
  });
  return new BigInt64Array(exact.buffer, exact.byteOffset, exact.length);
}

/** As a site's data layer hands rows out: of a patient no more than the gate's bound takes. */
function blockOf(study: Study, table: Table): ColumnBlock {
  const rows = table.flatMap(({ unit }) => unit);
  const whole = blockOfRows(study, rows);
  if (study.patient === undefined) return whole;
  const draws = drawParts(whole);
  const { maxRows } = study.patient;
  const bound = new PatientBound({ maxRows, notes: 2 * maxRows + rows.length });
  const ids = Float64Array.from(table.flatMap(({ id, unit }) => unit.map(() => id + 1)));
  const bounded = {
    patient: [ids, ids, ids] as const,
    order: null,
    key: Float64Array.from(rows, ({ label }, r) => draws[r]! * 2 ** 16 + label),
  };
  do for (let r = 0; r < rows.length; r++) bound.note(bounded, r, draws[r]!);
  while (!bound.settle());
  const places = rows.map((_, r) => bound.take(bounded, r));
  const used = rows.filter((_, r) => places[r] !== -1);
  const block = blockOfRows(study, used);
  const patientRows = bound.rowsOf(Uint32Array.from(places.filter((place) => place !== -1)));
  return weighsPatients(study) ? { ...block, patientRows } : block;
}

const blockOfRows = ({ features, label }: Study, rows: readonly Row[]): ColumnBlock => ({
  rows: rows.length,
  columns: features.map((_, f) => Float64Array.from(rows, ({ values }) => values[f]!)),
  labels: label === undefined ? null : Uint16Array.from(rows, (row) => row.label),
});
