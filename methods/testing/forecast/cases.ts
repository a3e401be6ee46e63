import { type DeclaredFeature, type DeclaredTable, declaredTables } from "./declared.js";
import { completeRows, type TableName, tableRows } from "./tables.js";

/**
 * Studies of public tables by one rule: every method that a table has the columns for, at every ε of `epsilons`, with the rows and the events
 * that an operator would state, which are the table's own of two digits.
 */
export interface ForecastCase {
  /** A regression with its family. */
  readonly method: string;
  readonly data: TableName;
  readonly isHeldOut: boolean;
  readonly epsilon: number;
}

/** The same for every table and method. */
export const epsilons = [1, 3] as const;

interface Shape {
  readonly features: readonly object[];
  readonly label?: object;
  readonly parameters?: object;
  /** Rows with the event, of the rows used; left out: it is not stated. */
  readonly isEvent?: (row: Readonly<Record<string, string>>) => boolean;
  /** Of counts: those of a row. */
  readonly countOf?: (row: Readonly<Record<string, string>>) => number;
}

/** A method's study of a table; null where the table has not what it needs. */
type Shaper = (table: DeclaredTable) => Shape | null;

const refused = { below: "reject-row", missing: "reject-row" };
const numberUpTo = (name: string, max: number) => ({ name, type: "numeric", min: 0, max, ...refused });

const regression = (family: string, shape: Shaper) =>
  [
    `regression, ${family}`,
    {
      analysis: "regression",
      method: "regression",
      shape: (table: DeclaredTable) => {
        const found = shape(table);
        return found === null
          ? null
          : { ...found, parameters: { family: family.toLowerCase(), ...found.parameters } };
      },
    },
  ] as const;

const labelled =
  (parameters: object = {}): Shaper =>
  ({ features, label }) =>
    label === undefined ? null : { features, label, parameters };

const model = (analysis: string, method: string) =>
  [
    method,
    { analysis, method, shape: (table: DeclaredTable) => (isOfTwo(table) ? withEvents(table) : null) },
  ] as const;

/** A tree asks of each column once on a path. */
const correlationTree = (method: string) =>
  [
    method,
    {
      analysis: "correlation-tree",
      method,
      shape: (table: DeclaredTable) =>
        isOfTwo(table)
          ? { ...withEvents(table), parameters: { depth: Math.min(3, table.features.length) } }
          : null,
    },
  ] as const;

const isOfTwo = ({ label }: DeclaredTable) => label?.levels.length === 2;
const withEvents = ({ features, label }: DeclaredTable): Shape => ({
  features,
  label: label!,
  isEvent: (row) => row[label!.name] === label!.levels[1],
});

const timed = (
  { features, label, followUp }: DeclaredTable,
  columns: readonly object[] = features,
): Shape => ({
  features: [...columns, numberUpTo(followUp!.time, followUp!.horizon)],
  label: label!,
  isEvent: (row) => row[label!.name] === followUp!.event,
});

const methods = new Map<
  string,
  { readonly analysis: string; readonly method: string; readonly shape: Shaper }
>([
  regression("logistic", (table) =>
    isOfTwo(table) ? { ...withEvents(table), parameters: { evaluation: "none" } } : null,
  ),
  regression("linear", ({ features, outcome }) =>
    outcome === undefined ? null : { features, parameters: { outcome } },
  ),
  regression("Poisson", ({ features, counts }) =>
    counts === undefined
      ? null
      : {
          features: [...features, numberUpTo(counts.name, counts.most)],
          parameters: { outcome: counts.name },
          countOf: (row) => Number(row[counts.name]),
        },
  ),
  regression("Cox", (table) =>
    table.followUp === undefined
      ? null
      : { ...timed(table), parameters: { time: table.followUp.time, event: table.followUp.event } },
  ),
  [
    "survival",
    {
      analysis: "survival",
      method: "survival",
      shape: (table) =>
        table.followUp === undefined
          ? null
          : {
              ...timed(table, table.features.filter(isCategory).slice(0, 1)),
              parameters: { event: table.followUp.event },
            },
    },
  ],
  model("boosted-trees", "dp-histboost"),
  model("boosted-trees", "dp-additive"),
  model("k-anonymous-selection", "dp-ka"),
  correlationTree("dp-pcc"),
  correlationTree("dp-pcc-s"),
  ["describe", { analysis: "describe", method: "describe", shape: labelled({ bins: 12 }) }],
  [
    "synthetic-table",
    {
      analysis: "synthetic-table",
      method: "synthetic-table",
      shape: ({ features }) => (features.length < 2 ? null : { features, parameters: { bins: 8 } }),
    },
  ],
  [
    "counts",
    {
      analysis: "describe",
      method: "counts",
      shape: ({ features }) => ({
        features,
        parameters: { conditions: [{ name: "all", all: [] }] },
      }),
    },
  ],
]);

const isCategory = ({ type }: DeclaredFeature) => type === "categorical";

export const forecastCases: readonly ForecastCase[] = [...methods].flatMap(([method, { shape }]) =>
  declaredTables.flatMap((table) =>
    shape(table) === null
      ? []
      : epsilons.map((epsilon) => ({ method, data: table.data, isHeldOut: table.isHeldOut, epsilon })),
  ),
);

/** The study of a case. */
export function caseStudy({ method, data, epsilon }: ForecastCase): Record<string, unknown> {
  const { shape, ...names } = methods.get(method)!;
  const table = declaredTables.find((one) => one.data === data)!;
  const { isEvent, countOf = isEvent && ((row) => Number(isEvent(row))), ...shaped } = shape(table)!;
  const asDeclared = (expected: object) => ({
    name: "forecast",
    table: "t",
    ...names,
    ...shaped,
    privacy: { epsilon, delta: 1e-5 },
    participation: { minimumSites: 4, maxRowsPerSite: 10_000, ...expected },
  });
  const used = completeRows(asDeclared({}), caseRows(data));
  const expectedRows = twoDigits(used.length);
  if (countOf === undefined) return asDeclared({ expectedRows });
  const events = used.reduce((sum, row) => sum + countOf(row), 0);
  return asDeclared({ expectedRows, expectedEvents: twoDigits(events) });
}

/** A table's rows, as its studies declare them. */
export function caseRows(data: TableName): readonly Readonly<Record<string, string>>[] {
  const { recode } = declaredTables.find((one) => one.data === data)!;
  return recode === undefined ? tableRows(data) : tableRows(data).map(recode);
}

const twoDigits = (count: number) => Number(count.toPrecision(2));
