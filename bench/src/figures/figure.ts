/** What a source shows as a figure, measured again beside the values that it prints. */
export interface Figure {
  /** Of the file that it becomes. */
  readonly id: string;
  readonly title: string;
  /** Which figure of which source, by its key in docs/references.md. */
  readonly source: string;
  readonly xLabel: string;
  readonly yLabel: string;
  readonly series: readonly FigureSeries[];
  /** One sentence: reproduced, or by how much not and why. */
  readonly verdict: string;
}

export interface FigureSeries {
  readonly name: string;
  readonly points: readonly FigurePoint[];
  /** Whether the source prints these values. */
  readonly published?: boolean;
}

export interface FigurePoint {
  readonly x: number;
  readonly y: number;
  /** Standard deviation over the seeds; left out of one value. */
  readonly sd?: number;
}

export type FiguresOptions = {
  /** Runs of each point. */
  readonly seeds: number;
  /** Few points and rows: shows that it runs, and means nothing else. */
  readonly quick: boolean;
  /** What the names of the tables begin with; empty for all of them. */
  readonly data: string;
};

/** A value closer than this to the published one is the same: published values are of few runs, some read off a plot. */
const tolerance = 0.02;

/** Mean and standard deviation of some runs. */
export function pointOf(x: number, values: readonly number[]): FigurePoint {
  const y = values.reduce((sum, value) => sum + value, 0) / values.length;
  if (values.length < 2) return { x, y };
  const squares = values.reduce((sum, value) => sum + (value - y) ** 2, 0);
  return { x, y, sd: Math.sqrt(squares / (values.length - 1)) };
}

/**
 * One sentence about pairs of series: measured, published. Values agree within 0.02 or two standard errors.
 * @param why - why they differ where they do: continues "not reproduced, because"
 */
export function comparison(
  pairs: readonly { readonly measured: FigureSeries; readonly published: FigureSeries }[],
  { seeds, why }: { readonly seeds: number; readonly why: string },
): string {
  const gaps = pairs.flatMap(({ measured, published }) =>
    published.points.flatMap(({ x, y }) => {
      const own = measured.points.find((point) => point.x === x);
      if (own === undefined) return [];
      const gap = own.y - y;
      return [{ gap, isSame: Math.abs(gap) <= Math.max(tolerance, (2 * (own.sd ?? 0)) / Math.sqrt(seeds)) }];
    }),
  );
  if (gaps.length === 0) return "Not compared: none of the published points was run.";
  const same = gaps.filter(({ isSame }) => isSame).length;
  if (same === gaps.length)
    return `Reproduced: all ${same} published points, within ${tolerance} or two standard errors.`;
  const values = gaps.map(({ gap }) => gap);
  const [least, most] = [signed(Math.min(...values)), signed(Math.max(...values))];
  return `Not reproduced: ${same} of ${gaps.length} published points agree, and the difference from them is ${least} to ${most}, because ${why}.`;
}

function signed(value: number): string {
  return `${value < 0 ? "-" : "+"}${Math.abs(value).toFixed(3)}`;
}
