import type { StageId } from "@consilium/core/ids";
import type { Tree, TreeEnsemble, TreeNode } from "@consilium/core/learning/trees/tree";
import { nameOf, sentences } from "@consilium/core/said";
import type { Broadcast, Broadcasts } from "@consilium/core/study/broadcast";
import type { OneRecord } from "@consilium/gate/record";
import type { BroadcastSays } from "@consilium/words/says/broadcasts";
import { type BinnedFeature, Bins } from "../shared/columns/binning.js";
import { invalidBroadcast, notSent } from "../shared/plans/broadcastFaults.js";
import { residualOf, resolutions } from "./association.js";
import { logOddsName, outputsOfClasses } from "./order.js";

/**
 * Naive Bayes from one noisy histogram of every feature by class: log-odds of the classes, and what each bin of each feature adds
 * to them. Computed from released sums alone (docs/methods/k-anonymous-selection.md#dp-ka-model).
 */
export interface NaiveBayes {
  /** [outputs] of two classes the second one's log-odds, of more the logarithm of each one's part. */
  readonly base: Float64Array;
  /** Of each feature [bins × outputs]. */
  readonly added: readonly Float64Array[];
  /** Of each feature, the noisy rows in its bins. */
  readonly covers: readonly Float64Array[];
}

/** A bin changes no class's part of the rows by more than this, as a logarithm. */
const changeMost = 3;

/** The order of rows stays whatever the counts say: no evidence is weighed by less. */
const weightLeast = 2 ** -10;

/** Numbers are multiples of 2^-24, so that sums of them are the same on every machine. */
const exponent = 24;
export const naiveBayesGrid = 2 ** -exponent;

/** No broadcast number of a model is larger: log-odds of 2^53 rows. */
const numberMost = 64;

const onGrid = (x: number) => Math.trunc(x * 2 ** exponent) / 2 ** exponent + 0;

/**
 * @param counts - of each feature [bins × classes], noisy
 * @param totals - rows by class
 * @param stdDev - of the noise in one count
 */
export function naiveBayes(options: {
  readonly features: readonly BinnedFeature[];
  readonly counts: readonly Float64Array[];
  readonly totals: Float64Array;
  readonly stdDev: number;
}): NaiveBayes {
  const { totals } = options;
  const all = totals.reduce((sum, total) => sum + total, 0);
  const classes = totals.length;
  const logs = totals.map((total) => Math.log(total / all));
  const { covers, evidence } = evidenceOfFeatures(options);
  const weight = evidenceWeight(evidence);
  return {
    base: asOutputs(logs, classes),
    added: evidence.map(({ changes }) =>
      asOutputs(
        changes.map((change) => weight * change),
        classes,
      ),
    ),
    covers,
  };
}

/** The noisy rows in each bin, at least 0. */
function coversOf(counts: Float64Array, classes: number): Float64Array {
  return Float64Array.from({ length: counts.length / classes }, (_, b) =>
    Math.max(
      0,
      counts.subarray(b * classes, (b + 1) * classes).reduce((sum, count) => sum + count, 0),
    ),
  );
}

/** Of two classes the difference, of more each number, on the grid. @param values - [any × classes] */
function asOutputs(values: Float64Array, classes: number): Float64Array {
  if (classes > 2) return values.map(onGrid);
  return Float64Array.from({ length: values.length / 2 }, (_, i) =>
    onGrid(values[2 * i + 1]! - values[2 * i]!),
  );
}

/** What each feature says of the classes, before it is weighed. */
interface AllEvidence {
  readonly covers: readonly Float64Array[];
  readonly evidence: readonly Evidence[];
}

/** @param options - as of `naiveBayes` */
export function evidenceOfFeatures(options: Parameters<typeof naiveBayes>[0]): AllEvidence {
  const { features, counts, totals, stdDev } = options;
  const covers = counts.map((own) => coversOf(own, totals.length));
  const evidence = counts.map((own, f) => evidenceOf(own, features[f]!.kind, covers[f]!, totals, stdDev));
  return { covers, evidence };
}

/** What a feature says of the classes, and how far that varies over rows for its noise. */
interface Evidence {
  /** ln(P(c | bin)/P(c)) with the feature's shift, [bins × classes]. */
  readonly changes: Float64Array;
  /** Mean squares over rows, each class by the inverse of its part: of the differences, and of sampling and noise in them. */
  readonly spread: number;
  readonly noise: number;
}

/**
 * By how much all evidence is weighed: the part of its variance over rows that sampling and noise do not explain, which is the
 * slope of the truth on what was measured with error [Ful87]. One factor for all features leaves the order of rows as it is.
 */
function evidenceWeight(evidence: readonly Evidence[]): number {
  const spread = evidence.reduce((sum, one) => sum + one.spread, 0);
  const noise = evidence.reduce((sum, one) => sum + one.noise, 0);
  return spread > 0 ? Math.max(weightLeast, 1 - noise / spread) : 1;
}

/**
 * A bin's part of class c differs from that of all rows by d = R/n_b, drawn towards 0 by `drawnDifferences`. A feature moves no
 * class's part of all rows, Σ_b n_b·d_b = 0; drawing bins of few rows further than others breaks that, so the change of each class is
 * shifted by what the differences less their mean over rows make of it on average: by one number for a class, so that the
 * order of rows stays.
 */
function evidenceOf(
  counts: Float64Array,
  kind: BinnedFeature["kind"],
  covers: Float64Array,
  totals: Float64Array,
  stdDev: number,
): Evidence {
  const classes = totals.length;
  const all = totals.reduce((sum, total) => sum + total, 0);
  const rows = covers.reduce((sum, cover) => sum + cover, 0);
  const { differences, variances } = drawnDifferences(counts, kind, totals, stdDev);
  const changes = new Float64Array(counts.length);
  let [spread, noise] = [0, 0];
  totals.forEach((total, c) => {
    const part = total / all;
    const overRows = (value: (place: number) => number) =>
      rows > 0 ? covers.reduce((sum, cover, b) => sum + cover * value(b * classes + c), 0) / rows : 0;
    const mean = overRows((at) => differences[at]!);
    const shift = overRows(
      (at) => changeOf(differences[at]! - mean, part) - changeOf(differences[at]!, part),
    );
    for (let at = c; at < counts.length; at += classes)
      changes[at] = changeOf(differences[at]!, part) + shift;
    spread += overRows((at) => (differences[at]! - mean) ** 2) / part;
    noise += overRows((at) => variances[at]!) / part;
  });
  return { changes, spread, noise };
}

/** ln((p + d)/p), bounded. */
function changeOf(difference: number, part: number): number {
  const ratio = Math.max((part + difference) / part, Math.exp(-changeMost));
  return Math.min(changeMost, Math.log(ratio));
}

/**
 * R/n_b for each bin and class, [bins × classes], drawn towards 0 by how much of R² sampling and noise explain (empirical Bayes):
 * with τ² the mean square of the true differences, n_b·τ²·R/(n_b²·τ² + V). Of an ordered feature, the mean over its resolutions.
 * Their variances are those of sampling and noise, of resolutions as if they shared none: what is drawn towards 0 already is
 * weighed rather too little otherwise.
 */
function drawnDifferences(
  counts: Float64Array,
  kind: BinnedFeature["kind"],
  totals: Float64Array,
  stdDev: number,
): { readonly differences: Float64Array; readonly variances: Float64Array } {
  const classes = totals.length;
  const differences = new Float64Array(counts.length);
  const variances = new Float64Array(counts.length);
  const layers = resolutions(counts, kind, classes);
  layers.forEach((groups, layer) => {
    totals.forEach((_, c) => {
      const residuals = groups.map((group) => residualOf(group, c, totals, stdDev));
      const rows = groups.map((group) =>
        Math.max(
          0,
          group.counts.reduce((sum, count) => sum + count, 0),
        ),
      );
      const squares = rows.reduce((sum, n) => sum + n * n, 0);
      const explained = residuals.reduce((sum, { value, variance }) => sum + value ** 2 - variance, 0);
      const spread = squares > 0 ? Math.max(0, explained) / squares : 0;
      for (let b = 0; b < counts.length / classes; b++) {
        const group = b >> layer;
        const at = b * classes + c;
        const { value, variance } = residuals[group]!;
        const below = rows[group]! ** 2 * spread + variance;
        if (below <= 0) continue;
        const factor = (rows[group]! * spread) / below / layers.length;
        differences[at]! += factor * value;
        variances[at]! += variance * factor ** 2;
      }
    });
  });
  return { differences, variances };
}

/** What sites are told of the model: the base, then feature by feature, bin by bin, the outputs. */
export function naiveBayesBroadcast({ base, added }: NaiveBayes): Broadcast {
  return { [logOddsName]: Float64Array.from([base, ...added].flatMap((values) => [...values])) };
}

/**
 * What a broadcast model says of a record.
 * @param stage - that is told the model
 * @returns of a record its outputs, in one array for all records
 * @throws ConsiliumError FIELD_INVALID where the model is missing, BROADCAST_INVALID where its numbers are none that the method makes
 */
export function naiveBayesTold(options: {
  readonly features: readonly BinnedFeature[];
  readonly classes: number;
  readonly broadcasts: Broadcasts;
  readonly stage: StageId;
}): (record: Pick<OneRecord, "values">) => Float64Array {
  const { features, classes, broadcasts, stage } = options;
  const values = broadcasts.get(stage)?.[logOddsName];
  if (values === undefined) throw notSent(stage, logOddsName);
  const outputs = outputsOfClasses(classes);
  const begins: number[] = [];
  let length = outputs;
  for (const { bins } of features) {
    begins.push(length);
    length += bins * outputs;
  }
  const isMade = (value: number) => Math.abs(value) <= numberMost && onGrid(value) === value;
  if (values.length !== length || !values.every(isMade)) {
    const params = { name: nameOf(logOddsName), count: length, exponent, max: numberMost };
    throw invalidBroadcast(stage, sentences<BroadcastSays>()("broadcast.multiples", params));
  }
  const sums = new Float64Array(outputs);
  const bins = Bins.for(features);
  return (record) => {
    for (let o = 0; o < outputs; o++) sums[o] = values[o]!;
    for (let f = 0; f < features.length; f++) {
      const at = begins[f]! + bins.of(f, record.values[f]!) * outputs;
      for (let o = 0; o < outputs; o++) sums[o] = sums[o]! + values[at + o]!;
    }
    return sums;
  };
}

/** The same model as trees whose leaves add up, one for each feature that says anything: what exports and evaluation take. */
export function naiveBayesEnsemble(model: NaiveBayes, features: readonly BinnedFeature[]): TreeEnsemble {
  const outputs = model.base.length;
  const trees = features.flatMap((feature, f): Tree[] => {
    const added = model.added[f]!;
    const bins = Array.from({ length: feature.bins }, (_, b) => ({
      values: [...added.subarray(b * outputs, (b + 1) * outputs)],
      cover: model.covers[f]![b]!,
    }));
    if (bins.every(({ values }) => values.every((value) => value === 0))) return [];
    return [{ nodes: feature.kind === "ordered" ? orderedNodes(f, bins) : nominalNodes(f, bins) }];
  });
  const constant: Tree = {
    nodes: [{ kind: "leaf", values: new Array<number>(outputs).fill(0), cover: 0 }],
  };
  return {
    trees: trees.length === 0 ? [constant] : trees,
    base: [...model.base],
    link: outputs === 1 ? "logistic" : "softmax",
  };
}

interface BinLeaf {
  readonly values: readonly number[];
  readonly cover: number;
}

const isSame = (a: BinLeaf, b: BinLeaf) => a.values.every((value, i) => value === b.values[i]);
const coverOf = (bins: readonly BinLeaf[]) => bins.reduce((sum, { cover }) => sum + cover, 0);

/** Neighbours of one value are one leaf; cuts halve what is left. */
function orderedNodes(feature: number, bins: readonly BinLeaf[]): TreeNode[] {
  const nodes: TreeNode[] = [];
  // Of each run of equal bins, the first one, and after the last run the end.
  const starts = [...bins.keys()].filter((b) => b === 0 || !isSame(bins[b]!, bins[b - 1]!));
  const grow = (from: number, to: number): number => {
    const at = nodes.length;
    const own = bins.slice(starts[from]!, starts[to] ?? bins.length);
    const cover = coverOf(own);
    if (to - from === 1) {
      nodes.push({ kind: "leaf", values: own[0]!.values, cover });
      return at;
    }
    const middle = (from + to) >>> 1;
    const split = { kind: "split" as const, feature, cut: starts[middle]! - 1, gain: 0, cover };
    nodes.push({ ...split, left: 0, right: 0 });
    nodes[at] = { ...split, left: grow(from, middle), right: grow(middle, to) };
    return at;
  };
  grow(0, starts.length);
  return nodes;
}

/** One level after another is taken out; those of the value that most levels have are left to the end. */
function nominalNodes(feature: number, bins: readonly BinLeaf[]): TreeNode[] {
  const runs = new Map<string, number[]>();
  bins.forEach(({ values }, b) => {
    const key = values.join();
    runs.set(key, [...(runs.get(key) ?? []), b]);
  });
  const rest = new Set([...runs.values()].sort((a, b) => b.length - a.length)[0]);
  const nodes: TreeNode[] = [];
  let cover = coverOf(bins);
  bins.forEach((bin, cut) => {
    if (rest.has(cut)) return;
    const at = nodes.length;
    nodes.push({ kind: "split", feature, cut, gain: 0, cover, left: at + 1, right: at + 2 });
    nodes.push({ kind: "leaf", values: bin.values, cover: bin.cover });
    cover -= bin.cover;
  });
  const [first] = rest;
  nodes.push({ kind: "leaf", values: bins[first!]!.values, cover });
  return nodes;
}
