import { plainKernels } from "@consilium/core/linalg/plain";
import { unwrap } from "@consilium/core/result";
import type { ColumnBlock } from "@consilium/core/study/design";
import { asAdditive } from "@consilium/methods/dp-additive/study";
import { simulateAdditive } from "@consilium/methods/testing/additive/simulate";
import { parseStudy } from "@consilium/methods/testing/studies";
import { seededUniform } from "./faultFederation.js";

/** Patients of three wards, and a study of additive boosting over them: for tests of whole studies. */

export const wards = ["surgery", "heart", "children"];

export interface WardPatient {
  readonly age: number;
  /** A place in `wards`. */
  readonly ward: number;
  readonly ill: 0 | 1;
}

/** Illness goes with the ward, and with age above 60. */
export function wardPatients(count: number, seed: number): WardPatient[] {
  const uniform = seededUniform(seed);
  return Array.from({ length: count }, () => {
    const [age, ward] = [Math.floor(90 * uniform()), Math.floor(3 * uniform())];
    const ill = uniform() < (ward === 1 ? 0.6 : 0.2) + (age > 60 ? 0.2 : 0) ? 1 : 0;
    return { age, ward, ill };
  });
}

export const wardStudy = (name: string, privacy: unknown) => ({
  name,
  table: "patients",
  analysis: "boosted-trees",
  method: "dp-additive",
  features: [
    { name: "age", type: "numeric", min: 0, max: 100, unit: "years", edges: [20, 40, 60, 80] },
    { name: "ward", type: "categorical", levels: wards },
  ],
  label: { name: "ill", levels: ["no", "yes"] },
  privacy,
  parameters: { epochs: 3 },
  participation: { minimumSites: 3, maxRowsPerSite: 1000, phaseDeadline: "60s" },
});

/** The patients as a site's decoded rows. */
export function wardBlock(rows: readonly WardPatient[]): ColumnBlock {
  return {
    rows: rows.length,
    columns: [Float64Array.from(rows, ({ age }) => age), Float64Array.from(rows, ({ ward }) => ward)],
    labels: Uint16Array.from(rows, ({ ill }) => ill),
  };
}

/** The curves of a study without privacy, its tables in this process. */
export async function curvesOf(raw: unknown, tables: readonly (readonly ColumnBlock[])[]) {
  const random = {
    bytes() {
      throw new Error("a study without privacy draws nothing");
    },
  };
  const study = asAdditive(unwrap(parseStudy(raw)));
  return (await simulateAdditive({ study, tables, kernels: plainKernels(), random })).curves;
}
