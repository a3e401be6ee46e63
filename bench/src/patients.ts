import { parseArgs } from "node:util";
import { unwrap } from "@consilium/core/result";
import type { ColumnBlock } from "@consilium/core/study/design";
import { withPatients } from "@consilium/methods/testing/patients";
import { parseStudy, type Study } from "@consilium/methods/testing/studies";
import seedrandom from "seedrandom";
import { meanOver, worthOf } from "./defaults.js";
import { adult, type BinnedTable, filled } from "./utility/tables.js";

/**
 * What the patient as the unit costs the methods that predict: Adult, its training rows dealt out at random to patients with 1.4
 * rows each on average and 5 at most, at equal ε for the patient. All sites in one process, with the product's own vectors
 * and noise.
 */

const delta = 1e-6;
const maxRows = 5;
const meanRows = 1.4;
const sites = 5;
const methods: Readonly<Record<string, string>> = {
  "dp-histboost": "boosted-trees",
  "dp-additive": "boosted-trees",
  "dp-ka": "k-anonymous-selection",
  "dp-pcc": "correlation-tree",
};

/** How a patient's rows count: one row alone, each 1 over their number, or each 1. */
const units = {
  "first row": { maxRows: 1 },
  patients: { maxRows, weighting: "patients" },
  rows: { maxRows, weighting: "rows" },
} as const;

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      seeds: { type: "string", default: "5" },
      epsilon: { type: "string", default: "1,4" },
      method: { type: "string", default: "" },
    },
  });
  const table = adult();
  for (const epsilon of values.epsilon.split(",").map(Number)) {
    for (const method of Object.keys(methods).filter((name) => name.startsWith(values.method))) {
      for (const [name, patient] of Object.entries(units)) {
        const study = studyOf(table, { method, epsilon, patient });
        const noise = `patients ${method} ${epsilon} ${JSON.stringify(patient)}`;
        const { accuracy, auc } = await meanOver(Number(values.seeds), (seed) =>
          worthOf(study, table, dealtToPatients(table, patient.maxRows, seed), `${noise} ${seed}`),
        );
        console.log(
          `ε = ${epsilon}, ${method}, ${name}: accuracy ${accuracy.toFixed(3)}, AUC ${auc.toFixed(3)}`,
        );
      }
    }
  }
}

function studyOf(
  table: BinnedTable,
  about: {
    readonly method: string;
    readonly epsilon: number;
    readonly patient: { readonly maxRows: number };
  },
): Study {
  const { method, epsilon, patient } = about;
  return unwrap(
    parseStudy({
      name: "patients",
      table: "t",
      analysis: methods[method],
      method,
      features: table.features,
      label: { name: "bench_label", levels: table.levels },
      patient: { column: "bench_patient", ...patient },
      privacy: { epsilon, delta },
      participation: { minimumSites: 3, maxRowsPerSite: 20_000, expectedRows: table.train.rows.length },
    }),
  );
}

/** One row more with a chance that gives `meanRows` on average: of a patient at most `most` are used. */
function dealtToPatients(table: BinnedTable, most: number, seed: number): ColumnBlock[][] {
  const generator = seedrandom(`patients ${seed}`);
  const { rows, labels } = table.train;
  const own: { row: number; patient: number }[][] = Array.from({ length: sites }, () => []);
  let [patient, used] = [0, 0];
  for (let row = 0; row < rows.length; row++) {
    if (row > 0 && generator.double() >= 1 - 1 / meanRows) [patient, used] = [patient + 1, 0];
    if (++used <= most) own[patient % sites]!.push({ row, patient });
  }
  return own.map((part) => [
    withPatients(
      {
        rows: part.length,
        columns: table.features.map((feature, j) =>
          Float64Array.from(part, ({ row }) => filled(feature, rows[row]![j]!)),
        ),
        labels: Uint16Array.from(part, ({ row }) => labels[row]!),
      },
      part.map((one) => one.patient),
    ),
  ]);
}
