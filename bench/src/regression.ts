import { parseArgs } from "node:util";
import { plainKernels } from "@consilium/core/linalg/plain";
import { rhoFromEpsilon } from "@consilium/core/privacy/conversions";
import { unwrap } from "@consilium/core/result";
import type { ColumnBlock } from "@consilium/core/study/design";
import { ColumnWriter } from "@consilium/methods/regression/columns";
import { cholesky, solved } from "@consilium/methods/regression/dense";
import { asRegression, type RegressionStudy, regressionLayout } from "@consilium/methods/regression/study";
import { normalStream } from "@consilium/methods/shared/draws/gaussian";
import { drawnPatients, regressionFeatures, stay } from "@consilium/methods/testing/regression/patients";
import { simulateRegression } from "@consilium/methods/testing/regression/simulate";
import { parseStudy } from "@consilium/methods/testing/studies";
import seedrandom from "seedrandom";
import { type LabelledRows, repeatableBytes, utilitySites } from "./dpPcaTables.js";
import {
  accuracyOf,
  adult,
  areaUnderRoc,
  type BinnedTable,
  dealt,
  equalNoise,
  studyOf,
} from "./utility/tables.js";

/**
 * What regressions are worth, with all sites in one process and the noise that a central program adds at (ε, δ): logistic on Adult; and
 * linear beside AdaSSP [Wang18], which adds the same noise to the same Gram matrix in three parts and takes a ridge from it.
 */

const usage = `Usage: npm run bench -- regression [--repeats 20] [--json]
Adult comes from CONSILIUM_DATASETS; without it only drawn tables are measured.`;

const delta = 1e-5;
const epsilons = [0.1, 0.25, 1, null] as const;

interface LogisticFigures {
  readonly data: string;
  readonly epsilon: number | null;
  readonly steps: number;
  readonly accuracy: number;
  readonly area: number;
}

interface LinearFigures {
  readonly data: string;
  readonly epsilon: number | null;
  /** R² on rows that no fit saw. */
  readonly own: number;
  readonly adaSsp: number | null;
}

export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      repeats: { type: "string", default: "20" },
      json: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  const repeats = Number(values.repeats);
  if (values.help || !Number.isInteger(repeats) || repeats < 1) {
    console.log(usage);
    return;
  }
  const table = process.env.CONSILIUM_DATASETS === undefined ? null : adult();
  const logistic: LogisticFigures[] = [];
  const linear: LinearFigures[] = [];
  // Long: what is measured is told at once.
  const say = (line: string) => {
    if (!values.json) console.log(line);
  };
  for (const epsilon of epsilons) {
    const seeds = epsilon === null ? 1 : repeats;
    const at = `ε ${epsilon ?? "none"}`;
    for (const data of table === null ? [] : [table, withoutRepeated(table)]) {
      const figures = await logisticFigures(data, epsilon, seeds);
      const { steps, accuracy, area } = figures;
      logistic.push(figures);
      say(
        `${data.name}, logistic, ${at}, ${steps} steps: accuracy ${accuracy.toFixed(4)}, AUC ${area.toFixed(4)}`,
      );
    }
    for (const data of [drawn(), ...(table === null ? [] : [hoursOf(table)])]) {
      const figures = await linearFigures(data, epsilon, seeds);
      const { own, adaSsp } = figures;
      linear.push(figures);
      say(`${data.name}, linear, ${at}: R² ${own.toFixed(4)}, AdaSSP ${adaSsp?.toFixed(4) ?? "-"}`);
    }
  }
  if (values.json) console.log(JSON.stringify({ delta, repeats, logistic, linear }, null, 2));
}

async function logisticFigures(
  table: BinnedTable,
  epsilon: number | null,
  seeds: number,
): Promise<LogisticFigures> {
  let [accuracy, area] = [0, 0];
  const study = asRegression(
    studyOf(table, {
      analysis: "regression",
      method: "regression",
      privacy: equalNoise(epsilon, delta),
      parameters: { evaluation: "none" },
    }),
  );
  const columns = columnsOf(study, table.test.rows);
  for (let seed = 1; seed <= seeds; seed++) {
    const random = repeatableBytes(`${table.name} regression ${epsilon} ${seed}`);
    const { predicting } = await simulateRegression({
      study,
      tables: dealt(table),
      kernels: plainKernels(),
      random,
    });
    const scores = columns.map((row) => dot(row, predicting));
    accuracy +=
      accuracyOf(
        scores.map((score) => (score > 0 ? 1 : 0)),
        table.test.labels,
      ) / seeds;
    area += areaUnderRoc(scores, table.test.labels) / seeds;
  }
  const steps = regressionLayout(study).sums.length;
  return { data: table.name, epsilon, steps, accuracy, area };
}

/** Adult without the sampling weight, and without the education that its number of years says again. */
function withoutRepeated(table: BinnedTable): BinnedTable {
  const kept = table.features.flatMap(({ name }, j) =>
    name === "fnlwgt" || name === "education" ? [] : [j],
  );
  const rowsOf = ({ rows, labels }: LabelledRows): LabelledRows => ({
    rows: rows.map((row) => kept.map((j) => row[j]!)),
    labels,
  });
  return {
    ...table,
    name: `${table.name} without fnlwgt and education`,
    features: kept.map((j) => table.features[j]!),
    train: rowsOf(table.train),
    test: rowsOf(table.test),
  };
}

/** A table with an outcome among its features. */
interface LinearTable {
  readonly name: string;
  readonly features: readonly Record<string, unknown>[];
  readonly outcome: string;
  readonly train: readonly (readonly number[])[];
  readonly test: readonly (readonly number[])[];
}

function drawn(): LinearTable {
  const rowsOf = ({ rows, columns }: ColumnBlock) =>
    Array.from({ length: rows }, (_, r) => columns.map((column) => column[r]!));
  return {
    name: "Drawn, 5,000 rows, 6 coefficients",
    features: [...regressionFeatures, stay],
    outcome: "stay",
    train: rowsOf(drawnPatients(5000, "train", "stay")),
    test: rowsOf(drawnPatients(20_000, "test", "stay")),
  };
}

/** Hours worked by the other columns of Adult. */
function hoursOf({ features, train, test }: BinnedTable): LinearTable {
  return {
    name: "Adult's hours, 32,561 rows, 100 coefficients",
    features: features.map(({ edges: _, ...feature }) => feature),
    outcome: "hours",
    train: train.rows,
    test: test.rows,
  };
}

async function linearFigures(
  { name, features, outcome, train, test }: LinearTable,
  epsilon: number | null,
  seeds: number,
): Promise<LinearFigures> {
  const study = asRegression(
    unwrap(
      parseStudy({
        name: "utility",
        table: "t",
        analysis: "regression",
        features,
        parameters: { family: "linear", outcome },
        privacy: equalNoise(epsilon, delta),
        participation: {
          sites: utilitySites,
          minimumSites: 5,
          maxRowsPerSite: 20_000,
          expectedRows: train.length,
        },
      }),
    ),
  );
  const blocks = utilitySites.map((_, site): ColumnBlock[] => {
    const own = train.filter((_, r) => r % utilitySites.length === site);
    const columns = features.map((_, j) => Float64Array.from(own, (row) => row[j]!));
    return [{ rows: own.length, columns, labels: null }];
  });
  const [x, y] = [columnsOf(study, train), outcomesOf(study, train)];
  const [seenX, seenY] = [columnsOf(study, test), outcomesOf(study, test)];
  let [own, adaSsp] = [0, 0];
  for (let seed = 1; seed <= seeds; seed++) {
    const random = repeatableBytes(`${name} ${epsilon} ${seed}`);
    const { predicting } = await simulateRegression({
      study,
      tables: blocks,
      kernels: plainKernels(),
      random,
    });
    own += rSquared(seenX, seenY, predicting) / seeds;
    if (epsilon === null) continue;
    const ridge = adaSspOf(study, { x, y, rho: rhoFromEpsilon({ epsilon, delta }), seed: `${name} ${seed}` });
    adaSsp += rSquared(seenX, seenY, await ridge) / seeds;
  }
  return { data: name, epsilon, own, adaSsp: epsilon === null ? null : adaSsp };
}

/**
 * AdaSSP [Wang18, Algorithm 2] with Gaussian noise by zCDP, a third of ρ for each of λ_min, X'X and X'y: the ridge is what noise may take from
 * the least eigenvalue.
 */
async function adaSspOf(
  study: RegressionStudy,
  {
    x,
    y,
    rho,
    seed,
  }: { readonly x: Float64Array[]; readonly y: Float64Array; readonly rho: number; readonly seed: string },
): Promise<Float64Array> {
  const { design, columns: d } = regressionLayout(study);
  const bound = design.squaredNormLimit / 4 ** design.gridExponent;
  const uniform = seedrandom(`AdaSSP ${seed}`);
  const normal = normalStream(() => uniform.double());
  const stdDev = 1 / Math.sqrt((2 * rho) / 3);
  const gram = new Float64Array(d * d);
  const target = new Float64Array(d);
  x.forEach((row, r) => {
    for (let i = 0; i < d; i++) {
      target[i] = target[i]! + row[i]! * y[r]!;
      for (let j = 0; j < d; j++) gram[i * d + j] = gram[i * d + j]! + row[i]! * row[j]!;
    }
  });
  const { values } = await plainKernels().symmetricEigen(gram, d, d);
  const chance = 0.05;
  const least = Math.max(
    0,
    Math.min(...values) + bound * stdDev * (normal() - Math.sqrt(2 * Math.log(1 / chance))),
  );
  const ridge = Math.max(0, Math.sqrt(d * Math.log((2 * d ** 2) / chance)) * bound * stdDev - least);
  for (let i = 0; i < d; i++) {
    // The outcome lies from -½ to ½.
    target[i] = target[i]! + (Math.sqrt(bound) / 2) * stdDev * normal();
    for (let j = i; j < d; j++) {
      const noise = bound * stdDev * normal() * (i === j ? 1 : Math.SQRT1_2);
      gram[i * d + j] = gram[i * d + j]! + noise + (i === j ? ridge : 0);
      gram[j * d + i] = gram[i * d + j]!;
    }
  }
  try {
    return solved(cholesky(gram, d), d, target);
  } catch {
    // With a chance of 5 % the ridge is too small; then nothing is known.
    return new Float64Array(d);
  }
}

/** Rows on the scale of the method's columns. */
function columnsOf(study: RegressionStudy, rows: readonly (readonly number[])[]): Float64Array[] {
  const { design, columns } = regressionLayout(study);
  const writer = new ColumnWriter(study.features, design);
  const integers = new Int32Array(columns);
  return rows.map((row) => {
    writer.write({ values: Float64Array.from(row) }, integers);
    return Float64Array.from(integers, (value) => value * 2 ** -design.gridExponent);
  });
}

function outcomesOf(study: RegressionStudy, rows: readonly (readonly number[])[]): Float64Array {
  const { design } = regressionLayout(study);
  const writer = new ColumnWriter(study.features, design);
  return Float64Array.from(
    rows,
    (row) => writer.outcome({ values: Float64Array.from(row) }) * 2 ** -design.gridExponent,
  );
}

function rSquared(x: readonly Float64Array[], y: Float64Array, coefficients: Float64Array): number {
  const mean = y.reduce((sum, value) => sum + value, 0) / y.length;
  const left = x.reduce((sum, row, r) => sum + (y[r]! - dot(row, coefficients)) ** 2, 0);
  return 1 - left / y.reduce((sum, value) => sum + (value - mean) ** 2, 0);
}

const dot = (row: Float64Array, coefficients: Float64Array) =>
  row.reduce((sum, value, j) => sum + value * coefficients[j]!, 0);
