const sumOf = (values: Float64Array) => values.reduce((sum, value) => sum + value, 0);

/**
 * The counts nearest to noisy ones, by the sum of squares, that are not negative and have the same total: every count is lowered by
 * one number, and 0 at least [DSSC08]. Without noise they are the counts themselves.
 * @param total - where it is known otherwise than by adding the counts up, which may round
 */
export function nearestCounts(cells: Float64Array, total = sumOf(cells)): Float64Array {
  if (!(total > 0)) return new Float64Array(cells.length);
  if (cells.every((cell) => cell >= 0)) return cells.slice();
  const falling = cells.slice().sort().reverse();
  let sum = 0;
  let lowered = 0;
  for (let i = 0; i < falling.length; i++) {
    sum += falling[i]!;
    const next = (sum - total) / (i + 1);
    if (falling[i]! <= next) break;
    lowered = next;
  }
  return cells.map((cell) => Math.max(0, cell - lowered));
}
