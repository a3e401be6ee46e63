import { drawParts } from "@consilium/core/learning/heldOut";
import type { ColumnBlock } from "@consilium/core/study/design";

/** For tests and benches: a block whose rows are of these patients, as a site's data layer hands it out. */
export function withPatients(block: ColumnBlock, patients: readonly (number | string)[]): ColumnBlock {
  const parts = drawParts(block);
  const known = new Map<number | string, { count: number; draw: number }>();
  patients.forEach((patient, r) => {
    const own = known.get(patient) ?? { count: 0, draw: 0 };
    known.set(patient, { count: own.count + 1, draw: (own.draw + parts[r]!) >>> 0 });
  });
  return {
    ...block,
    patientRows: {
      counts: Uint16Array.from(patients, (patient) => known.get(patient)!.count),
      draws: Uint32Array.from(patients, (patient) => known.get(patient)!.draw),
    },
  };
}
