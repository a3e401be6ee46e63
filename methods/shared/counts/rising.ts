/**
 * The counts whose prefix sums are nearest to those of noisy ones, by the sum of squares, that do not fall and are not negative: by pooling
 * adjacent violators [ABERS55]. Without noise they are the counts themselves.
 */
export function rising(counts: Float64Array): Float64Array {
  if (counts.every((count) => count >= 0)) return counts.slice();
  const levels: { value: number; cells: number }[] = [];
  let sum = 0;
  for (const count of counts) {
    sum += count;
    let last = { value: sum, cells: 1 };
    for (
      let before = levels.at(-1);
      before !== undefined && before.value > last.value;
      before = levels.at(-1)
    ) {
      levels.pop();
      const cells = before.cells + last.cells;
      last = { value: (before.value * before.cells + last.value * last.cells) / cells, cells };
    }
    levels.push(last);
  }
  const valid = new Float64Array(counts.length);
  let [at, before] = [0, 0];
  for (const { value, cells } of levels) {
    const own = Math.max(0, value);
    valid[at] = own - before;
    before = own;
    at += cells;
  }
  return valid;
}
