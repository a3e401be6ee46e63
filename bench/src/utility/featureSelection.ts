import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { type SiteVector, type SumConversation, simulateSums } from "@consilium/core/learning/sums";
import { plainKernels } from "@consilium/core/linalg/plain";
import type { RandomSource } from "@consilium/core/random";
import { planStudy } from "@consilium/core/study/plan";
import { felpAConversation } from "@consilium/methods/felp-a/conversation";
import { felpSConversation } from "@consilium/methods/felp-s/blocks";
import { featureSelectionModelSchema } from "@consilium/methods/shared/local-learning/model";
import { descending } from "@consilium/methods/shared/local-learning/ranking";
import { asFeatureSelection, type FeatureSelectionStudy } from "@consilium/methods/testing/families";
import { felpAVector, felpSVector } from "@consilium/methods/testing/vectors";
import { paperFelpConversation, paperFelpVector } from "@consilium/methods-paper/felp/paper";
import seedrandom from "seedrandom";
import { repeatableBytes } from "../dpPcaTables.js";
import type { UtilityCell } from "./cell.js";
import { bcwRows, type SmallTable, wdbcRows } from "./histBoostTables.js";
import type { UtilityNetwork } from "./network.js";
import { type BinnedTable, dataset, dealt, equalNoise, foldsOf, once, parted, studyOf } from "./tables.js";

/**
 * What selected features are worth: ten folds, the accuracy of 3 nearest neighbours and of a support vector machine
 * (scikit-learn, without privacy) on the selected columns of held-out rows; and how many of the selected features are those
 * that the same method selects without noise, which tells a working choice from chance where accuracy does not.
 */

const delta = 1e-5;
const kernels = plainKernels();

export interface SelectionData {
  readonly name: string;
  readonly table: () => SmallTable;
  /** q. */
  readonly select: number;
  /** c0 and R, chosen by hand before any run and taken for public. */
  readonly centre: number;
  readonly radius: number;
  /** C; left out: 1. */
  readonly clip?: number;
  /** Blocks of felp-s at each of five sites: some 20 rows each. */
  readonly blocks: number;
  /** λ of the published methods; left out: the study's default. */
  readonly lambda?: number;
}

export const wdbcData: SelectionData = {
  name: "WDBC",
  table: once(wdbcRows),
  select: 3,
  centre: 0.25,
  radius: 1.5,
  blocks: 5,
};
export const bcwData: SelectionData = {
  name: "Breast-Cancer-Wisconsin",
  table: once(() => {
    const table = bcwRows(process.env.CONSILIUM_DATASETS ?? null);
    if (table === null)
      throw new RangeError("breast-cancer-wisconsin is not at hand: set CONSILIUM_DATASETS");
    return table;
  }),
  select: 3,
  centre: 0.3,
  radius: 1.5,
  blocks: 6,
};
export const soybeanData: SelectionData = {
  name: "Soybean",
  table: once(soybean),
  select: 4,
  centre: 0.4,
  radius: 2,
  blocks: 2,
};

/** Mass spectra: 200 rows of 10,000 columns, and what the central program had of them. */
export const arceneData: SelectionData = {
  name: "Arcene",
  table: once(arcene),
  select: 1000,
  centre: 0.2,
  radius: 20,
  clip: 10,
  blocks: 2,
};

function arcene(): SmallTable {
  const read = (part: string) => {
    const lines = (bytes: Buffer) => bytes.toString("utf8").trim().split("\n");
    return {
      rows: lines(gunzipSync(dataset(`arcene/arcene_${part}.data.gz`))).map((line) =>
        line.trim().split(" ").map(Number),
      ),
      labels: lines(dataset(`arcene/arcene_${part}.labels`)).map((label) => (Number(label) > 0 ? 1 : 0)),
    };
  };
  const [train, valid] = [read("train"), read("valid")];
  return {
    features: train.rows[0]!.map((_, j) => ({ name: `f${j}`, type: "numeric", min: 0, max: 999 })),
    levels: ["normal", "cancer"],
    rows: [...train.rows, ...valid.rows],
    labels: [...train.labels, ...valid.labels],
  };
}

const dealtFolds = new Map<string, Promise<readonly number[]>>();

/** The folds of the central program, which deals them out anew for each seed. @returns per fold its table */
async function foldsFor(
  { name, table }: SelectionData,
  seed: number,
): Promise<(fold: number) => BinnedTable> {
  const { features, rows, labels, levels = ["benign", "malignant"] } = table();
  const key = `${name} ${seed}`;
  const known =
    dealtFolds.get(key) ??
    (python("stratified_folds.py", { labels, seed: seed - 1 }) as Promise<readonly number[]>);
  dealtFolds.set(key, known);
  const foldOf = await known;
  return (fold) => parted({ name, features, levels }, { rows, labels }, (r) => foldOf[r] === fold);
}

/** Soybean, each of 35 columns by its levels' numbers, a missing one in the middle, as the central program has it. */
function soybean(): SmallTable {
  const lines = dataset("soybean/soybean.arff").toString("latin1").split("\n");
  const plain = (text: string) => text.trim().replace(/^'|'$/g, "");
  const attributes = lines.flatMap((line) => {
    const found = /^@attribute\s+('[^']*'|\S+)\s*\{(.*)\}/i.exec(line.trim());
    return found === null ? [] : [{ name: plain(found[1]!), levels: found[2]!.split(",").map(plain) }];
  });
  const start = lines.findIndex((line) => /^@data/i.test(line.trim()));
  const cells = lines
    .slice(start + 1)
    .filter((line) => line.trim() !== "" && !line.startsWith("%"))
    .map((line) => line.split(",").map(plain));
  const columns = attributes.slice(0, -1);
  const classes = attributes.at(-1)!.levels;
  return {
    features: columns.map(({ name, levels }) => ({
      name,
      type: "numeric",
      min: 0,
      max: Math.max(1, levels.length - 1),
    })),
    levels: classes,
    rows: cells.map((line) =>
      columns.map(({ levels }, j) => {
        const place = levels.indexOf(line[j]!);
        return place >= 0 ? place : Math.max(1, levels.length - 1) / 2;
      }),
    ),
    labels: cells.map((line) => classes.indexOf(line.at(-1)!)),
  };
}

type Method = FeatureSelectionStudy["method"];

function selectionStudy(
  data: SelectionData,
  table: Pick<BinnedTable, "features" | "levels">,
  method: Method,
  epsilon: number | null,
): FeatureSelectionStudy {
  const sound = method === "felp-a" || method === "felp-s";
  const { select, centre, radius, clip, blocks, lambda } = data;
  const own =
    method === "felp-a"
      ? { centre, radius, ...(clip === undefined ? {} : { clip }) }
      : method === "felp-s"
        ? { blocks }
        : lambda === undefined
          ? {}
          : { lambda };
  return asFeatureSelection(
    studyOf(table, {
      analysis: "feature-selection",
      method,
      variant: sound ? "sound" : "paper",
      parameters: { select, ...own },
      // The published noise is no sum of shares: it is as large over five sites as over one.
      privacy: sound || epsilon === null ? equalNoise(epsilon, delta) : { epsilon, delta },
    }),
  );
}

/** The numbers of the features that a method selects. */
async function selected(
  study: FeatureSelectionStudy,
  table: BinnedTable,
  seed: string,
  network: UtilityNetwork | null = null,
): Promise<number[]> {
  if (network !== null) {
    const model = featureSelectionModelSchema.parse(await network.model(study, table));
    return model.selected.map((name) => table.features.findIndex((feature) => feature.name === name));
  }
  const order = await orderOf(study, table, seed);
  return [...order.subarray(0, study.parameters.select)];
}

const orders = new Map<string, Promise<Uint32Array>>();

/** All features, the heaviest first; computed once for all numbers of them that are selected. */
function orderOf(study: FeatureSelectionStudy, table: BinnedTable, seed: string): Promise<Uint32Array> {
  const { select: _, ...parameters } = study.parameters;
  const key = JSON.stringify([seed, parameters, new Set(table.siteOf).size]);
  const known = orders.get(key) ?? orderFrom(study, table, seed);
  orders.set(key, known);
  return known;
}

async function orderFrom(
  study: FeatureSelectionStudy,
  table: BinnedTable,
  seed: string,
): Promise<Uint32Array> {
  const random = repeatableBytes(seed);
  const weights = await simulateSums({
    plan: planStudy(study),
    tables: dealt(table),
    kernels,
    random,
    vector: vectorOf(study),
    run: (conversation) => weightsOf(study, conversation, random),
  });
  return descending(weights);
}

const vectorOf =
  (study: FeatureSelectionStudy): SiteVector =>
  (stage, input) => {
    switch (study.method) {
      case "felp-a":
        return felpAVector(study, stage, input);
      case "felp-s":
        return felpSVector(study, stage, input);
      default:
        return paperFelpVector(study, input);
    }
  };

async function weightsOf(
  study: FeatureSelectionStudy,
  conversation: SumConversation,
  random: RandomSource,
): Promise<Float64Array> {
  switch (study.method) {
    case "felp-a":
      return (await felpAConversation(study, conversation)).weights;
    case "felp-s":
      return (await felpSConversation(study, conversation)).weights;
    default:
      return (await paperFelpConversation(study, conversation, random)).weights;
  }
}

interface Accuracies {
  readonly neighbours: number;
  readonly svm: number;
}

interface Scores extends Accuracies {
  /** Of the features selected, those that the method selects without noise; null without noise. */
  readonly overlap: number | null;
}

/** A method, or features drawn by lot. */
export interface Setting {
  readonly data: SelectionData;
  readonly method: Method | "random";
  readonly epsilon: number | null;
  /** All rows at one of five sites; the others abstain. */
  readonly pooled: boolean;
}

async function scored(setting: Setting, seed: number, network: UtilityNetwork | null): Promise<Scores> {
  const { data, epsilon } = setting;
  const { accuracy, choices } = await judged(setting, seed, network);
  if (epsilon === null) return { ...accuracy, overlap: null };
  let common = 0;
  for (const { fold, table, study, chosen } of choices) {
    if (study === null) continue;
    const exact = await exactChoice(data, table, study.method, `${data.name} ${seed} ${fold}`);
    common += chosen.filter((feature) => exact.includes(feature)).length / (choices.length * data.select);
  }
  return { ...accuracy, overlap: common };
}

/** Mean accuracies over ten folds, in one process. */
export async function accuraciesOf(setting: Setting, seed: number): Promise<Accuracies> {
  return (await judged(setting, seed, null)).accuracy;
}

interface Choice {
  readonly fold: number;
  readonly table: BinnedTable;
  /** Null where features are drawn by lot. */
  readonly study: FeatureSelectionStudy | null;
  readonly chosen: readonly number[];
}

async function judged(
  { data, method, epsilon, pooled }: Setting,
  seed: number,
  network: UtilityNetwork | null,
): Promise<{ readonly accuracy: Accuracies; readonly choices: readonly Choice[] }> {
  const choices: Choice[] = [];
  const tableOf = await foldsFor(data, seed);
  for (const fold of foldsOf(seed, network)) {
    const table = pooled ? atOneSite(tableOf(fold)) : tableOf(fold);
    const text = `${data.name} ${method} ${epsilon} ${seed} ${fold}`;
    const study = method === "random" ? null : selectionStudy(data, table, method, epsilon);
    const chosen =
      study === null
        ? drawn(table.features.length, data.select, text)
        : await selected(study, table, text, network);
    choices.push({ fold, table, study, chosen });
  }
  const folds = choices.map(({ table, chosen }) => ({
    train: unit(table, table.train.rows, chosen),
    trainLabels: table.train.labels,
    test: unit(table, table.test.rows, chosen),
    testLabels: table.test.labels,
  }));
  return { accuracy: await accuracies(folds), choices };
}

function drawn(features: number, count: number, seed: string): number[] {
  const uniform = seedrandom(seed);
  return [...descending(Float64Array.from({ length: features }, () => uniform())).subarray(0, count)];
}

const exactChoices = new Map<string, Promise<number[]>>();

/** What a method selects without noise, whatever the ε of the runs that are compared with it. */
function exactChoice(
  data: SelectionData,
  table: BinnedTable,
  method: Method,
  seed: string,
): Promise<number[]> {
  const key = `${method} ${seed}`;
  const known = exactChoices.get(key) ?? selected(selectionStudy(data, table, method, null), table, key);
  exactChoices.set(key, known);
  return known;
}

/** All rows at the first of the sites, as a central program has them. */
function atOneSite(table: BinnedTable): BinnedTable {
  return { ...table, siteOf: table.train.rows.map(() => 0) };
}

/** The chosen columns, mapped to 0 to 1. */
function unit(
  { features }: BinnedTable,
  rows: readonly (readonly number[])[],
  chosen: readonly number[],
): number[][] {
  const bounds = features as readonly { readonly min: number; readonly max: number }[];
  return rows.map((row) => chosen.map((j) => (row[j]! - bounds[j]!.min) / (bounds[j]!.max - bounds[j]!.min)));
}

async function accuracies(folds: readonly object[]): Promise<Accuracies> {
  return (await python("selected_features.py", { folds })) as Accuracies;
}

/** Runs a program of this folder on a request, and reads its answer. */
export function python(program: string, request: object): Promise<unknown> {
  const script = fileURLToPath(new URL(`../../src/${program}`, import.meta.url));
  return new Promise((resolve, reject) => {
    const child = execFile(
      process.env.CONSILIUM_PYTHON ?? "python3",
      [script],
      { maxBuffer: 2 ** 20 },
      (error, stdout, stderr) => {
        if (error) reject(new Error(`${script} failed: ${stderr.slice(-2000)}`, { cause: error }));
        else resolve(JSON.parse(stdout));
      },
    );
    // Where the program ends early, its own error says why.
    child.stdin!.on("error", () => {});
    child.stdin!.end(JSON.stringify(request));
  });
}

/** Cells of one setting share a run. */
const runs = new Map<string, Promise<Scores>>();

function runOf(setting: Setting, seed: number, network: UtilityNetwork | null): Promise<Scores> {
  const key = `${setting.data.name} ${setting.method} ${setting.pooled} ${setting.epsilon} ${seed}`;
  const before = runs.get(key);
  if (before !== undefined) return before;
  const run = scored(setting, seed, network);
  runs.set(key, run);
  return run;
}

/** Of both classifiers. */
type Pair = readonly [neighbours: number, svm: number];
type Targets = readonly (readonly [
  epsilon: number | null,
  neighbours: number | null,
  svm: number | null,
  again?: Pair,
  onFolds?: Pair,
])[];

function cellsOf(
  data: SelectionData,
  method: Setting["method"],
  targets: Targets,
  pooled = false,
): UtilityCell[] {
  return targets.flatMap(([epsilon, neighbours, svm, again, onFolds]): UtilityCell[] => {
    const setting = { data, method, epsilon, pooled };
    const sound = method === "felp-a" || method === "felp-s";
    const common = {
      method: pooled ? `${method}, all rows at one site` : method,
      variant:
        method === "random"
          ? ("baseline" as const)
          : epsilon === null
            ? ("none" as const)
            : sound
              ? ("sound" as const)
              : ("paper" as const),
      data: data.name,
      epsilon,
    };
    const accuracy = [
      {
        ...common,
        metric: "accuracy of 3NN",
        target: neighbours,
        again: again?.[0],
        onFolds: onFolds?.[0],
        run: async (seed: number, network: UtilityNetwork | null) =>
          (await runOf(setting, seed, network)).neighbours,
      },
      {
        ...common,
        metric: "accuracy of SVM",
        target: svm,
        again: again?.[1],
        onFolds: onFolds?.[1],
        run: async (seed: number, network: UtilityNetwork | null) =>
          (await runOf(setting, seed, network)).svm,
      },
    ];
    if (epsilon === null) return accuracy;
    return [
      ...accuracy,
      {
        ...common,
        metric: "overlap with the choice without noise",
        target: null,
        run: async (seed: number, network: UtilityNetwork | null) =>
          (await runOf(setting, seed, network)).overlap ?? 0,
      },
    ];
  });
}

/** Arcene's shape: 200 rows of 10,000 columns, of which 1000 are asked for. 1 where the plan warns of chance. */
async function arceneWarned(): Promise<number> {
  const table = {
    features: Array.from({ length: 10_000 }, (_, j) => ({
      name: `f${j}`,
      type: "numeric",
      min: 0,
      max: 999,
    })),
    levels: ["-1", "1"],
  };
  const study = asFeatureSelection(
    studyOf(table, {
      analysis: "feature-selection",
      method: "felp-a",
      variant: "sound",
      parameters: { select: 1000 },
      privacy: { epsilon: 1, delta },
      participation: {
        sites: ["a", "b", "c", "d", "e"],
        minimumSites: 5,
        tolerateColluding: 1,
        maxRowsPerSite: 40,
      },
    }),
  );
  return planStudy(study).warnings.some((warning) => /the selection is (?:mostly )?chance/.test(warning))
    ? 1
    : 0;
}

/**
 * Targets: means of a central program in numpy with continuous noise, over three or two seeds' own folds, which the first
 * seeds here share; then its means over ten seeds' folds; and those of twenty runs on one fold of each of five seeds.
 */
export const cells: readonly UtilityCell[] = [
  ...cellsOf(wdbcData, "random", [[null, 0.882, 0.9]]),
  ...cellsOf(wdbcData, "fwell-en", [[null, null, null]]),
  ...cellsOf(wdbcData, "fwell-en", [[null, 0.967, 0.967]], true),
  ...cellsOf(wdbcData, "felp", [[0.1, 0.888, 0.893]]),
  ...cellsOf(wdbcData, "felp-a", [
    [null, 0.933, 0.943, [0.934, 0.943], [0.93, 0.926]],
    [0.1, 0.926, 0.935, [0.919, 0.927], [0.904, 0.906]],
    [0.25, 0.936, 0.944, [0.928, 0.938], [0.915, 0.921]],
    [0.5, 0.941, 0.946, [0.931, 0.938], [0.919, 0.926]],
    [1, 0.936, 0.943, [0.928, 0.94], [0.918, 0.924]],
    [4, 0.926, 0.936, [0.924, 0.938], [0.922, 0.926]],
    [50, 0.933, 0.943, [0.934, 0.943], [0.93, 0.926]],
  ]),
  ...cellsOf(wdbcData, "felp-s", [
    [null, 0.938, 0.947],
    [0.1, 0.875, 0.894],
    [0.25, 0.892, 0.908],
    [0.5, 0.909, 0.923],
    [1, 0.92, 0.927],
    [4, 0.944, 0.948],
    [50, 0.938, 0.947],
  ]),
  ...cellsOf(bcwData, "random", [[null, 0.946, 0.949]]),
  ...cellsOf(bcwData, "fwell-en", [[null, null, null]]),
  ...cellsOf(bcwData, "fwell-en", [[null, 0.958, 0.962]], true),
  ...cellsOf(bcwData, "felp-a", [
    [null, 0.955, 0.957, [0.955, 0.957], [0.962, 0.974]],
    [0.1, 0.958, 0.96, [0.953, 0.958], [0.96, 0.962]],
    [0.25, 0.956, 0.959, [0.955, 0.959], [0.961, 0.967]],
    [0.5, 0.96, 0.962, [0.96, 0.961], [0.965, 0.971]],
    [1, 0.958, 0.958, [0.958, 0.958], [0.963, 0.972]],
  ]),
  ...cellsOf(soybeanData, "random", [[null, 0.4, 0.5]]),
  ...cellsOf(soybeanData, "fwell-en", [[null, null, null]]),
  ...cellsOf(soybeanData, "fwell-en", [[null, 0.57, 0.66]], true),
  ...cellsOf(soybeanData, "felp-a", [
    [null, null, null],
    [1, 0.46, 0.59, [0.46, 0.592], [0.472, 0.6]],
  ]),
  ...cellsOf(arceneData, "random", [[null, null, null]]),
  ...cellsOf(arceneData, "felp-a", [
    [null, null, null],
    [1, null, null],
    [16, null, null],
  ]),
  {
    method: "felp-a",
    variant: "sound",
    data: "Arcene (its shape)",
    epsilon: 1,
    metric: "warned of chance before anything is spent",
    target: 1,
    run: arceneWarned,
  },
];
