import { performance } from "node:perf_hooks";
import { type BinnedFeature, binnedFeatures, binOf } from "@consilium/methods/shared/columns/binning";
import { asKAnonymous } from "@consilium/methods/testing/families";
import { paperKaConversation } from "@consilium/methods-paper/xgb-ka/conversation";
import type { PaperKaStudy } from "@consilium/methods-paper/xgb-ka/study";
import { z } from "zod";
import { python } from "../utility/featureSelection.js";
import { coarseAdult, conversed } from "../utility/kAnonymous.js";
import { type BinnedTable, breastCancer, once, parted, shuffled, studyOf } from "../utility/tables.js";
import { type Figure, type FigureSeries, type FiguresOptions, pointOf } from "./figure.js";

/**
 * The figures of XGB-KA's source: precision and recall of a support vector machine on the released columns, and the time that
 * the selection takes, against K, beside Greedy-Hamdist. All sites in one process. The source prints curves without numbers, and
 * none were to be had: what can be compared is which way they go. Its K = 0 is no protection, which here is K = 1.
 */

const source = "XGB-KA's source, where figures 1 to 4 are of the SVM and 5 and 6 of the time";
const methods = ["xgb-ka", "greedy-hamdist"] as const;
type Method = (typeof methods)[number];

/** The part of each table that the selection and the SVM are trained on. */
const trainShare = 0.7;
const adultRows = 1500;
const unprotected = 1;

interface Data {
  readonly id: string;
  readonly name: string;
  readonly table: (seed: number, quick: boolean) => BinnedTable;
  /** How the columns are binned. */
  readonly bins: string;
}

const data: readonly Data[] = [
  {
    id: "adult",
    name: "Adult, a stratified sample of 1,500 rows",
    table: (seed, quick) => sampled(adultData(), quick ? 500 : adultRows, seed),
    bins: "numbers in 3 to 16 intervals",
  },
  {
    id: "bcw",
    name: "Breast-Cancer-Wisconsin, 683 rows without missing values",
    table: (seed) => sampled(bcwData(), Number.POSITIVE_INFINITY, seed),
    bins: "each of the ten values an interval of its own",
  },
];

const adultData = once(coarseAdult);

/** All rows together, each of the ten whole numbers in an interval of its own: what the source calls the data as they are. */
const bcwData = once((): BinnedTable => {
  const table = breastCancer(0);
  const { train, test } = table;
  const edges = Array.from({ length: 9 }, (_, i) => i + 1.5);
  return {
    ...table,
    features: table.features.map((feature) => ({ ...feature, edges })),
    train: { rows: [...train.rows, ...test.rows], labels: [...train.labels, ...test.labels] },
  };
});

/** So many of the training rows, each class as often as in all of them, and of these a part for testing. */
function sampled(table: BinnedTable, count: number, seed: number): BinnedTable {
  const { rows, labels } = table.train;
  const chosen: number[] = [];
  const heldOut = new Set<number>();
  table.levels.forEach((_, level) => {
    const own = labels.flatMap((label, r) => (label === level ? [r] : []));
    const kept = Math.min(own.length, Math.round((count / rows.length) * own.length) || own.length);
    const order = shuffled(own.length, `${table.name} sample ${level} ${seed}`).slice(0, kept);
    order.forEach((place, i) => {
      chosen.push(own[place]!);
      if (i >= trainShare * kept) heldOut.add(own[place]!);
    });
  });
  chosen.sort((a, b) => a - b);
  const sample = { rows: chosen.map((r) => rows[r]!), labels: chosen.map((r) => labels[r]!) };
  return parted(table, sample, (r) => heldOut.has(chosen[r]!));
}

interface Selected {
  readonly features: readonly number[];
  readonly seconds: number;
}

async function selected(table: BinnedTable, method: Method, k: number, seed: number): Promise<Selected> {
  const study = studyFor(table, method, k);
  return conversed(study, table, `figures ${seed}`, async (conversation) => {
    const started = performance.now();
    const { pass } = await paperKaConversation({ study, conversation });
    const seconds = (performance.now() - started) / 1000;
    return { features: [...pass.selected].sort((a, b) => a - b), seconds };
  });
}

function studyFor(table: BinnedTable, method: Method, k: number): PaperKaStudy {
  const given = { analysis: "k-anonymous-selection", variant: "paper", method, parameters: { k } };
  return asKAnonymous(studyOf(table, { ...given, privacy: "none" })) as PaperKaStudy;
}

/** Released columns as the SVM sees them: a number by its interval, from 0 to 1; a category by a 0 or 1 for each level. */
function released(
  binned: readonly BinnedFeature[],
  features: readonly number[],
  rows: readonly (readonly number[])[],
): number[][] {
  return rows.map((row) =>
    features.flatMap((f) => {
      const feature = binned[f]!;
      const bin = binOf(feature, row[f]!);
      return feature.kind === "ordered"
        ? [bin / Math.max(1, feature.bins - 1)]
        : Array.from({ length: feature.bins }, (_, level) => Number(level === bin));
    }),
  );
}

const scoresSchema = z.object({ precision: z.array(z.number()), recall: z.array(z.number()) });
type Scores = z.infer<typeof scoresSchema>;

/** Everything measured of a table: per method and K one value for each seed. */
interface Measured {
  readonly scores: ReadonlyMap<string, Scores>;
  readonly seconds: ReadonlyMap<string, readonly number[]>;
  /** Of XGB-KA: how many columns are released on average. */
  readonly columns: ReadonlyMap<number, number>;
}

const key = (method: Method, k: number) => `${method} ${k}`;

async function measured(one: Data, ks: readonly number[], options: FiguresOptions): Promise<Measured> {
  const [scores, seconds, columns] = [
    new Map<string, Scores>(),
    new Map<string, readonly number[]>(),
    new Map<number, number>(),
  ];
  const tables = Array.from({ length: options.seeds }, (_, s) => one.table(s + 1, options.quick));
  // The first run of a process is slower than all later ones.
  await selected(tables[0]!, "xgb-ka", unprotected, 0);
  for (const method of methods) {
    for (const k of ks) {
      const found: Selected[] = [];
      for (const [s, table] of tables.entries()) found.push(await selected(table, method, k, s));
      seconds.set(
        key(method, k),
        found.map((own) => own.seconds),
      );
      if (method === "xgb-ka")
        columns.set(k, found.reduce((sum, { features }) => sum + features.length, 0) / found.length);
      const runs = tables.map((table, s) => {
        const { train, test } = table;
        const { features, parameters } = studyFor(table, method, k);
        const binned = binnedFeatures(features, parameters.bins);
        const chosen = found[s]!.features;
        return {
          train: released(binned, chosen, train.rows),
          trainLabels: train.labels,
          test: released(binned, chosen, test.rows),
          testLabels: test.labels,
        };
      });
      scores.set(key(method, k), scoresSchema.parse(await python("svm_precision_recall.py", { runs })));
    }
  }
  return { scores, seconds, columns };
}

function seriesOf(
  ks: readonly number[],
  values: (method: Method, k: number) => readonly number[],
): FigureSeries[] {
  return methods.map((name) => ({
    name,
    points: ks.map((k) => pointOf(k === unprotected ? 0 : k, values(name, k))),
  }));
}

/** What a line does, in words. */
function course({ name, points }: FigureSeries): string {
  const [first, last] = [points[0]!, points.at(-1)!];
  return `${name} goes from ${first.y.toFixed(3)} at K = ${first.x} to ${last.y.toFixed(3)} at K = ${last.x}`;
}

const notCompared = "Not compared: the source's curves have no numbers that could be read";

function figuresOf(one: Data, ks: readonly number[], { scores, seconds, columns }: Measured): Figure[] {
  const released = ks
    .map((k) => `${columns.get(k)!.toFixed(1)} at K = ${k === unprotected ? 0 : k}`)
    .join(", ");
  const ofScore = (score: keyof Scores): Figure => {
    const series = seriesOf(ks, (method, k) => scores.get(key(method, k))![score]);
    return {
      id: `xgb-ka-${one.id}-${score}`,
      title: `${score[0]!.toUpperCase()}${score.slice(1)} of an SVM on what XGB-KA releases of ${one.name}, ${one.bins}`,
      source,
      xLabel: "K",
      yLabel: score,
      series,
      verdict: `${notCompared}; measured, ${series.map(course).join(", and ")}, because with a larger K fewer columns can be released (of XGB-KA ${released}).`,
    };
  };
  const times = seriesOf(ks, (method, k) => seconds.get(key(method, k))!);
  return [
    ofScore("precision"),
    ofScore("recall"),
    {
      id: `xgb-ka-${one.id}-time`,
      title: `Time that a selection takes on ${one.name}, five sites in one process`,
      source,
      xLabel: "K",
      yLabel: "seconds",
      series: times,
      verdict: `${notCompared}, and are of another machine and of one table without sites; measured in seconds, ${times.map(course).join(", and ")}.`,
    },
  ];
}

/** @throws RangeError where the data sets are not at hand; Error where the Python of `CONSILIUM_PYTHON` has no scikit-learn */
export async function xgbKaFigures(options: FiguresOptions): Promise<Figure[]> {
  const ks = options.quick ? [unprotected, 10, 50] : [unprotected, 2, 5, 10, 15, 20, 25, 30, 40, 50];
  const figures: Figure[] = [];
  for (const one of data) figures.push(...figuresOf(one, ks, await measured(one, ks, options)));
  return figures;
}
