import { binnedFeatures } from "./binning.js";
import type { DpKaStudy } from "./dpKa.js";
import { boostingRowsNeeded, medianBins, orderingOf } from "./dpKaOrder.js";
import { type DpPccStudy, depthMost, treeUsually } from "./dpPcc.js";
import { type DpPccSStudy, rowsOfBlockLeast } from "./dpPccS.js";
import { trainingRows, trainingShare } from "./evaluation.js";
import { noiseShares } from "./onRoster.js";
import { asExpected, rowsExpected, sitesAtLeast, stageRho } from "./soundSums.js";
import type { Study } from "./study.js";

/**
 * Parameters that a new study leaves open and that its noise decides: of dp-pcc, dp-pcc-s and dp-ka, where the study says how many rows
 * it expects. They follow from what is public and are written into the study, so that every party reads numbers and a text that
 * travelled means what it meant: docs/methods/correlation-tree.md#defaults, docs/methods/k-anonymous-selection.md#dp-ka-defaults.
 */

/** Intervals of a numeric feature where noise allows for them. */
const binsUsually = 16;

/** With two, all rows of a skewed column would lie in one. */
const binsLeast = 3;

/** The part of a declared range that a column's rows are taken to fill: so many times as many intervals lie in the whole. */
const rangeFilled = 1 / 4;

/** A level's vector that the rule may ask of a site: 32 MiB. */
const levelLengthMost = 2 ** 22;

/** What boosting's trees have left of a margin that they go towards by η each. */
const marginLeft = 0.01;

type Parameters = Readonly<Record<string, unknown>>;

interface OpenStudy {
  readonly raw: Readonly<Record<string, unknown>>;
  readonly parameters: Parameters;
}

/**
 * The study with what the rules make of it; as it is where no rule applies, or where it has a fault.
 * @param read - the schema, with defaults of its own
 */
export function withNoiseDefaults(raw: unknown, read: (raw: unknown) => Study | null): unknown {
  const open = openStudy(raw);
  if (open === null) return raw;
  const filled = (parameters: Parameters) => ({
    ...open.raw,
    parameters: { ...parameters, ...open.parameters },
  });
  // Of the smallest that the rules choose: a larger default may be a fault that the chosen one is not.
  const smallest = read(filled(smallestOf(open.raw)));
  if (smallest === null || smallest.privacy === "none") return raw;
  if (smallest.participation.expectedRows === undefined) return raw;
  const isOpen = (key: string) => open.parameters[key] === undefined;
  if (smallest.analysis === "correlation-tree" && smallest.method === "dp-pcc")
    return filled(dpPccDefaults(smallest, isOpen));
  if (smallest.analysis === "correlation-tree" && smallest.method === "dp-pcc-s")
    return filled(dpPccSDefaults(smallest, isOpen));
  if (smallest.analysis === "k-anonymous-selection" && smallest.method === "dp-ka")
    return filled(dpKaDefaults(smallest, isOpen));
  return raw;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function openStudy(raw: unknown): OpenStudy | null {
  if (!isRecord(raw)) return null;
  const { analysis, variant = "sound", parameters = {} } = raw;
  if (analysis !== "correlation-tree" && analysis !== "k-anonymous-selection") return null;
  return variant === "sound" && isRecord(parameters) ? { raw, parameters } : null;
}

function smallestOf({ analysis }: Readonly<Record<string, unknown>>): Parameters {
  return analysis === "correlation-tree" ? { depth: 1, bins: binsLeast } : { bins: binsLeast };
}

type IsOpen = (key: string) => boolean;

/** Standard deviation of the noise in one entry of a stage, in the sum of the sites that the study is judged for. */
function noiseOf(study: Study, share: number, sensitivitySquared: number): number {
  const excess = sitesAtLeast(study) / noiseShares(asExpected(study));
  return Math.sqrt((sensitivitySquared * excess) / (2 * stageRho(study, share)!));
}

/**
 * Intervals of a numeric feature: the B at which a trend of the label over it stands out best of sampling and noise. B intervals
 * show 1 - 1/B² of it, and its variance grows by the factor 1 + 2Bσ²/n: the most of (1 - 1/B²)²/(1 + 2Bσ²/n) is near
 * B = ∛(2n/σ²), in the part of the range that rows fill.
 */
export function intervalsFor(rows: number, stdDev: number): number {
  const wanted = Math.ceil(Math.cbrt((2 * rows) / stdDev ** 2) / rangeFilled);
  return Math.min(binsUsually, Math.max(binsLeast, wanted));
}

/**
 * The part of training's ρ that the leaves get: the least of a/(1 - s) + 4/s. A side of a cut of the last level sums B/2 bins with
 * a variance of m·h each over (1 - s), a leaf one count over s, and it has half of the node's rows: a = m·h·B/2.
 */
export function leafShareFor(features: number, bins: number, depth: number): number {
  const share = 1 / (1 + Math.sqrt((features * depth * bins) / 8));
  return Math.max(0.05, Math.round(1000 * share) / 1000);
}

/** The deepest tree whose last level's nodes hold the rows that the guard asks of both sides of a cut. */
function dpPccDefaults(study: DpPccStudy, isOpen: IsOpen): Parameters {
  const least = isOpen("depth") ? 1 : study.parameters.depth;
  let chosen = dpPccAt(study, isOpen, least);
  if (!isOpen("depth")) return { bins: chosen.bins, leafShare: treeUsually.leafShare };
  for (let depth = 2; depth <= Math.min(depthMost, study.features.length); depth++) {
    const next = dpPccAt(study, isOpen, depth);
    if (!next.splits) break;
    chosen = next;
  }
  const { depth, bins, leafShare } = chosen;
  return { depth, bins, leafShare };
}

interface DpPccChoice {
  readonly depth: number;
  readonly bins: number;
  readonly leafShare: number;
  readonly splits: boolean;
}

function dpPccAt(study: DpPccStudy, isOpen: IsOpen, depth: number): DpPccChoice {
  const { evaluation, guard } = study.parameters;
  const rows = trainingRows(evaluation, rowsExpected(study));
  const m = study.features.length;
  const noiseAt = (leafShare: number) =>
    noiseOf(study, ((1 - leafShare) / depth) * trainingShare(evaluation), m);
  const bins = isOpen("bins") ? intervalsFor(rows, noiseAt(0)) : study.parameters.bins;
  const features = binnedFeatures(study.features, bins);
  const middle = medianBins(features);
  const leafShare = isOpen("leafShare") ? leafShareFor(m, middle, depth) : study.parameters.leafShare;
  const all = features.reduce((sum, feature) => sum + feature.bins, 0);
  const nodes = 2 ** (depth - 1);
  const splits =
    rows / nodes >= 2 * guard * noiseAt(leafShare) * Math.sqrt(middle) &&
    all * study.label.levels.length * nodes <= levelLengthMost;
  return { depth, bins, leafShare, splits };
}

/** The deepest tree whose last level's blocks have rows to say anything of, with the blocks that fit its noise. */
function dpPccSDefaults(study: DpPccSStudy, isOpen: IsOpen): Parameters {
  const rows = trainingRows(study.parameters.evaluation, rowsExpected(study));
  const sites = sitesAtLeast(study);
  const at = (depth: number) => ({
    depth,
    bins: binsUsually,
    blocks: isOpen("blocks") ? blocksFor(study, rows, depth) : study.parameters.blocks,
  });
  if (!isOpen("depth")) return at(study.parameters.depth);
  let chosen = at(1);
  for (let depth = 2; depth <= Math.min(depthMost, study.features.length); depth++) {
    const next = at(depth);
    if (rows / (sites * next.blocks * 2 ** (depth - 1)) < rowsOfBlockLeast) break;
    chosen = next;
  }
  return chosen;
}

/**
 * Blocks of a site. With K in all the noise is σ/K of a correlation, and a block of n/K rows finds √(K/n) by chance: their sum is least at
 * K = ∛(4σ²n).
 */
function blocksFor(study: DpPccSStudy, rows: number, depth: number): number {
  const { leafShare, evaluation } = study.parameters;
  const share = ((1 - leafShare) / depth) * trainingShare(evaluation);
  const stdDev = noiseOf(study, share, 2 * study.features.length);
  const all = Math.cbrt(4 * stdDev ** 2 * rows);
  return Math.min(10_000, Math.max(2, Math.round(all / sitesAtLeast(study))));
}

/** Intervals by the histogram's noise; and where boosting orders the features, as many trees as its noise allows for. */
function dpKaDefaults(study: DpKaStudy, isOpen: IsOpen): Parameters {
  const { evaluation, budget, eta, trees } = study.parameters;
  const share = trainingShare(evaluation) * budget.importance;
  const rows = trainingRows(evaluation, rowsExpected(study));
  const bins = isOpen("bins")
    ? intervalsFor(rows, noiseOf(study, share, study.features.length))
    : study.parameters.bins;
  const features = binnedFeatures(study.features, bins);
  if (!isOpen("trees") || orderingOf(study, features, share).by !== "boosting") return { bins };
  // From here on trees add little: all of them go (1 - η)^T of the way short.
  const enough = eta < 1 ? Math.ceil(Math.log(marginLeft) / Math.log(1 - eta)) : 1;
  const stands = (count: number) =>
    boostingRowsNeeded({ ...study, parameters: { ...study.parameters, trees: count } }, features, share) <=
    rows;
  let count = Math.max(trees, enough);
  while (count > trees && !stands(count)) count--;
  return { bins, trees: count };
}
