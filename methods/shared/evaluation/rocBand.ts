import { proportion } from "./estimate.js";
import { zBeyond } from "./normal.js";

/** One place of the band around a ROC curve. */
export interface RocBandPoint {
  readonly falsePositive: number;
  readonly low: number;
  readonly high: number;
}

const beyond = 0.05;
const origin = { x: 0, y: 0 };
const end = { x: 1, y: 1 };

/**
 * A band of 95 % around the ROC curve of a score cut into ranges: the whole curve, through its true points joined by lines, lies
 * in it with that probability. At each cut both classes' parts have Fieller's and Wilson's interval at 0.05 over the number of
 * intervals, so that with 95 % all hold together. Each pair is a rectangle that holds a true point; the curve rises through them,
 * so it runs below the line of their upper left corners and above that of their lower right ones
 * (docs/methods/evaluation.md#roc-band).
 * @param negatives, positives - [ranges] of the first and the second class, ascending score; noise included
 * @param noiseStdDev - of each count
 * @param also - further places to give it at, in [0, 1]
 * @returns by rising part of the first class; null where the counts say nothing about the curve
 */
export function rocBandOf(
  negatives: ArrayLike<number>,
  positives: ArrayLike<number>,
  noiseStdDev: number,
  also: readonly number[] = [],
): RocBandPoint[] | null {
  const cuts = negatives.length - 1;
  if (cuts < 1) return null;
  const z = zBeyond(beyond / (2 * cuts));
  const ofFirst = partsAbove(negatives, noiseStdDev, z);
  const ofSecond = partsAbove(positives, noiseStdDev, z);
  const saysNothing = (parts: typeof ofFirst) => parts.every(({ low, high }) => low === 0 && high === 1);
  if (saysNothing(ofFirst) || saysNothing(ofSecond)) return null;
  const upper = [origin, ...ofFirst.map(({ low }, i) => ({ x: low, y: ofSecond[i]!.high })), end];
  const lower = [origin, ...ofFirst.map(({ high }, i) => ({ x: high, y: ofSecond[i]!.low })), end];
  const places = [...new Set([...also, ...[...upper, ...lower].map(({ x }) => x)])].sort((a, b) => a - b);
  return places.map((falsePositive) => {
    // Where a line is upright, the wider of its two ends.
    const low = Math.min(...heightsAt(lower, falsePositive));
    const high = Math.max(...heightsAt(upper, falsePositive));
    return { falsePositive, low: Math.min(low, high), high: Math.max(low, high) };
  });
}

/** Of a class the part above each inner cut, falling score; each interval narrowed by that the part rises. */
function partsAbove(counts: ArrayLike<number>, noiseStdDev: number, z: number) {
  const falling = Array.from(counts).reverse();
  const rows = falling.reduce((sum, count) => sum + count, 0);
  let inside = 0;
  const parts = falling.slice(0, -1).map((count, i) => {
    inside += count;
    const cells = { insideCells: i + 1, otherCells: falling.length - i - 1 };
    const { low, high } = proportion({ inside, rows, ...cells, noiseStdDev, z });
    return { low, high };
  });
  for (let i = 1; i < parts.length; i++) parts[i]!.low = Math.max(parts[i]!.low, parts[i - 1]!.low);
  for (let i = parts.length - 2; i >= 0; i--) parts[i]!.high = Math.min(parts[i]!.high, parts[i + 1]!.high);
  return parts;
}

/** A corner of a line. */
export interface Corner {
  readonly x: number;
  readonly y: number;
}

/** Of a rising line at one place: every corner there, or what lies between two. */
export function heightsAt(corners: readonly Corner[], x: number): number[] {
  const here = corners.filter((corner) => corner.x === x);
  if (here.length > 0) return here.map(({ y }) => y);
  const next = corners.findIndex((corner) => corner.x > x);
  const [a, b] = [corners[next - 1]!, corners[next]!];
  return [a.y + ((x - a.x) / (b.x - a.x)) * (b.y - a.y)];
}
