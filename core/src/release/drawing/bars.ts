import type { ShownFigure } from "../shownFigures.js";
import { at, type Drawing, exponentialOf, line, type Shape, shortNumber, text } from "./drawing.js";
import { scaleOver } from "./scale.js";

type Bars = Extract<ShownFigure, { kind: "bars" }>;

/** More bars than these nobody reads; model.json has them all. */
const barsMost = 60;
const width = 720;
const left = 220;
const right = 640;
const top = 52;
const rowHeight = 22;

/** Bars from left to right, one below the other, with a whisker where there is an interval. */
export function drawBars(figure: Bars): Drawing {
  const shown = figure.bars.slice(0, barsMost);
  const more = figure.bars.length - shown.length;
  const values = shown.flatMap(({ value, low, high }) => [0, value, low ?? 0, high ?? 0]);
  const scale = scaleOver(values, left, right);
  const bottom = top + shown.length * rowHeight;
  const { exponential } = figure;
  // A second axis takes two lines below the first.
  const foot = bottom + (exponential === undefined ? 0 : 44);
  const height = foot + (more > 0 ? 84 : 60);
  const rows = shown.flatMap(({ label, value, low, high }, i) => {
    const y = top + i * rowHeight;
    const middle = y + rowHeight / 2;
    const [from, to] = [scale.at(Math.min(0, value)), scale.at(Math.max(0, value))];
    const range = low === null || high === null ? "" : `, ${shortNumber(low)} to ${shortNumber(high)}`;
    const bar: Shape = {
      tag: "rect",
      attributes: {
        class: "f0",
        x: at(from),
        y: at(y + 3),
        width: at(to - from),
        height: String(rowHeight - 6),
      },
      hint: `${label}: ${shortNumber(value)}${range}`,
    };
    return [
      text(left - 10, middle + 4, label, { anchor: "end", most: 28 }),
      bar,
      ...(low === null || high === null
        ? []
        : [line(scale.at(low), middle, scale.at(high), middle, "whisker")]),
      text(right + 10, middle + 4, shortNumber(value), { class: "soft" }),
    ];
  });
  const ticks = scale.ticks.flatMap((tick) => [
    line(scale.at(tick), top, scale.at(tick), bottom, tick === 0 ? "axis" : "grid"),
    text(scale.at(tick), bottom + 18, shortNumber(tick), { class: "soft", anchor: "middle" }),
    ...(exponential === undefined
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
      y: top + (point + 0.5) * rowHeight,
      series: 0,
      point,
    })),
    shapes: [
      ...ticks,
      ...rows,
      text((left + right) / 2, bottom + 42, figure.valueLabel, { class: "soft", anchor: "middle", most: 80 }),
      ...(exponential === undefined
        ? []
        : [
            text((left + right) / 2, foot + 42, exponential.label, {
              class: "soft",
              anchor: "middle",
              most: 80,
            }),
          ]),
      ...(more > 0 ? [text(left, foot + 66, `and ${more} more, in model.json`, { class: "soft" })] : []),
    ],
  };
}

function described({ valueLabel, bars }: Bars): string {
  const told = bars.slice(0, 20).map(({ label, value }) => `${label} ${shortNumber(value)}`);
  return `${bars.length} bars of ${valueLabel}: ${told.join(", ")}${bars.length > 20 ? ", and more" : ""}.`;
}
