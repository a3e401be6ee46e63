import type { ShownFigure } from "@consilium/core/release/shownFigures";
import type { Choice } from "../questions/questions";
import { conditionsOf, conditionText } from "./conditions";
import { type Declared, type DeclaredColumn, textOf } from "./declared";
import { evaluationFigures } from "./evaluation";
import { bars, curve, level, type Point, seriesMost } from "./shapes";

/**
 * What the release of a draft will hold, from the draft alone: the names of its tables' columns and rows, and its figures with
 * made-up curves. Nothing of it is read from a record.
 */

export interface PreviewTable {
  /** Of its files. */
  readonly name: string;
  readonly title: string;
  readonly columns: readonly string[];
  /** Cells that only records can fill are dots. */
  readonly rows: readonly (readonly string[])[];
  /** Rows of a release beyond those that are shown; null where they are not known. */
  readonly more: number | null;
}

export interface Preview {
  /** The rows of data.csv; null for a release without rows. */
  readonly data: PreviewTable | null;
  /** Whether rows are what is asked for, and come before figures. */
  readonly isOfRows: boolean;
  /** Shown on the release's page; the others are files alone. */
  readonly tables: readonly PreviewTable[];
  readonly otherTables: readonly string[];
  readonly figures: readonly ShownFigure[];
  readonly files: readonly PreviewFile[];
}

export interface PreviewFile {
  readonly name: string;
  readonly about: string;
}

/** What stands where records are needed. */
export const open = "…";
const rowsShown = 12;
const syntheticShown = 4;

interface Content {
  readonly data?: PreviewTable;
  readonly isOfRows?: true;
  readonly tables?: readonly PreviewTable[];
  readonly otherTables?: readonly string[];
  readonly figures: readonly ShownFigure[];
  readonly isModel?: true;
  readonly hasCurves?: true;
}

type Maker = (draft: Declared, choice: Choice) => Content;

const makers: Readonly<Record<string, Maker>> = {
  describe: describeContent,
  counts: countsContent,
  regression: regressionContent,
  survival: survivalContent,
  "synthetic-table": syntheticContent,
  pca: pcaContent,
  "correlation-tree": treeContent,
  "dp-additive": additiveContent,
  "boosted-trees": boostedContent,
  "feature-selection": rankingContent,
  "k-anonymous-selection": groupsContent,
};

/** Null for a method that these pages do not know, or a draft without columns. */
export function previewOf(draft: Declared, choice: Choice): Preview | null {
  const { method, analysis } = choice.method;
  const make = makers[method] ?? makers[analysis];
  if (make === undefined || draft.columns.length === 0) return null;
  const content = make(draft, choice);
  const { data = null, isOfRows = false, tables = [], otherTables = [], figures } = content;
  return { data, isOfRows, tables, otherTables, figures, files: filesOf(content) };
}

function filesOf({
  data,
  tables = [],
  otherTables = [],
  figures,
  isModel,
  hasCurves,
}: Content): PreviewFile[] {
  const names = [...tables.map(({ name }) => name), ...otherTables];
  return [
    ...(data === undefined ? [] : [{ name: "data.csv, data.parquet", about: data.title }]),
    ...names.map((name) => ({ name: `${name}.csv, ${name}.parquet`, about: tableWords[name] ?? "" })),
    ...(hasCurves ? [{ name: "curves.csv", about: "The curve of every column, with its noise." }] : []),
    ...(isModel ? [{ name: "model.onnx", about: "The model to run, for any ONNX runtime." }] : []),
    { name: "model.json", about: "Everything that was computed, with the noise in it." },
    ...(figures.length === 0
      ? []
      : [
          { name: "plots/*.svg", about: `${figures.length} ${figures.length === 1 ? "figure" : "figures"}.` },
        ]),
    { name: "certificate.json", about: "What is proven of its privacy, and who signed." },
    { name: "README.md", about: "How to read and cite it; with metadata files beside it." },
  ];
}

const tableWords: Readonly<Record<string, string>> = {
  "table-one": "The table one, as it is printed.",
  "table-one-tidy": "The same, a number a line.",
  summary: "Quartiles, means and standard deviations, with intervals.",
  histograms: "Counts and shares of each value or interval, with intervals.",
  "cross-tables": "Two-way tables, with intervals.",
  counts: "Each condition's count, with its interval.",
  coefficients: "Each coefficient, with its interval.",
  weights: "Every feature's weight, with its interval.",
  baseline: "The hazard at the reference, by interval of time.",
  "survival-summary": "Each group's median and restricted mean, with intervals.",
  "numbers-at-risk": "How many are at risk in each group, over time.",
  tree: "Which pairs of columns the rows were drawn by.",
  pairs: "How well the rows show each pair of columns.",
};

const shownOf = (rows: readonly (readonly string[])[], all = rows.length) => ({
  rows: rows.slice(0, rowsShown),
  more: Math.max(0, all - rowsShown),
});

function describeContent(draft: Declared): Content {
  const { columns, label, units } = draft;
  const groups = ["overall", ...(label?.levels ?? []).map((one) => `${label!.name}: ${one}`)];
  const line = (variable: string, statistic: string, cell: string) => [
    variable,
    statistic,
    ...groups.map(() => cell),
  ];
  const told = `${open} (${open} to ${open})`;
  const rows = [
    line(units, "n (95 % interval)", told),
    ...columns.flatMap(({ title, levels }) =>
      levels === null
        ? [
            line(title, "median (95 % interval)", told),
            line(title, "quartiles (95 % intervals)", `${told}, ${told}`),
            line(title, "mean (95 % interval)", told),
            line(title, "SD (95 % interval)", told),
          ]
        : levels.map((one) =>
            line(title, `${one}, n, % (95 % intervals)`, `${told}, ${open} % (${open} to ${open})`),
          ),
    ),
  ];
  const pairs = Array.isArray(draft.parameters.tables) ? draft.parameters.tables.length : 0;
  const by = label === null ? "" : ` by ${label.name}`;
  const series = label === null || label.levels.length === 0 ? ["share, with 95 % interval"] : label.levels;
  return {
    tables: [
      {
        name: "table-one",
        title: "Table one",
        columns: ["variable", "statistic", ...groups],
        ...shownOf(rows),
      },
    ],
    otherTables: ["table-one-tidy", "summary", "histograms", ...(pairs === 0 ? [] : ["cross-tables"])],
    figures: columns.map((column, f) => {
      const about = { name: `column-${f + 1}`, title: `${column.name}${by}` };
      if (column.levels !== null) {
        const valueLabel = "share of the records with a value, with 95 % intervals";
        const hasColours = label !== null && series.length > 1 && series.length <= seriesMost;
        const shown = { from: 0.15, to: 0.6, halfWidth: 0.05, ...(hasColours ? { groups: series } : {}) };
        return bars({ ...about, valueLabel, labels: column.levels, ...shown });
      }
      const yLabel = "share of the records with a value";
      return curve({
        ...about,
        xLabel: column.title,
        yLabel,
        series: series.map((name, s) => ({ label: name, points: steps(column, s) })),
      });
    }),
  };
}

/** A made-up histogram of a column. */
function steps({ edges }: DeclaredColumn, series: number): Point[] {
  const cells = edges.length - 1;
  return Array.from({ length: cells }, (_, b) => {
    const y = (2 / cells) * Math.exp(-(((b + 0.5) / cells - 0.4 - 0.15 * series) ** 2) / 0.08);
    return [edges[b]!, edges[b + 1]!].map((x) => ({ x, y, halfWidth: 0.25 / cells }));
  }).flat();
}

function countsContent({ parameters, columns, units }: Declared): Content {
  const conditions = conditionsOf(parameters.conditions);
  const groups = Array.isArray(parameters.siteGroups)
    ? parameters.siteGroups.map((one: unknown) => textOf((one as { name?: unknown } | null)?.name))
    : [];
  const title = `How many ${units} meet each condition`;
  const rows = conditions.flatMap((condition) =>
    ["all sites", ...groups].map((sites) => [
      condition.name,
      conditionText(condition, columns),
      sites,
      open,
      open,
      open,
    ]),
  );
  return {
    tables: [
      {
        name: "counts",
        title,
        columns: ["condition", "meaning", "sites", "count", "count_low", "count_high"],
        ...shownOf(rows),
      },
    ],
    figures: [
      bars({
        name: "counts",
        title,
        valueLabel: `${units} at all sites, with 95 % intervals of the noise`,
        labels: conditions.map(({ name }) => name),
        from: 900,
        to: 120,
        halfWidth: 60,
      }),
    ],
  };
}

/** Words of what a coefficient is, by the kind of outcome. */
const ratios: Readonly<
  Record<string, { readonly unit: string; readonly ratio: string; readonly column: string }>
> = {
  logistic: { unit: "log-odds", ratio: "odds ratio", column: "odds_ratio" },
  poisson: { unit: "log rate", ratio: "rate ratio", column: "rate_ratio" },
  cox: { unit: "log hazard", ratio: "hazard ratio", column: "hazard_ratio" },
};

const familyNames: Readonly<Record<string, string>> = { poisson: "Poisson", cox: "Cox" };

function regressionContent(draft: Declared, { sets }: Choice): Content {
  const { parameters, label } = draft;
  const family = sets.family ?? "logistic";
  const words = ratios[family] ?? null;
  const own = new Set([parameters.outcome, parameters.exposure, parameters.time]);
  const terms = draft.columns
    .filter(({ name }) => family === "logistic" || !own.has(name))
    .flatMap(({ name, levels }) =>
      levels === null
        ? [[name, name, "", ""]]
        : levels.slice(1).map((one) => [`${name}=${one}`, name, one, levels[0]!]),
    );
  const columns = [
    "term",
    "feature",
    "level",
    "reference",
    "per",
    "unit",
    "coefficient",
    "std_error",
    "ci_low",
    "ci_high",
    ...(words === null ? [] : [words.column, `${words.column}_low`, `${words.column}_high`]),
    "p_value",
    "imprecise",
  ];
  const explained =
    family === "logistic" || family === "cox"
      ? `${label?.name ?? "the outcome"} = ${family === "cox" ? textOf(parameters.event) : (label?.levels[1] ?? "")}`
      : textOf(parameters.outcome) || "the outcome";
  const rows = [["(intercept)", "", "", ""], ...terms].map((term) => [
    ...term,
    ...columns.slice(4).map(() => open),
  ]);
  const title = `Factors associated with ${explained}: ${familyNames[family] ?? family} regression`;
  const unit = words?.unit ?? `difference in the mean of ${explained}`;
  return {
    tables: [{ name: "coefficients", title, columns, ...shownOf(rows) }],
    otherTables: family === "cox" ? ["baseline", "tests"] : ["tests"],
    figures: [
      bars({
        name: "coefficients",
        title: `${title}, 95% CI`,
        valueLabel: `${unit}, for the increase of a number or of a level against the reference`,
        ...(words === null ? {} : { exponential: { label: words.ratio } }),
        labels: terms.map(([term]) => term!),
        from: 1.1,
        to: -0.7,
        halfWidth: 0.45,
      }),
      ...(family === "logistic" ? evaluationFigures(draft) : []),
    ],
    isModel: true,
  };
}

const survivalColumns = [
  "time",
  "survival",
  "survival_low",
  "survival_high",
  "at_risk",
  "events",
  "censored",
  "cumulative_hazard",
  "cumulative_hazard_low",
  "cumulative_hazard_high",
  "restricted_mean",
  "restricted_mean_low",
  "restricted_mean_high",
  "sampling_std_dev",
  "noise_std_dev",
  "interval_std_dev",
  "interval_start",
];

const survivalSummary = [
  "group",
  "records",
  "events",
  "median",
  "median_low",
  "median_high",
  "restricted_mean",
  "restricted_mean_low",
  "restricted_mean_high",
  "up_to",
];

function survivalContent({ columns, label, parameters }: Declared): Content {
  const time = columns.find(({ levels }) => levels === null);
  const group = columns.find(({ levels }) => levels !== null);
  const groups = group?.levels ?? [];
  const edges = time?.edges ?? [0, 1];
  const event = `${label?.name ?? "the status"} = ${textOf(parameters.event) || open}`;
  const names =
    group === undefined || groups.length === 0
      ? ["all records"]
      : groups.map((one) => `${group.name} = ${one}`);
  const curves = (name: string, title: string, yLabel: string, of: (survival: number) => number) =>
    curve({
      name,
      title,
      xLabel: time?.title ?? "time",
      yLabel,
      series: names.map((one, g) => ({
        label: `${one}, with 95 % interval`,
        points: edges.map((x, b) => {
          const part = b / (edges.length - 1);
          const survival = Math.exp(-part * (1.4 - 0.7 * ((g * 2) % 3) * 0.5));
          return { x, y: of(survival), halfWidth: 0.09 * part * (name === "survival" ? 1 : 2) };
        }),
      })),
    });
  const groupRows = (groups.length === 0 ? [null] : groups).flatMap((one) =>
    edges
      .slice(1)
      .map((to, b) =>
        survivalColumns
          .map((column) =>
            column === "time"
              ? String(shortened(to))
              : column === "interval_start"
                ? String(shortened(edges[b]!))
                : open,
          )
          .concat(one === null ? [] : [one]),
      ),
  );
  return {
    data: {
      name: "data",
      title: "Each curve, interval by interval",
      columns: [...survivalColumns, ...(group === undefined ? [] : ["group"])],
      rows: groupRows.slice(0, syntheticShown),
      more: groupRows.length - Math.min(syntheticShown, groupRows.length),
    },
    tables: [
      {
        name: "survival-summary",
        title: "Median survival and restricted mean",
        columns: survivalSummary,
        ...shownOf(
          (groups.length === 0 ? ["all records"] : groups).map((one) => [
            one,
            ...survivalSummary.slice(1).map(() => open),
          ]),
        ),
      },
    ],
    otherTables: ["numbers-at-risk"],
    figures: [
      curves(
        "survival",
        `Survival (grouped times), event: ${event}`,
        "survival probability",
        (survival) => survival,
      ),
      curves(
        "cumulative-hazard",
        `Cumulative hazard, event: ${event}`,
        "cumulative hazard",
        (survival) => -Math.log(survival),
      ),
    ],
  };
}

const shortened = (value: number) => Number(value.toPrecision(4));

function syntheticContent({ columns, parameters }: Declared): Content {
  // Numbers come first in a release.
  const ordered = [...columns].sort((a, b) => Number(a.levels !== null) - Number(b.levels !== null));
  const pair = (i: number) => `${columns[i + 1]!.name} with ${columns[i]!.name}`;
  const labels = columns.slice(1).map((_, i) => pair(i));
  const rows = Array.from({ length: syntheticShown }, (_, r) =>
    ordered.map(({ levels }) => (levels === null ? open : (level(levels, r) ?? open))),
  );
  const asked = typeof parameters.rows === "number" ? parameters.rows : null;
  return {
    data: {
      name: "data",
      title: "Synthetic rows: none of them is a patient",
      columns: ordered.map(({ title }) => title),
      rows,
      more: asked === null ? null : Math.max(0, asked - syntheticShown),
    },
    isOfRows: true,
    otherTables: ["tree", "pairs"],
    figures:
      labels.length === 0
        ? []
        : [
            bars({
              name: "tree",
              title: "What columns of the tree have in common",
              valueLabel: "part of the rows that would have to be others for the two to be independent",
              labels,
              from: 0.4,
              to: 0.1,
            }),
            ...(columns.length < 3
              ? []
              : [
                  bars({
                    name: "distances",
                    title: "Pairs that the rows show least well",
                    valueLabel:
                      "distance of the rows' table from the first sum's, beyond what its noise makes on average",
                    labels: [...labels].reverse(),
                    from: 0.08,
                    to: 0.01,
                  }),
                ]),
          ],
  };
}

const componentsShown = 3;

function pcaContent({ columns, label, parameters }: Declared): Content {
  const design = columns.flatMap(({ name, levels }) =>
    levels === null ? [name] : levels.map((one) => `${name}=${one}`),
  );
  const count =
    typeof parameters.components === "number" ? Math.min(parameters.components, design.length) : 2;
  const components = Array.from({ length: Math.max(1, count) }, (_, i) => i + 1);
  return {
    data: {
      name: "data",
      title: "Rows reduced to components",
      columns: [...components.map((i) => `component_${i}`), ...(label === null ? [] : [label.name])],
      rows: Array.from({ length: syntheticShown }, (_, r) => [
        ...components.map(() => open),
        ...(label === null ? [] : [level(label.levels, r) ?? open]),
      ]),
      more: null,
    },
    figures: [
      curve({
        name: "scree",
        title: "Scree plot: eigenvalues",
        xLabel: "component",
        yLabel: "eigenvalue",
        style: "line-points",
        series: [{ label: "eigenvalue", points: components.map((x) => ({ x, y: 1 / x })) }],
      }),
      ...components.slice(0, componentsShown).map((i) =>
        bars({
          name: `loadings-${i}`,
          title: `What component ${i} is made of`,
          valueLabel: "loading, from -1 to 1",
          labels: design,
          from: i % 2 === 1 ? 0.8 : -0.7,
          to: i % 2 === 1 ? 0.1 : 0.5,
        }),
      ),
    ],
    isModel: true,
  };
}

const outcomeOf = ({ label }: Declared) => label?.name ?? "the outcome";
const names = ({ columns }: Declared) => columns.map(({ name }) => name);

function importance(draft: Declared, title: string, valueLabel: string): ShownFigure {
  return bars({
    name: "importance",
    title,
    valueLabel,
    labels: names(draft),
    from: 1,
    to: 0.2,
    halfWidth: 0.12,
  });
}

/** A made-up tree of the draft's first two columns. */
function treeFigure(draft: Declared, name: string, title: string): ShownFigure {
  const [first, second = first] = draft.columns;
  const levels = draft.label?.levels ?? [];
  const question = ({ name: column, levels: own, edges }: DeclaredColumn, yes: number, no: number) => ({
    kind: "question" as const,
    column,
    condition: own === null ? `< ${shortened(edges[Math.floor(edges.length / 2)]!)}` : `is ${own[0] ?? open}`,
    cover: 1,
    yes,
    no,
  });
  const leaf = (index: number) => ({
    kind: "leaf" as const,
    leansTo: level(levels, index) ?? open,
    values: [index % 2 === 0 ? -0.5 : 0.5],
    cover: 1,
  });
  return {
    kind: "tree",
    name,
    title,
    nodes: [question(first!, 1, 2), leaf(0), question(second!, 3, 4), leaf(0), leaf(1)],
  };
}

function treeContent(draft: Declared): Content {
  const outcome = outcomeOf(draft);
  return {
    figures: [
      treeFigure(draft, "tree", `How the tree predicts ${outcome}`),
      importance(draft, `How strongly each feature by itself goes with ${outcome}`, "strength"),
      ...evaluationFigures(draft),
    ],
    isModel: true,
  };
}

function boostedContent(draft: Declared): Content {
  const { trees } = draft.parameters;
  return {
    figures: [
      importance(draft, `What each feature gains in telling ${outcomeOf(draft)} apart`, "gain"),
      treeFigure(
        draft,
        "first-tree",
        typeof trees === "number" ? `The first of ${trees} trees` : "The first tree",
      ),
      ...evaluationFigures(draft),
    ],
    isModel: true,
  };
}

const curvesShown = 6;

function additiveContent(draft: Declared): Content {
  const { columns, label } = draft;
  const outcome = `${outcomeOf(draft)} = ${label?.levels[1] ?? open}`;
  const valueLabel = "added log-odds, against the mean row";
  return {
    figures: [
      importance(draft, `How much each feature tells of ${outcomeOf(draft)}`, "mean log-odds"),
      ...columns.slice(0, curvesShown).map((column, i) => {
        const about = {
          name: `curve-${i + 1}`,
          title: `What ${column.name} adds to the log-odds of ${outcome}`,
          exponential: { label: "odds ratio" },
        };
        if (column.levels !== null)
          return bars({ ...about, valueLabel, labels: column.levels, from: 0.5, to: -0.4, halfWidth: 0.2 });
        const { edges } = column;
        const cells = edges.length - 1;
        const points = Array.from({ length: cells }, (_, b) =>
          [edges[b]!, edges[b + 1]!].map((x) => ({
            x,
            y: 1.2 * Math.sin(((b + 0.5) / cells - 0.5) * 2.2) * (i % 2 === 0 ? 1 : -1),
            halfWidth: 0.2,
          })),
        ).flat();
        return curve({
          ...about,
          xLabel: column.title,
          yLabel: valueLabel,
          series: [{ label: "curve, with 95 % of the noise", points }],
        });
      }),
      ...evaluationFigures(draft),
    ],
    isModel: true,
    hasCurves: true,
  };
}

function rankingContent(draft: Declared): Content {
  const { select } = draft.parameters;
  const { length } = draft.columns;
  const count = typeof select === "number" ? select : Math.max(1, Math.floor(length / 10));
  const title = `Weights of all features, ${Math.min(count, length)} selected`;
  const columns = [
    "rank",
    "feature",
    "weight",
    "weight_low",
    "weight_high",
    "std_dev",
    "selected",
    "selected_again",
  ];
  const rows = draft.columns.map((_, k) => [String(k + 1), ...columns.slice(1).map(() => open)]);
  return {
    tables: [{ name: "weights", title: "What each feature is worth", columns, ...shownOf(rows) }],
    figures: [importance(draft, title, "weight")],
  };
}

function groupsContent(draft: Declared): Content {
  const { columns, label } = draft;
  const released = columns.slice(0, 3);
  const cell = (column: DeclaredColumn, r: number) => {
    if (column.levels !== null) return level(column.levels, r) ?? open;
    const at = r % (column.edges.length - 1);
    return `[${shortened(column.edges[at]!)}, ${shortened(column.edges[at + 1]!)})`;
  };
  return {
    data: {
      name: "data",
      title: "Coarse rows of some columns: the counts decide of which",
      columns: [...released.map(({ title }) => title), ...(label === null ? [] : [label.name])],
      rows: Array.from({ length: syntheticShown }, (_, r) => [
        ...released.map((column) => cell(column, r)),
        ...(label === null ? [] : [level(label.levels, r) ?? open]),
      ]),
      more: null,
    },
    isOfRows: true,
    figures: [
      importance(draft, `What each feature is worth for ${outcomeOf(draft)}`, "worth"),
      ...evaluationFigures(draft),
    ],
    isModel: true,
  };
}
