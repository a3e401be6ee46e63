import { z95 } from "@consilium/core/linalg/z95";
import type { MethodResult, RowsPart } from "@consilium/core/method/aggregatorSide";
import type { ReleaseColumn } from "@consilium/core/release/content";
import { type Counted, type Finding, finding } from "@consilium/core/release/finding";
import { nameOf } from "@consilium/core/said";
import { countsMissing, type Feature, levelsOf } from "@consilium/core/study/features";
import { countedUnits } from "@consilium/core/study/patientWeights";
import { soundSum } from "@consilium/core/study/soundSums";
import seedrandom from "seedrandom";
import { numberText } from "../shared/counts/noisyCount.js";
import { countedOf } from "../shared/release/counted.js";
import { syntheticRowsMost } from "../shared/release/syntheticRowsMost.js";
import type { SyntheticTableResult } from "./conversation.js";
import type { PairQuality } from "./quality.js";
import { type SyntheticTableStudy, syntheticTableLayout } from "./study.js";
import type { DrawnRows } from "./syntheticRows.js";
import { type CellValue, columnValues, drawnValue } from "./values.js";

/** What a release of synthetic rows holds beside its model and its tables of quality. */

export function decimalsOf({ parameters }: SyntheticTableStudy, { name }: Feature): number | null {
  return parameters.decimals.find(([column]) => column === name)?.[1] ?? null;
}

/** Places of the columns in the order of a release: numbers come first. */
function releasedOrder({ features }: SyntheticTableStudy) {
  const places = (type: Feature["type"]) =>
    features.flatMap((feature, f) => (feature.type === type ? [f] : []));
  return { numbers: places("numeric"), levels: places("categorical") };
}

export function releasedColumns(study: SyntheticTableStudy) {
  const { numbers, levels } = releasedOrder(study);
  const columns = [...numbers, ...levels].map((f): ReleaseColumn => {
    const feature = study.features[f]!;
    const { name } = feature;
    if (feature.type === "categorical") {
      const description = feature.description ?? "The level of a synthetic row";
      return { name, type: "level", description, levels: [...levelsOf(feature)] };
    }
    const unit = feature.unit === undefined ? {} : { unit: feature.unit };
    const description = feature.description ?? "The value of a synthetic row, drawn within its interval";
    return {
      name,
      type: "number",
      description,
      ...unit,
      ...(countsMissing(feature) ? { mayBeMissing: true as const } : {}),
    };
  });
  return { columns, shape: { columns: numbers.length, levels: levels.length } };
}

/** Rows as they are written: a number drawn within each cell, row by row. */
export function* releasedParts(
  study: SyntheticTableStudy,
  chunks: Iterable<DrawnRows>,
  seed: string,
): Generator<RowsPart> {
  const { numbers, levels } = releasedOrder(study);
  const { columns } = syntheticTableLayout(study);
  const generator = seedrandom(`${seed} values`);
  const uniform = () => generator.double();
  const valuesOf = numbers.map((f): CellValue[] => {
    const feature = study.features[f]!;
    return columnValues(feature, columns[f]!, decimalsOf(study, feature));
  });
  for (const { rows, cells } of chunks) {
    const values = new Float64Array(rows * numbers.length);
    const labels = new Uint16Array(rows * levels.length);
    for (let r = 0; r < rows; r++) {
      numbers.forEach((f, n) => {
        values[r * numbers.length + n] = drawnValue(valuesOf[n]![cells[f]![r]!]!, uniform);
      });
      levels.forEach((f, l) => {
        labels[r * levels.length + l] = cells[f]![r]!;
      });
    }
    yield { rows, values, labels: levels.length === 0 ? null : labels };
  }
}

export function syntheticTableFacts(
  study: SyntheticTableStudy,
  { pairs, tables, total }: SyntheticTableResult,
  rows: number,
): MethodResult["facts"] {
  const layout = syntheticTableLayout(study);
  return {
    masking: `pairwise, in the ring of integers modulo 2^${soundSum(study, layout.stage).ringBits}`,
    noise: study.privacy === "none" ? "none" : "discrete Gaussian, a share from every site",
    noiseStdDevPairs: pairs?.stdDev ?? null,
    noiseStdDevTables: tables.stdDev,
    noisyRows: total.noisy,
    syntheticRows: rows,
  };
}

export function syntheticTableNotes(
  study: SyntheticTableStudy,
  { total }: SyntheticTableResult,
  rows: number,
): string[] {
  const units = countedUnits(study);
  const isNoisy = study.privacy !== "none";
  const within = isNoisy ? ` ± ${numberText(z95 * total.stdDev, 1)} (95 % of the noise)` : "";
  return [
    "No row is a person. The rows were drawn from a model in model.json, which was made from counts alone: of each column, and of the pairs of columns that tree.csv names. Anyone can draw them again from the model and its seed.",
    `${numberText(Math.max(0, total.noisy), 0)}${within} ${units} were counted, and ${rows} rows were drawn${study.parameters.rows === undefined ? "" : ", as many as the study asks for"}. More rows say no more: what is known of the records is the model.`,
    "Use the rows to write and try an analysis, to teach, and for what follows from pairs of columns. What three columns have in common beyond their pairs is not in them, and of pairs outside the tree only what the pairs between them tell; pairs.csv says how far each pair's table may be off.",
    `Intervals, p-values and standard errors that are computed from the rows as if they were records are too narrow: they know nothing of ${isNoisy ? "the noise, nor of " : ""}what the model leaves out. Confirm a finding by a study of the records, such as a regression.`,
    "Numbers are drawn within declared intervals, every value of an interval alike, so finer structure is not there. Values outside the declared bounds were counted in the first or the last interval.",
    isNoisy
      ? "Rare values and combinations are rarer, or more frequent, than in the records by as much as the noise; some that nobody has may appear."
      : "No noise was added anywhere.",
    `A release has at most ${syntheticRowsMost} synthetic rows.`,
  ];
}

/** The rows, and the strongest association that they keep: clear where any is more than chance makes of noise. */
export function syntheticTableFinding(
  study: SyntheticTableStudy,
  { total, model }: SyntheticTableResult,
  rows: number,
  qualities: readonly PairQuality[] | null,
): Finding {
  if (total.stdDev > 0 && total.noisy < z95 * total.stdDev)
    return finding("share", false, "finding.noise", {});
  const [strongest] = (qualities ?? [])
    .filter(({ isInTree }) => isInTree)
    .sort((a, b) => b.modelled - a.modelled);
  const [first, second] = model.standsOut && strongest !== undefined ? strongest.columns : [];
  const named = (column: number | undefined) =>
    column === undefined ? null : nameOf(study.features[column]!.name);
  return finding("share", model.standsOut, "finding.synthetic", {
    rows,
    first: named(first),
    second: named(second),
    dependence: strongest?.modelled ?? 0,
  });
}

export const syntheticTableCounted = (
  study: SyntheticTableStudy,
  { total }: SyntheticTableResult,
): Counted[] => [countedOf(study, "used", { count: total.noisy, noiseStdDev: total.stdDev })];
