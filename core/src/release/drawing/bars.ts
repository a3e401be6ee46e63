import type { ShownFigure } from "../shownFigures.js";
import {
  at,
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
import { scaleOver } from "./scale.js";

type Bars = Extract<ShownFigure, { kind: "bars" }>;

/** More bars than these nobody reads; model.json has them all. */
const barsMost = 60;
const top = 52;
const exponentialWidth = 64;
/** What the lines of an axis's title after the first take. */
const extra = (shown: readonly string[]) => Math.max(0, shown.length - 1) * lineHeight;

/** Where bars and their names are: beside each other, or in a narrow picture the name above its bar. */
function layoutOf(width: number) {
  return width < narrowBelow
    ? { left: 26, right: width - 56, rowHeight: 40, nameAt: 14, barAt: 19, barHeight: 16, isAbove: true }
    : { left: 220, right: width - 80, rowHeight: 22, nameAt: 15, barAt: 3, barHeight: 16, isAbove: false };
}

/** Bars from left to right, one below the other, with a whisker where there is an interval. */
export function drawBars(figure: Bars, options: Pick<DrawingOptions, "width"> = {}): Drawing {
  const width = widthOf(options);
  const { left, right, rowHeight, nameAt, barAt, barHeight, isAbove } = layoutOf(width);
  const shown = figure.bars.slice(0, barsMost);
  const more = figure.bars.length - shown.length;
  const values = shown.flatMap(({ value, low, high }) => [0, value, low ?? 0, high ?? 0]);
  const scale = scaleOver(values, left, right);
  const bottom = top + shown.length * rowHeight;
  const { exponential } = figure;
  const labelMost = Math.min(80, Math.floor(width / letterWidth));
  const valueLines = lines(figure.valueLabel, labelMost);
  const exponentialLines = exponential === undefined ? [] : lines(exponential.label, labelMost);
  // A second axis takes two lines below the first.
  const foot = bottom + extra(valueLines) + (exponential === undefined ? 0 : 44);
  const height = foot + extra(exponentialLines) + (more > 0 ? 84 : 60);
  const axisTitle = (shown: readonly string[], y: number) =>
    shown.map((one, i) =>
      text(isAbove ? width / 2 : (left + right) / 2, y + i * lineHeight, one, {
        class: "soft",
        anchor: "middle",
      }),
    );
  const rows = shown.flatMap(({ label, value, low, high }, i) => {
    const y = top + i * rowHeight;
    const middle = y + barAt + barHeight / 2;
    const [from, to] = [scale.at(Math.min(0, value)), scale.at(Math.max(0, value))];
    const range = low === null || high === null ? "" : `, ${shortNumber(low)} to ${shortNumber(high)}`;
    const bar: Shape = {
      tag: "rect",
      attributes: {
        class: "f0",
        x: at(from),
        y: at(y + barAt),
        width: at(to - from),
        height: String(barHeight),
      },
      hint: `${label}: ${shortNumber(value)}${range}`,
    };
    return [
      isAbove
        ? text(left, y + nameAt, label, { most: Math.floor(width / letterWidth) })
        : text(left - 10, y + nameAt, label, { anchor: "end", most: 28 }),
      bar,
      ...(low === null || high === null
        ? []
        : [line(scale.at(low), middle, scale.at(high), middle, "whisker")]),
      text(right + 10, middle + 4, shortNumber(value), { class: "soft" }),
    ];
  });
  const step = scale.ticks[1]! - scale.ticks[0]!;
  // Exponentials are long: where there is no room, every second one from 0 on.
  const isShown = (tick: number) =>
    scale.at(step) - scale.at(0) >= exponentialWidth || Math.round(tick / step) % 2 === 0;
  const ticks = scale.ticks.flatMap((tick) => [
    line(scale.at(tick), top, scale.at(tick), bottom, tick === 0 ? "axis" : "grid"),
    text(scale.at(tick), bottom + 18, shortNumber(tick), { class: "soft", anchor: "middle" }),
    ...(exponential === undefined || !isShown(tick)
      ? []
      : [text(scale.at(tick), foot + 18, exponentialOf(tick), { class: "soft", anchor: "middle" })]),
  ]);
  return {
    title: figure.title,
    description: described(figure),
    width,
    height,
    marks: shown.map(({ value }, point) => ({
      x: scale.at(value),
      y: top + point * rowHeight + barAt + barHeight / 2,
      series: 0,
      point,
    })),
    shapes: [
      ...ticks,
      ...rows,
      ...axisTitle(valueLines, bottom + 42),
      ...axisTitle(exponentialLines, foot + 42),
      ...(more > 0
        ? [
            text(left, foot + extra(exponentialLines) + 66, `and ${more} more, in model.json`, {
              class: "soft",
            }),
          ]
        : []),
    ],
  };
}

function described({ valueLabel, bars }: Bars): string {
  const told = bars.slice(0, 20).map(({ label, value }) => `${label} ${shortNumber(value)}`);
  return `${bars.length} bars of ${valueLabel}: ${told.join(", ")}${bars.length > 20 ? ", and more" : ""}.`;
}
