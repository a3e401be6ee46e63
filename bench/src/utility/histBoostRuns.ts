import { ensembleOf } from "@consilium/core/learning/histBoost/ensemble";
import { simulateHistBoost } from "@consilium/core/learning/histBoost/simulate";
import { outputsOf, type TreeEnsemble } from "@consilium/core/learning/trees/tree";
import type { NumericKernels } from "@consilium/core/linalg/kernels";
import { plainKernels } from "@consilium/core/linalg/plain";
import { epsilonFromRho, rhoFromEpsilon } from "@consilium/core/privacy/conversions";
import { unwrap } from "@consilium/core/result";
import { binOf } from "@consilium/core/study/binning";
import { asHistBoost, type HistBoostStudy, histBoostLayout } from "@consilium/core/study/histBoost";
import { parseStudy, type Study } from "@consilium/core/study/study";
import { repeatableBytes, siteTables, utilitySites } from "../dpPcaTables.js";
import type { ClassTable } from "./histBoostTables.js";

/** Accuracy and area under the ROC curve on the test rows. */
export interface Scores {
  readonly accuracy: number;
  readonly auc: number;
}

/** Five sites of which one may collude. */
export function boostedStudy(
  table: ClassTable,
  privacy: Study["privacy"],
  parameters: Readonly<Record<string, unknown>>,
): HistBoostStudy {
  return asHistBoost(
    unwrap(
      parseStudy({
        name: "utility",
        table: "t",
        analysis: "boosted-trees",
        features: table.features,
        label: { name: "utility_label", levels: table.levels },
        privacy,
        parameters: { evaluation: "none", ...parameters },
        participation: {
          sites: [...utilitySites],
          minimumSites: utilitySites.length,
          tolerateColluding: 1,
          maxRowsPerSite: 20_000,
        },
      }),
    ),
  );
}

/** ε at which five sites with one colluder add as much noise in all as a centre does at `epsilon`. */
export function equalNoise(epsilon: number, delta: number): Study["privacy"] {
  return { epsilon: epsilonFromRho({ rho: 1.25 * rhoFromEpsilon({ epsilon, delta }), delta }), delta };
}

/** Trains over five sites in this process and scores the test rows. */
export async function scored(
  table: ClassTable,
  study: HistBoostStudy,
  seed: string,
  kernels: NumericKernels = plainKernels(),
): Promise<Scores> {
  const { trees } = await simulateHistBoost({
    study,
    tables: siteTables({ ...table, centre: 0, radius: 1 }),
    kernels,
    random: repeatableBytes(seed),
  });
  return scoresOf(study, ensembleOf(trees), table.test);
}

export function scoresOf(study: HistBoostStudy, ensemble: TreeEnsemble, test: ClassTable["test"]): Scores {
  const { features } = histBoostLayout(study);
  const kinds = features.map(({ kind }) => kind);
  const outputs = test.rows.map((row) => outputsOf(ensemble, kinds, (f) => binOf(features[f]!, row[f]!))[0]!);
  const right = outputs.filter((output, r) => output > 0 === (test.labels[r] === 1)).length;
  return { accuracy: right / outputs.length, auc: areaUnderCurve(outputs, test.labels) };
}

/** The part of pairs of both classes that the scores put in order; ties count half. */
function areaUnderCurve(scores: readonly number[], labels: readonly number[]): number {
  const order = scores.map((_, r) => r).sort((a, b) => scores[a]! - scores[b]!);
  let below = 0;
  let pairs = 0;
  for (let from = 0; from < order.length; ) {
    let to = from;
    let negative = 0;
    while (to < order.length && scores[order[to]!] === scores[order[from]!]) {
      if (labels[order[to]!] === 0) negative++;
      to++;
    }
    const positive = to - from - negative;
    pairs += positive * (below + negative / 2);
    below += negative;
    from = to;
  }
  return pairs / (below * (labels.length - below));
}
