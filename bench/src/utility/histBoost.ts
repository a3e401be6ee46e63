import type { UtilityCell } from "./cell.js";
import { boostedStudy, type Scores, scored } from "./histBoostRuns.js";
import { bcwRows, folds, wdbcRows } from "./histBoostTables.js";
import type { UtilityNetwork } from "./network.js";
import {
  adult as adultOf,
  type BinnedTable,
  census as censusOf,
  equalNoise,
  foldsOf,
  once,
} from "./tables.js";

/**
 * What dp-histboost's trees are worth. The targets were measured by an independent central program with noise of exactly σ;
 * five sites of which one may collude add 1.25σ², so that the runs are at 1.25ρ.
 */

const root = process.env.CONSILIUM_DATASETS ?? null;

interface Setting {
  readonly data: string;
  readonly delta: number;
  readonly parameters: Readonly<Record<string, unknown>>;
  /** The tables of one run: one with its own test rows, or ten folds. */
  readonly tables: (seed: number) => readonly BinnedTable[] | null;
  /**
   * Accuracy, and the area under the ROC curve where there is a figure, by ε; then the same program's over more seeds: ten
   * for stumps, twenty for Adult.
   */
  readonly targets: readonly (readonly [
    epsilon: number | null,
    accuracy: number,
    auc: number | null,
    again?: readonly [accuracy: number, auc?: number],
  ])[];
  /** The part of the larger class. */
  readonly majority: number;
}

const adult = once(() => (root === null ? null : adultOf()));
const census = once(() => (root === null ? null : censusOf(0)));
const bcw = once(() => bcwRows(root));
const wdbc = once(wdbcRows);
const single = (table: BinnedTable | null) => (table === null ? null : [table]);
const stumps = { trees: 10, depth: 1, featuresPerNode: 3 };

const settings: readonly Setting[] = [
  {
    data: "BCW, stumps",
    delta: 1e-5,
    parameters: stumps,
    tables(seed) {
      const rows = bcw();
      return rows === null ? null : folds("BCW", rows, seed);
    },
    targets: [
      [null, 0.966, null],
      [0.25, 0.944, null, [0.937]],
      [0.5, 0.948, null, [0.944]],
      [1, 0.949, null],
      [4, 0.961, null],
    ],
    majority: 0.65,
  },
  {
    data: "WDBC, stumps",
    delta: 1e-5,
    parameters: { ...stumps, bins: 8 },
    tables: (seed) => folds("WDBC", wdbc(), seed),
    targets: [
      [null, 0.941, null],
      [0.25, 0.787, null, [0.792]],
      [0.5, 0.875, null, [0.872]],
      [1, 0.906, null],
      [4, 0.932, null],
    ],
    majority: 0.627,
  },
  {
    data: "Adult, depth 3",
    delta: 1e-5,
    parameters: { trees: 10, depth: 3, featuresPerNode: 5 },
    tables: () => single(adult()),
    targets: [
      [null, 0.86, 0.912],
      [0.05, 0.83, 0.874, [0.823, 0.861]],
      [0.1, 0.841, 0.881, [0.834, 0.877]],
      [0.25, 0.843, 0.891, [0.842, 0.888]],
      [0.5, 0.842, 0.891, [0.846, 0.895]],
      [1, 0.848, 0.899, [0.849, 0.899]],
    ],
    majority: 0.764,
  },
  {
    data: "Adult, depth 4",
    delta: 1e-5,
    parameters: { trees: 10, depth: 4, featuresPerNode: 5 },
    tables: () => single(adult()),
    targets: [
      [null, 0.862, 0.913],
      [0.05, 0.825, 0.867, [0.824, 0.859]],
      [0.1, 0.836, 0.881, [0.833, 0.873]],
      [0.25, 0.844, 0.894, [0.842, 0.89]],
      [0.5, 0.842, 0.892],
      [1, 0.852, 0.9],
    ],
    majority: 0.764,
  },
  {
    data: "Census-Income, depth 4",
    delta: 1e-6,
    parameters: { trees: 10, depth: 4, featuresPerNode: 5 },
    tables: () => single(census()),
    targets: [
      [null, 0.951, 0.937],
      [0.05, 0.939, 0.852],
      [0.1, 0.939, 0.867],
      [0.25, 0.943, 0.9],
      [0.5, 0.945, 0.91],
      [1, 0.947, 0.922],
    ],
    majority: 0.938,
  },
];

function cellsOf(setting: Setting): UtilityCell[] {
  const { data, targets, majority } = setting;
  const cells = targets.flatMap(([epsilon, accuracy, auc, again]): UtilityCell[] => {
    // Both figures are of one run.
    const runs = new Map<number, Promise<Scores>>();
    const run = (seed: number, network: UtilityNetwork | null) => {
      const known = runs.get(seed) ?? meanScores(setting, epsilon, seed, network);
      runs.set(seed, known);
      return known;
    };
    const variant = epsilon === null ? "none" : "sound";
    const cell = { method: "dp-histboost", variant, data, epsilon } as const;
    const first = {
      ...cell,
      metric: "accuracy",
      target: accuracy,
      again: again?.[0],
      run: async (seed: number, network: UtilityNetwork | null) => (await run(seed, network)).accuracy,
    };
    if (auc === null) return [first];
    return [
      first,
      {
        ...cell,
        metric: "AUC",
        target: auc,
        again: again?.[1],
        run: async (seed: number, network: UtilityNetwork | null) => (await run(seed, network)).auc,
      },
    ];
  });
  const baseline: UtilityCell = {
    method: "majority class",
    variant: "baseline",
    data,
    epsilon: null,
    metric: "accuracy",
    target: majority,
    run: async (seed) => mean(tablesOf(setting, seed).map(majorityAccuracy)),
  };
  return [...cells, baseline];
}

function tablesOf({ tables, data }: Setting, seed: number): readonly BinnedTable[] {
  const found = tables(seed);
  if (found === null) throw new Error(`${data}: set CONSILIUM_DATASETS to the folder that holds it`);
  return found;
}

async function meanScores(
  setting: Setting,
  epsilon: number | null,
  seed: number,
  network: UtilityNetwork | null,
): Promise<Scores> {
  const privacy = epsilon === null ? "none" : equalNoise(epsilon, setting.delta);
  const all: Scores[] = [];
  const tables = tablesOf(setting, seed);
  const numbers = tables.length === 1 ? [0] : foldsOf(seed, network);
  for (const index of numbers) {
    const table = tables[index]!;
    const name = `utility ${seed} ${index}`;
    const study = boostedStudy(table, privacy, { ...setting.parameters, seed: name });
    all.push(await scored({ table, study, seed: `${setting.data} ${epsilon} ${name}`, network }));
  }
  return { accuracy: mean(all.map(({ accuracy }) => accuracy)), auc: mean(all.map(({ auc }) => auc)) };
}

/** What the class that training has most of reaches on the test rows. */
function majorityAccuracy({ train, test }: BinnedTable): number {
  const ones = train.labels.filter((label) => label === 1).length;
  const most = 2 * ones > train.labels.length ? 1 : 0;
  return test.labels.filter((label) => label === most).length / test.labels.length;
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

export const cells: readonly UtilityCell[] = settings.flatMap(cellsOf);
