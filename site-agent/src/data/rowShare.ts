/** One of the shares that a database divides a query's rows into, each row in one of them. */
export interface RowShare {
  readonly at: number;
  readonly of: number;
  /** Filled while the share is read. */
  readonly sum: RowSum;
}

/** What tells whether shares are a table's: they add up to the same of all its rows. */
export interface RowSum {
  rows: number;
  /** Of 24 bits of each row's hash, as signed integers. */
  hashes: number;
}
