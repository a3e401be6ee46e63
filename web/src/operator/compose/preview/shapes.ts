import type { ShownFigure } from "@consilium/core/release/shownFigures";

/** Figures as a release has them, with made-up values that vary evenly. */

export interface Point {
  readonly x: number;
  readonly y: number;
  readonly halfWidth?: number;
}

type Exponential = { readonly exponential?: { readonly label: string } };

/** The longest that a release has a text in a figure. */
const textMost = 300;
const barsMost = 12;
export const seriesMost = 12;

/** Bars from one value to another, with whiskers where a release has intervals. */
export function bars(
  options: Exponential & {
    readonly name: string;
    readonly title: string;
    readonly valueLabel: string;
    readonly labels: readonly string[];
    /** A bar of each label for each of them. */
    readonly groups?: readonly string[];
    readonly from: number;
    readonly to: number;
    readonly halfWidth?: number;
  },
): ShownFigure {
  const { labels, groups, from, to, halfWidth, name, title, valueLabel, exponential } = options;
  const shown = (labels.length === 0 ? ["…"] : labels)
    .flatMap((label) => (groups === undefined ? [{ label }] : groups.map((_, group) => ({ label, group }))))
    .slice(0, barsMost);
  return {
    kind: "bars",
    name,
    title: title.slice(0, textMost),
    valueLabel,
    ...(exponential === undefined ? {} : { exponential }),
    ...(groups === undefined ? {} : { groups: [...groups] }),
    bars: shown.map(({ label, ...group }, i) => {
      const value = round(from + ((to - from) * i) / Math.max(1, shown.length - 1));
      const range =
        halfWidth === undefined
          ? { low: null, high: null }
          : { low: round(value - halfWidth), high: round(value + halfWidth) };
      return { label: label.slice(0, textMost), value, ...range, ...group };
    }),
  };
}

export function curve(
  options: Exponential & {
    readonly name: string;
    readonly title: string;
    readonly xLabel: string;
    readonly yLabel: string;
    readonly style?: "line-points";
    readonly series: readonly { readonly label: string; readonly points: readonly Point[] }[];
  },
): ShownFigure {
  const { name, title, xLabel, yLabel, style = "band", series, exponential } = options;
  return {
    kind: "curves",
    name,
    title: title.slice(0, textMost),
    xLabel,
    yLabel,
    ...(exponential === undefined ? {} : { exponential }),
    series: series.slice(0, seriesMost).map(({ label, points }) => ({
      label,
      style,
      points: points.map(({ x, y, halfWidth }) => ({
        x,
        y,
        low: halfWidth === undefined ? null : y - halfWidth,
        high: halfWidth === undefined ? null : y + halfWidth,
      })),
    })),
  };
}

/** Levels in turn. */
export const level = (levels: readonly string[], index: number): string | undefined =>
  levels[index % Math.max(1, levels.length)];

const round = (value: number) => Number(value.toPrecision(2));
