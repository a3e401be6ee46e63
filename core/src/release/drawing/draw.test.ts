import { describe, expect, it } from "vitest";
import type { ShownFigure } from "../shownFigures.js";
import { drawFigure } from "./draw.js";
import type { Shape } from "./drawing.js";

const texts = (shapes: readonly Shape[]) => shapes.flatMap(({ text }) => (text === undefined ? [] : [text]));

describe("a drawn tree", () => {
  const leaf = (leansTo: string, values: number[]) => ({ kind: "leaf" as const, leansTo, values, cover: 1 });
  const tree: ShownFigure = {
    kind: "tree",
    name: "first-tree",
    title: "The first tree",
    nodes: [
      { kind: "question", column: "age", condition: "< 40", cover: 3, yes: 1, no: 2 },
      leaf("ill", [0.5]),
      { kind: "question", column: "sex", condition: "is f", cover: 2, yes: 3, no: 4 },
      leaf("well", [-0.25]),
      leaf("ill", [0.125]),
    ],
  };

  it("puts yes to the left, each question above the middle of what follows, and no box over another", () => {
    const { shapes, width } = drawFigure(tree);
    const boxes = shapes
      .filter(({ tag }) => tag === "rect")
      .map(({ attributes: { x, y, width } }) => ({ x: Number(x), y: Number(y), width: Number(width) }));
    expect(boxes).toHaveLength(5);
    const [root, yes, no, noYes, noNo] = boxes as [Box, Box, Box, Box, Box];
    expect(yes.x).toBeLessThan(no.x);
    expect(no.x).toBe((noYes.x + noNo.x) / 2);
    expect(root.x).toBe((yes.x + no.x) / 2);
    expect([yes.y, noYes.y]).toEqual([no.y, noNo.y]);
    for (const one of boxes) {
      expect(one.x + one.width).toBeLessThanOrEqual(width);
      const beside = boxes.filter((other) => other !== one && other.y === one.y);
      expect(beside.every((other) => Math.abs(other.x - one.x) >= one.width)).toBe(true);
    }
    expect(texts(shapes)).toEqual(expect.arrayContaining(["age", "< 40", "yes", "no", "well", "adds -0.25"]));
  });

  it("has boxes as wide as their words, and says a class's part where the leaves hold parts", () => {
    const nodes = [
      { ...tree.nodes[0]!, column: "concave_points_worst", yes: 1, no: 2 },
      { ...leaf("benign", [0.95, 0.05]), share: 0.95 },
      leaf("malignant", [-1]),
    ] as typeof tree.nodes;
    const { shapes } = drawFigure({ ...tree, nodes });
    expect(texts(shapes)).toEqual(
      expect.arrayContaining(["concave_points_worst", "95 % of its rows", "adds -1"]),
    );
    const width = Number(shapes.find(({ tag }) => tag === "rect")!.attributes.width);
    expect(width).toBeGreaterThan(7 * "concave_points_worst".length);
  });

  it("leaves what lies deeper than five levels to the model", () => {
    const nodes = Array.from({ length: 8 }, (_, i) => [
      {
        kind: "question" as const,
        column: `c${i}`,
        condition: "< 1",
        cover: 1,
        yes: 2 * i + 1,
        no: 2 * i + 2,
      },
      leaf("ill", [1]),
    ]).flat();
    const chain = [nodes[0]!, ...nodes.slice(1).map((node) => node)];
    // Each question's `no` is the next question.
    const deep = chain.map((node, i) =>
      node.kind === "question" ? { ...node, yes: i + 1, no: i + 2 } : node,
    );
    const shown = texts(drawFigure({ ...tree, nodes: [...deep, leaf("ill", [1])] }).shapes);
    expect(shown).toContain("… in model.json");
    expect(shown).not.toContain("c6");
  });
});

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
}

describe("drawn bars and curves", () => {
  it("tell the values where they are pointed at", () => {
    const bars = drawFigure({
      kind: "bars",
      name: "a",
      title: "A",
      valueLabel: "gain",
      bars: [{ label: "age", value: 2, low: 1, high: 3 }],
    });
    expect(bars.shapes.find(({ tag }) => tag === "rect")?.hint).toBe("age: 2, 1 to 3");
    const curve = drawFigure({
      kind: "curves",
      name: "b",
      title: "B",
      xLabel: "x",
      yLabel: "y",
      series: [{ label: "s", style: "points", points: [{ x: 1, y: 0.5, low: null, high: null }] }],
    });
    expect(curve.shapes.find(({ tag, hint }) => tag === "circle" && hint !== undefined)?.hint).toBe(
      "s, 1: 0.5",
    );
    for (const { shapes } of [bars, curve])
      expect(JSON.stringify(shapes)).not.toMatch(/NaN|Infinity|undefined/);
  });

  it("give each group of bars a colour, a line of the legend, and its name where it is pointed at", () => {
    const bar = (label: string, group: number) => ({ label, value: 1 + group, low: null, high: null, group });
    const figure = {
      kind: "bars" as const,
      name: "a",
      title: "A",
      valueLabel: "share",
      groups: ["placebo", "new drug"],
      bars: [bar("f", 0), bar("f", 1), bar("m", 0), bar("m", 1)],
    };
    for (const width of [320, 720]) {
      const { shapes, marks, description } = drawFigure(figure, { width });
      const rects = shapes.filter(({ tag }) => tag === "rect").map(({ attributes }) => attributes.class);
      expect(rects).toEqual([
        "grouped f1",
        "grouped f0",
        ...["f1", "f0", "f1", "f0"].map((f) => `grouped ${f}`),
      ]);
      expect(texts(shapes).filter((text) => ["f", "m", "placebo", "new drug"].includes(text))).toEqual([
        ...figure.groups,
        "f",
        "m",
      ]);
      expect(shapes.flatMap(({ hint }) => hint ?? [])[1]).toBe("f, new drug: 2");
      expect(description).toContain("m, placebo 1");
      const heights = marks.map(({ y }) => y);
      expect(heights.toSorted((a, b) => a - b)).toEqual(heights);
      expect(new Set(heights).size).toBe(4);
    }
  });

  it("say of a ratio with too wide an interval that it cannot be told, and keep the axis to the others", () => {
    const { shapes, marks, description } = drawFigure({
      kind: "bars",
      name: "a",
      title: "A",
      valueLabel: "log-odds",
      exponential: { label: "odds ratio" },
      bars: [
        { label: "age", value: 1, low: 0.5, high: 1.5 },
        { label: "lost", value: 30, low: -300, high: 360 },
      ],
    });
    expect(texts(shapes)).toContain("cannot be told");
    expect(texts(shapes)).not.toContain("200");
    expect(description).toContain("lost (cannot be told)");
    expect(shapes.flatMap(({ hint }) => hint ?? [])).toContain("lost: cannot be told, -300 to 360");
    expect(marks.every(({ x }) => x <= 720)).toBe(true);
  });

  it("keep their words within a narrow picture", () => {
    const width = 320;
    const bars = drawFigure(
      {
        kind: "bars",
        name: "a",
        title: "A",
        valueLabel: "log-odds, of a number's whole range or a level against the reference",
        exponential: { label: "odds ratio" },
        bars: [
          { label: "symmetry_worst", value: -2, low: -3, high: -1 },
          { label: "radius_mean", value: 1.5, low: 1, high: 2 },
          { label: "area_mean", value: 1.5, low: -10, high: 13 },
        ],
      },
      { width },
    );
    const curve = drawFigure(
      {
        kind: "curves",
        name: "b",
        title: "B",
        xLabel: "months since the start of the treatment",
        yLabel: "part without the event",
        series: [
          { label: "s", style: "line", points: [0, 60].map((x) => ({ x, y: x, low: null, high: null })) },
        ],
      },
      { width },
    );
    for (const { shapes, width: own, marks } of [bars, curve]) {
      expect(own).toBe(width);
      expect(marks.every(({ x }) => x >= 0 && x <= width)).toBe(true);
      for (const { tag, attributes, text = "" } of shapes) {
        if (tag !== "text" || attributes.transform !== undefined) continue;
        const half = { middle: 0.5, end: 1 }[attributes["text-anchor"] ?? ""] ?? 0;
        const from = Number(attributes.x) - half * text.length * 6;
        expect([text, from >= 0, from + text.length * 6 <= width]).toEqual([text, true, true]);
      }
    }
    expect(texts(bars.shapes)).toContain("symmetry_worst");
  });

  it("put numbers under the axis, a line for each series, at their places, and move the legend below", () => {
    const line = (label: string) => ({
      label,
      style: "line" as const,
      points: [0, 60].map((x) => ({ x, y: x, low: null, high: null })),
    });
    const figure = {
      kind: "curves" as const,
      name: "c",
      title: "C",
      xLabel: "months",
      yLabel: "survival probability",
      series: [line("one"), line("other")],
    };
    const [one, other] = figure.series;
    const [plain, numbered] = [
      drawFigure(figure),
      drawFigure({
        ...figure,
        belowLabel: "number at risk",
        series: [
          {
            ...one!,
            below: [
              { x: 0, value: 1200 },
              { x: 30, value: 340 },
            ],
          },
          { ...other!, below: [{ x: 0, value: 800 }] },
        ],
      }),
    ];
    const placed = (value: string) => {
      const { x, y } = numbered.shapes.find(({ text }) => text === value)!.attributes;
      return { x: Number(x), y: Number(y) };
    };
    expect(placed("800").x).toBe(placed("1200").x);
    expect(placed("340").x).toBeGreaterThan(placed("1200").x);
    expect(placed("340").y).toBe(placed("1200").y);
    expect(placed("800").y).toBeGreaterThan(placed("1200").y);
    expect(placed("one").y).toBeGreaterThan(placed("800").y);
    expect(numbered.height).toBeGreaterThan(plain.height);
    expect(numbered.description).toContain("number at risk: one: (0, 1200) (30, 340); other: (0, 800).");
  });
});
