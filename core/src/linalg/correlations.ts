/**
 * The largest correlations of cuts: the published correlation tree's map tasks. Each group of rows, the rows of one node in
 * one subset, is looked at by itself, so that groups and columns may be worked on in any order and on any thread.
 */

/** Rows in groups, one group after the other. */
export interface RowGroups {
  /** [groups + 1] where each group starts; the last entry is the number of rows. */
  readonly starts: Uint32Array;
  /** [rows] below `classes`. */
  readonly labels: Uint16Array;
  /** 1 to 65,535. */
  readonly classes: number;
}

/** The best cut of one column in every group, among the values that the group's rows have. */
export interface LargestCorrelations {
  /** [groups] the largest |φ| of a cut and one class against the rest; 0 where there is none. */
  readonly correlations: Float64Array;
  /** [groups] c, of equal ones the smallest: rows with x ≤ c are on one side. Only where the correlation is not 0. */
  readonly cuts: Float64Array;
}

/** Correlations that differ by no more are equal: what rounding makes of equal ones differs by less. */
export const correlationRounding = 2 ** -40;

export interface CorrelationSearch {
  /**
   * Looks at one more column. Calls need not wait for each other: as many columns are in memory as can be worked on at once.
   * @param fill - called when there is room: sets all values, [rows], in the order of the groups, finite
   */
  column(fill: (values: Float64Array) => void): Promise<LargestCorrelations>;
  /** Ends the search; waits for the columns under way. */
  end(): Promise<void>;
}

/** @throws RangeError if the groups do not fit each other, or a label is not below the number of classes */
export function checkGroups({ starts, labels, classes }: RowGroups): void {
  if (!Number.isInteger(classes) || classes < 1 || classes > 65535)
    throw new RangeError(`number of classes ${classes} is not an integer from 1 to 65535`);
  const isAscending = starts.every((start, group) => group === 0 || start >= starts[group - 1]!);
  if (starts[0] !== 0 || !isAscending || starts.at(-1) !== labels.length)
    throw new RangeError(`the groups do not cover the ${labels.length} rows in order`);
  if (!labels.every((label) => label < classes))
    throw new RangeError(`a row's label is not below ${classes}`);
}

/** What calls after the end get. */
export function searchEnded(): RangeError {
  return new RangeError("this search has ended: start another with correlations()");
}
