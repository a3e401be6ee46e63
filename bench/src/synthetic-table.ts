import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { rhoFromEpsilon } from "@consilium/core/privacy/conversions";
import type { ColumnBlock } from "@consilium/core/study/design";
import { cellOf } from "@consilium/methods/shared/columns/counted";
import {
  asSyntheticTable,
  type SyntheticTableStudy,
  syntheticTableLayout,
} from "@consilium/methods/synthetic-table/study";
import { drawnRows } from "@consilium/methods/synthetic-table/syntheticRows";
import { simulateSynthetic } from "@consilium/methods/testing/syntheticTable";
import { type LabelledRows, repeatableBytes, utilitySites } from "./dpPcaTables.js";
import { adult, type BinnedTable, census, equalNoise, studyOf } from "./utility/tables.js";

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
  const folder = mkdtempSync(join(tmpdir(), "consilium-synthetic-"));
  try {
    const study = syntheticStudyOf(table, epsilon);
    const { columns } = syntheticTableLayout(study);
    const write = (name: string, rows: readonly (readonly number[])[]) => {
      const cells = rows.flatMap((row) => row.map((value, c) => cellOf(columns[c]!, value)));
      return written(folder, name, Uint16Array.from(cells));
    };
    const [train, test] = [rowsOf(table.train), rowsOf(table.test)];
    const own: string[] = [];
    for (let seed = 1; seed <= seeds; seed++) {
      const random = repeatableBytes(`${table.name} synthetic ${epsilon} ${seed}`);
      const { model } = await simulateSynthetic(study, dealtRows(train, columns.length), random);
      const cells = [...drawnRows(model, train.length, `bench ${seed}`)].flatMap((part) =>
        Array.from({ length: part.rows }, (_, r) => part.cells.map((column) => column[r]!)),
      );
      own.push(written(folder, `own-${seed}`, Uint16Array.from(cells.flat())));
    }
    const request = written(
      folder,
      "request.json",
      JSON.stringify({
        sizes: columns.map(({ cells }) => cells),
        train: write("train", train),
        test: write("test", test),
        own,
        rho: rhoFromEpsilon({ epsilon, delta }),
      }),
    );
    const figures = await python(request);
    for (const [rows, all] of Object.entries(figures))
      console.log(`| ${[table.name, rows, ...all.map((one) => one.toFixed(4))].join(" | ")} |`);
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

function syntheticStudyOf(table: BinnedTable, epsilon: number): SyntheticTableStudy {
  const features = [...table.features, { name: "outcome", type: "categorical", levels: table.levels }];
  return asSyntheticTable(
    studyOf(table, {
      analysis: "synthetic-table",
      method: "synthetic-table",
      label: undefined,
      features: features.map((feature) => ({ ...feature, missing: "reject-row" })),
      privacy: equalNoise(epsilon, delta),
    }),
  );
}

function dealtRows(rows: readonly (readonly number[])[], columns: number): ColumnBlock[][] {
  return utilitySites.map((_, site) => {
    const own = rows.filter((__, r) => r % utilitySites.length === site);
    const column = (c: number) => Float64Array.from(own, (row) => row[c]!);
    return [
      { rows: own.length, columns: Array.from({ length: columns }, (__, c) => column(c)), labels: null },
    ];
  });
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
