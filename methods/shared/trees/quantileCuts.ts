/**
 * Where XGBoost 1.7.4 cuts a feature under `tree_method: hist` and `approx`, from the exact weights of its values: the rule
 * by which its quantile sketch keeps values, and by which the kept ones become cuts [CG16, appendix]. On a grid of declared
 * intervals, each of which counts as one value. Ranks are in single precision as there.
 */

const single = Math.fround;

/** A value that the sketch holds, between the weights of all smaller ones and of these and its own. */
interface Kept {
  readonly bin: number;
  /** Weight of smaller values. */
  readonly below: number;
  /** Weight of values up to this one. */
  readonly through: number;
  readonly weight: number;
}

/** What a feature's values weigh. */
export interface BinWeights {
  /** [bins] rows in each declared interval. */
  readonly rows: ArrayLike<number>;
  /** [bins] the sum of their weights; null where each row weighs 1, as under `hist`. */
  readonly weights: ArrayLike<number> | null;
}

/** XGBoost's kFactor: the sketch keeps as many values for each bin. */
const valuesPerBin = 8;

/**
 * The cuts of a feature, ascending: of cut c the intervals up to c go left. At most maxBin - 1, and none below the first
 * interval that holds rows.
 */
export function quantileCuts({ rows, weights }: BinWeights, maxBin: number): number[] {
  const held = heldBins(rows, weights ?? rows);
  const sketched = weights === null ? held : thinned(held, maxBin);
  const kept = pruned(pruned(sketched, maxBin * valuesPerBin), maxBin + 1);
  // A cut is below a kept value. Nothing lies below the first one, and one too many is left out at the top.
  return kept.slice(1, maxBin).map(({ bin }) => bin - 1);
}

function heldBins(rows: ArrayLike<number>, weights: ArrayLike<number>): Kept[] {
  const held: Kept[] = [];
  let below = 0;
  for (let bin = 0; bin < rows.length; bin++) {
    if (rows[bin]! === 0) continue;
    const weight = weights[bin]!;
    held.push({ bin, below, through: below + weight, weight });
    below += weight;
  }
  return held;
}

/**
 * Of values in their order, those that reach the next of `parts` even parts of the weight, and the last one: the sketch of a
 * sorted column keeps no others.
 */
function thinned(values: readonly Kept[], parts: number): Kept[] {
  const total = values.at(-1)?.through ?? 0;
  const kept: Kept[] = [];
  let goal = 0;
  values.forEach((value, i) => {
    const isLast = i === values.length - 1;
    if (!isLast && (value.through < goal || kept.length === parts)) return;
    const { bin, below, through, weight } = value;
    kept.push({ bin, below: single(below), through: single(through), weight: single(weight) });
    goal = single((kept.length * total) / parts);
  });
  return kept;
}

/** At most `size` values: the first, the last, and those nearest to evenly spaced ranks between them. */
function pruned(values: readonly Kept[], size: number): readonly Kept[] {
  if (values.length <= size) return values;
  const last = values.length - 1;
  const begin = values[0]!.through;
  const range = single(values[last]!.below - begin);
  const parts = size - 1;
  const kept = [values[0]!];
  let at = 1;
  let keptLast = 0;
  for (let part = 1; part < parts; part++) {
    const twiceRank = single(2 * single(single(single(part * range) / parts) + begin));
    while (at < last && twiceRank >= single(values[at + 1]!.through + values[at + 1]!.below)) at++;
    if (at === last) break;
    const [own, next] = [values[at]!, values[at + 1]!];
    const between = single(single(own.below + own.weight) + single(next.through - next.weight));
    const chosen = twiceRank < between ? at : at + 1;
    if (chosen === keptLast) continue;
    kept.push(values[chosen]!);
    keptLast = chosen;
  }
  if (keptLast !== last) kept.push(values[last]!);
  return kept;
}
