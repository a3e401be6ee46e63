import seedrandom from "seedrandom";
import { seededNormals } from "../shared/draws/seededNormals.js";
import { syntheticRowsMost } from "../shared/release/syntheticRowsMost.js";
import type { ReducedClass } from "./moments.js";

/**
 * Rows drawn from released class statistics, in place of records. They follow from what is published and a public
 * seed, so they tell nothing more of anybody; floating-point normals are as good as any.
 */

/** Rows of one chunk. */
const chunkRows = 8_192;

export interface SyntheticRows {
  /** Rows of each class. */
  readonly counts: readonly number[];
  /** The rows in random order, [rows × k] row-major, with their class. */
  chunks(): Generator<{ readonly rows: number; readonly values: Float64Array; readonly labels: Uint16Array }>;
}

/**
 * round(n_c) rows of each class, none where that is negative, from N(m_c, FF').
 * @param rowsMost - at most so many rows in all, besides `syntheticRowsMost`
 * @param seed - public text; the same seed and classes give the same rows
 */
export function syntheticRows(options: {
  readonly classes: readonly ReducedClass[];
  readonly rowsMost: number;
  readonly seed: string;
}): SyntheticRows {
  const { classes, seed } = options;
  const counts = countsOf(classes, Math.min(options.rowsMost, syntheticRowsMost));
  return { counts, chunks: () => draw(classes, counts, seed) };
}

function countsOf(classes: readonly ReducedClass[], most: number): number[] {
  const wanted = classes.map(({ rows }) => Math.max(0, Math.round(rows)));
  const total = wanted.reduce((sum, count) => sum + count, 0);
  return total <= most ? wanted : wanted.map((count) => Math.floor((count * most) / total));
}

function* draw(
  classes: readonly ReducedClass[],
  counts: readonly number[],
  seed: string,
): ReturnType<SyntheticRows["chunks"]> {
  const k = classes[0]!.mean.length;
  const order = shuffledLabels(counts, `${seed} order`);
  const normal = seededNormals(`${seed} values`);
  const z = new Float64Array(k);
  for (let from = 0; from < order.length; from += chunkRows) {
    const labels = order.slice(from, from + chunkRows);
    const values = new Float64Array(labels.length * k);
    for (let r = 0; r < labels.length; r++) {
      const { mean, factor } = classes[labels[r]!]!;
      for (let e = 0; e < k; e++) z[e] = normal();
      for (let i = 0; i < k; i++) {
        let value = mean[i]!;
        for (let e = 0; e < k; e++) value += factor[i * k + e]! * z[e]!;
        values[r * k + i] = value;
      }
    }
    yield { rows: labels.length, values, labels };
  }
}

/** Each class as often as it counts, in an order drawn from the seed [Fisher-Yates]. */
function shuffledLabels(counts: readonly number[], seed: string): Uint16Array {
  const labels = new Uint16Array(counts.reduce((sum, count) => sum + count, 0));
  let at = 0;
  counts.forEach((count, label) => {
    labels.fill(label, at, at + count);
    at += count;
  });
  const generator = seedrandom(seed);
  for (let i = labels.length - 1; i > 0; i--) {
    const j = Math.floor(generator.double() * (i + 1));
    const kept = labels[i]!;
    labels[i] = labels[j]!;
    labels[j] = kept;
  }
  return labels;
}
