import type { ShownFigure } from "@consilium/core/release/shownFigures";

/** A value of a chart that can be read out, in the order of the arrow keys: series by series. */
export interface Reading {
  /** Where it is drawn, in the picture's own units. */
  readonly x: number;
  readonly y: number;
  readonly series: number;
  /** Its name, then its values. */
  readonly lines: readonly string[];
}

type Curves = Extract<ShownFigure, { kind: "curves" }>;

/** The reading next to a place of the picture; null where there is none. */
export function nearest(readings: readonly Reading[], x: number, y: number): number | null {
  let found: number | null = null;
  let least = Number.POSITIVE_INFINITY;
  for (const [index, one] of readings.entries()) {
    const distance = (one.x - x) ** 2 + (one.y - y) ** 2;
    if (distance >= least) continue;
    least = distance;
    found = index;
  }
  return found;
}

/**
 * Where a key leads: along the series, or with the up and down keys to another one at the same place.
 * @returns null where the reading ends; undefined for a key that does nothing here
 */
export function stepped(
  readings: readonly Reading[],
  current: number | null,
  key: string,
): number | null | undefined {
  if (readings.length === 0) return undefined;
  const last = readings.length - 1;
  if (key === "Escape") return current === null ? undefined : null;
  if (key === "Home") return 0;
  if (key === "End") return last;
  const step = steps[key];
  if (step === undefined) return undefined;
  if (current === null) return step > 0 ? 0 : last;
  if (key === "ArrowDown" || key === "ArrowUp") {
    const other = otherSeries(readings, readings[current]!, step);
    if (other !== null) return other;
  }
  return Math.min(last, Math.max(0, current + step));
}

const steps: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

/** Null where there is one series alone. */
function otherSeries(readings: readonly Reading[], from: Reading, step: number): number | null {
  const series = [...new Set(readings.map((one) => one.series))];
  if (series.length < 2) return null;
  const next = series[(series.indexOf(from.series) + step + series.length) % series.length]!;
  let found: number | null = null;
  for (const [index, one] of readings.entries()) {
    if (one.series !== next) continue;
    if (found === null || Math.abs(one.x - from.x) < Math.abs(readings[found]!.x - from.x)) found = index;
  }
  return found;
}

export type Range = readonly [from: number, to: number];

/** Fewer places than these are told apart as they are. */
const placesLeast = 8;

/** The ends of the horizontal axis; null for a figure that needs no closer look. */
export function zoomableRange({ series }: Curves): Range | null {
  const places = new Set(series.flatMap(({ points }) => points.map(({ x }) => x)));
  return places.size < placesLeast ? null : [Math.min(...places), Math.max(...places)];
}

/** Half of what is shown, around a place of it. */
export function closer([from, to]: Range, around: number): Range {
  const quarter = (to - from) / 4;
  const middle = Math.min(to - quarter, Math.max(from + quarter, around));
  return [middle - quarter, middle + quarter];
}

/** A figure's part between two places of its horizontal axis, with its lines cut there. */
export function zoomed(figure: Curves, [from, to]: Range): Curves {
  const series = figure.series.flatMap((one) => {
    const points = partOf(one, from, to);
    const below = one.below?.filter(({ x }) => from <= x && x <= to);
    return points.length === 0 ? [] : [{ ...one, points, ...(below === undefined ? {} : { below }) }];
  });
  return { ...figure, series };
}

type Series = Curves["series"][number];
type Point = Series["points"][number];

function partOf({ style, points }: Series, from: number, to: number): Point[] {
  return points.flatMap((point, index) => {
    const inside = point.x >= from && point.x <= to ? [point] : [];
    const next = points[index + 1];
    if (style === "points" || next === undefined) return inside;
    const cuts = [from, to].filter((place) => (point.x - place) * (next.x - place) < 0);
    return [...inside, ...cuts.map((place) => between(point, next, place))];
  });
}

function between(one: Point, other: Point, x: number): Point {
  const share = (x - one.x) / (other.x - one.x);
  const mixed = (a: number | null, b: number | null) =>
    a === null || b === null ? null : a + share * (b - a);
  return {
    x,
    y: one.y + share * (other.y - one.y),
    low: mixed(one.low, other.low),
    high: mixed(one.high, other.high),
  };
}
