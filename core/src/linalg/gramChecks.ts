/**
 * Checks a block handed to a Gram accumulator.
 * @throws RangeError if `block` has not `rows` rows of `d` columns
 */
export function checkBlock(block: Float64Array, rows: number, d: number): void {
  if (!Number.isInteger(rows) || rows < 0)
    throw new RangeError(`number of rows ${rows} is not a natural number`);
  if (block.length < rows * d) {
    throw new RangeError(
      `a block of ${rows} rows of ${d} columns has ${rows * d} entries, got ${block.length}`,
    );
  }
}

/**
 * Checks a finished Gram matrix. Its diagonal is a sum of squares, so one entry of X that is not finite shows there
 * whatever the others are, and the data need not be looked at twice.
 * @throws RangeError naming the column
 */
export function checkGramDiagonal(gram: Float64Array, d: number): void {
  for (let j = 0; j < d; j++) {
    if (!Number.isFinite(gram[j * d + j])) {
      throw new RangeError(`column ${j} holds a value that is not finite, or its sum of squares overflows`);
    }
  }
}
