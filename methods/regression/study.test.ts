import { planStudy } from "@consilium/core/study/plan";
import { describe, expect, it } from "vitest";
import { regressionFeatures, regressionTestStudy, stay } from "../testing/regression/patients.js";
import { parseStudy } from "../testing/studies.js";
import { planRegression, regressionLayout } from "./study.js";

const privacy = { epsilon: 1, delta: 1e-5 };
const label = { name: "ill", levels: ["no", "yes"] };
const source = {
  name: "patients",
  table: "patients",
  analysis: "regression",
  features: regressionFeatures,
  label,
  privacy,
  participation: { minimumSites: 3, maxRowsPerSite: 5000 },
};
const linear = {
  ...source,
  features: [...regressionFeatures, stay],
  label: undefined,
  parameters: { family: "linear", outcome: "stay" },
};

function faults(change: Record<string, unknown>): string[] {
  const parsed = parseStudy({ ...source, ...change });
  return parsed.ok ? [] : parsed.error.issues.map(({ path, message }) => `${path}: ${message}`);
}

describe("a study of a regression", () => {
  it("is complete without a parameter, and a linear one holds no rows out", () => {
    const parsed = parseStudy(source);
    expect(parsed.ok && parsed.value).toMatchObject({
      variant: "sound",
      method: "regression",
      parameters: { family: "logistic", evaluation: { heldOut: 0.2 } },
    });
    const other = parseStudy(linear);
    expect(other.ok && other.value.parameters).toMatchObject({ family: "linear", evaluation: "none" });
  });

  it("has one Gram matrix, T gradients, the information and the evaluation; a linear one the Gram matrix alone", () => {
    const study = regressionTestStudy("logistic", {
      privacy,
      parameters: { steps: 3, evaluation: { heldOut: 0.2 } },
    });
    const shapes = planRegression(study).stages.map((stage) => [
      stage.id,
      stage.kind === "sum" ? stage.length : null,
      stage.broadcasts.map(({ name, length }) => `${name} ${length}`),
    ]);
    expect(shapes).toEqual([
      ["gram", 21, []],
      ["gradient-1", 6, []],
      ["gradient-2", 6, ["coefficients 6"]],
      ["gradient-3", 6, ["coefficients 6"]],
      ["information", 21, ["coefficients 6"]],
      ["evaluation", 40, ["coefficients 6", "cuts 19"]],
    ]);
    expect(planRegression(regressionTestStudy("linear", { privacy })).stages.map(({ id }) => id)).toEqual([
      "gram",
    ]);
  });

  it("costs no more than it asks for, and next to all of it", () => {
    for (const family of ["logistic", "linear"] as const) {
      const { claim } = planStudy(regressionTestStudy(family, { privacy }));
      expect(claim).toMatchObject({ verdict: "proved", proof: "docs/METHODS.md#regression-proof" });
      expect(claim.epsilon).toBeLessThanOrEqual(1);
      expect(claim.epsilon).toBeGreaterThan(1 - 1e-9);
    }
  });

  it("takes more steps the less noise and the more rows there are, from 3 to 20, and keeps them on a roster", () => {
    const steps = (epsilon: number, expectedRows: number) =>
      regressionLayout(
        regressionTestStudy("logistic", {
          privacy: { epsilon, delta: 1e-5 },
          participation: { minimumSites: 3, maxRowsPerSite: 1_000_000, expectedRows },
        }),
      ).gradients.length;
    expect(steps(0.02, 3000)).toBe(3);
    expect(steps(1, 30_000)).toBeGreaterThan(steps(0.1, 30_000));
    expect(steps(1, 300_000)).toBeGreaterThan(steps(1, 3000));
    expect(steps(10, 3_000_000)).toBe(20);
    const study = regressionTestStudy("logistic", {
      privacy,
      participation: { minimumSites: 3, maxRowsPerSite: 9000 },
    });
    const onRoster = { ...study, rosterSites: 40 };
    expect(regressionLayout(onRoster).gradients.length).toBe(regressionLayout(study).gradients.length);
  });

  it("is refused where it explains nothing, or something else", () => {
    expect(faults({})).toEqual([]);
    expect(faults(linear)).toEqual([]);
    for (const [change, fault] of [
      [{ label: undefined }, "label: missing"],
      [{ label: { name: "ill", levels: ["a", "b", "c"] } }, "label.levels: 3 levels"],
      [{ parameters: { outcome: "age" } }, "parameters.outcome: only with family: linear"],
      [{ ...linear, label }, "label: only with family: logistic"],
      [{ ...linear, parameters: { family: "linear" } }, "parameters.outcome: missing"],
      [
        { ...linear, parameters: { family: "linear", outcome: "ward" } },
        'parameters.outcome: "ward" is not a numeric',
      ],
      [{ ...linear, features: [stay] }, "features: declare at least one feature"],
      [
        { ...linear, parameters: { family: "linear", outcome: "stay", steps: 4 } },
        "parameters.steps: only with",
      ],
      [
        { ...linear, parameters: { family: "linear", outcome: "stay", evaluation: { heldOut: 0.2 } } },
        "parameters.evaluation: only with",
      ],
      [{ variant: "paper" }, "variant:"],
      [{ parameters: { steps: 2 } }, "parameters.steps: at least 3"],
    ] as const)
      expect(faults(change).join("\n")).toContain(fault);
  });

  it("is refused where the budget bears no coefficient even of all rows, and warned of where it bears few", () => {
    const small = { minimumSites: 3, maxRowsPerSite: 30, sites: ["a", "b", "c"] };
    expect(faults({ participation: small, privacy: { epsilon: 0.05, delta: 1e-5 } }).join()).toContain(
      "even with all 90 rows that there may be, noise leaves none of 5 coefficients an interval of use",
    );
    expect(faults({ participation: small, privacy: { epsilon: 20, delta: 1e-5 } })).toEqual([]);
    const warnings = (expectedRows: number) =>
      planRegression(
        regressionTestStudy("logistic", {
          privacy,
          participation: { minimumSites: 3, maxRowsPerSite: 100_000, expectedRows },
        }),
      ).warnings.join("\n");
    expect(warnings(500)).toMatch(/at most \d of 5 coefficients can have an interval of use/);
    expect(warnings(100_000)).not.toContain("interval of use");
  });
});
