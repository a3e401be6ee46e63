import { gunzipSync } from "node:zlib";
import type { NumericKernels } from "@consilium/core/linalg/kernels";
import { unwrap } from "@consilium/core/result";
import { asDpPca, type DpPcaStudy, dpPcaLayout } from "@consilium/methods/dp-pca/study";
import { seededNormals } from "@consilium/methods/shared/draws/seededNormals";
import { capturedEnergy } from "@consilium/methods/shared/pca/subspace";
import { simulateDpPca } from "@consilium/methods/testing/dpPcaSimulation";
import { parseStudy } from "@consilium/methods/testing/studies";
import {
  adultTable,
  covarianceOf,
  repeatableBytes,
  siteTables,
  type UtilityTable,
  utilitySites,
  wdbcTable,
} from "./dpPcaTables.js";
import { heartFeatures } from "./utility/heartFeatures.js";
import { dataset } from "./utility/tables.js";

/**
 * dp-pca with the declared centre and radius beside a private choice of both: how much of the energy of the rows
 * themselves, neither clipped nor noisy, the components capture. Balls differ, so that clipped rows are no common measure.
 */

/** A table of numbers alone, between bounds that are declared beforehand. */
export interface NumericTable extends Pick<UtilityTable, "name" | "features" | "levels" | "train"> {
  readonly components: number;
  /** Chosen by hand for this table, as nobody could who had not seen it; left out where nobody did. */
  readonly byHand?: { readonly centre: number; readonly radius: number };
}

type Bounds = readonly [name: string, min: number, max: number];

const numeric = ([name, min, max]: Bounds) => ({ name, type: "numeric", min, max });

function tableOf(
  name: string,
  components: number,
  bounds: readonly Bounds[],
  rows: readonly (readonly number[])[],
): NumericTable {
  const within = rows.map((row) => row.map((x, j) => Math.min(bounds[j]![2], Math.max(bounds[j]![1], x))));
  return {
    name,
    components,
    features: bounds.map(numeric),
    levels: ["no", "yes"],
    train: { rows: within, labels: within.map((_, r) => r % 2) },
  };
}

const linesOf = (text: string) => text.trim().split(/\r?\n/);

/** WDBC between the least and the greatest value of each column, the tightest bounds that anybody could declare. */
function wdbc(): NumericTable {
  const { features, levels, train, test, centre, radius } = wdbcTable(0);
  const rows = { rows: [...train.rows, ...test.rows], labels: [...train.labels, ...test.labels] };
  return { name: "WDBC", features, levels, train: rows, components: 2, byHand: { centre, radius } };
}

/** The five measurements of UCI Heart Disease, of patients who have all of them. */
function heart(): NumericTable {
  const [header, ...lines] = linesOf(dataset("heart-disease-4sites/heart_4sites.csv").toString("utf8"));
  const names = ["age", "trestbps", "chol", "thalach", "oldpeak"];
  const at = names.map((name) => header!.split(",").indexOf(name));
  const rows = lines
    .map((line) => line.split(","))
    .filter((cells) => at.every((j) => cells[j] !== ""))
    .map((cells) => at.map((j) => Number(cells[j])));
  const declared = heartFeatures({ sex: ["0", "1"], exang: ["0", "1"] });
  const bounds = names.map((name): Bounds => {
    const { min, max } = declared.find((feature) => feature.name === name) as { min: number; max: number };
    return [name, min, max];
  });
  return tableOf("heart, measurements", 2, bounds, rows);
}

/** Breast Cancer Wisconsin: nine grades from 1 to 10, most of them 1 in most rows. */
function grades(): NumericTable {
  const rows = linesOf(dataset("breast-cancer-wisconsin/breast-cancer-wisconsin.data").toString("utf8"))
    .filter((line) => !line.includes("?"))
    .map((line) => line.split(",").slice(1, -1).map(Number));
  const bounds = rows[0]!.map((_, j): Bounds => [`grade_${j + 1}`, 1, 10]);
  return tableOf("BCW", 2, bounds, rows);
}

/** The ten measurements of Covertype, two thousand rows. */
function terrain(): NumericTable {
  const bounds: readonly Bounds[] = [
    ["elevation", 0, 5000],
    ["aspect", 0, 360],
    ["slope", 0, 90],
    ["water_across", 0, 2000],
    ["water_down", -500, 1000],
    ["roads", 0, 10_000],
    ["shade_9", 0, 255],
    ["shade_12", 0, 255],
    ["shade_15", 0, 255],
    ["fires", 0, 10_000],
  ];
  const text = gunzipSync(dataset("covertype-20k/covtype.20k.data.gz")).toString("utf8");
  const rows = linesOf(text)
    .slice(0, 2000)
    .map((line) => line.split(",").slice(0, bounds.length).map(Number));
  return tableOf("Covertype, measurements", 3, bounds, rows);
}

/** The six numbers of Adult. */
function incomes(): NumericTable | null {
  const table = adultTable(process.env.CONSILIUM_DATASETS ?? null);
  if (table === null) return null;
  const places = table.features.flatMap(({ type }, j) => (type === "numeric" ? [j] : []));
  const bounds = places.map((j): Bounds => {
    const { name, min, max } = table.features[j] as { name: string; min: number; max: number };
    return [name, min, max];
  });
  return tableOf(
    "Adult, numbers",
    2,
    bounds,
    table.train.rows.map((row) => places.map((j) => row[j]!)),
  );
}

/** Rows around a point off the middle, along three directions and a little across. */
export function concentratedTable(rows: number, columns: number): NumericTable {
  const normal = seededNormals(`concentrated ${rows} ${columns}`);
  const draw = (count: number) => Array.from({ length: count }, () => normal());
  const means = draw(columns).map((x) => 0.3 + 0.1 * Math.max(-1, Math.min(1, x)));
  const directions = [1, 0.7, 0.5].map((length) => draw(columns).map((x) => length * x));
  const bounds = means.map((_, j): Bounds => [`x${j}`, 0, 1]);
  const values = Array.from({ length: rows }, () => {
    const factors = draw(3);
    return means.map(
      (mean, j) =>
        mean + 0.05 * (directions.reduce((sum, one, i) => sum + factors[i]! * one[j]!, 0) + 0.5 * normal()),
    );
  });
  return tableOf(`generated, ${columns} columns`, 2, bounds, values);
}

/** Independent columns, even over their ranges: what the declared radius is made for, and a choice can only lose on. */
export function evenTable(rows: number, columns: number): NumericTable {
  const bytes = repeatableBytes(`even ${rows} ${columns}`);
  const values = Array.from({ length: rows }, () =>
    Array.from(new Uint32Array(bytes.bytes(4 * columns).buffer), (word) => word / 2 ** 32),
  );
  const bounds = Array.from({ length: columns }, (_, j): Bounds => [`x${j}`, 0, 1]);
  return tableOf(`even, ${columns} columns`, 2, bounds, values);
}

/** All tables that are at hand. */
export function numericTables(): NumericTable[] {
  const bundled = [wdbc(), concentratedTable(600, 8), concentratedTable(1000, 20), evenTable(600, 8)];
  const adult = incomes();
  if (adult === null) {
    console.error("SKIPPED heart, BCW, Covertype and Adult: set CONSILIUM_DATASETS to their folder");
    return bundled;
  }
  return [...bundled, heart(), grades(), terrain(), adult];
}

/** A study of the table as somebody writes it who knows nothing of it but its bounds and about how many rows there are. */
export function ballStudy(
  table: NumericTable,
  epsilon: number,
  parameters: Readonly<Record<string, unknown>>,
): DpPcaStudy {
  const parsed = parseStudy({
    name: "balls",
    table: "t",
    analysis: "pca",
    method: "dp-pca",
    variant: "sound",
    features: table.features,
    label: { name: "utility_label", levels: table.levels },
    parameters: { components: table.components, ...parameters },
    privacy: { epsilon, delta: 1e-5 },
    participation: {
      sites: [...utilitySites],
      minimumSites: utilitySites.length,
      tolerateColluding: 1,
      maxRowsPerSite: 20_000,
      expectedRows: table.train.rows.length,
    },
  });
  return asDpPca(unwrap(parsed));
}

/** [rows × columns] row-major, mapped to 0 to 1. */
function unitRows(table: NumericTable): Float64Array {
  const bounds = table.features as readonly { readonly min: number; readonly max: number }[];
  return Float64Array.from(
    table.train.rows.flatMap((row) =>
      row.map((x, j) => (x - bounds[j]!.min) / (bounds[j]!.max - bounds[j]!.min)),
    ),
  );
}

export interface BallLine {
  readonly table: string;
  readonly rows: number;
  readonly columns: number;
  readonly epsilon: number;
  /** What `ball: auto` comes to. */
  readonly auto: "declared" | "private";
  /** Captured energy of each run. */
  readonly declared: readonly number[];
  readonly private: readonly number[];
  readonly byHand: readonly number[] | null;
}

/** Both forms on one table at one ε, the components of every run against the best ones of the rows themselves. */
export async function compareBalls(
  table: NumericTable,
  epsilon: number,
  options: { readonly seeds: number; readonly kernels: NumericKernels },
): Promise<BallLine> {
  const { seeds, kernels } = options;
  const columns = table.features.length;
  const tables = siteTables(table);
  const study = ballStudy(table, epsilon, {});
  const covariance = covarianceOf(unitRows(table), columns);
  const { vectors } = await kernels.symmetricEigen(covariance, columns, table.components);
  const best = capturedEnergy(vectors, covariance);
  const energies = async (parameters: Readonly<Record<string, unknown>>) => {
    const runs: number[] = [];
    for (let seed = 0; seed < seeds; seed++) {
      const name = `${table.name} ${epsilon} ${JSON.stringify(parameters)} ${seed}`;
      const { subspace } = await simulateDpPca({
        study: ballStudy(table, epsilon, parameters),
        tables,
        kernels,
        random: repeatableBytes(name),
        seed: name,
      });
      runs.push(capturedEnergy(subspace.loadings, covariance) / best);
    }
    return runs;
  };
  return {
    table: table.name,
    rows: table.train.rows.length,
    columns,
    epsilon,
    auto: dpPcaLayout(study).choice === null ? "declared" : "private",
    declared: await energies({ ball: "declared" }),
    private: await energies({ ball: "private" }),
    byHand: table.byHand === undefined ? null : await energies({ ball: "declared", ...table.byHand }),
  };
}
