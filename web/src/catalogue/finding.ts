import { isRatioTold } from "@consilium/core/release/ratios";
import type { FiguresFile, TablesFile } from "@consilium/core/release/views";
import { formatNumber } from "../shared/format";
import { decimal, plural, served, t } from "../shared/language";

/** What a release without an evaluated model found, in a figure or two, read from its own tables, figures and model. */
export interface Finding {
  readonly name: string;
  readonly value: string;
  /** How sure it is, or what it is of. */
  readonly about: string | null;
}

export interface Found {
  readonly tables?: TablesFile["tables"] | undefined;
  readonly figures?: FiguresFile["figures"] | undefined;
  readonly model?: unknown;
  /** How many rows of a table that was drawn from a model; null of any other release. */
  readonly syntheticRows?: number | null;
}

/** More are in the tables below. */
const findingsMost = 3;

export function findingsOf({ tables, figures, model, syntheticRows = null }: Found): Finding[] {
  const rowsOf = (name: string) => tables?.find((table) => table.name === name);
  const [counts, tableOne, coefficients, weights] = ["counts", "table-one", "coefficients", "weights"].map(
    rowsOf,
  );
  const all = [
    ...(counts === undefined ? [] : countsFound(counts)),
    ...(tableOne === undefined
      ? []
      : describedFound(
          { tableOne, tidy: rowsOf("table-one-tidy") },
          rowsOf("summary"),
          rowsOf("histograms"),
        )),
    ...(coefficients === undefined ? [] : associationFound(coefficients)),
    ...componentsFound(model),
    ...(syntheticRows === null ? [] : [syntheticFound(syntheticRows)]),
    ...(weights === undefined ? [] : selectedFound(weights)),
    ...(coefficients === undefined && weights === undefined ? rankedFound(figures ?? []) : []),
  ];
  return [...all.slice(0, findingsMost), ...survivalFound(model)];
}

type Table = TablesFile["tables"][number];
type Row = Readonly<Record<string, string | number | null>>;

/** Each row by its columns' names. */
const recordsOf = ({ columns, rows }: Table): Row[] =>
  rows.map((cells) => Object.fromEntries(columns.map(({ name }, i) => [name, cells[i] ?? null])));

const isNumber = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value);
const threeDigits = (value: number) => formatNumber(Number(value.toPrecision(3)));
const percent = (share: number) => t("{value} %", { value: decimal((100 * share).toFixed(1)) });

const interval = (low: unknown, high: unknown, shown: (value: number) => string): string | null =>
  isNumber(low) && isNumber(high)
    ? t("95 % interval: {low} to {high}.", { low: shown(low), high: shown(high) })
    : null;

const whole = (value: number) => formatNumber(Math.round(value));

function countsFound(table: Table): Finding[] {
  return recordsOf(table).flatMap(({ condition, sites, count, count_low, count_high }) =>
    sites === "all sites" && isNumber(count)
      ? [{ name: String(condition), value: whole(count), about: interval(count_low, count_high, whole) }]
      : [],
  );
}

/** How many there are, and what differs most between their groups. */
function describedFound(
  { tableOne, tidy }: { readonly tableOne: Table; readonly tidy: Table | undefined },
  summary?: Table,
  histograms?: Table,
): Finding[] {
  const [units, , count] = tableOne.rows[0] ?? [];
  const shown =
    typeof count === "string" && /^\d+$/.test(count) ? formatNumber(Number(count)) : String(count);
  const total =
    tidy && recordsOf(tidy).find(({ statistic, group }) => statistic === "n" && group === "overall");
  const first = {
    name: units === "patients" ? t("Patients") : t("Rows"),
    value: shown,
    about: total === undefined ? null : interval(total.low, total.high, whole),
  };
  const differences = [
    ...(summary === undefined ? [] : differentMeans(recordsOf(summary))),
    ...(histograms === undefined ? [] : differentShares(recordsOf(histograms))),
  ];
  const largest = differences.sort((a, b) => b.size - a.size)[0];
  if (largest !== undefined) {
    const { about } = largest.finding;
    const chosen = t("The largest of {differences} clear differences.", { differences: differences.length });
    return [first, { ...largest.finding, about: differences.length > 1 ? `${about} ${chosen}` : about }];
  }
  const hasGroups = tableOne.columns.length > 4;
  return hasGroups ? [first, noDifference()] : [first];
}

const noDifference = (): Finding => ({
  name: t("Between the groups"),
  value: t("no clear difference"),
  about: t("In every column the groups' intervals of 95 % overlap."),
});

interface Difference {
  /** In standard deviations of all records. */
  readonly size: number;
  readonly finding: Finding;
}

/** One estimate for each group. */
interface Estimate {
  readonly group: string;
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/** The groups that are furthest apart; null where their intervals overlap. */
function apart(estimates: readonly Estimate[]): readonly [low: Estimate, high: Estimate] | null {
  const sorted = estimates.toSorted((a, b) => a.value - b.value);
  const [low, high] = [sorted[0], sorted.at(-1)];
  return low === undefined || high === undefined || low.high >= high.low ? null : [low, high];
}

function estimateOf(row: Row, value: string, low: string, high: string): Estimate[] {
  const numbers = [row[value], row[low], row[high]];
  if (row.group === "overall" || !numbers.every(isNumber)) return [];
  const [first, second, third] = numbers as [number, number, number];
  return [{ group: String(row.group), value: first, low: second, high: third }];
}

function differentMeans(rows: readonly Row[]): Difference[] {
  return grouped(rows, ({ variable }) => String(variable)).flatMap(([variable, own]) => {
    const deviation = own.find(
      ({ statistic, group }) => statistic === "standard deviation" && group === "overall",
    )?.estimate;
    const means = own.filter(({ statistic }) => statistic === "mean");
    const ends = apart(means.flatMap((row) => estimateOf(row, "estimate", "low", "high")));
    if (ends === null || !isNumber(deviation) || deviation <= 0) return [];
    return [
      differenceOf(t("Largest difference: mean of {variable}", { variable }), ends, deviation, threeDigits),
    ];
  });
}

function differentShares(rows: readonly Row[]): Difference[] {
  // Intervals of numbers are told by their mean.
  const cells = rows.filter(({ from }) => from === null);
  return grouped(cells, ({ variable, cell }) => `${variable}\n${cell}`).flatMap(([key, own]) => {
    const share = own.find(({ group }) => group === "overall")?.share;
    const ends = apart(own.flatMap((row) => estimateOf(row, "share", "share_low", "share_high")));
    if (ends === null || !isNumber(share) || share <= 0 || share >= 1) return [];
    const [variable, cell] = key.split("\n") as [string, string];
    const name = t("Largest difference: {variable} = {cell}", { variable, cell });
    return [differenceOf(name, ends, Math.sqrt(share * (1 - share)), percent)];
  });
}

function differenceOf(
  name: string,
  [low, high]: readonly [Estimate, Estimate],
  deviation: number,
  shown: (value: number) => string,
): Difference {
  return {
    size: (high.value - low.value) / deviation,
    finding: {
      name,
      value: t("{low} and {high}", { low: shown(low.value), high: shown(high.value) }),
      about: t("Groups: {low} and {high}. Their intervals of 95 % do not overlap.", {
        low: withInterval(low, shown),
        high: withInterval(high, shown),
      }),
    },
  };
}

const withInterval = ({ group, low, high }: Estimate, shown: (value: number) => string) =>
  t("{group} ({low} to {high})", { group, low: shown(low), high: shown(high) });

function grouped(rows: readonly Row[], keyOf: (row: Row) => string): [string, Row[]][] {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const own = groups.get(keyOf(row));
    if (own === undefined) groups.set(keyOf(row), [row]);
    else own.push(row);
  }
  return [...groups];
}

const ratioNames: Readonly<Record<string, (term: string) => string>> = {
  odds_ratio: (term) => t("Clearest association: {term}, odds ratio", { term }),
  rate_ratio: (term) => t("Clearest association: {term}, rate ratio", { term }),
  hazard_ratio: (term) => t("Clearest association: {term}, hazard ratio", { term }),
};

/** The association that is furthest from none, in standard errors. */
function associationFound(table: Table): Finding[] {
  const rows = recordsOf(table).filter(({ feature }) => feature !== null);
  const strength = ({ coefficient, std_error }: Row) =>
    isNumber(coefficient) && isNumber(std_error) && std_error > 0 ? Math.abs(coefficient / std_error) : 0;
  const clearest = rows.toSorted((a, b) => strength(b) - strength(a))[0];
  const isClear = clearest !== undefined && Number(clearest.ci_low) * Number(clearest.ci_high) > 0;
  if (!isClear) return [{ name: t("Clearest association"), value: t("none is clear"), about: null }];
  // A ratio that no number holds is left out of the table.
  const ratio = table.columns.find(({ name }) => name in ratioNames && isNumber(clearest[name]))?.name;
  const [value, low, high] =
    ratio === undefined ? ["coefficient", "ci_low", "ci_high"] : [ratio, `${ratio}_low`, `${ratio}_high`];
  const term = String(clearest.term);
  const chosen = t("The clearest of {terms}: the interval does not allow for this choice.", {
    terms: rows.length,
  });
  const ends = { low: Number(clearest[low!]), high: Number(clearest[high!]) };
  if (ratio !== undefined && !isRatioTold(ends)) {
    const [from, to] = [threeDigits(ends.low), threeDigits(ends.high)];
    const about =
      Number(clearest.coefficient) > 0
        ? t("The interval covers {low} to {high}: only that it is above 1 is clear.", { low: from, high: to })
        : t("The interval covers {low} to {high}: only that it is below 1 is clear.", {
            low: from,
            high: to,
          });
    return [{ name: ratioNames[ratio]!(term), value: t("cannot be told"), about: `${about} ${chosen}` }];
  }
  const within = interval(clearest[low!], clearest[high!], threeDigits);
  return [
    {
      name:
        ratio === undefined ? t("Clearest association: {term}, by unit", { term }) : ratioNames[ratio]!(term),
      value: threeDigits(Number(clearest[value!])),
      about: within !== null && rows.length > 1 ? `${within} ${chosen}` : within,
    },
  ];
}

/** Of components the share of variance that they keep, where the model says it. */
function componentsFound(model: unknown): Finding[] {
  if (typeof model !== "object" || model === null) return [];
  const { explainedVarianceRatio: shares } = model as { readonly explainedVarianceRatio?: unknown };
  if (!Array.isArray(shares) || !shares.every(isNumber) || shares.length === 0) return [];
  const sum = shares.reduce((a, b) => a + b, 0);
  return [
    {
      name: t("Share of variance kept"),
      value: percent(sum),
      about: plural(
        shares.length,
        "By {count} component, of the sums that it was computed from, with their noise.",
        "By {count} components, of the sums that they were computed from, with their noise.",
      ),
    },
  ];
}

const syntheticFound = (rows: number): Finding => ({
  name: t("Synthetic rows"),
  value: whole(rows),
  about: t(
    "None is a person. Standard errors and p values that are computed from them as from records are too small.",
  ),
});

/** What was selected first, and how sure that is. */
function selectedFound(table: Table): Finding[] {
  const selected = recordsOf(table)
    .filter(({ selected: is }) => is === "yes")
    .slice(0, findingsMost);
  const shares = selected.flatMap(({ selected_again: share }) =>
    isNumber(share) ? [t("{value} %", { value: String(Math.round(100 * share)) })] : [],
  );
  return [
    {
      name: t("Ranked first"),
      value: selected.map(({ feature }) => String(feature)).join(", "),
      about:
        shares.length === 0
          ? null
          : t("With as much noise once more they would be selected in {shares} of cases.", {
              shares: shares.join(", "),
            }),
    },
  ];
}

/** Of a table of groups: its columns, of those that were ranked. */
function releasedTogether(label: string): string | null {
  return /^(.*) \(released\)$/.exec(label)?.[1] ?? null;
}

/** Features in the order of what they are worth. */
function rankedFound(figures: FiguresFile["figures"]): Finding[] {
  const figure = figures.find(({ name, kind }) => name === "importance" && kind === "bars");
  if (figure?.kind !== "bars" || figure.bars.length === 0) return [];
  const released = figure.bars.flatMap(({ label }) => releasedTogether(label) ?? []);
  if (released.length > 0)
    return [
      {
        name: t("Columns released together"),
        value: released.join(", "),
        about: t("The most telling of {columns} whose combinations of values are frequent enough.", {
          columns: figure.bars.length,
        }),
      },
    ];
  const value = figure.bars
    .slice(0, findingsMost)
    .map(({ label }) => label)
    .join(", ");
  return [{ name: t("Ranked first"), value, about: served(figure.title) }];
}

/** What is read of a survival study's model. */
interface SurvivalRead {
  readonly time: { readonly unit: string | null };
  readonly groupedBy: string | null;
  readonly groups: readonly {
    readonly group: string;
    readonly median: {
      readonly value: number | null;
      readonly low: number | null;
      readonly high: number | null;
    };
  }[];
  readonly logRank: {
    readonly pValue: number;
    readonly until: number;
    /** Earlier releases lack it. */
    readonly decision?: string;
  } | null;
}

const isSurvival = (model: unknown): model is SurvivalRead =>
  typeof model === "object" && model !== null && "analysis" in model && model.analysis === "survival";

/** Medians of more groups are in the notes. */
const groupsMost = 4;

/** Each group's median, and directly below whether the groups differ. */
function survivalFound(model: unknown): Finding[] {
  if (!isSurvival(model)) return [];
  const { groups, groupedBy, logRank, time } = model;
  const { unit } = time;
  const at = (value: number | null) =>
    value === null
      ? t("beyond the curve")
      : unit === null
        ? threeDigits(value)
        : `${threeDigits(value)} ${unit}`;
  const medians = groups.slice(0, groupsMost).map(
    ({ group, median: { value, low, high } }): Finding => ({
      name:
        groupedBy === null
          ? t("Median survival")
          : t("Median survival: {group}", { group: `${groupedBy} = ${group}` }),
      value: at(low === null ? null : value),
      about: low === null ? null : t("95 % interval: {low} to {high}.", { low: at(low), high: at(high) }),
    }),
  );
  return [
    ...medians,
    ...(logRank === null || groups.length < 2 ? [] : [testFound(logRank, at(logRank.until))]),
  ];
}

/** What is called clear by custom. */
const clearAt = 0.05;

function testFound({ pValue, decision }: NonNullable<SurvivalRead["logRank"]>, until: string): Finding {
  const name = t("Difference between the groups: log-rank test");
  if (decision === "imprecise")
    return {
      name,
      value: t("too imprecise to interpret"),
      about: t("Two rules for what happens within an interval come to different answers, up to {until}.", {
        until,
      }),
    };
  const about =
    pValue < clearAt
      ? t(
          "The groups' hazards differ by more than chance and noise explain, up to {until}. The test does not say why.",
          {
            until,
          },
        )
      : t(
          "Chance and noise explain the difference, up to {until}. That does not show that the groups are alike.",
          { until },
        );
  return {
    name,
    value: pValue < 1e-4 ? "p < 0.0001" : `p = ${threeDigits(pValue)}`,
    about,
  };
}
