import type { ShownFigure } from "../shownFigures.js";
import {
  at,
  type Drawing,
  type DrawingOptions,
  letterWidth,
  line,
  lineHeight,
  lines as linesOf,
  narrowBelow,
  type Shape,
  text,
  titleHeight,
  widthOf,
} from "./drawing.js";

type FlowFigure = Extract<ShownFigure, { kind: "flow" }>;

const edge = 20;
const gap = 26;
const padding = 10;

/** The boxes of a flow from the top down, and beside each the box of those that went no further; in a narrow picture below it and indented. */
export function drawFlow({ title, steps }: FlowFigure, options: DrawingOptions = {}): Drawing {
  const width = widthOf(options);
  const isNarrow = width < narrowBelow;
  const boxWidth = isNarrow ? width - 2 * edge : (width - 2 * edge - gap) / 2;
  const asideX = isNarrow ? 3 * edge : edge + boxWidth + gap;
  const middle = edge + (isNarrow ? edge : boxWidth / 2);
  const shapes: Shape[] = [];
  let y = titleHeight + gap;
  steps.forEach(({ lines, aside }, i) => {
    if (i > 0) shapes.push(...arrow(middle, y - gap, y));
    const main = box(lines, { x: edge, y, width: boxWidth });
    shapes.push(...main.shapes);
    y += main.height;
    if (aside.length > 0) {
      const beside = box(aside, { x: asideX, y: y + gap / 2, width: width - edge - asideX });
      const at = y + gap / 2 + beside.height / 2;
      shapes.push(line(middle, y, middle, y + gap + beside.height, "axis"));
      shapes.push(line(middle, at, asideX, at, "axis"), ...beside.shapes);
      y += beside.height + gap;
    }
    y += gap;
  });
  const described = steps.map(({ lines, aside }) => [...lines, ...aside].join("; "));
  return {
    title,
    description: `${title}: ${described.join(". ")}.`,
    width,
    height: y,
    shapes,
    marks: [],
  };
}

function arrow(x: number, from: number, to: number): Shape[] {
  return [
    line(x, from, x, to, "axis"),
    line(x - 4, to - 7, x, to, "axis"),
    line(x + 4, to - 7, x, to, "axis"),
  ];
}

function box(
  texts: readonly string[],
  { x, y, width }: { readonly x: number; readonly y: number; readonly width: number },
): { readonly shapes: readonly Shape[]; readonly height: number } {
  const most = Math.floor((width - 2 * padding) / letterWidth);
  const shown = texts.flatMap((one) => linesOf(one, most));
  const height = shown.length * lineHeight + 2 * padding - 4;
  const attributes = {
    class: "box",
    x: at(x),
    y: at(y),
    width: at(width),
    height: at(height),
    rx: "4",
  };
  return {
    shapes: [
      { tag: "rect", attributes },
      ...shown.map((one, i) => text(x + padding, y + padding + 9 + i * lineHeight, one, { most })),
    ],
    height,
  };
}
