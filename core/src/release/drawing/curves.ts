import type { ShownFigure } from "../shownFigures.js";
import {
  at,
  colours,
  coloursByName,
  type Drawing,
  type DrawingOptions,
  exponentialOf,
  letterWidth,
  line,
  lineHeight,
  lines,
  narrowBelow,
  type Shape,
  shortNumber,
  text,
  widthOf,
} from "./drawing.js";
import { type Scale, scaleOver } from "./scale.js";

type Curves = Extract<ShownFigure, { kind: "curves" }>;
type Series = Curves["series"][number];

/** What a second axis takes of the width. */
const secondAxis = 60;
const topLeast = 52;

/**
 * Lines and points over two numeric axes, with a whisker where a point has an interval, or a band around a line. With a second axis the
 * values' exponentials stand on the right.
 */
export function drawCurves(figure: Curves, options: DrawingOptions = {}): Drawing {
  const { exponential } = figure;
  const { legend: hasLegend = true } = options;
  const own = options.colours ?? coloursByName(figure.series.map(({ label }) => label));
  const colourOf = (index: number) => own[index]! % colours;
  const width = widthOf(options);
  const isNarrow = width < narrowBelow;
  const left = isNarrow ? 52 : 84;
  const rightEnd = width - (isNarrow ? 14 : 30);
  const xTitle = isNarrow ? lines(figure.xLabel, Math.floor((width - left) / letterWidth)) : [figure.xLabel];
  // In a narrow picture it stands above the axis.
  const yTitle = isNarrow ? lines(figure.yLabel, Math.floor(width / letterWidth)) : [];
  const top = topLeast + yTitle.length * lineHeight;
  const bottom = top + (isNarrow ? 250 : 328);
  const right = exponential === undefined ? rightEnd : rightEnd - secondAxis;
  const [acrossMost, upMost] = isNarrow
    ? [Math.floor((width - left) / letterWidth), Math.floor((bottom - top) / letterWidth)]
    : [90, 52];
  const points = figure.series.flatMap((one) => one.points);
  const x = scaleOver(
    points.map((point) => point.x),
    left,
    right,
  );
  const y = scaleOver(
    points.flatMap((point) => [point.y, point.low ?? point.y, point.high ?? point.y]),
    bottom,
    top,
  );
  const belowTop = bottom + 62 + (xTitle.length - 1) * lineHeight;
  const { belowLabel } = figure;
  const legendTop = belowTop + (belowLabel === undefined ? 0 : (1 + figure.series.length) * lineHeight + 12);
  return {
    title: figure.title,
    description: described(figure),
    width,
    height: hasLegend ? legendTop + 22 * figure.series.length : legendTop - 8,
    marks: figure.series.flatMap((one, series) =>
      one.style === "reference"
        ? []
        : one.points.map((place, point) => ({ x: x.at(place.x), y: y.at(place.y), series, point })),
    ),
    shapes: [
      ...x.ticks.flatMap((tick) => [
        line(x.at(tick), top, x.at(tick), bottom, "grid"),
        text(x.at(tick), bottom + 18, shortNumber(tick), { class: "soft", anchor: "middle" }),
      ]),
      ...y.ticks.flatMap((tick) => [
        line(left, y.at(tick), right, y.at(tick), "grid"),
        text(left - 8, y.at(tick) + 4, shortNumber(tick), { class: "soft", anchor: "end" }),
        ...(exponential === undefined
          ? []
          : [text(right + 8, y.at(tick) + 4, exponentialOf(tick), { class: "soft" })]),
      ]),
      ...xTitle.map((one, i) =>
        text((left + right) / 2, bottom + 42 + i * lineHeight, one, {
          class: "soft",
          anchor: "middle",
          most: acrossMost,
        }),
      ),
      ...yTitle.map((one, i) => text(8, topLeast - 4 + i * lineHeight, one, { class: "soft" })),
      ...(isNarrow
        ? []
        : [
            text(24, (top + bottom) / 2, figure.yLabel, {
              class: "soft",
              anchor: "middle",
              most: upMost,
              turned: true,
            }),
          ]),
      ...(exponential === undefined
        ? []
        : [
            text(width - 12, (top + bottom) / 2, exponential.label, {
              class: "soft",
              anchor: "middle",
              most: upMost,
              turned: true,
            }),
          ]),
      ...figure.series.flatMap((series, i) => drawn(series, colourOf(i), x, y)),
      ...(belowLabel === undefined
        ? []
        : [
            text(left, belowTop, belowLabel, { class: "soft", most: acrossMost }),
            ...figure.series.flatMap(({ below = [] }, i) => {
              const row = belowTop + (1 + i) * lineHeight;
              return [
                dot(colourOf(i), left - 30, row - 4),
                ...below.map((one) =>
                  text(x.at(one.x), row, shortNumber(one.value), { class: "soft", anchor: "middle" }),
                ),
              ];
            }),
          ]),
      ...(hasLegend
        ? figure.series.flatMap((series, i) =>
            legend(series, colourOf(i), [left, legendTop + 22 * i], acrossMost - 6),
          )
        : []),
    ],
  };
}

function drawn(series: Series, colour: number, x: Scale, y: Scale): Shape[] {
  const path = series.points.map((point) => `${at(x.at(point.x))},${at(y.at(point.y))}`).join(" ");
  if (series.style === "reference") return [polyline("reference", path)];
  const curve = polyline(`line s${colour}`, path);
  if (series.style === "band") return [bandOf(series, colour, x, y), curve];
  const whiskers = series.points.flatMap(({ x: place, low, high }) =>
    low === null || high === null
      ? []
      : [line(x.at(place), y.at(low), x.at(place), y.at(high), `s${colour}`)],
  );
  const dots =
    series.style === "line"
      ? []
      : series.points.map(
          (point): Shape => ({
            ...dot(colour, x.at(point.x), y.at(point.y)),
            hint: `${series.label}, ${shortNumber(point.x)}: ${shortNumber(point.y)}`,
          }),
        );
  return [...whiskers, ...(series.style === "points" ? [] : [curve]), ...dots];
}

function polyline(className: string, points: string): Shape {
  return { tag: "polyline", attributes: { class: className, points } };
}

function dot(colour: number, x: number, y: number): Shape {
  return { tag: "circle", attributes: { class: `f${colour}`, cx: at(x), cy: at(y), r: "3.5" } };
}

/** The area from the points' low ends to their high ends. */
function bandOf({ points }: Series, colour: number, x: Scale, y: Scale): Shape {
  const edge = (some: Series["points"], value: (point: Series["points"][number]) => number) =>
    some.map((point) => `${at(x.at(point.x))},${at(y.at(value(point)))}`);
  const upper = edge(points, (point) => point.high ?? point.y);
  const lower = edge([...points].reverse(), (point) => point.low ?? point.y);
  return {
    tag: "polygon",
    attributes: { class: `band f${colour}`, points: [...upper, ...lower].join(" ") },
  };
}

function legend(
  series: Series,
  colour: number,
  [left, y]: readonly [x: number, y: number],
  most: number,
): Shape[] {
  const mark =
    series.style === "reference"
      ? line(left, y - 4, left + 26, y - 4, "reference")
      : series.style === "points"
        ? dot(colour, left + 13, y - 4)
        : line(left, y - 4, left + 26, y - 4, `line s${colour}`);
  return [mark, text(left + 36, y, series.label, { most: Math.min(80, most) })];
}

function described({ xLabel, yLabel, exponential, series, belowLabel }: Curves): string {
  const told = series
    .filter(({ style }) => style !== "reference")
    .map(({ label, style, points }) => {
      const some = points.slice(0, 20).map(({ x, y, low, high }) => {
        const around =
          style === "band" && low !== null && high !== null
            ? `, from ${shortNumber(low)} to ${shortNumber(high)}`
            : "";
        return `(${shortNumber(x)}, ${shortNumber(y)}${around})`;
      });
      return `${label}: ${some.join(" ")}${points.length > 20 ? " and more" : ""}.`;
    });
  const second = exponential === undefined ? "" : ` On the right, their exponentials: ${exponential.label}.`;
  const numbers =
    belowLabel === undefined
      ? ""
      : ` ${belowLabel}: ${series.map(({ label, below = [] }) => `${label}: ${below.map((one) => `(${shortNumber(one.x)}, ${shortNumber(one.value)})`).join(" ")}`).join("; ")}.`;
  return `${yLabel}, over ${xLabel}. ${told.join(" ")}${second}${numbers}`;
}
