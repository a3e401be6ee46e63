import { unwrap } from "@consilium/core/result";
import { designWidth } from "@consilium/core/study/design";
import { planStudy, rowBytes, type StagePlan, stageUploadBytes } from "@consilium/core/study/plan";
import { uploadBytes } from "@consilium/core/study/uploads";
import { parseStudy, type Study } from "@consilium/methods/testing/studies";
import { english } from "@consilium/runtime/http/spoken";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

function studyWith(change: Record<string, unknown> = {}): Study {
  return unwrap(
    parseStudy({
      name: "planned",
      table: "visits",
      analysis: "pca",
      variant: "paper",
      parameters: { components: 2 },
      privacy: { epsilon: 0.5, delta: 1e-6 },
      participation: { maxRowsPerSite: 1_000 },
      features: [
        { name: "a", type: "numeric", min: 0, max: 10 },
        { name: "b", type: "numeric", min: 0, max: 20 },
        { name: "sex", type: "categorical", levels: ["f", "m"], missing: "own-level" },
      ],
      ...change,
    }),
  );
}

const lengths = (stages: readonly StagePlan[]) =>
  stages.map((stage) => [
    stage.id,
    stage.kind,
    stage.kind === "sum" ? stage.length : stage.kind === "rows" ? stage.columns : null,
  ]);
const sent = (stages: readonly StagePlan[]) =>
  stages.map((stage) => stage.broadcasts.map(({ name, length }) => `${name} ${length}`).join(", "));

describe("the plan of federated PCA", () => {
  it("is the moments, the covariance and the rows, with the shared seed first", () => {
    const plan = planStudy(studyWith());
    expect(plan.setup).toEqual(["deal", "reveal"]);
    // Five columns: two numbers and three levels.
    expect(lengths(plan.stages)).toEqual([
      ["moments", "sum", 6],
      ["covariance", "sum", 15],
      ["projection", "rows", 2],
    ]);
    expect(sent(plan.stages)).toEqual(["", "mean 5, rows 1", "loadings 10"]);
    expect(plan.claim).toMatchObject({
      verdict: "claimed by the authors, not verified",
      epsilon: 0.5,
      delta: 1e-6,
    });
    expect(plan.claim.reasons.length).toBeGreaterThan(2);
  });

  it("needs no seed where no noise is shared", () => {
    const none = planStudy(studyWith({ privacy: "none" }));
    expect(none.setup).toEqual(["deal"]);
    expect(none.claim).toMatchObject({ verdict: "no privacy", epsilon: null, delta: null });
    expect(none.stages.every(({ disclosure }) => disclosure.cost === null)).toBe(true);
    const dpdis = planStudy(studyWith({ method: "dpdis-pca" }));
    expect(dpdis).toMatchObject({ setup: [], masking: "pairwise" });
    expect(lengths(dpdis.stages)[1]).toEqual(["subspace", "sum", 15]);
    expect(sent(dpdis.stages)).toEqual(["", "mean 5, rows 1", "loadings 10"]);
  });

  it("states for every stage the data sent, who learns them and the cost", () => {
    for (const method of ["elfed-pca", "dpdis-pca"]) {
      const { stages } = planStudy(studyWith({ method }));
      for (const { disclosure, kind } of stages) {
        expect(disclosure.form).toBe(kind === "sum" ? "masked sum" : "rows in the clear");
        for (const words of [disclosure.what, disclosure.learns, disclosure.mechanism])
          expect(words).not.toBe("");
      }
      // The claimed cost is charged once, at the stage that carries the noise.
      expect(stages.map(({ disclosure }) => disclosure.cost)).toEqual([
        null,
        { epsilon: 0.5, delta: 1e-6 },
        null,
      ]);
    }
  });

  it("warns of columns that drown others, and of an epsilon beyond the proof", () => {
    const warnings = (change: Record<string, unknown>) =>
      planStudy(studyWith(change)).warnings.map(english).join("\n");
    const wide = [
      { name: "a", type: "numeric", min: 0, max: 1 },
      { name: "area", type: "numeric", min: 0, max: 3_000 },
    ];
    expect(warnings({ features: wide })).toContain('"area" will dominate');
    expect(warnings({ features: wide, parameters: { components: 1, scale: "declared" } })).not.toContain(
      "dominate",
    );
    expect(warnings({ privacy: { epsilon: 2, delta: 1e-6 } })).toContain("epsilon at most 1");
    expect(warnings({})).toContain("no dropout");
  });

  it("is the same for everyone who reads the study, for any number of columns", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 40 }), (columns, components) => {
        fc.pre(components <= columns);
        const features = Array.from({ length: columns }, (_, i) => ({
          name: `c${i}`,
          type: "numeric",
          min: 0,
          max: i + 1,
        }));
        const study = studyWith({ features, parameters: { components } });
        const d = designWidth(study.features);
        const plan = planStudy(study);
        expect(plan).toEqual(planStudy(study));
        expect(lengths(plan.stages).map(([, , length]) => length)).toEqual([
          d + 1,
          (d * (d + 1)) / 2,
          components,
        ]);
        expect(sent(plan.stages)[2]).toBe(`loadings ${components * d}`);
      }),
      { numRuns: 50 },
    );
  });
});

describe("bytes per site", () => {
  it("are known before anything runs", () => {
    const study = studyWith();
    const plan = planStudy(study);
    expect(plan.stages.map((stage) => stageUploadBytes(stage, study))).toEqual([48, 120, 1_000 * 16]);
    expect(uploadBytes(plan, study)).toBe(48 + 120 + 16_000 + 3 * 2_048);
    expect(rowBytes(2, false)).toBe(16);
    expect(rowBytes(2, true)).toBe(18);
    const labelled = studyWith({ label: { name: "outcome", levels: ["x", "y"] } });
    expect(stageUploadBytes(planStudy(labelled).stages[2]!, labelled)).toBe(18_000);
  });
});
