import { reasonsOf } from "../../regression/estimates.js";
import { type Fit, scoreOf } from "../../regression/fits/fit.js";
import { type Drawn, Draws } from "./cells.js";

/** How a cell fared, a coefficient an entry, of each the part of the tables. */
export interface Coverage {
  readonly tables: number;
  /** The test at 95 % takes the truth for possible, printed or not. */
  readonly held: readonly number[];
  readonly printed: readonly number[];
  /** Printed, and the truth is outside. */
  readonly wrong: readonly number[];
  /** Median standard error of what is printed; null where nothing is. */
  readonly stdErrors: readonly (number | null)[];
}

/**
 * Held, printed and wrong of one cell.
 * @param options.lows - [d] lower values of the columns of levels, null of others
 */
export async function coverageOf(
  draw: (draws: Draws) => Promise<Drawn>,
  options: {
    readonly tables: number;
    readonly seed: number;
    readonly lows: (d: number) => readonly (number | null)[];
  },
): Promise<Coverage> {
  const draws = new Draws(options.seed);
  const held: number[] = [];
  const printed: number[] = [];
  const wrong: number[] = [];
  const errors: number[][] = [];
  for (let table = 0; table < options.tables; table++) {
    const { fit, truth } = await draw(draws);
    const d = truth.length;
    const categories = options
      .lows(d)
      .flatMap((low, from) => (low === null ? [] : [{ from, width: 1, low }]));
    const reasons = reasonsOf(fit, categories, d);
    for (let j = 0; j < d; j++) {
      const row = unitRow(d, j);
      held[j] = (held[j] ?? 0) + (fit.score.holds(row, truth[j]!) ? 1 : 0);
      const interval = reasons[j] === null ? await fit.score.interval(row) : null;
      printed[j] = (printed[j] ?? 0) + (interval === null ? 0 : 1);
      const isWrong = interval !== null && !(interval.low <= truth[j]! && truth[j]! <= interval.high);
      wrong[j] = (wrong[j] ?? 0) + (isWrong ? 1 : 0);
      errors[j] ??= [];
      if (interval !== null) errors[j]!.push(interval.stdError);
    }
  }
  const part = (counts: readonly number[]) => counts.map((count) => count / options.tables);
  const median = (values: number[]) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? null;
  return {
    tables: options.tables,
    held: part(held),
    printed: part(printed),
    wrong: part(wrong),
    stdErrors: errors.map(median),
  };
}

/**
 * Of every coefficient by itself the part of the tables in which the truth is held, and in which it is by a test that forgets the noise.
 */
export async function heldOf(
  draw: (draws: Draws) => Promise<Drawn>,
  { tables, seed }: { readonly tables: number; readonly seed: number },
): Promise<{ readonly held: number[]; readonly forgetful: number[] }> {
  const draws = new Draws(seed);
  const held: number[] = [];
  const forgetful: number[] = [];
  for (let table = 0; table < tables; table++) {
    const { fit, truth } = await draw(draws);
    const quiet = withoutNoise(fit);
    for (let j = 0; j < truth.length; j++) {
      const row = unitRow(truth.length, j);
      held[j] = (held[j] ?? 0) + (fit.score.holds(row, truth[j]!) ? 1 / tables : 0);
      forgetful[j] = (forgetful[j] ?? 0) + (quiet.holds(row, truth[j]!) ? 1 / tables : 0);
    }
  }
  return { held, forgetful };
}

/** The score of the last sum as if its noise were none. */
export function withoutNoise({ score, opened, dispersion, residuals }: Fit) {
  const last = { ...opened.at(-1)!, scoreStdDev: 0, informationStdDev: 0 };
  const factor = residuals?.residualVariance ?? 1 + 1.3 * ((dispersion ?? 1) - 1);
  return scoreOf(last, { ones: score.ones, curve: 0, dispersion: factor });
}

const unitRow = (d: number, j: number) => Float64Array.from({ length: d }, (_, i) => (i === j ? 1 : 0));
