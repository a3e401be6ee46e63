import type { Figure } from "@consilium/core/release/figures";
import type { ResultTable } from "@consilium/core/release/tables";
import { countsOf, jointOf, type SyntheticTableResult } from "./conversation.js";
import { pairsOf, type SyntheticTableStudy, syntheticTableLayout } from "./study.js";
import { dependenceOf } from "./tree.js";
import { pairProbabilities } from "./treeModel.js";

/** How near the rows' two-way tables are to the records', as far as the sums tell: docs/methods/synthetic-table.md#quality. */
export interface PairQuality {
  /** By their place; of a pair of the tree the parent first. */
  readonly columns: readonly [number, number];
  readonly isInTree: boolean;
  /** How far the columns are from independent ones: as the first sum has it less its noise; null for two columns. */
  readonly counted: number | null;
  /** That of the model. */
  readonly modelled: number;
  /** Of a pair of the tree: cells of its table in the second sum, and the distance that the noise in them makes before it is smoothed. */
  readonly table: { readonly cells: number; readonly noise: number } | null;
  /** Between the first sum's table and the model's, and what noise alone makes of it; null for two columns. */
  readonly seen: { readonly distance: number; readonly noise: number } | null;
}

/** E|Z| of a standard normal, halved: a distance is half of the differences of shares. */
const halfMeanNoise = Math.sqrt(2 / Math.PI) / 2;

export function pairQualities(study: SyntheticTableStudy, result: SyntheticTableResult): PairQuality[] {
  const { columns, pairs } = syntheticTableLayout(study);
  const { model, total, tables } = result;
  const records = Math.max(1, total.noisy);
  const distanceBy = (stdDev: number, cells: number) =>
    Math.min(1, (halfMeanNoise * cells * stdDev) / records);
  const probabilitiesOf = pairProbabilities(model);
  const all = pairsOf(columns.length).map(([i, j], p): PairQuality => {
    const isInTree = model.parents[i] === j || model.parents[j] === i;
    const [first, second] = model.parents[i] === j ? [j, i] : [i, j];
    const modelled = probabilitiesOf(first, second);
    const joint = isInTree ? jointOf(study, model, tables, second) : null;
    const { pairs: sum } = result;
    const coarse = sum === null ? null : countsOf(sum, pairs!.tables[p]!);
    return {
      columns: [first, second],
      isInTree,
      counted: sum === null ? null : sum.dependences[p]!.dependence,
      modelled: dependenceOf(modelled, columns[first]!.cells, columns[second]!.cells),
      table:
        joint === null
          ? null
          : {
              cells: joint.counts.length,
              noise: distanceBy(tables.stdDev / joint.weight, joint.counts.length),
            },
      seen:
        coarse === null
          ? null
          : {
              distance: distance(coarse.counts, records, inCoarse(study, probabilitiesOf(i, j), [i, j])),
              noise: distanceBy(sum!.stdDev / coarse.weight, coarse.counts.length),
            },
    };
  });
  return [...all.filter(({ isInTree }) => isInTree), ...all.filter(({ isInTree }) => !isInTree)];
}

function inCoarse(
  study: SyntheticTableStudy,
  probabilities: Float64Array,
  [i, j]: readonly [number, number],
): Float64Array {
  const { columns } = syntheticTableLayout(study);
  const [first, second] = [columns[i]!, columns[j]!];
  const coarse = new Float64Array(first.coarse * second.coarse);
  probabilities.forEach((part, cell) => {
    const a = first.coarseOf[Math.floor(cell / second.cells)]!;
    coarse[a * second.coarse + second.coarseOf[cell % second.cells]!]! += part;
  });
  return coarse;
}

/** Half of the sum of differences: the part of records that would have to be in other cells; at most 1, as noise may make it more. */
function distance(counts: Float64Array, records: number, probabilities: Float64Array): number {
  const differences = counts.reduce(
    (sum, count, cell) => sum + Math.abs(count / records - probabilities[cell]!),
    0,
  );
  return Math.min(1, differences / 2);
}

const text = (name: string, description: string) => ({ name, type: "text" as const, description });
const number = (name: string, description: string) => ({ name, type: "number" as const, description });

/** The tree as people read it, and what is known of every pair. */
export function qualityTables(study: SyntheticTableStudy, qualities: readonly PairQuality[]): ResultTable[] {
  const nameOf = (column: number) => study.features[column]!.name;
  return [
    {
      name: "tree",
      title: "The tree",
      description:
        "Each column was drawn given the one that it hangs on. Pairs of the tree are as in the records, up to the noise; what other pairs have in common comes from the pairs between them.",
      columns: [
        text("column", "A column."),
        text("given", "The column that it was drawn given."),
        number("dependence", "Part of the rows that would have to be others for the two to be independent."),
        number("cells", "Counts of their table."),
        number(
          "noise_distance",
          "Part of the records that the noise moves to another cell of it, on average and before noise is smoothed; at most 1.",
        ),
      ],
      rows: qualities.flatMap(({ columns: [given, column], modelled, table }) =>
        table === null ? [] : [[nameOf(column), nameOf(given), modelled, table.cells, table.noise]],
      ),
      isShown: true,
    },
    {
      name: "pairs",
      title: "All pairs of columns",
      description:
        "How far the rows' two-way tables may be from the records'. Where seen_distance is much larger than seen_noise, the rows do not show what the two columns have in common.",
      columns: [
        text("first", "A column."),
        text("second", "Another one."),
        text("in_tree", "yes for a pair of the tree, no for others."),
        number(
          "counted_dependence",
          "Part of the records that would have to be in other cells for the two to be independent, by the first sum's coarse table less its noise.",
        ),
        number("dependence", "The same of the rows, by all cells."),
        number(
          "seen_distance",
          "Part of the records that would have to be in other cells for the first sum's table to become that of the rows.",
        ),
        number(
          "seen_noise",
          "What it would be on average by the first sum's noise alone, were the rows right.",
        ),
      ],
      rows: qualities.map(({ columns: [first, second], isInTree, counted, modelled, seen }) => [
        nameOf(first),
        nameOf(second),
        isInTree ? "yes" : "no",
        counted,
        modelled,
        seen?.distance ?? null,
        seen?.noise ?? null,
      ]),
      isShown: false,
    },
  ];
}

/** Bars of one picture. */
const barsMost = 40;

export function pairFigures(study: SyntheticTableStudy, qualities: readonly PairQuality[]): Figure[] {
  const labelOf = ({ columns: [first, second] }: PairQuality) =>
    `${study.features[second]!.name} with ${study.features[first]!.name}`.slice(0, 300);
  const tree = [...qualities].filter(({ isInTree }) => isInTree).sort((a, b) => b.modelled - a.modelled);
  const missed = qualities
    .flatMap((one) => (one.seen === null ? [] : [{ label: labelOf(one), ...one.seen }]))
    .sort((a, b) => b.distance - b.noise - (a.distance - a.noise));
  const figures: Figure[] = [
    {
      kind: "bars",
      name: "tree",
      title: "What columns of the tree have in common",
      valueLabel: "part of the rows that would have to be others for the two to be independent",
      bars: tree
        .slice(0, barsMost)
        .map((one) => ({ label: labelOf(one), value: one.modelled, low: null, high: null })),
    },
  ];
  if (missed.length === 0) return figures;
  return [
    ...figures,
    {
      kind: "bars",
      name: "distances",
      title: "Pairs that the rows show least well",
      valueLabel: "distance of the rows' table from the first sum's, beyond what its noise makes on average",
      bars: missed.slice(0, barsMost).map(({ label, distance: far, noise }) => ({
        label,
        value: Math.max(0, far - noise),
        low: null,
        high: null,
      })),
    },
  ];
}
