import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { rhoFromEpsilon } from "@consilium/core/privacy/conversions";
import { cellOf } from "@consilium/methods/shared/columns/counted";
import {
  asSyntheticTable,
  type SyntheticTableStudy,
  syntheticTableLayout,
} from "@consilium/methods/synthetic-table/study";
import { drawnRows } from "@consilium/methods/synthetic-table/syntheticRows";
import { simulateSynthetic } from "@consilium/methods/testing/syntheticTable";
import { type LabelledRows, repeatableBytes } from "./dpPcaTables.js";
import {
  adult,
  type BinnedTable,
  census,
  dealt,
  equalNoise,
  ofCompleteRows,
  studyOf,
} from "./utility/tables.js";

/**
 * What synthetic rows are worth: all sites in one process, with the noise that a central program adds at (ε, δ), beside central programs of
 * the same privacy in numpy, one of which is MST [MMS21]; by models that are trained on the rows and tested on real ones, and by the distance
 * of two-way tables from the real ones.
 */

const usage = `Usage: npm run bench -- synthetic-table [--seeds 5] [--epsilon 1] [--data adult|census]
Needs CONSILIUM_DATASETS, and a Python with numpy and scikit-learn (CONSILIUM_PYTHON).`;

const delta = 1e-5;
const tables: Readonly<Record<string, () => BinnedTable>> = { adult, census: () => census(1) };

export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seeds: { type: "string", default: "5" },
      epsilon: { type: "string", default: "1" },
      data: { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  const [seeds, epsilon] = [Number(values.seeds), Number(values.epsilon)];
  const wanted = values.data === undefined ? Object.keys(tables) : [values.data];
  if (values.help || !(seeds >= 1) || !(epsilon > 0) || wanted.some((name) => !(name in tables))) {
    console.log(usage);
    return;
  }
  console.log("| data | rows | two-way distance | logistic AUC | accuracy | boosting AUC | accuracy |");
  console.log(`| ${Array<string>(7).fill("---").join(" | ")} |`);
  for (const name of wanted) await measured(tables[name]!(), { seeds, epsilon });
}

async function measured(
  table: BinnedTable,
  { seeds, epsilon }: { readonly seeds: number; readonly epsilon: number },
): Promise<void> {
  const { study, withOutcome } = syntheticStudyOf(table, epsilon);
  const own: number[][][] = [];
  for (let seed = 1; seed <= seeds; seed++) {
    const random = repeatableBytes(`${table.name} synthetic ${epsilon} ${seed}`);
    const { model } = await simulateSynthetic(study, dealt(withOutcome), random);
    own.push(
      [...drawnRows(model, table.train.rows.length, `bench ${seed}`)].flatMap((part) =>
        Array.from({ length: part.rows }, (_, r) => part.cells.map((column) => column[r]!)),
      ),
    );
  }
  const figures = await worthOf(table, study, own, epsilon);
  for (const [rows, all] of Object.entries(figures))
    console.log(`| ${[table.name, rows, ...all.map((one) => one.toFixed(4))].join(" | ")} |`);
}

/** In this order. */
export const worths = [
  "two-way distance",
  "logistic AUC",
  "logistic accuracy",
  "boosting AUC",
  "boosting accuracy",
] as const;

/**
 * What rows of cells are worth, as means over the seeds, by the name of what made them.
 * @param own - of each seed, the synthetic rows, [rows][columns] each
 * @param peersEpsilon - of the central programs beside; null for none of them
 */
export async function worthOf(
  { train, test }: BinnedTable,
  study: SyntheticTableStudy,
  own: readonly (readonly (readonly number[])[])[],
  peersEpsilon: number | null,
): Promise<Record<string, number[]>> {
  const folder = mkdtempSync(join(tmpdir(), "consilium-synthetic-"));
  try {
    const { columns } = syntheticTableLayout(study);
    const cells = (rows: readonly (readonly number[])[]) =>
      rows.map((row) => row.map((value, c) => cellOf(columns[c]!, value)));
    const write = (name: string, rows: readonly (readonly number[])[]) =>
      written(folder, name, Uint16Array.from(rows.flat()));
    const request = written(
      folder,
      "request.json",
      JSON.stringify({
        sizes: columns.map((column) => column.cells),
        train: write("train", cells(rowsOf(train))),
        test: write("test", cells(rowsOf(test))),
        own: own.map((rows, seed) => write(`own-${seed}`, rows)),
        rho: peersEpsilon === null ? null : rhoFromEpsilon({ epsilon: peersEpsilon, delta }),
      }),
    );
    return await python(request);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function written(folder: string, name: string, content: string | Uint16Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

/** The label is the last column. */
const rowsOf = ({ rows, labels }: LabelledRows) => rows.map((row, r) => [...row, labels[r]!]);

/** @returns the study, and the table with the outcome as a column like the others, as its sites have it */
export function syntheticStudyOf(
  table: BinnedTable,
  epsilon: number,
): { readonly study: SyntheticTableStudy; readonly withOutcome: BinnedTable } {
  const outcome = { name: "outcome", type: "categorical", levels: table.levels };
  const features = ofCompleteRows([...table.features, outcome]);
  const train = { rows: rowsOf(table.train), labels: table.train.labels };
  const withOutcome = { ...table, features, train };
  const study = asSyntheticTable(
    studyOf(withOutcome, {
      analysis: "synthetic-table",
      method: "synthetic-table",
      label: undefined,
      privacy: equalNoise(epsilon, delta),
    }),
  );
  return { study, withOutcome };
}

function python(request: string): Promise<Record<string, number[]>> {
  const script = fileURLToPath(new URL("../src/synthetic_table.py", import.meta.url));
  // Threads that wait for each other slow a busy machine down.
  const env = { ...process.env, OMP_NUM_THREADS: "1" };
  return new Promise((resolve, reject) => {
    execFile(
      process.env.CONSILIUM_PYTHON || "python3",
      [script, request],
      { env },
      (error, stdout, stderr) => {
        if (error === null) resolve(JSON.parse(stdout) as Record<string, number[]>);
        else reject(new Error(`${stderr.slice(-2000)}\n${usage}`, { cause: error }));
      },
    );
  });
}
