import { asDescribe, type DescribeStudy, describeLayout } from "@consilium/methods/describe/study";
import { type CountedFeature, cellOf } from "@consilium/methods/shared/columns/counted";
import seedrandom from "seedrandom";
import type { UtilityCell } from "./cell.js";
import type { UtilityNetwork } from "./network.js";
import { type Line, releaseOf } from "./releases.js";
import { adult, type BinnedTable, equalNoise, ofCompleteRows, once, studyOf } from "./tables.js";

/**
 * What a table one and counts are worth on Adult. So that the truth of a population is known, all of Adult's rows are one, and a seed's table
 * is drawn from it with replacement. Errors are of the noise alone, from what the table's own records say; intervals are held against what
 * they are of. Figures to reach are those of central_counts.py, coverage the nominal one.
 */

const delta = 1e-5;
const nominal = 0.95;

/** How all records are called among the groups of a release. */
const overall = "overall";

const population = once(() => {
  const { train, test, ...about } = adult();
  return {
    ...about,
    features: ofCompleteRows(about.features),
    records: {
      rows: [...train.rows, ...test.rows],
      labels: [...train.labels, ...test.labels],
    },
    drawn: train.rows.length,
  };
});

type DrawnTable = Omit<BinnedTable, "test">;

const tables = new Map<number, DrawnTable>();

function drawnTable(seed: number): DrawnTable {
  const known = tables.get(seed);
  if (known !== undefined) return known;
  const { name, features, levels, records, drawn } = population();
  const uniform = seedrandom(`described ${seed}`);
  const places = Array.from({ length: drawn }, () => Math.floor(uniform.double() * records.rows.length));
  const train = {
    rows: places.map((r) => records.rows[r]!),
    labels: places.map((r) => records.labels[r]!),
  };
  const table = { name, features, levels, train };
  tables.set(seed, table);
  return table;
}

const statistics = ["mean", "lower quartile", "median", "upper quartile"] as const;
const quantiles = { "lower quartile": 0.25, median: 0.5, "upper quartile": 0.75 } as const;

/** A column's records: counts by cell, and of a number what they say themselves. */
class Column {
  readonly counts: Float64Array;
  readonly records: number;
  readonly mean: number;
  readonly variance: number;
  readonly #ascending: Float64Array;

  constructor(counted: CountedFeature, values: readonly number[]) {
    this.counts = new Float64Array(counted.cells);
    for (const value of values) this.counts[cellOf(counted, value)]!++;
    this.records = values.length;
    this.mean = values.reduce((sum, value) => sum + value / values.length, 0);
    this.variance = values.reduce((sum, value) => sum + (value - this.mean) ** 2 / values.length, 0);
    this.#ascending = Float64Array.from(values).sort();
  }

  /** Distance of q from the part of the records below a number, or not above it; 0 where q lies between the two. */
  apart(value: number, q: number): number {
    const below = this.#countOf((one) => one < value) / this.records;
    const upTo = this.#countOf((one) => one <= value) / this.records;
    return Math.max(0, below - q, q - upTo);
  }

  /** Records for which it holds, from the least on. */
  #countOf(holds: (value: number) => boolean): number {
    let [low, high] = [0, this.#ascending.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (holds(this.#ascending[middle]!)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

interface Records {
  readonly rows: readonly (readonly number[])[];
  readonly labels: readonly number[];
}

/** Of each group of a release and each column. */
function columnsOf(study: DescribeStudy, { rows, labels }: Records): Map<string, Column[]> {
  const { features } = describeLayout(study);
  const groups = [overall, ...study.label!.levels];
  return new Map(
    groups.map((group, g) => {
      const own = rows.filter((_, r) => g === 0 || labels[r] === g - 1);
      const values = (f: number) => own.map((row) => row[f]!);
      return [group, study.features.map((_, f) => new Column(features[f]!, values(f)))];
    }),
  );
}

/** The least number that at least q of all are not above. */
const quantileOf = (ascending: readonly number[], q: number) =>
  ascending[Math.ceil(q * ascending.length) - 1]!;

const figures = {
  "counts, error": null,
  "counts in their intervals": nominal,
  "shares in their intervals": nominal,
  "means, error": null,
  "means in their intervals": nominal,
  "quartiles, error": null,
  "quartiles in their intervals": nominal,
} as const;
type Figure = keyof typeof figures;

async function measured(
  epsilon: number,
  seed: number,
  network: UtilityNetwork | null,
): Promise<Record<Figure, number>> {
  const table = drawnTable(seed);
  const study = studyOf(table, {
    analysis: "describe",
    method: "describe",
    privacy: equalNoise(epsilon, delta),
  });
  const own = asDescribe(study);
  const released = await releaseOf(study, table, `Adult described ${epsilon} ${seed}`, network);
  const seen = columnsOf(own, table.train);
  const all = columnsOf(own, population().records);
  const column = (line: Line) => own.features.findIndex(({ name }) => name === line.variable);
  const counts = new Mean();
  const [countsHeld, sharesHeld] = [new Mean(), new Mean()];
  let [cell, place] = ["", -1];
  for (const line of await released.table("histograms")) {
    const key = `${line.variable} ${line.group}`;
    place = key === cell ? place + 1 : 0;
    cell = key;
    const [inTable, inAll] = [seen, all].map((of) => of.get(String(line.group))![column(line)]!);
    const truth = inTable!.counts[place]!;
    counts.add((Number(line.count) - truth) ** 2);
    countsHeld.add(holds(line.count_low, line.count_high, truth));
    sharesHeld.add(holds(line.share_low, line.share_high, inAll!.counts[place]! / inAll!.records));
  }
  const [means, quartiles] = [new Mean(), new Mean()];
  const [meansHeld, quartilesHeld] = [new Mean(), new Mean()];
  for (const line of await released.table("summary")) {
    const what = statistics.find((one) => one === line.statistic);
    if (what === undefined) continue;
    const f = column(line);
    const group = String(line.group);
    const [inTable, inAll] = [seen, all].map((of) => of.get(group)![f]!);
    const estimate = Number(line.estimate);
    if (what === "mean") {
      means.add((estimate - inTable!.mean) ** 2 / (inTable!.variance / inTable!.records));
      meansHeld.add(holds(line.low, line.high, inAll!.mean));
      continue;
    }
    const q = quantiles[what];
    quartiles.add(inTable!.apart(estimate, q) ** 2 / ((q * (1 - q)) / inTable!.records));
    quartilesHeld.add(holds(line.low, line.high, quantileOf(sortedOf(f, group, own), q)));
  }
  return {
    "counts, error": Math.sqrt(counts.value),
    "counts in their intervals": countsHeld.value,
    "shares in their intervals": sharesHeld.value,
    "means, error": Math.sqrt(means.value),
    "means in their intervals": meansHeld.value,
    "quartiles, error": Math.sqrt(quartiles.value),
    "quartiles in their intervals": quartilesHeld.value,
  };
}

const sorted = new Map<string, readonly number[]>();

/** The population's numbers of a column and group, ascending. */
function sortedOf(f: number, group: string, { label }: DescribeStudy): readonly number[] {
  const key = `${f} ${group}`;
  const { rows, labels } = population().records;
  const level = label!.levels.indexOf(group);
  const known =
    sorted.get(key) ??
    rows
      .filter((_, r) => level === -1 || labels[r] === level)
      .map((row) => row[f]!)
      .sort((a, b) => a - b);
  sorted.set(key, known);
  return known;
}

class Mean {
  #sum = 0;
  #count = 0;

  add(value: number): void {
    this.#sum += value;
    this.#count++;
  }

  get value(): number {
    return this.#sum / this.#count;
  }
}

type Bound = Line[string] | undefined;

const holds = (low: Bound, high: Bound, truth: number) =>
  Number(low) <= truth && truth <= Number(high) ? 1 : 0;

/** What the central program's errors are: of counts in records, of means and quartiles in standard errors of sampling. */
const errors: Readonly<Record<number, Readonly<Partial<Record<Figure, number>>>>> = {
  0.25: { "counts, error": 57.7, "means, error": 7.91, "quartiles, error": 3.65 },
  1: { "counts, error": 16.6, "means, error": 2.37, "quartiles, error": 0.842 },
  4: { "counts, error": 4.95, "means, error": 0.628, "quartiles, error": 0.214 },
};

const runs = new Map<string, Promise<Record<Figure, number>>>();

const described = [0.25, 1, 4].flatMap((epsilon) =>
  (Object.keys(figures) as Figure[]).map((metric): UtilityCell => {
    const isError = figures[metric] === null;
    return {
      method: "describe",
      variant: "sound",
      data: "Adult",
      epsilon,
      metric,
      ...(isError ? { isError } : {}),
      target: figures[metric] ?? errors[epsilon]![metric]!,
      async run(seed, network) {
        const key = JSON.stringify([epsilon, seed, network === null]);
        const known = runs.get(key) ?? measured(epsilon, seed, network);
        runs.set(key, known);
        return (await known)[metric];
      },
    };
  }),
);

/** From all records to one in some thousands. */
const conditions = [
  { name: "all", all: [] },
  { name: "pensioners", all: [{ column: "age", atLeast: 65 }] },
  { name: "long hours", all: [{ column: "hours", atLeast: 50 }] },
  { name: "doctors", all: [{ column: "education", in: ["Doctorate"] }] },
  {
    name: "doctors of all these",
    all: [
      { column: "age", atLeast: 65 },
      { column: "hours", atLeast: 50 },
      { column: "education", in: ["Doctorate"] },
    ],
  },
] as const;
type Criterion = { readonly column: string } & (
  | { readonly atLeast: number }
  | { readonly in: readonly string[] }
);

const countedTable = once((): BinnedTable => {
  const table = adult();
  return { ...table, features: ofCompleteRows(table.features) };
});

const met = once(() =>
  conditions.map(({ all }: { readonly all: readonly Criterion[] }) => {
    const { features, train } = countedTable();
    const criteria = all.map((one) => {
      const f = features.findIndex(({ name }) => name === one.column);
      if ("atLeast" in one) return (row: readonly number[]) => row[f]! >= one.atLeast;
      const levels = features[f]!.levels as readonly string[];
      return (row: readonly number[]) => one.in.includes(levels[row[f]!]!);
    });
    return train.rows.filter((row) => criteria.every((holdsFor) => holdsFor(row))).length;
  }),
);

interface CountsFigures {
  readonly "in their intervals": number;
  readonly "half width": number;
}

async function counted(
  epsilon: number,
  seed: number,
  network: UtilityNetwork | null,
): Promise<CountsFigures> {
  const table = countedTable();
  const study = studyOf(table, {
    analysis: "describe",
    method: "counts",
    label: undefined,
    parameters: { conditions },
    privacy: equalNoise(epsilon, delta),
  });
  const lines = await (await releaseOf(study, table, `Adult counted ${epsilon} ${seed}`, network)).table(
    "counts",
  );
  const [held, width] = [new Mean(), new Mean()];
  lines.forEach(({ count, count_low: low, count_high: high }, i) => {
    held.add(holds(low, high, met()[i]!));
    width.add(Number(high) - Number(count));
  });
  return { "in their intervals": held.value, "half width": width.value };
}

const countedRuns = new Map<string, Promise<CountsFigures>>();
/** 1.96·√(5/(2ρ)), ρ of a central program at (ε, δ). */
const widths: Readonly<Record<number, number>> = { 0.05: 281.7, 0.2: 78.5, 1: 17.7 };

const counts = [0.05, 0.2, 1].flatMap((epsilon) =>
  (["in their intervals", "half width"] as const).map((metric): UtilityCell => {
    const isError = metric === "half width";
    return {
      method: "counts",
      variant: "sound",
      data: "Adult, five conditions",
      epsilon,
      metric,
      ...(isError ? { isError } : {}),
      target: isError ? widths[epsilon]! : nominal,
      async run(seed, network) {
        const key = JSON.stringify([epsilon, seed, network === null]);
        const known = countedRuns.get(key) ?? counted(epsilon, seed, network);
        countedRuns.set(key, known);
        return (await known)[metric];
      },
    };
  }),
);

export const cells: readonly UtilityCell[] = [...described, ...counts];
