import { openSystemKernels } from "@consilium/kernels/openSystem";
import { type DpKaResult, dpKaConversation } from "@consilium/methods/dp-ka/conversation";
import type { DpKaStudy } from "@consilium/methods/dp-ka/study";
import { type BinnedFeature, binnedFeatures, binOf } from "@consilium/methods/shared/columns/binning";
import type { SelectionConversation } from "@consilium/methods/shared/k-anonymous/pass";
import { asKAnonymous, type KAnonymousStudy } from "@consilium/methods/testing/families";
import { simulateSelection } from "@consilium/methods/testing/kAnonymous/simulation";
import { paperKaConversation } from "@consilium/methods-paper/xgb-ka/conversation";
import type { PaperKaStudy } from "@consilium/methods-paper/xgb-ka/study";
import { repeatableBytes } from "../dpPcaTables.js";
import type { UtilityCell } from "./cell.js";
import type { UtilityNetwork } from "./network.js";
import {
  accuracyOf,
  adult,
  type BinnedTable,
  breastCancer,
  dealt,
  equalNoise,
  once,
  studyOf,
} from "./tables.js";

/**
 * What a release of k-anonymous-selection is worth: a reader predicts a test row's label by the majority of its combination
 * of released values, and of all released rows where there is no such combination. The targets were measured by an
 * independent central program with noise of exactly σ; five sites of which one may collude add 1.25σ², so that the runs are
 * at 1.25ρ.
 */

const delta = 1e-5;
const k = 10;

/** Coarser than for trees: released combinations must come in groups. Public, chosen by hand before any run. */
const adultEdges: Readonly<Record<string, readonly number[]>> = {
  age: [25, 30, 35, 40, 45, 50, 60],
  fnlwgt: [1e5, 2e5, 3e5],
  educationnum: Array.from({ length: 15 }, (_, i) => i + 1.5),
  capgain: [1, 3500, 7000],
  caploss: [1, 1800],
  hours: [30, 40, 41, 50],
};

/** Adult in coarse bins; the level of education is there as a number already. */
export function coarseAdult(): BinnedTable {
  const table = adult();
  const used = table.features.flatMap(({ name }, j) => (name === "education" ? [] : [j]));
  const part = ({ rows, labels }: BinnedTable["train"]) => ({
    rows: rows.map((row) => used.map((j) => row[j]!)),
    labels,
  });
  const features = used.map((j) => {
    const feature = table.features[j]!;
    const edges = adultEdges[String(feature.name)];
    return edges === undefined ? feature : { ...feature, edges };
  });
  return { ...table, features, train: part(table.train), test: part(table.test) };
}

export async function conversed<R>(
  study: KAnonymousStudy,
  table: BinnedTable,
  seed: string,
  run: (conversation: SelectionConversation) => Promise<R>,
): Promise<R> {
  const kernels = await openSystemKernels();
  try {
    return await simulateSelection({
      study,
      tables: dealt(table),
      kernels,
      random: repeatableBytes(seed),
      run,
    });
  } finally {
    await kernels.close();
  }
}

/** By combination of released values, how often each class came. */
type Groups = ReadonlyMap<string, readonly number[]>;

function majorityAccuracy(
  binned: readonly BinnedFeature[],
  selected: readonly number[],
  groups: Groups,
  { rows, labels }: BinnedTable["test"],
): number {
  const all = [0, 1].map((c) => [...groups.values()].reduce((sum, counts) => sum + counts[c]!, 0));
  const predicted = rows.map((row) => {
    const key = selected.map((f) => binOf(binned[f]!, row[f]!)).join();
    const [no, yes] = groups.get(key) ?? all;
    return yes! > no! ? 1 : 0;
  });
  return accuracyOf(predicted, labels);
}

/** How well a reader predicts by dp-ka's released table. */
async function dpKaRun(options: {
  readonly table: BinnedTable;
  readonly epsilon: number | null;
  readonly kappa: number;
  readonly seed: string;
  readonly network: UtilityNetwork | null;
}): Promise<number> {
  const { table, epsilon, kappa, seed, network } = options;
  const study = asKAnonymous(
    studyOf(table, {
      analysis: "k-anonymous-selection",
      privacy: equalNoise(epsilon, delta),
      parameters: { k, kappa, beta: 0.05, trees: 5, depth: 2, evaluation: "none" },
    }),
  ) as DpKaStudy;
  const released =
    network === null
      ? (await conversed(study, table, seed, (conversation) => dpKaConversation({ study, conversation })))
          .table
      : releasedTable(study, (await network.model(study, table)) as ReleasedModel);
  const binned = binnedFeatures(study.features, study.parameters.bins);
  const groups = new Map((released?.kept ?? []).map(({ bins, counts }) => [bins.join(), counts]));
  return majorityAccuracy(binned, released?.features ?? [], groups, table.test);
}

/** What is read of `model.json`. */
interface ReleasedModel {
  readonly selected: readonly string[];
  readonly features: readonly { readonly name: string; readonly levels: readonly string[] }[];
  readonly table: {
    readonly features: readonly string[];
    readonly kept: readonly { readonly values: readonly string[]; readonly counts: readonly number[] }[];
  } | null;
}

/** The released table by bins, as the simulation has it. */
function releasedTable(
  study: KAnonymousStudy,
  { features, table }: ReleasedModel,
): Pick<NonNullable<DpKaResult["table"]>, "features" | "kept"> | null {
  if (table === null) return null;
  const levels = table.features.map((name) => features.find((one) => one.name === name)!.levels);
  return {
    features: table.features.map((name) => study.features.findIndex((one) => one.name === name)),
    kept: table.kept.map(({ values, counts }) => ({
      bins: values.map((value, j) => levels[j]!.indexOf(value)),
      counts,
    })),
  };
}

/** XGB-KA's or Greedy-Hamdist's released rows, and how well a reader predicts by them. */
async function paperKaRun(
  table: BinnedTable,
  method: "xgb-ka" | "greedy-hamdist",
  seed: string,
  network: UtilityNetwork | null,
): Promise<number> {
  const study = asKAnonymous(
    studyOf(table, {
      analysis: "k-anonymous-selection",
      variant: "paper",
      method,
      privacy: "none",
      parameters: { k },
    }),
  ) as PaperKaStudy;
  const chosen = async () => {
    if (network !== null) {
      const model = (await network.model(study, table)) as ReleasedModel;
      return model.selected.map((name) => study.features.findIndex((one) => one.name === name));
    }
    const { pass } = await conversed(study, table, seed, (conversation) =>
      paperKaConversation({ study, conversation }),
    );
    return [...pass.selected];
  };
  const selected = (await chosen()).sort((a, b) => a - b);
  const binned = binnedFeatures(study.features, study.parameters.bins);
  const groups = new Map<string, number[]>();
  table.train.rows.forEach((row, r) => {
    const key = selected.map((f) => binOf(binned[f]!, row[f]!)).join();
    const counts = groups.get(key) ?? [0, 0];
    counts[table.train.labels[r]!]!++;
    groups.set(key, counts);
  });
  return majorityAccuracy(binned, selected, groups, table.test);
}

interface Data {
  readonly name: string;
  readonly table: (seed: number) => BinnedTable;
  /** Accuracy by ε: the middle of the central program's three runs, which were .780-.821, .797-.825 and .833-.840. */
  readonly targets: readonly (readonly [epsilon: number | null, accuracy: number | null])[];
  readonly majority: number;
}

const data: readonly Data[] = [
  {
    name: "Adult, coarse",
    table: once(coarseAdult),
    targets: [
      [0.5, 0.8],
      [1, 0.811],
      [2, 0.837],
      [null, null],
    ],
    majority: 0.764,
  },
  {
    name: "BCW",
    table: breastCancer,
    targets: [
      [1, null],
      [4, null],
      [null, null],
    ],
    majority: 0.65,
  },
];

export const cells: readonly UtilityCell[] = data.flatMap(
  ({ name, table, targets, majority }): UtilityCell[] => [
    ...targets.map(
      ([epsilon, target]): UtilityCell => ({
        method: "dp-ka",
        variant: epsilon === null ? "none" : "sound",
        data: name,
        epsilon,
        metric: "accuracy",
        target,
        run: (seed, network) =>
          dpKaRun({ table: table(seed), epsilon, kappa: 0.1, seed: `${name} ${epsilon} ${seed}`, network }),
      }),
    ),
    ...(["xgb-ka", "greedy-hamdist"] as const).map(
      (method): UtilityCell => ({
        method,
        variant: "paper",
        data: name,
        epsilon: null,
        metric: "accuracy",
        target: null,
        run: (seed, network) => paperKaRun(table(seed), method, `${name} ${seed}`, network),
      }),
    ),
    {
      method: "constant answer",
      variant: "baseline",
      data: name,
      epsilon: null,
      metric: "accuracy",
      target: majority,
      run: async (seed) => {
        const { labels } = table(seed).test;
        return accuracyOf(
          labels.map(() => 0),
          labels,
        );
      },
    },
  ],
);
