import { z } from "zod";
import type { UtilityCell } from "./cell.js";
import type { UtilityNetwork } from "./network.js";
import { releaseOf } from "./releases.js";
import { accuracyOf, adult, areaUnderRoc, type BinnedTable, equalNoise, once, studyOf } from "./tables.js";

/**
 * What regressions on Adult are worth, read from `model.json`. Logistic: figures to reach are an independent central program's, of the same
 * steps with noise at one place. Linear, of the hours by all other columns: those of AdaSSP [Wang18] at equal ε, as another bench measures them.
 */

const delta = 1e-5;

const table = once((): BinnedTable => {
  const { features, ...about } = adult();
  return { ...about, features: features.map(({ edges: _, ...feature }) => feature) };
});

/** The part of `model.json` that predicts: coefficients `predicting`, in the order of `coefficients`. */
const modelSchema = z.object({
  coefficients: z.array(z.object({ feature: z.string().nullable(), level: z.string().nullable() })),
  predicting: z.array(z.number()),
});

/** What a model says of the test rows: log-odds, or the mean. */
function scoresOf(model: unknown, { features, test }: BinnedTable): number[] {
  const { coefficients, predicting } = modelSchema.parse(model);
  const terms = coefficients.map(({ feature, level }, i) => {
    const f = features.findIndex(({ name }) => name === feature);
    const place = level === null ? -1 : (features[f]!.levels as readonly string[]).indexOf(level);
    return { f, place, isLevel: level !== null, weight: predicting[i]! };
  });
  return test.rows.map((row) =>
    terms.reduce((sum, { f, place, isLevel, weight }) => {
      if (f === -1) return sum + weight;
      return sum + weight * (isLevel ? Number(row[f] === place) : row[f]!);
    }, 0),
  );
}

interface Logistic {
  readonly accuracy: number;
  readonly AUC: number;
}

async function logistic(
  epsilon: number | null,
  seed: number,
  network: UtilityNetwork | null,
): Promise<Logistic> {
  const own = table();
  const study = studyOf(own, {
    analysis: "regression",
    method: "regression",
    parameters: { evaluation: "none" },
    privacy: equalNoise(epsilon, delta),
  });
  const { model } = await releaseOf(study, own, `Adult regression ${epsilon} ${seed}`, network);
  const scores = scoresOf(model, own);
  const predicted = scores.map((score) => (score > 0 ? 1 : 0));
  return {
    accuracy: accuracyOf(predicted, own.test.labels),
    AUC: areaUnderRoc(scores, own.test.labels),
  };
}

const outcome = "hours";

async function linear(epsilon: number | null, seed: number, network: UtilityNetwork | null): Promise<number> {
  const own = table();
  const study = studyOf(own, {
    analysis: "regression",
    method: "regression",
    label: undefined,
    parameters: { family: "linear", outcome },
    privacy: equalNoise(epsilon, delta),
  });
  const { model } = await releaseOf(study, own, `Adult hours ${epsilon} ${seed}`, network);
  const at = own.features.findIndex(({ name }) => name === outcome);
  const truth = own.test.rows.map((row) => row[at]!);
  const mean = truth.reduce((sum, value) => sum + value, 0) / truth.length;
  const squares = (from: (r: number) => number) =>
    truth.reduce((sum, value, r) => sum + (value - from(r)) ** 2, 0);
  const scores = scoresOf(model, own);
  return 1 - squares((r) => scores[r]!) / squares(() => mean);
}

const runs = new Map<string, Promise<Logistic>>();

const settings: readonly (readonly [
  epsilon: number | null,
  accuracy: number,
  area: number,
  rSquared: number,
])[] = [
  [0.1, 0.834, 0.883, 0.051],
  [0.25, 0.846, 0.897, 0.098],
  [1, 0.85, 0.903, 0.146],
  [null, 0.852, 0.905, 0.187],
];

export const cells: readonly UtilityCell[] = settings.flatMap(([epsilon, accuracy, area, rSquared]) => {
  const common = {
    method: "regression",
    variant: epsilon === null ? ("none" as const) : ("sound" as const),
    epsilon,
  };
  const ofLabel = (metric: keyof Logistic, target: number): UtilityCell => ({
    ...common,
    data: "Adult, logistic",
    metric,
    target,
    async run(seed, network) {
      const key = JSON.stringify([epsilon, seed, network === null]);
      const known = runs.get(key) ?? logistic(epsilon, seed, network);
      runs.set(key, known);
      return (await known)[metric];
    },
  });
  const ofHours: UtilityCell = {
    ...common,
    data: "Adult, linear",
    metric: "R²",
    target: rSquared,
    run: (seed, network) => linear(epsilon, seed, network),
  };
  return [ofLabel("accuracy", accuracy), ofLabel("AUC", area), ofHours];
});
