import { type Feature, levelsOf } from "@consilium/core/study/features";
import type { OneRecord } from "@consilium/gate/record";

/**
 * The columns of a regression in units in which every record is short: the intercept, 1; a number (x - middle)/(max - min), from
 * -½ to ½; and a 0/1 column of each level but the first, the reference, less a public constant. Taking a constant off a column
 * changes the intercept alone. The constants are such that the longest record of a category is as short as it can be: with
 * m columns, |e_j - c1|² = 1 - 2c + mc² and |c1|² = mc² for the reference, so c = ½ for m = 1 and c = 1/m beyond.
 */
export interface RegressionColumn {
  /** The feature's name, or `feature=level`; of the intercept `(intercept)`. */
  readonly name: string;
  /** Index into the study's features; null of the intercept. */
  readonly feature: number | null;
  /** Index of the level; null of a number and of the intercept. */
  readonly level: number | null;
  /** Column = (value - offset)/range; of a level, value is 0 or 1 and range 1. */
  readonly offset: number;
  readonly range: number;
}

/** Indices of features that are part of the outcome; null where the family has none. */
export interface ColumnRoles {
  /** Outcome of a linear or a Poisson regression. */
  readonly outcome: number | null;
  /** Exposure that the counts of a Poisson regression are in proportion to. */
  readonly exposure: number | null;
  /** Time of follow-up of a Cox regression. */
  readonly time: number | null;
}

export interface RegressionDesign {
  /** The intercept first where there is one. */
  readonly columns: readonly RegressionColumn[];
  readonly hasIntercept: boolean;
  /** Where each predicting feature's columns begin, and how many it has. */
  readonly blocks: readonly { readonly feature: number; readonly from: number; readonly width: number }[];
  /** Features that are no columns. */
  readonly roles: ColumnRoles;
  /** h: columns are integers in units of 2^-h. */
  readonly gridExponent: number;
  /** A: the most that the squared length of a record's integers can be. */
  readonly squaredNormLimit: number;
}

export const interceptName = "(intercept)";

/** @param hasIntercept - not of a Cox regression, whose intervals of time have an intercept each */
export function regressionDesign(
  features: readonly Feature[],
  roles: ColumnRoles,
  gridExponent: number,
  hasIntercept: boolean,
): RegressionDesign {
  const explained = Object.values(roles);
  const columns: RegressionColumn[] = hasIntercept
    ? [{ name: interceptName, feature: null, level: null, offset: 0, range: 1 }]
    : [];
  const blocks: { feature: number; from: number; width: number }[] = [];
  const unit = 2 ** gridExponent;
  let squaredNormLimit = hasIntercept ? unit ** 2 : 0;
  features.forEach((feature, index) => {
    if (explained.includes(index)) return;
    const from = columns.length;
    if (feature.type === "numeric") {
      const { name, min, max } = feature;
      columns.push({ name, feature: index, level: null, offset: min + (max - min) / 2, range: max - min });
      squaredNormLimit += (unit / 2) ** 2;
    } else {
      const levels = levelsOf(feature);
      const width = levels.length - 1;
      const offset = levelOffset(width);
      levels.slice(1).forEach((level, i) => {
        columns.push({
          name: `${feature.name}=${level}`,
          feature: index,
          level: i + 1,
          offset,
          range: 1,
        });
      });
      const [here, elsewhere] = levelIntegers(width, gridExponent);
      squaredNormLimit += Math.max(here ** 2 + (width - 1) * elsewhere ** 2, width * elsewhere ** 2);
    }
    blocks.push({ feature: index, from, width: columns.length - from });
  });
  return { columns, hasIntercept, blocks, roles, gridExponent, squaredNormLimit };
}

/** c of a category with so many columns. */
function levelOffset(width: number): number {
  return width === 1 ? 0.5 : 1 / width;
}

/** Values of a level's column at that level, and at others, on the grid. */
function levelIntegers(width: number, gridExponent: number): readonly [here: number, elsewhere: number] {
  const unit = 2 ** gridExponent;
  const offset = levelOffset(width);
  return [Math.trunc((1 - offset) * unit), -Math.trunc(offset * unit)];
}

/**
 * Writes records as the integers x of their columns. A number within its bounds has |x| ≤ 2^(h-1): (x - min)/(max - min) is at most 1
 * however it is rounded. So |x|² ≤ A for every record, in exact integers.
 */
export class ColumnWriter {
  readonly #design: RegressionDesign;
  readonly #features: readonly Feature[];
  readonly #levels: readonly (readonly [here: number, elsewhere: number])[];

  constructor(features: readonly Feature[], design: RegressionDesign) {
    this.#design = design;
    this.#features = features;
    this.#levels = design.blocks.map(({ width }) => levelIntegers(width, design.gridExponent));
  }

  /** @param out - [d] or longer */
  write({ values }: Pick<OneRecord, "values">, out: Int32Array): void {
    const { blocks, gridExponent, hasIntercept } = this.#design;
    if (hasIntercept) out[0] = 2 ** gridExponent;
    for (let b = 0; b < blocks.length; b++) {
      const { feature, from, width } = blocks[b]!;
      const declared = this.#features[feature]!;
      const value = values[feature]!;
      if (declared.type === "numeric") {
        out[from] = centredInteger(value, declared, gridExponent);
        continue;
      }
      const [here, elsewhere] = this.#levels[b]!;
      for (let j = from; j < from + width; j++) out[j] = elsewhere;
      if (value >= 1 && value <= width) out[from + value - 1] = here;
    }
  }

  /** The outcome of a linear regression on the same scale: from -2^(h-1) to 2^(h-1). */
  outcome({ values }: Pick<OneRecord, "values">): number {
    const { roles, gridExponent } = this.#design;
    const outcome = roles.outcome!;
    const declared = this.#features[outcome]!;
    if (declared.type !== "numeric") throw new RangeError("the outcome of a linear regression is a number");
    return centredInteger(values[outcome]!, declared, gridExponent);
  }
}

function centredInteger(
  value: number,
  { min, max }: { readonly min: number; readonly max: number },
  gridExponent: number,
): number {
  return Math.trunc(((value - min) / (max - min) - 0.5) * 2 ** gridExponent);
}
