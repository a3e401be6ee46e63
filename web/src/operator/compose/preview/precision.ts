import type { ExpectedPrecision } from "@consilium/core/study/expectedPrecision";
import { formatNumber } from "../../../shared/format";
import { locale, t } from "../../../shared/language";
import { isRecord } from "../../../shared/yaml/values";

/** What precision to expect, in words: what the methods compute from the draft's declarations. */
export interface PrecisionLine {
  readonly what: string;
  /** For each number of rows that is told of. */
  readonly within: readonly string[];
  /** Of how many rows, where one number is told of; where some lines are of a group, each says of what. */
  readonly rows: string;
}

/** The precision with so many rows. */
export interface PrecisionOfCase {
  readonly rows: number;
  /** Null where the study says how many it expects. */
  readonly rowsPerSite: number | null;
  readonly lines: readonly ExpectedPrecision[];
}

/** One line for each result, with its precision in each case. @param cases - one at least; they have the same results */
export function precisionTable(cases: readonly PrecisionOfCase[]): PrecisionLine[] {
  const [first] = cases;
  if (first === undefined) return [];
  const hasGroups = first.lines.some(({ isOfGroup }) => isOfGroup);
  return first.lines.map((one, at) => ({
    what: whatOf(one, cases.length > 1),
    within: cases.map(({ lines }) => withinOf(lines[at])),
    rows: rowsOf(one, hasGroups),
  }));
}

/** Whether a study counts patients, whose rows weigh as one. */
export const isOfPatients = ({ patient }: Readonly<Record<string, unknown>>) =>
  isRecord(patient) && patient.weighting !== "rows";

function rowsOf({ rows: count, isOfGroup }: ExpectedPrecision, hasGroups: boolean): string {
  const rows = count.toLocaleString(locale());
  if (!hasGroups) return rows;
  return isOfGroup ? t("{rows} in each group", { rows }) : t("{rows} in all", { rows });
}

/** @param isOfSeveral - the line stands for several numbers of rows: it names none */
function whatOf({ statistic, of, rows }: ExpectedPrecision, isOfSeveral: boolean): string {
  switch (statistic) {
    case "count":
      return of === null ? t("Each count") : t("Each count of {of}", { of });
    case "share":
      return t("Share of each value of {of}", { of: of ?? "" });
    case "mean":
      return t("Mean of {of}", { of: of ?? "" });
    case "median":
      return t("Median of {of}", { of: of ?? "" });
    case "survival":
      if (isOfSeveral)
        return of === null
          ? t("Survival curve, where half survive")
          : t("Survival curve of each value of {of}, where half survive", { of });
      return of === null
        ? t("Survival curve, where half of {rows} rows survive", { rows })
        : t("Survival curve of each value of {of}, where half of {rows} rows survive", { of, rows });
    case "difference":
      return t("Difference over the range of {of}", { of: of ?? "" });
    case "odds ratio":
      return t("Odds ratio over the range of {of}", { of: of ?? "" });
    case "rate ratio":
      return t("Rate ratio over the range of {of}", { of: of ?? "" });
    case "hazard ratio":
      return t("Hazard ratio over the range of {of}", { of: of ?? "" });
  }
}

/** An interval that reaches to so many times the ratio, and to so small a part of it, tells nothing. */
const factorMost = 100;

function withinOf(line: ExpectedPrecision | undefined): string {
  if (line === undefined) return "-";
  const { statistic, within, unit } = line;
  switch (statistic) {
    case "count":
      return `±${countText(within)}`;
    case "share":
    case "survival":
      return within >= 0.5
        ? t("too wide to be of use")
        : t("±{points} percentage points", { points: twoFigures(100 * within) });
    case "mean":
    case "median":
    case "difference":
      return `±${twoFigures(within)}${unit === null ? "" : ` ${unit}`}`;
    case "odds ratio":
    case "rate ratio":
    case "hazard ratio":
      return within > factorMost
        ? t("too wide to be of use")
        : t("a factor of {factor} up or down", { factor: formatNumber(Number(within.toPrecision(3))) });
  }
}

const twoFigures = (value: number) => formatNumber(Number(value.toPrecision(2)));
const countText = (within: number) => (within >= 10 ? formatNumber(Math.ceil(within)) : twoFigures(within));

/** The smallest group that can be told from none; null where nothing is counted. */
export function smallestGroup(precision: readonly ExpectedPrecision[]): number | null {
  const counts = precision.filter(({ statistic }) => statistic === "count");
  return counts.length === 0 ? null : Math.ceil(Math.max(...counts.map(({ within }) => within)));
}
