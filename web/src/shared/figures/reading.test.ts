import { drawFigure } from "@consilium/core/release/drawing/draw";
import type { ShownFigure } from "@consilium/core/release/shownFigures";
import { describe, expect, it } from "vitest";
import { closer, nearest, type Reading, stepped, zoomableRange, zoomed } from "./reading.js";

const reading = (series: number, x: number, y = 0): Reading => ({ series, x, y, lines: [] });
const two = [reading(0, 0), reading(0, 10), reading(0, 20), reading(1, 1, 5), reading(1, 19, 5)];

type Curves = Extract<ShownFigure, { kind: "curves" }>;
const point = (x: number, y: number, low: number | null = null) => ({ x, y, low, high: low });
const survival: Curves = {
  kind: "curves",
  name: "survival",
  title: "Survival",
  xLabel: "months",
  yLabel: "share",
  series: [
    {
      label: "a",
      style: "band",
      points: [0, 1, 2, 3, 4, 5, 6, 7, 8].map((x) => point(x, 1 - x / 10, 0.5 - x / 20)),
    },
    { label: "b", style: "points", points: [point(1, 0.9), point(7, 0.2)] },
    { label: "50 %", style: "reference", points: [point(0, 0.5), point(8, 0.5)] },
  ],
};

describe("a chart's values", () => {
  it("are read next to the pointer", () => {
    expect(nearest(two, 12, 1)).toBe(1);
    expect(nearest(two, 18, 6)).toBe(4);
    expect(nearest([], 0, 0)).toBeNull();
  });

  it("are stepped through with the arrow keys, from the first to the last", () => {
    expect(stepped(two, null, "ArrowRight")).toBe(0);
    expect(stepped(two, 0, "ArrowRight")).toBe(1);
    expect(stepped(two, 0, "ArrowLeft")).toBe(0);
    expect(stepped(two, 4, "ArrowRight")).toBe(4);
    expect(stepped(two, 2, "Home")).toBe(0);
    expect(stepped(two, 2, "End")).toBe(4);
    expect(stepped(two, null, "ArrowLeft")).toBe(4);
  });

  it("of another series are next to them", () => {
    expect(stepped(two, 2, "ArrowDown")).toBe(4);
    expect(stepped(two, 3, "ArrowUp")).toBe(0);
    const bars = [reading(0, 5), reading(0, 3)];
    expect(stepped(bars, 0, "ArrowDown")).toBe(1);
  });

  it("are left with Escape, and other keys stay the page's", () => {
    expect(stepped(two, 1, "Escape")).toBeNull();
    expect(stepped(two, null, "Escape")).toBeUndefined();
    expect(stepped(two, 1, "Tab")).toBeUndefined();
    expect(stepped([], null, "Home")).toBeUndefined();
  });

  it("have their places from the drawing, a reference line none", () => {
    const { marks } = drawFigure(survival);
    expect(marks).toHaveLength(11);
    expect(marks.filter(({ series }) => series === 2)).toEqual([]);
    const [first, second] = marks;
    expect(second!.x).toBeGreaterThan(first!.x);
    expect(second!.y).toBeGreaterThan(first!.y);
  });
});

describe("a closer look", () => {
  it("is offered where there are many places", () => {
    expect(zoomableRange(survival)).toEqual([0, 8]);
    expect(zoomableRange({ ...survival, series: survival.series.slice(1) })).toBeNull();
  });

  it("halves what is shown, within it", () => {
    expect(closer([0, 8], 4)).toEqual([2, 6]);
    expect(closer([0, 8], 0)).toEqual([0, 4]);
    expect(closer([0, 8], 8)).toEqual([4, 8]);
  });

  it("cuts lines at its ends and keeps points within them", () => {
    const [band, points, reference] = zoomed(survival, [1.5, 6]).series;
    expect(band!.points.map(({ x }) => x)).toEqual([1.5, 2, 3, 4, 5, 6]);
    expect(band!.points[0]!.y).toBeCloseTo(0.85);
    expect(band!.points[0]!.low).toBeCloseTo(0.425);
    expect(points!.label).toBe("50 %");
    expect(points!.points.map(({ x }) => x)).toEqual([1.5, 6]);
    expect(reference).toBeUndefined();
    const below = [0, 2, 8].map((x) => ({ x, value: 10 - x }));
    const numbered = { ...survival, series: survival.series.map((one) => ({ ...one, below })) };
    expect(zoomed(numbered, [1.5, 6]).series[0]!.below).toEqual([{ x: 2, value: 8 }]);
  });

  it("keeps each series' colour where another is hidden", () => {
    const { shapes } = drawFigure(
      { ...survival, series: survival.series.slice(1, 2) },
      { colours: [1], legend: false },
    );
    const classes = shapes.map(({ attributes }) => attributes.class);
    expect(classes).toContain("f1");
    expect(classes).not.toContain("f0");
    expect(shapes.some(({ text }) => text === "b")).toBe(false);
  });
});
