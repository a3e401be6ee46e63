import { unwrap } from "@consilium/core/result";
import { planStudy } from "@consilium/core/study/plan";
import { studyDocument } from "@consilium/core/study/study";
import { english } from "@consilium/runtime/http/spoken";
import { describe, expect, it } from "vitest";
import { parseStudy, readStudyDocument, type Study } from "../../testing/studies.js";
import { intervalsFor, leafShareFor } from "./noiseDefaults.js";

const numbers = (count: number) =>
  Array.from({ length: count }, (_, j) => ({ name: `x${j}`, type: "numeric", min: 0, max: 1 }));

const raw = (change: Record<string, unknown> = {}) => ({
  name: "open",
  table: "t",
  analysis: "correlation-tree",
  features: numbers(10),
  label: { name: "ill", levels: ["no", "yes"] },
  privacy: { epsilon: 4, delta: 1e-6 },
  ...change,
  participation: {
    minimumSites: 3,
    maxRowsPerSite: 20_000,
    expectedRows: 50_000,
    ...participationOf(change),
  },
});
const participationOf = ({ participation }: Record<string, unknown>) => participation as object | undefined;
const parametersOf = (change: Record<string, unknown> = {}) =>
  unwrap(parseStudy(raw(change))).parameters as Record<string, number>;
const few = { participation: { expectedRows: 300 }, privacy: { epsilon: 1, delta: 1e-6 } };

/** The argument from 2 on at which a function is largest. */
function largest(of: (x: number) => number): number {
  const places = Array.from({ length: 4000 }, (_, i) => 2 + i / 100);
  return places.reduce((best, x) => (of(x) > of(best) ? x : best));
}

describe("defaults by the noise", () => {
  it("grow with the rows that the study expects, and with epsilon", () => {
    const depths = [300, 3000, 10_000, 50_000].map(
      (expectedRows) => parametersOf({ participation: { expectedRows } }).depth!,
    );
    expect(depths).toEqual([...depths].sort((a, b) => a - b));
    expect(depths[0]).toBeLessThan(3);
    expect(depths[3]).toBeGreaterThan(5);
    const weaker = parametersOf({ privacy: { epsilon: 0.5, delta: 1e-6 } });
    expect(weaker.depth).toBeLessThan(depths[3]!);
    expect(parametersOf(few)).toMatchObject({ depth: 1 });
    expect(parametersOf(few).bins).toBeLessThan(8);
    expect(parametersOf()).toMatchObject({ bins: 16 });
    expect(parametersOf({ ...few, features: numbers(60) }).bins).toBe(3);
  });

  it("choose no depth that the plan would warn of, where one more would be warned of", () => {
    const open = unwrap(parseStudy(raw()));
    expect(planStudy(open).warnings.map(english).join()).not.toMatch(/can hardly be split/);
    const { depth, bins } = open.parameters as Record<string, number>;
    const deeper = raw({ parameters: { depth: depth! + 1, bins, leafShare: 0.05 } });
    expect(
      planStudy(unwrap(parseStudy(deeper)))
        .warnings.map(english)
        .join(),
    ).toMatch(/can hardly be split/);
  });

  it("leave alone what the study states, and every study without expectedRows or without noise", () => {
    expect(parametersOf({ parameters: { depth: 2, bins: 5, leafShare: 0.4 } })).toMatchObject({
      depth: 2,
      bins: 5,
      leafShare: 0.4,
    });
    expect(parametersOf({ parameters: { depth: 2 } })).toMatchObject({ depth: 2, leafShare: 0.3 });
    const usual = { depth: 3, bins: 16, leafShare: 0.3 };
    expect(parametersOf({ participation: { expectedRows: undefined } })).toMatchObject(usual);
    expect(parametersOf({ privacy: "none" })).toMatchObject(usual);
    const boosted = unwrap(parseStudy(raw({ analysis: "boosted-trees" })));
    expect(boosted.parameters).toMatchObject({ bins: 16 });
  });

  it("are written into the study: what travels says numbers, and reads as it read before", () => {
    const document = studyDocument(unwrap(parseStudy(raw())));
    const again = unwrap(readStudyDocument(document.text, document.hash)).study;
    expect(again.parameters).toEqual(document.study.parameters);
    // A text of an earlier version has numbers of its own, whatever the rules would choose.
    const earlier = studyDocument({
      ...document.study,
      parameters: { ...document.study.parameters, depth: 3, leafShare: 0.3 },
    } as Study);
    expect(unwrap(readStudyDocument(earlier.text, earlier.hash)).study.parameters).toMatchObject({
      depth: 3,
      leafShare: 0.3,
    });
  });

  it("report a faulty study's own faults and no others", () => {
    const faulty = parseStudy(raw({ features: numbers(2), label: { name: "x0", levels: ["no", "yes"] } }));
    if (faulty.ok) throw new Error("the study has no fault");
    expect(faulty.error.message).toMatch(/x0/);
    // Three levels of two features would be a fault.
    expect(parametersOf({ features: numbers(2) }).depth).toBeLessThanOrEqual(2);
  });

  it("take the intervals at which a trend stands out best, and the leaves' part at which errors are least", () => {
    for (const [rows, stdDev] of [
      [20_000, 10],
      [200_000, 20],
      [400_000, 40],
    ] as const) {
      const best = largest((b) => (1 - b ** -2) ** 2 / (1 + (2 * b * stdDev ** 2) / rows));
      expect(Math.abs(Math.cbrt((2 * rows) / stdDev ** 2) - best) / best).toBeLessThan(0.1);
    }
    expect(intervalsFor(240, 64)).toBe(3);
    expect(intervalsFor(26_000, 12)).toBe(16);
    for (const [features, bins, depth] of [
      [10, 16, 2],
      [4, 5, 1],
    ] as const) {
      const a = (features * depth * bins) / 2;
      const best = largest((x) => -(a / (1 - 1 / x) + 4 * x));
      expect(Math.abs(1 / leafShareFor(features, bins, depth) - best)).toBeLessThan(0.05);
    }
  });

  it("take the blocks at which noise and chance are least together", () => {
    const sizes = [5000, 50_000, 200_000].map((expectedRows) =>
      parametersOf({ method: "dp-pcc-s", participation: { expectedRows } }),
    );
    for (const { depth, blocks } of sizes) {
      expect(depth).toBeGreaterThanOrEqual(1);
      expect(blocks).toBeGreaterThanOrEqual(2);
    }
    expect(sizes.map(({ depth }) => depth)).toEqual(
      [...sizes.map(({ depth }) => depth!)].sort((a, b) => a - b),
    );
    const shallow = { method: "dp-pcc-s", parameters: { depth: 1 } };
    const [one, eight] = [10_000, 80_000].map(
      (expectedRows) => parametersOf({ ...shallow, participation: { expectedRows } }).blocks!,
    );
    // With the cube root of the rows.
    expect(eight! / one!).toBeCloseTo(2, 1);
    expect(parametersOf({ method: "dp-pcc-s", parameters: { blocks: 7 } }).blocks).toBe(7);
  });

  it("point from a single tree to curves of all features where those stand out, and only there", () => {
    const advice = (change: Record<string, unknown> = {}) =>
      planStudy(unwrap(parseStudy(raw(change))))
        .warnings.map(english)
        .filter((one) => one.includes("dp-additive"));
    expect(advice()).toEqual([
      expect.stringMatching(
        /^with the 50000 rows that the study expects dp-additive is likely to predict better: its curves of all 10 features/,
      ),
    ]);
    expect(advice({ method: "dp-pcc-s" })).toHaveLength(1);
    expect(advice({ ...few, participation: { expectedRows: 100 } })).toEqual([]);
    expect(advice({ participation: { expectedRows: undefined } })).toEqual([]);
    expect(advice({ features: numbers(2), parameters: { depth: 2 } })).toEqual([]);
    expect(advice({ label: { name: "ill", levels: ["no", "perhaps", "yes"] } })).toEqual([]);
  });

  it("take as many of dp-ka's trees as stand out of the noise and add something", () => {
    const ka = (change: Record<string, unknown> = {}) =>
      parametersOf({ analysis: "k-anonymous-selection", ...change });
    expect(ka()).toMatchObject({ trees: 13, bins: 16 });
    expect(ka({ parameters: { eta: 0.6 } }).trees).toBe(6);
    expect(ka({ parameters: { trees: 5 } }).trees).toBe(5);
    expect(ka({ parameters: { order: "histogram" } }).trees).toBe(5);
    expect(ka(few)).toMatchObject({ trees: 5, bins: 4 });
    const between = ka({ participation: { expectedRows: 4000 }, privacy: { epsilon: 2, delta: 1e-6 } });
    expect(between.bins).toBeGreaterThan(ka(few).bins!);
  });
});
