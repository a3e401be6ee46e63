import type { Figure } from "@consilium/core/release/figures";
import { type Finding, finding } from "@consilium/core/release/finding";
import { nameOf } from "@consilium/core/said";
import { planStudy } from "@consilium/core/study/plan";
import { namesText } from "@consilium/core/words";
import { z } from "zod";
import type { LabelledStudy } from "../columns/labelled.js";
import { modelColumnSchema, modelColumns } from "../columns/modelColumns.js";
import { selectedFeatures } from "./localLearning.js";
import { type RankedFeature, rankedFeatures, standsOut, type WeightNoise } from "./ranking.js";

/** `model.json` of a feature-selection release: the weight of every feature, and how far the noise lets it be trusted. */

const numbers = z.array(z.number());

const featureSchema = z.strictObject({
  name: z.string(),
  rank: z.int().min(1),
  weight: z.number(),
  /** Standard deviation of the noise in the weight; null where there is none. */
  stdDev: z.number().nullable(),
  /** Where the weight without noise lies with probability 0.95, over the noise. */
  low: z.number().nullable(),
  high: z.number().nullable(),
  selected: z.boolean(),
  /** How often the feature is among the selected ones when as much noise is added once more; null without noise. */
  topShare: z.number().min(0).max(1).nullable(),
});

export const featureSelectionModelSchema = z.strictObject({
  format: z.literal("consilium-feature-selection-model/1"),
  analysis: z.literal("feature-selection"),
  method: z.enum(["felp-a", "felp-s", "felp", "fple", "fwell", "fwell-en"]),
  variant: z.enum(["sound", "paper"]),
  /** What a weight is, in words. */
  weightMeaning: z.string(),
  /** q names, the largest weight first. */
  selected: z.array(z.string()).min(1),
  /** All features, the largest weight first. */
  features: z.array(featureSchema).min(1),
  /** The design columns, in the order of the prototypes' entries. */
  columns: z.array(modelColumnSchema),
  /** Of felp-a: what rows were compared with. */
  classes: z
    .array(
      z.strictObject({
        level: z.string(),
        /** The noisy number of rows. */
        rows: z.number(),
        /** Whether it took part. */
        present: z.boolean(),
        /** Whether its number of rows stands out of the noise. */
        standsOut: z.boolean(),
        /** In unit coordinates: a number mapped to 0 to 1, a level's column to 0 or ½. */
        prototype: numbers,
      }),
    )
    .nullable(),
  /** Of the published methods: n, exactly. Of felp-s: null. Of felp-a: the noisy number. */
  rows: z.number().nullable(),
  noise: z.strictObject({ epsilon: z.number().nullable(), delta: z.number().nullable() }),
  /** Public: with it anyone draws the noise behind `topShare` again. */
  seed: z.string(),
  warnings: z.array(z.string()),
});
export type FeatureSelectionModel = z.output<typeof featureSelectionModelSchema>;

/** One class as its noisy sums show it. */
export interface AnchorClass {
  /** The noisy number of its rows. */
  readonly rows: number;
  /** Whether it takes part. */
  readonly present: boolean;
  /** Whether its number of rows stands out of the noise. */
  readonly standsOut: boolean;
  /** [D] in unit coordinates. */
  readonly prototype: Float64Array;
}

/** What a method found. */
export interface FeatureSelectionResult {
  /** [d]. */
  readonly weights: Float64Array;
  readonly noise: WeightNoise | null;
  readonly classes: readonly AnchorClass[] | null;
  /** As the model says it. */
  readonly rows: number | null;
}

/** A study of one of these methods, as far as what they share goes. */
export type SelectionStudy = LabelledStudy & {
  readonly parameters: { readonly select?: number | undefined; readonly lambda: number };
};

/**
 * @param weightMeaning - what a weight of this method is
 * @param seed - public, of the draws behind `topShare`
 */
export function featureSelectionModel(
  study: SelectionStudy,
  result: FeatureSelectionResult,
  weightMeaning: string,
  seed: string,
): FeatureSelectionModel {
  const { claim } = planStudy(study);
  const select = selectedFeatures(study);
  const ranked = rankedFeatures({ features: study.features, ...result, select, seed });
  return featureSelectionModelSchema.parse({
    format: "consilium-feature-selection-model/1",
    analysis: study.analysis,
    method: study.method,
    variant: study.variant,
    weightMeaning,
    selected: ranked.slice(0, select).map(({ name }) => name),
    features: ranked,
    columns: modelColumns(study.features),
    classes:
      result.classes?.map(({ rows, present, standsOut: clear, prototype }, c) => ({
        level: study.label.levels[c],
        rows,
        present,
        standsOut: clear,
        prototype: Array.from(prototype),
      })) ?? null,
    rows: result.rows,
    noise: { epsilon: claim.epsilon, delta: claim.delta },
    seed,
    warnings: warningsOf(study, result, ranked),
  });
}

/** What the released numbers themselves say against the selection. */
function warningsOf(
  study: SelectionStudy,
  { weights, noise, classes }: FeatureSelectionResult,
  ranked: readonly RankedFeature[],
): string[] {
  const warnings: string[] = [];
  const faint = study.label.levels.filter((_, c) => classes?.[c]?.standsOut === false);
  if (classes !== null && study.label.levels.length - faint.length < 2) {
    warnings.push(
      `fewer than two levels of ${study.label.name} stand out of the noise: what was compared may be noise, and the selection chance`,
    );
  } else if (faint.length > 0) {
    warnings.push(
      `levels of ${study.label.name} that do not stand out of the noise took no part: ${namesText(faint)}`,
    );
  }
  if (noise !== null && !standsOut(weights, noise)) {
    warnings.push("no weight stands out of the noise: the selection is no better than chance");
  } else if (weights.every((weight) => weight <= 0)) {
    warnings.push("no weight is positive: no feature tells the classes apart");
  } else if (ranked.some(({ selected, weight }) => selected && weight <= 0)) {
    warnings.push("some of the selected features have no positive weight");
  }
  return warnings;
}

/** Columns that the finding names. */
const maxNamed = 5;

/** The columns that were selected: clear where a weight exceeds what the largest of so many noises alone would be. */
export function featureSelectionFinding(
  study: SelectionStudy,
  { weights, noise }: FeatureSelectionResult,
  model: FeatureSelectionModel,
): Finding {
  const outcome = nameOf(study.label.name);
  if (!standsOut(weights, noise)) return finding("share", false, "finding.not-ranked", { outcome });
  const named = model.features.filter(({ selected }) => selected).slice(0, maxNamed);
  const shares = named.flatMap(({ topShare }) => (topShare === null ? [] : [topShare]));
  return finding("share", true, "finding.ranked", {
    outcome,
    columns: named.map(({ name }) => nameOf(name)),
    of: model.features.length,
    again: shares.length === 0 ? null : Math.min(...shares),
  });
}

const barsMost = 50;

/** One bar for each of the features with the largest weights, with its interval. */
export function importanceFigure(model: FeatureSelectionModel): Figure {
  const shown = model.features.slice(0, Math.max(barsMost, Math.min(model.selected.length, 500)));
  const noisy = shown[0]!.stdDev !== null;
  return {
    kind: "bars",
    name: "importance",
    title: `Weights of ${shown.length === model.features.length ? "all" : `the first ${shown.length} of ${model.features.length}`} features, ${model.selected.length} selected`,
    valueLabel: `weight${noisy ? ", with an interval that holds it without noise with probability 0.95" : ""}`,
    bars: shown.map(({ name, weight, low, high }) => ({ label: name, value: weight, low, high })),
  };
}
