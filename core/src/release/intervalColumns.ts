/** A table's columns of numbers with the columns that hold the ends of their intervals. */

type Ends = readonly [low: number, high: number];

interface Columns {
  readonly columns: readonly { readonly name: string }[];
}

/** The one column whose ends are called otherwise. */
const endsOf: Readonly<Record<string, readonly [low: string, high: string]>> = {
  coefficient: ["ci_low", "ci_high"],
};

/** By a column's index, those of its interval's ends. */
export function intervalColumns({ columns }: Columns): ReadonlyMap<number, Ends> {
  const indexOf = (wanted: string) => columns.findIndex(({ name }) => name === wanted);
  return new Map(
    columns.flatMap(({ name }, index): [number, Ends][] => {
      const [low, high] = (endsOf[name] ?? [`${name}_low`, `${name}_high`]).map(indexOf) as [number, number];
      return low === -1 || high === -1 ? [] : [[index, [low, high]]];
    }),
  );
}
