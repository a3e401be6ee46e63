import { simulateSums } from "@consilium/core/learning/sums";
import { plainKernels } from "@consilium/core/linalg/plain";
import { planStudy } from "@consilium/core/study/plan";
import { dpPccConversation } from "@consilium/methods/dp-pcc/conversation";
import type { DpPccStudy } from "@consilium/methods/dp-pcc/study";
import { asCorrelationTree, siteVector } from "@consilium/methods/testing/families";
import type { Study } from "@consilium/methods/testing/studies";
import { repeatableBytes } from "../dpPcaTables.js";
import type { UtilityCell } from "./cell.js";
import { heartFeatures } from "./heartFeatures.js";
import { boostedStudy, type Scores, scored } from "./histBoostRuns.js";
import type { SmallTable } from "./histBoostTables.js";
import type { UtilityNetwork } from "./network.js";
import {
  accuracyOf,
  areaUnderRoc,
  type BinnedTable,
  dataset,
  dealt,
  foldsOf,
  once,
  predictions,
  releasedPredictions,
  shuffled,
  studyOf,
} from "./tables.js";

/**
 * UCI Heart Disease at its four hospitals as they are: they differ in their patients, and some never recorded what others
 * did. Ten folds, stratified by hospital and class; ε is nominal, for there is no central program to compare with.
 */

const features: readonly Record<string, unknown>[] = heartFeatures({ sex: ["0", "1"], exang: ["0", "1"] });
const levels = ["no", "yes"];
const sites = ["cleveland", "hungarian", "switzerland", "va-long-beach"];

interface Patients {
  readonly rows: readonly (readonly number[])[];
  readonly labels: readonly number[];
  /** Of each patient, the place of the hospital among `sites`. */
  readonly hospitalOf: readonly number[];
}

const patients = once((): Patients => {
  const [header, ...lines] = dataset("heart-disease-4sites/heart_4sites.csv")
    .toString("utf8")
    .trim()
    .split("\n");
  const names = header!.trim().split(",");
  const cells = lines.map((line) => {
    const values = line.trim().split(",");
    return new Map(names.map((name, j) => [name, values[j]!]));
  });
  const hospitalsAt = cells.map((one) => one.get("site")!.replaceAll("_", "-"));
  return {
    rows: cells.map((one) =>
      features.map(({ name, levels: codes }) => {
        const cell = one.get(String(name))!;
        if (cell === "") return Number.NaN;
        return codes === undefined ? Number(cell) : (codes as string[]).indexOf(String(Number(cell)));
      }),
    ),
    labels: cells.map((one) => (Number(one.get("num")) > 0 ? 1 : 0)),
    hospitalOf: hospitalsAt.map((hospital) => sites.indexOf(hospital)),
  };
});

/** All patients of the four hospitals. */
export function heartPatients(): SmallTable {
  const { rows, labels } = patients();
  return { features, levels, rows, labels };
}

/** One fold held out. @param only - the hospital whose patients alone are trained and tested on; null: all */
function foldOf(seed: number, fold: number, only: number | null = null): BinnedTable {
  const { rows, labels, hospitalOf } = patients();
  const held = new Set<number>();
  for (const hospital of sites.keys()) {
    for (const label of levels.keys()) {
      const own = rows.flatMap((_, r) => (hospitalOf[r] === hospital && labels[r] === label ? [r] : []));
      shuffled(own.length, `heart ${seed} ${hospital} ${label}`).forEach((place, i) => {
        if (i % 10 === fold) held.add(own[place]!);
      });
    }
  }
  const chosen = (isHeld: boolean) =>
    rows.flatMap((_, r) => (held.has(r) === isHeld && (only === null || hospitalOf[r] === only) ? [r] : []));
  const part = (places: readonly number[]) => ({
    rows: places.map((r) => rows[r]!),
    labels: places.map((r) => labels[r]!),
  });
  const train = chosen(false);
  return {
    name: "Heart Disease",
    features,
    levels,
    train: part(train),
    test: part(chosen(true)),
    sites,
    siteOf: train.map((r) => hospitalOf[r]!),
    maxRowsPerSite: 300,
  };
}

type Method = "dp-histboost" | "dp-pcc";

interface Setting {
  readonly method: Method;
  readonly epsilon: number | null;
}

async function measured(
  { method, epsilon }: Setting,
  table: BinnedTable,
  seed: string,
  network: UtilityNetwork | null,
): Promise<Scores> {
  const privacy: Study["privacy"] = epsilon === null ? "none" : { epsilon, delta: 1e-5 };
  if (method === "dp-histboost") {
    const study = boostedStudy(table, privacy, { trees: 5, depth: 2, seed });
    return scored({ table, study, seed, network });
  }
  const study = asCorrelationTree(
    studyOf(table, {
      analysis: "correlation-tree",
      privacy,
      parameters: { depth: 2, guard: 1, evaluation: "none" },
    }),
  ) as DpPccStudy;
  const told = async () => {
    if (network !== null) return releasedPredictions(await network.model(study, table), table);
    const tree = await simulateSums({
      plan: planStudy(study),
      tables: dealt(table),
      kernels: plainKernels(),
      random: repeatableBytes(seed),
      vector: (id, input) => siteVector(study, id, input),
      run: (conversation) => dpPccConversation({ study, conversation }),
    });
    return predictions(tree.ensemble, tree.features, table);
  };
  const { predicted, scores } = await told();
  const { labels } = table.test;
  return { accuracy: accuracyOf(predicted, labels), auc: areaUnderRoc(scores, labels) };
}

/** Two figures of one run. */
const runs = new Map<string, Promise<Scores>>();

function runOf(setting: Setting, seed: number, network: UtilityNetwork | null): Promise<Scores> {
  const key = JSON.stringify([setting, seed]);
  const known = runs.get(key) ?? meanOf(setting, seed, network);
  runs.set(key, known);
  return known;
}

async function meanOf(setting: Setting, seed: number, network: UtilityNetwork | null): Promise<Scores> {
  const numbers = foldsOf(seed, network);
  let [accuracy, auc] = [0, 0];
  for (const fold of numbers) {
    const text = `heart ${JSON.stringify(setting)} ${seed} ${fold}`;
    const found = await measured(setting, foldOf(seed, fold), text, network);
    accuracy += found.accuracy / numbers.length;
    auc += found.auc / numbers.length;
  }
  return { accuracy, auc };
}

/** Each hospital by itself without privacy: what it could do without the others, over all held-out patients. */
async function alone(method: Method, seed: number): Promise<number> {
  const { rows } = patients();
  let right = 0;
  for (const fold of foldsOf(seed, null)) {
    for (const hospital of sites.keys()) {
      const table = foldOf(seed, fold, hospital);
      const { accuracy } = await measured({ method, epsilon: null }, table, `alone ${seed} ${fold}`, null);
      right += accuracy * table.test.rows.length;
    }
  }
  return right / rows.length;
}

const epsilons = [null, 0.5, 1, 2, 4, 8];
const common = { data: "Heart Disease, four hospitals", target: null } as const;

function cellsOf(method: Method): UtilityCell[] {
  return epsilons.flatMap((epsilon) =>
    (["accuracy", "AUC"] as const).map(
      (metric): UtilityCell => ({
        ...common,
        method,
        variant: epsilon === null ? "none" : "sound",
        epsilon,
        metric,
        sites,
        run: async (seed, network) => {
          const { accuracy, auc } = await runOf({ method, epsilon }, seed, network);
          return metric === "AUC" ? auc : accuracy;
        },
      }),
    ),
  );
}

export const cells: readonly UtilityCell[] = [
  ...(["dp-histboost", "dp-pcc"] as const).flatMap((method): UtilityCell[] => [
    ...cellsOf(method),
    {
      ...common,
      method: `${method}, each hospital alone`,
      variant: "none",
      epsilon: null,
      metric: "accuracy",
      run: (seed) => alone(method, seed),
    },
  ]),
  {
    ...common,
    method: "majority class",
    variant: "baseline",
    epsilon: null,
    metric: "accuracy",
    run: async () => {
      const { labels } = patients();
      return labels.filter((label) => label === 1).length / labels.length;
    },
  },
];
