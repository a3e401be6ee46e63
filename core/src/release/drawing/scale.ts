/** A linear axis with round ticks. */
export interface Scale {
  readonly ticks: readonly number[];
  /** The place of a value, in pixels. */
  at(value: number): number;
}

const tickCount = 5;

/**
 * An axis over these values, from the tick at or below the least to the one at or above the greatest.
 * @param values - finite; none counts as 0
 * @param from - pixels of the low end
 * @param to - pixels of the high end
 */
export function scaleOver(values: Iterable<number>, from: number, to: number): Scale {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const value of values) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  if (low > high) [low, high] = [0, 0];
  if (low === high) {
    const room = Math.abs(low) / 2 || 1;
    [low, high] = [low - room, high + room];
  }
  const step = roundStep((high - low) / tickCount);
  const first = Math.floor(low / step + 1e-9);
  const last = Math.ceil(high / step - 1e-9);
  const ticks = Array.from({ length: last - first + 1 }, (_, i) => (first + i) * step);
  const [start, end] = [ticks[0]!, ticks.at(-1)!];
  return { ticks, at: (value) => from + ((value - start) / (end - start)) * (to - from) };
}

/** The least of 1, 2, 5 times a power of ten that is at least this. */
function roundStep(least: number): number {
  const power = Number(`1e${Math.floor(Math.log10(least))}`);
  const factor = [1, 2, 5, 10].find((one) => one * power >= least * (1 - 1e-9)) ?? 10;
  return factor * power;
}
