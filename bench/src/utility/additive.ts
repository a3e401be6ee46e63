import { plainKernels } from "@consilium/core/linalg/plain";
import { modelOf } from "@consilium/methods/testing/outcomes";
import { repeatableBytes } from "../dpPcaTables.js";
import type { UtilityCell } from "./cell.js";
import { bcwRows, folds, wdbcRows } from "./histBoostTables.js";
import type { UtilityNetwork } from "./network.js";
import {
  accuracyOf,
  adult,
  areaUnderRoc,
  type BinnedTable,
  dealt,
  equalNoise,
  foldsOf,
  once,
  releasedPredictions,
  studyOf,
} from "./tables.js";

/** What dp-additive's curves are worth, with its defaults but for the bins of small tables. No independent program has figures. */

const delta = 1e-5;

interface Setting {
  readonly data: string;
  /** The tables of one run: one with its own test rows, or ten folds. */
  readonly tables: (seed: number) => readonly BinnedTable[];
  readonly parameters: Readonly<Record<string, unknown>>;
}

const whole = once(adult);
const small = { bins: 8 };

const settings: readonly Setting[] = [
  { data: "BCW", tables: (seed) => folds("BCW", bcw(), seed), parameters: small },
  { data: "WDBC", tables: (seed) => folds("WDBC", wdbcRows(), seed), parameters: small },
  { data: "Adult", tables: () => [whole()], parameters: {} },
];

function bcw() {
  const table = bcwRows(process.env.CONSILIUM_DATASETS ?? null);
  if (table === null) throw new RangeError("breast-cancer-wisconsin is not at hand: set CONSILIUM_DATASETS");
  return table;
}

interface Figures {
  readonly accuracy: number;
  readonly AUC: number;
}

async function measured(
  setting: Setting,
  epsilon: number | null,
  seed: number,
  network: UtilityNetwork | null,
): Promise<Figures> {
  const tables = setting.tables(seed);
  const places = tables.length === 1 ? [0] : foldsOf(seed, network);
  let [accuracy, area] = [0, 0];
  for (const place of places) {
    const table = tables[place]!;
    const study = studyOf(table, {
      analysis: "boosted-trees",
      method: "dp-additive",
      privacy: equalNoise(epsilon, delta),
      parameters: { evaluation: "none", ...setting.parameters },
    });
    const { predicted, scores } = releasedPredictions(
      network === null
        ? (
            await modelOf(study, {
              tables: dealt(table),
              kernels: plainKernels(),
              random: repeatableBytes(`${setting.data} additive ${epsilon} ${seed} ${place}`),
            })
          ).predictor
        : await network.model(study, table),
      table,
    );
    accuracy += accuracyOf(predicted, table.test.labels) / places.length;
    area += areaUnderRoc(scores, table.test.labels) / places.length;
  }
  return { accuracy, AUC: area };
}

/** Runs that are shown by two figures. */
const runs = new Map<string, Promise<Figures>>();

export const cells: readonly UtilityCell[] = settings.flatMap((setting) =>
  [null, 1].flatMap((epsilon) =>
    (["accuracy", "AUC"] as const).map(
      (metric): UtilityCell => ({
        method: "dp-additive",
        variant: epsilon === null ? "none" : "sound",
        data: setting.data,
        epsilon,
        metric,
        target: null,
        async run(seed, network) {
          const key = JSON.stringify([setting.data, epsilon, seed, network === null]);
          const known = runs.get(key) ?? measured(setting, epsilon, seed, network);
          runs.set(key, known);
          return (await known)[metric];
        },
      }),
    ),
  ),
);
