import { type SumConversation, simulateSums } from "@consilium/core/learning/sums";
import { planStudy } from "@consilium/core/study/plan";
import { openSystemKernels } from "@consilium/kernels/openSystem";
import { dpPccConversation } from "@consilium/methods/dp-pcc/conversation";
import { dpPccSConversation } from "@consilium/methods/dp-pcc-s/conversation";
import type { CorrelationTree } from "@consilium/methods/shared/correlation-tree/correlationTree";
import {
  asCorrelationTree,
  type CorrelationTreeStudy,
  siteVector,
} from "@consilium/methods/testing/families";
import { pearsonConversation } from "@consilium/methods-paper/pearson-tree/conversation";
import { repeatableBytes } from "../dpPcaTables.js";
import type { UtilityCell } from "./cell.js";
import type { UtilityNetwork } from "./network.js";
import {
  accuracyOf,
  adult,
  areaUnderRoc,
  type BinnedTable,
  breastCancer,
  dealt,
  equalNoise,
  foldsOf,
  once,
  type Predictions,
  predictions,
  releasedPredictions,
  studyOf,
  wdbc,
} from "./tables.js";

/** Correlation trees beside what an independent central program in numpy made of dp-pcc (docs/methods/correlation-tree.md#dp-pcc-utility). */

const delta = 1e-5;
const tenFolds = foldsOf(1, null);
interface Data {
  readonly name: string;
  /** One with its own test part, or ten folds. */
  readonly tables: () => readonly BinnedTable[];
}

const adultData: Data = { name: "Adult", tables: once(() => [adult()]) };
const bcwData: Data = { name: "Breast-Cancer-Wisconsin", tables: once(() => tenFolds.map(breastCancer)) };
const wdbcData: Data = { name: "WDBC", tables: once(() => tenFolds.map(wdbc)) };

interface Setting {
  readonly method: CorrelationTreeStudy["method"];
  readonly data: Data;
  readonly epsilon: number | null;
  readonly parameters: Readonly<Record<string, unknown>>;
}

const kernels = once(() => openSystemKernels());

async function predicted(
  setting: Setting,
  table: BinnedTable,
  seed: string,
  network: UtilityNetwork | null,
): Promise<Predictions> {
  const { method, epsilon, parameters } = setting;
  const study = asCorrelationTree(
    studyOf(table, {
      analysis: "correlation-tree",
      method,
      variant: method === "pearson-tree" ? "paper" : "sound",
      privacy:
        method === "pearson-tree" && epsilon !== null ? { epsilon, delta } : equalNoise(epsilon, delta),
      parameters: { evaluation: "none", ...parameters },
    }),
  );
  if (network !== null) return releasedPredictions(await network.model(study, table), table);
  const random = repeatableBytes(seed);
  const tree = await simulateSums({
    plan: planStudy(study),
    tables: dealt(table),
    kernels: await kernels(),
    random,
    vector: (id, input) => siteVector(study, id, input),
    run: (conversation) => converse(study, conversation, random),
  });
  return predictions(tree.ensemble, tree.features, table);
}

function converse(
  study: CorrelationTreeStudy,
  conversation: SumConversation,
  random: ReturnType<typeof repeatableBytes>,
): Promise<CorrelationTree> {
  switch (study.method) {
    case "dp-pcc":
      return dpPccConversation({ study, conversation });
    case "dp-pcc-s":
      return dpPccSConversation({ study, conversation });
    case "pearson-tree":
      return pearsonConversation({ study, conversation, random });
  }
}

type Figures = Readonly<Record<"accuracy" | "AUC", number>>;

/** Runs that are shown by two figures. */
const runs = new Map<string, Promise<Figures>>();

function measured(setting: Setting, seed: number, network: UtilityNetwork | null): Promise<Figures> {
  const { method, data, epsilon, parameters } = setting;
  const key = JSON.stringify([method, data.name, epsilon, parameters, seed]);
  const known = runs.get(key) ?? measure(setting, seed, key, network);
  runs.set(key, known);
  return known;
}

async function measure(
  setting: Setting,
  seed: number,
  key: string,
  network: UtilityNetwork | null,
): Promise<Figures> {
  const all = setting.data.tables();
  const tables = all.length === 1 ? all : foldsOf(seed, network).map((fold) => all[fold]!);
  let [accuracy, area] = [0, 0];
  for (const [fold, table] of tables.entries()) {
    const told = await predicted(setting, table, `${key} ${fold}`, network);
    accuracy += accuracyOf(told.predicted, table.test.labels) / tables.length;
    area += areaUnderRoc(told.scores, table.test.labels) / tables.length;
  }
  return { accuracy, AUC: area };
}

function cell(setting: Setting, target: number | null, metric: keyof Figures = "accuracy"): UtilityCell {
  const { method, data, epsilon } = setting;
  return {
    method,
    variant: epsilon === null ? "none" : method === "pearson-tree" ? "paper" : "sound",
    data: `${data.name}, depth ${setting.parameters.depth}`,
    epsilon,
    metric,
    target,
    run: async (seed, network) => (await measured(setting, seed, network))[metric],
  };
}

const onAdult = (epsilon: number | null, depth: number): Setting => ({
  method: "dp-pcc",
  data: adultData,
  epsilon,
  parameters: { depth },
});
/** On small tables a guard of one standard deviation: with three hardly a cut is looked at. */
const onSmall = (data: Data, epsilon: number | null): Setting => ({
  method: "dp-pcc",
  data,
  epsilon,
  parameters: { depth: 2, bins: 8, guard: 1 },
});
const published = (data: Data, epsilon: number | null): Setting => ({
  method: "pearson-tree",
  data,
  epsilon,
  parameters: { depth: 2 },
});
const sampled = (data: Data, epsilon: number | null, blocks: number): Setting => ({
  method: "dp-pcc-s",
  data,
  epsilon,
  parameters: { depth: 2, blocks, bins: 8 },
});

export const cells: readonly UtilityCell[] = [
  cell(onAdult(null, 4), 0.8473),
  cell(onAdult(0.05, 2), 0.814),
  cell(onAdult(0.1, 4), 0.816),
  cell(onAdult(0.25, 4), 0.83),
  cell(onAdult(0.5, 3), 0.832),
  cell(onAdult(1, 3), 0.84),
  cell(onAdult(1, 3), 0.855, "AUC"),
  cell(onAdult(1, 4), 0.865, "AUC"),
  cell(onSmall(bcwData, null), null),
  cell(onSmall(bcwData, 1), 0.926),
  cell(onSmall(wdbcData, null), null),
  cell(onSmall(wdbcData, 1), 0.859),
  cell(published(bcwData, null), null),
  cell(published(bcwData, 1), null),
  cell(published(wdbcData, null), null),
  cell(published(wdbcData, 1), null),
  cell(sampled(adultData, null, 200), null),
  cell(sampled(adultData, 1, 200), null),
];
