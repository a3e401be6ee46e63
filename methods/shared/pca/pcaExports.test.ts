import { figureSchema } from "@consilium/core/release/figures";
import { predictorFaults, predictorSchema } from "@consilium/core/release/predictor";
import { unwrap } from "@consilium/core/result";
import { mapRow, type RawRow } from "@consilium/core/testing/release/predict";
import { projectRow } from "@consilium/methods-paper/elfed-pca/model";
import { paperPcaPredictor } from "@consilium/methods-paper/elfed-pca/predictor";
import { asPaperPca } from "@consilium/methods-paper/elfed-pca/study";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { dpPcaPredictor } from "../../dp-pca/predictor.js";
import { asDpPca, dpPcaLayout } from "../../dp-pca/study.js";
import { parseStudy } from "../../testing/studies.js";
import { pcaFigures } from "./pcaExports.js";

const studyOf = (more: Record<string, unknown>) =>
  unwrap(
    parseStudy({
      name: "exported",
      table: "t",
      analysis: "pca",
      features: [
        { name: "a", type: "numeric", min: -2, max: 4, missing: { constant: 1 } },
        { name: "b", type: "numeric", min: 10, max: 30 },
        { name: "c", type: "categorical", levels: ["x", "y"], missing: "own-level" },
      ],
      privacy: { epsilon: 1, delta: 1e-5 },
      participation: { sites: ["s", "t", "u"], maxRowsPerSite: 500 },
      ...more,
    }),
  );

/** Three orthonormal rows over five columns, k = 2 of them used. */
const loadings = Float64Array.of(0.6, 0, 0.8, 0, 0, 0, 1, 0, 0, 0);

const rows: fc.Arbitrary<RawRow> = fc.record({
  a: fc.option(fc.double({ min: -9, max: 9, noNaN: true })),
  b: fc.double({ min: 0, max: 40, noNaN: true }),
  c: fc.option(fc.constantFrom("x", "y")),
});

describe("the map of a PCA", () => {
  it("of elfed-pca reduces a row as model.json says, whatever is missing or beyond bounds", () => {
    for (const scale of ["none", "declared"] as const) {
      const study = asPaperPca(
        studyOf({ method: "elfed-pca", variant: "paper", parameters: { components: 2, scale } }),
      );
      const mean = Float64Array.of(0.3, 0.4, 0.2, 0.5, 0.3);
      const predictor = paperPcaPredictor(study, { n: 100, mean }, loadings)!;
      expect(predictorFaults(predictorSchema.parse(predictor))).toEqual([]);
      const design = (min: number, max: number) => (scale === "declared" ? max - min : 1);
      const columns = [
        { name: "a", feature: "a", level: null, min: -2, max: 4, unit: null, missing: 1 },
        { name: "b", feature: "b", level: null, min: 10, max: 30, unit: null, missing: null },
        ...["x", "y", "(missing)"].map((level) => ({
          name: `c=${level}`,
          feature: "c",
          level,
          min: 0,
          max: 1,
          unit: null,
          missing: null,
        })),
      ];
      expect(predictor.divide).toEqual([design(-2, 4), design(10, 30), 1, 1, 1]);
      const model = {
        components: 2,
        columns,
        scale,
        mean: Array.from(mean),
        zeroThreshold: [0, 0, 0, 0, 0],
        loadings: [0, 1].map((i) => Array.from(loadings.subarray(5 * i, 5 * i + 5))),
      } as unknown as Parameters<typeof projectRow>[0];
      fc.assert(
        fc.property(rows, (row) => {
          const ours = mapRow(predictor, row);
          projectRow(model, row).forEach((value, i) => {
            expect(ours[i]).toBeCloseTo(value, 9);
          });
        }),
      );
    }
  });

  it("of dp-pca centres by public numbers and cuts to length 1", () => {
    const study = asDpPca(studyOf({ parameters: { components: 2, centre: 0.5, radius: 0.5 } }));
    const predictor = dpPcaPredictor(study, dpPcaLayout(study).declared, loadings)!;
    expect(predictorFaults(predictorSchema.parse(predictor))).toEqual([]);
    // u = (0.5, 0.75, 1, 0, 0): (u - 0.5)/0.5 = (0, 0.5, 1, -1, -1), whose length is √3.25.
    const [first, second] = mapRow(predictor, { a: 1, b: 25, c: "x" });
    expect(first).toBeCloseTo(0.8 / Math.sqrt(3.25), 12);
    expect(second).toBeCloseTo(0.5 / Math.sqrt(3.25), 12);
  });

  it("of dp-pca takes the ball that was chosen, not the one that was declared", () => {
    const study = asDpPca(studyOf({ parameters: { components: 2, ball: "private" } }));
    const ball = { centre: Float64Array.of(0.5, 0.25, 0, 0.5, 0.5), radius: 2 };
    const [first, second] = mapRow(dpPcaPredictor(study, ball, loadings)!, { a: 1, b: 25, c: "x" });
    // (u - c0)/R = (0, 0.25, 0.5, -0.25, -0.25), which is within the ball.
    expect(first).toBeCloseTo(0.8 * 0.5, 12);
    expect(second).toBeCloseTo(0.25, 12);
  });

  it("is left out where the matrix is large", () => {
    const study = asDpPca(studyOf({ parameters: { components: 2 } }));
    expect(dpPcaPredictor(study, dpPcaLayout(study).declared, new Float64Array(2 ** 18 + 5))).toBeNull();
  });
});

describe("the figures of a PCA", () => {
  it("are a scree plot and the largest loadings", () => {
    const { features } = studyOf({ parameters: { components: 2 } });
    const figures = pcaFigures({ features, eigenvalues: Float64Array.of(2, -0.1), loadings, hasNoise: true });
    for (const figure of figures) expect(figureSchema.parse(figure)).toEqual(figure);
    expect(figures.map(({ name }) => name)).toEqual(["scree", "loadings-1", "loadings-2"]);
    const [, first] = figures;
    expect(first?.kind === "bars" && first.bars.slice(0, 2).map(({ label }) => label)).toEqual(["c=x", "a"]);
  });

  it("show one of two levels that mirror each other, and both where they do not", () => {
    const features = studyOf({ method: "dp-pca", parameters: { components: 1 } }).features.map((feature) =>
      feature.name === "c"
        ? { name: "c", type: "categorical" as const, levels: ["x", "y"], missing: "reject-row" as const }
        : feature,
    );
    const figureOf = (x: number, y: number) =>
      pcaFigures({
        features,
        eigenvalues: Float64Array.of(2),
        loadings: Float64Array.of(0.6, 0.1, x, y),
        hasNoise: true,
      })[1]!;
    const shown = (x: number, y: number) => {
      const figure = figureOf(x, y);
      return figure.kind === "bars" ? [figure.bars.map(({ label }) => label), figure.valueLabel] : [];
    };
    expect(shown(0.5, -0.48)[0]).toEqual(["a", "c=x", "b"]);
    expect(shown(0.5, -0.48)[1]).toMatch(/the first$/);
    expect(shown(0.5, -0.3)).toEqual([["a", "c=x", "c=y", "b"], "loading, from -1 to 1"]);
  });
});
