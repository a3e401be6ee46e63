import { allMethods } from "@consilium/methods-paper/all";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { hasProposedEdges, needsEdges, roundEdges, withBound, withProposedEdges } from "./edges";
import { templates } from "./templates";

describe("edges to propose", () => {
  it("are round, ascending and between the bounds", () => {
    expect(roundEdges(0, 100)).toEqual([10, 20, 30, 40, 50, 60, 70, 80, 90]);
    expect(roundEdges(18, 98)).toEqual([20, 30, 40, 50, 60, 70, 80, 90]);
    expect(roundEdges(0, 6)).toEqual([1, 2, 3, 4, 5]);
    expect(roundEdges(0, 24)).toEqual([5, 10, 15, 20]);
    expect(roundEdges(0, 1)).toEqual([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]);
    expect(roundEdges(-40, 40)).toEqual([-30, -20, -10, 0, 10, 20, 30]);
    expect(roundEdges(0.5, 15)).toEqual([2, 4, 6, 8, 10, 12, 14]);
    for (const [min, max] of [
      [0, 3],
      [1.2, 2.2],
      [-1e9, 1e12],
      [1e-9, 2e-9],
      [119, 121],
    ] as const) {
      const edges = roundEdges(min, max);
      expect(edges.length).toBeGreaterThan(3);
      expect(edges.length).toBeLessThan(11);
      expect(edges.every((edge, i) => edge > (edges[i - 1] ?? min) && edge < max)).toBe(true);
    }
  });

  it("are none where bounds are none", () => {
    for (const [min, max] of [
      [5, 5],
      [9, 1],
      [0, Number.POSITIVE_INFINITY],
      [-1.7e308, 1.7e308],
      [Number.NaN, 1],
    ] as const)
      expect(roundEdges(min, max)).toEqual([]);
  });

  it("follow a bound while they are the proposed ones, and never replace a person's", () => {
    const open = { name: "age", type: "numeric", min: 0, max: "TODO" };
    const first = withBound(open, "max", 1, true);
    expect(hasProposedEdges(first)).toBe(true);
    expect(withBound(first, "max", 100, true).edges).toEqual(roundEdges(0, 100));
    expect(withBound(first, "max", undefined, true)).toEqual({ ...first, max: undefined });
    const own = { ...open, max: 100, edges: [18, 65] };
    expect(withBound(own, "max", 120, true).edges).toEqual([18, 65]);
    expect(withBound(open, "max", 100, false).edges).toBeUndefined();
  });

  it("are needed by the methods that refuse columns without them, and by no other", () => {
    for (const { method, text } of templates) {
      const { features, ...study } = parse(text) as {
        features: Record<string, unknown>[];
        parameters?: object;
      };
      const { bins: _bins, ...parameters } = (study.parameters ?? {}) as Record<string, unknown>;
      const without = features.slice(0, 4).map(({ edges: _edges, ...one }) => one);
      const parsed = allMethods.parse({ ...study, parameters, features: without });
      const lacking = parsed.ok
        ? []
        : parsed.error.issues.filter(({ message }) => message.startsWith("fault.edges-lacking "));
      expect([method, lacking.length > 0]).toEqual([method, needsEdges(method, parameters)]);
    }
  });

  it("fill in what a draft lacks, and nothing else", () => {
    const text = `features:
  - { name: age, type: numeric, min: 0, max: 10 } # years
  - { name: bmi, type: numeric, min: 10, max: 60, edges: [25] }
  - { name: sex, type: categorical, levels: [f, m] }
`;
    const filled = parse(withProposedEdges(text)) as { features: { edges?: number[] }[] };
    expect(filled.features.map(({ edges }) => edges)).toEqual([[1, 2, 3, 4, 5, 6, 7, 8, 9], [25], undefined]);
    expect(withProposedEdges(text)).toContain("# years");
    expect(withProposedEdges("features: [")).toBe("features: [");
  });
});
