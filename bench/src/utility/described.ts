import { asDescribe, type DescribeStudy, describeLayout } from "@consilium/methods/describe/study";
import { type CountedFeature, cellOf } from "@consilium/methods/shared/columns/counted";
import seedrandom from "seedrandom";
import type { UtilityCell } from "./cell.js";
import type { UtilityNetwork } from "./network.js";
import { type Line, releaseOf } from "./releases.js";
import { adult, type BinnedTable, equalNoise, ofCompleteRows, once, studyOf } from "./tables.js";

/**
 * What a table one and counts are worth on Adult. So that the truth of a population is known, all of Adult's rows are one, and a seed's table
 * is drawn from it with replacement. Errors are of the noise alone, from what the same counts say without it; intervals are held against what
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

/** Counts by cell, and what follows from them of a number, each interval's records spread evenly over it. */
class Histogram {
  readonly counts: Float64Array;
  readonly records: number;
  /** Of a number; empty of a category. */
  readonly #edges: readonly number[];

  constructor(feature: Record<string, unknown>, counted: CountedFeature, values: readonly number[]) {
    this.counts = new Float64Array(counted.cells);
    for (const value of values) this.counts[cellOf(counted, value)]!++;
    this.records = values.length;
    const { type, min, max } = feature as {
      readonly type: string;
      readonly min: number;
      readonly max: number;
    };
    this.#edges = type === "numeric" ? [min, ...counted.binned.edges, max] : [];
  }

  get mean(): number {
    return this.#moment((middle) => middle);
  }

  get variance(): number {
    const { mean } = this;
    return this.#moment((middle, width) => (middle - mean) ** 2 + width ** 2 / 12);
  }

  #moment(of: (middle: number, width: number) => number): number {
    return this.counts.reduce((sum, count, b) => {
      const [from, to] = [this.#edges[b]!, this.#edges[b + 1]!];
      return sum + (count / this.records) * of((from + to) / 2, to - from);
    }, 0);
  }

  /** The part of the records below a number. */
  below(value: number): number {
    return this.counts.reduce((sum, count, b) => {
      const [from, to] = [this.#edges[b]!, this.#edges[b + 1]!];
      const part = value >= to ? 1 : Math.max(0, (value - from) / (to - from));
      return sum + (count / this.records) * part;
    }, 0);
  }
}

interface Records {
  readonly rows: readonly (readonly number[])[];
  readonly labels: readonly number[];
}

/** Of each group of a release and each column. */
function histogramsOf(study: DescribeStudy, { rows, labels }: Records): Map<string, Histogram[]> {
  const { features } = describeLayout(study);
  const groups = [overall, ...study.label!.levels];
  return new Map(
    groups.map((group, g) => {
      const own = rows.filter((_, r) => g === 0 || labels[r] === g - 1);
      const values = (f: number) => own.map((row) => row[f]!);
      return [
        group,
        study.features.map((feature, f) => new Histogram({ ...feature }, features[f]!, values(f))),
      ];
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
  const seen = histogramsOf(own, table.train);
  const all = histogramsOf(own, population().records);
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
    quartiles.add((inTable!.below(estimate) - q) ** 2 / ((q * (1 - q)) / inTable!.records));
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
  0.25: { "counts, error": 53.2, "means, error": 4.43, "quartiles, error": 1.4 },
  1: { "counts, error": 15.6, "means, error": 1.27, "quartiles, error": 0.42 },
  4: { "counts, error": 4.33, "means, error": 0.343, "quartiles, error": 0.119 },
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
