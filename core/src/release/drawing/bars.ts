import { isLogRatioTold } from "../ratios.js";
import type { ShownFigure } from "../shownFigures.js";
import { type BarPlace, barPlaces } from "./barPlaces.js";
import {
  at,
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
  untoldText,
  widthOf,
} from "./drawing.js";
import { type Scale, scaleOver } from "./scale.js";

type Bars = Extract<ShownFigure, { kind: "bars" }>;
type Bar = Bars["bars"][number];

/** More bars than these nobody reads; model.json has them all. */
const barsMost = 60;
const exponentialWidth = 64;

/** What the lines of an axis's title after the first take. */
const extra = (shown: readonly string[]) => Math.max(0, shown.length - 1) * lineHeight;

/** Of a figure of ratios a bar whose interval tells nothing; of any other figure none. */
const isBarTold = ({ exponential }: Pick<Bars, "exponential">, bar: Pick<Bar, "low" | "high">) =>
  exponential === undefined || isLogRatioTold(bar);

/** A bar's name with its group's. */
export const barName = ({ groups }: Pick<Bars, "groups">, { label, group }: Pick<Bar, "label" | "group">) =>
  group === undefined || groups?.[group] === undefined ? label : `${label}, ${groups[group]}`;

/** Where bars begin and end: beside their names, or in a narrow picture below them. What cannot be told takes more room than a number. */
function layoutOf(width: number, isTold: boolean) {
  const isAbove = width < narrowBelow;
  const right = width - (isTold ? 0 : 44) - (isAbove ? 56 : 80);
  return { left: isAbove ? 26 : 220, right, isAbove };
}

/**
 * Bars from left to right, one below the other, with a whisker where there is an interval. Bars of groups have a colour and a legend.
 * A ratio that cannot be told does not stretch the axis: its bar and whisker end in an arrow where the others' axis ends.
 */
export function drawBars(figure: Bars, options: Pick<DrawingOptions, "width"> = {}): Drawing {
  const width = widthOf(options);
  const shown = figure.bars.slice(0, barsMost);
  const more = figure.bars.length - shown.length;
  const told = shown.filter((bar) => isBarTold(figure, bar));
  const { left, right, isAbove } = layoutOf(width, told.length === shown.length);
  const scale = clipped(told.length === 0 ? shown : told, left, right);
  const colours = coloursByName(figure.groups ?? []);
  const legend = legendOf(figure, colours, isAbove ? 8 : 20, width);
  const top = 52 + legend.height;
  const { places, height: barsHeight } = barPlaces(shown, top, isAbove, figure.groups !== undefined);
  const bottom = top + barsHeight;
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
  const rows = shown.flatMap((bar, i) => {
    const { nameY } = places[i]!;
    const name =
      nameY === null
        ? []
        : isAbove
          ? [text(left, nameY, bar.label, { most: Math.floor(width / letterWidth) })]
          : [text(left - 10, nameY, bar.label, { anchor: "end", most: 28 })];
    return [
      ...name,
      ...barShapes(figure, bar, places[i]!, { scale, right, colour: colours[bar.group ?? 0] ?? 0 }),
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
      y: places[point]!.middle,
      series: 0,
      point,
    })),
    shapes: [
      ...legend.shapes,
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

/** An axis over these bars; what lies beyond it is drawn at its end. */
function clipped(bars: readonly Bar[], left: number, right: number): Scale {
  const values = bars.flatMap(({ value, low, high }) => [0, value, low ?? 0, high ?? 0]);
  const { ticks, at: placeOf } = scaleOver(values, left, right);
  return { ticks, at: (value) => Math.min(right, Math.max(left, placeOf(value))) };
}

function barShapes(
  figure: Bars,
  bar: Bar,
  { barY, barHeight, middle }: BarPlace,
  { scale, right, colour }: { readonly scale: Scale; readonly right: number; readonly colour: number },
) {
  const { value, low, high } = bar;
  const isTold = isBarTold(figure, bar);
  const [from, to] = [scale.at(Math.min(0, value)), scale.at(Math.max(0, value))];
  const range = low === null || high === null ? "" : `, ${shortNumber(low)} to ${shortNumber(high)}`;
  const said = isTold ? shortNumber(value) : untoldText;
  const shape: Shape = {
    tag: "rect",
    attributes: {
      class: `${figure.groups === undefined ? "" : "grouped "}f${colour}${isTold ? "" : " untold"}`,
      x: at(from),
      y: at(barY),
      width: at(to - from),
      height: String(barHeight),
    },
    hint: `${barName(figure, bar)}: ${said}${range}`,
  };
  return [
    shape,
    ...(low === null || high === null
      ? []
      : [
          line(scale.at(low), middle, scale.at(high), middle, "whisker"),
          ...[low, high].flatMap((end) => arrow(scale, end, middle)),
        ]),
    text(right + 10, middle + 4, said, { class: "soft" }),
  ];
}

/** Where a whisker continues beyond the axis. */
function arrow(scale: Scale, end: number, y: number): Shape[] {
  const [first, last] = [scale.ticks[0]!, scale.ticks.at(-1)!];
  if (end >= first && end <= last) return [];
  const x = scale.at(end);
  const back = end > last ? -6 : 6;
  return [-4, 4].map((off) => line(x + back, y + off, x, y, "whisker"));
}

const swatch = 14;

/** The groups' colours, in as many lines as their names need. */
function legendOf({ groups = [] }: Bars, colours: readonly number[], left: number, width: number) {
  const shapes: Shape[] = [];
  let [x, line] = [left, 0];
  groups.forEach((name, group) => {
    const needed = swatch + 8 + Array.from(name).length * letterWidth + 20;
    if (x > left && x + needed > width) [x, line] = [left, line + 1];
    const y = 58 + line * 22;
    const attributes = {
      class: `grouped f${colours[group]}`,
      x: at(x),
      y: at(y - 11),
      width: String(swatch),
      height: "12",
    };
    const most = Math.max(8, Math.floor((width - x - swatch - 8) / letterWidth));
    shapes.push({ tag: "rect", attributes }, text(x + swatch + 8, y, name, { most }));
    x += needed;
  });
  return { shapes, height: groups.length === 0 ? 0 : 22 * (line + 1) };
}

function described(figure: Bars): string {
  const { valueLabel, bars } = figure;
  const told = bars
    .slice(0, 20)
    .map(
      (bar) =>
        `${barName(figure, bar)} ${isBarTold(figure, bar) ? shortNumber(bar.value) : `(${untoldText})`}`,
    );
  return `${bars.length} bars of ${valueLabel}: ${told.join(", ")}${bars.length > 20 ? ", and more" : ""}.`;
}
