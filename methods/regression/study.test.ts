import { planStudy } from "@consilium/core/study/plan";
import { describe, expect, it } from "vitest";
import {
  months,
  regressionFeatures,
  regressionTestStudy,
  status,
  stay,
  visits,
  years,
} from "../testing/regression/patients.js";
import { parseStudy } from "../testing/studies.js";
import { planRegression, type RegressionStudy, regressionIssues, regressionLayout } from "./study.js";

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

const poisson = {
  ...source,
  features: [...regressionFeatures, visits, years],
  label: undefined,
  parameters: { family: "poisson", outcome: "visits", exposure: "years" },
};
const cox = {
  ...source,
  features: [...regressionFeatures, months],
  label: status,
  parameters: { family: "cox", time: "months", event: "dead" },
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

  it("counts and events have their own columns, intervals and stages", () => {
    const shapes = (study: RegressionStudy) =>
      planRegression(study).stages.map((stage) => [
        stage.id,
        stage.kind === "sum" ? stage.length : null,
        stage.broadcasts.map(({ name, length }) => `${name} ${length}`),
      ]);
    const parameters = { steps: 4 };
    const told = ["coefficients 6"];
    expect(shapes(regressionTestStudy("poisson", { privacy, parameters }))).toEqual([
      ["gram", 21, []],
      ["gradient-1", 7, []],
      ["gradient-2", 7, told],
      ["information", 21, told],
      ["gradient-3", 7, told],
      ["gradient-4", 7, told],
    ]);
    const withBaseline = [...told, "baseline 10"];
    expect(shapes(regressionTestStudy("cox", { privacy, parameters }))).toEqual([
      ["gram", 21, []],
      ["gradient-1", 16, []],
      ["gradient-2", 16, withBaseline],
      ["information", 21, withBaseline],
      ["gradient-3", 16, withBaseline],
      ["gradient-4", 16, withBaseline],
    ]);
    const edged = regressionTestStudy("cox", {
      features: [...regressionFeatures, { ...months, edges: [6, 12, 36] }],
    });
    expect(regressionLayout(edged).followUp!.edges).toEqual([0, 6, 12, 36, 60]);
  });

  it("of counts or events is refused where these have no bounds, or others than counts and times have", () => {
    const parsed = parseStudy(poisson);
    // A new study need not say that negative counts are refused; one that travelled must.
    expect(parsed.ok && parsed.value.features[4]).toMatchObject({ below: "reject-row" });
    const change = (of: typeof poisson | typeof cox, name: string, keys: Record<string, unknown>) => ({
      ...of,
      features: of.features.map((feature) => (feature.name === name ? { ...feature, ...keys } : feature)),
    });
    const withParameters = (of: typeof poisson | typeof cox, keys: Record<string, unknown>) => ({
      ...of,
      parameters: { ...of.parameters, ...keys },
    });
    for (const control of [poisson, cox, withParameters(poisson, { exposure: undefined })])
      expect(faults(control)).toEqual([]);
    for (const [fault, faulty] of [
      ["parameters.outcome: missing", withParameters(poisson, { outcome: undefined })],
      ['parameters.exposure: "days" is not a numeric', withParameters(poisson, { exposure: "days" })],
      ['parameters.exposure: "visits" is what is counted', withParameters(poisson, { exposure: "visits" })],
      ["features[4].max", change(poisson, "visits", { max: undefined })],
      ["features[4].min: 0: counts begin there", change(poisson, "visits", { min: 1 })],
      ["features[4].missing: reject-row", change(poisson, "visits", { missing: { constant: 0 } })],
      ["features[5].min: above 0", change(poisson, "years", { min: 0 })],
      ["label: only with family: logistic or cox", { ...poisson, label }],
      ["parameters.evaluation: only with", withParameters(poisson, { evaluation: { heldOut: 0.2 } })],
      ["parameters.time: only with family: cox", withParameters(poisson, { time: "years" })],
      ["parameters.time: missing", withParameters(cox, { time: undefined })],
      ['parameters.event: "ill" is not a level of status', withParameters(cox, { event: "ill" })],
      ["parameters.event: missing", withParameters(cox, { event: undefined })],
      ["label: missing: a Cox regression", { ...cox, label: undefined }],
      ["features[4].min: 0: follow-up begins there", change(cox, "months", { min: -1 })],
      ["features[4].edges: the last edge is the horizon", change(cox, "months", { edges: [12, 60] })],
      ["patient.maxRows: 1:", { ...cox, patient: { column: "id", maxRows: 3 } }],
      ["features: declare at least one", { ...cox, features: [months] }],
    ] as const)
      expect(faults(faulty).join("\n")).toContain(fault);
    const { below: _, ...negative } = months;
    expect(
      regressionIssues({
        ...regressionTestStudy("cox"),
        features: [...regressionFeatures, negative],
      } as never),
    ).toContainEqual([["features", 4, "below"], expect.stringContaining("reject-row: a value below 0")]);
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
