import { planStudy } from "@consilium/core/study/plan";
import { english } from "@consilium/runtime/http/spoken";
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
import { partOf } from "./expected.js";
import {
  expectedHalfWidths,
  planRegression,
  type RegressionStudy,
  regressionIssues,
  regressionLayout,
} from "./study.js";

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

const numbers = (count: number) =>
  Array.from({ length: count }, (_, j) => ({ name: `x${j}`, type: "numeric", min: 0, max: 1 }));

function faults(change: Record<string, unknown>): string[] {
  const parsed = parseStudy({ ...source, ...change });
  return parsed.ok ? [] : parsed.error.issues.map(({ path, message }) => `${path}: ${english(message)}`);
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

  const shapesOf = (study: RegressionStudy) =>
    planRegression(study).stages.map((stage) => [
      stage.id,
      stage.kind === "sum" ? stage.length : null,
      stage.broadcasts.map(({ name, length }) => `${name} ${length}`),
    ]);

  it("has one sum of score and information a step, the first at 0; a linear one the Gram matrix, and squares of many rows", () => {
    const study = regressionTestStudy("logistic", {
      privacy,
      parameters: { steps: 3, evaluation: { heldOut: 0.2 } },
    });
    expect(shapesOf(study)).toEqual([
      ["sum-1", 27, []],
      ["sum-2", 27, ["coefficients 6"]],
      ["sum-3", 27, ["coefficients 6"]],
      ["evaluation", 40, ["coefficients 6", "cuts 19"]],
    ]);
    const linearOf = (expectedRows: number, change = {}) =>
      shapesOf(
        regressionTestStudy("linear", {
          privacy,
          participation: { minimumSites: 3, maxRowsPerSite: 5000, expectedRows },
          ...change,
        }),
      );
    const gram = ["gram", 28, []];
    expect(linearOf(1999)).toEqual([gram]);
    expect(linearOf(2000)).toEqual([gram, ["squares", 21, ["coefficients 6", "residualLimit 1"]]]);
    expect(linearOf(2000, { privacy: "none" })).toEqual([gram]);
  });

  it("has 25 sums without privacy, of which all but the first may be left out", () => {
    for (const family of ["logistic", "poisson", "cox"] as const) {
      const { stages } = planRegression(regressionTestStudy(family));
      const optional = stages.filter((stage) => stage.kind === "sum" && stage.mayBeSkipped === true);
      expect(optional.map(({ id }) => id)).toEqual(Array.from({ length: 24 }, (_, i) => `sum-${i + 2}`));
      expect(stages.length - optional.length).toBe(family === "logistic" ? 1 : 2);
      const noisy = planRegression(regressionTestStudy(family, { privacy })).stages;
      expect(noisy.some((stage) => stage.kind === "sum" && stage.mayBeSkipped === true)).toBe(false);
    }
  });

  it("costs no more than it asks for, and next to all of it", () => {
    for (const family of ["logistic", "linear", "poisson", "cox"] as const) {
      const { claim } = planStudy(regressionTestStudy(family, { privacy }));
      expect(claim).toMatchObject({ verdict: "proved", proof: "docs/METHODS.md#regression-proof" });
      expect(claim.epsilon).toBeLessThanOrEqual(1);
      expect(claim.epsilon).toBeGreaterThan(1 - 1e-9);
    }
  });

  it("gives the last sum most of the budget, and each before it more than the one before", () => {
    const sharesOf = (family: "logistic" | "cox", parameters = {}) => {
      const { start, sums } = regressionLayout(regressionTestStudy(family, { privacy, parameters }));
      return [...(start === null ? [] : [start]), ...sums].map(({ share }) => share);
    };
    expect(sharesOf("logistic")).toEqual([0.02, 0.05, 0.06, 0.09, 0.18, 0.6]);
    expect(sharesOf("cox")).toEqual([0.04, 0.06, 0.1, 0.2, 0.6]);
    for (let steps = 3; steps <= 20; steps++) {
      const shares = sharesOf("cox", { steps });
      expect(shares).toHaveLength(steps);
      expect(shares.at(-1)).toBe(0.6);
      expect(shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 12);
      shares.slice(1).forEach((share, i) => {
        expect(share).toBeGreaterThan(shares[i]!);
      });
    }
    // To the last bit, whatever a program's powers are.
    expect(sharesOf("cox", { steps: 7 })).toEqual([
      0.015755832013525258, 0.024971310899797063, 0.03957686065191837, 0.06272509702620754,
      0.09941257927329916, 0.15755832013525264, 0.6,
    ]);
    const study = regressionTestStudy("cox", {
      privacy,
      participation: { minimumSites: 3, maxRowsPerSite: 9000 },
    });
    expect(shapesOf({ ...study, rosterSites: 40 })).toEqual(shapesOf(study));
  });

  it("cuts a patient's hazard where hardly anybody's is larger by the events that are expected, and nobody's without privacy", () => {
    const capOf = (participation: Record<string, unknown>, change: Record<string, unknown> = {}) =>
      regressionLayout(
        regressionTestStudy("cox", {
          privacy,
          participation: { minimumSites: 3, maxRowsPerSite: 5000, ...participation },
          ...change,
        }),
      ).cap;
    expect(capOf({ expectedRows: 6000 })).toBe(0.5);
    expect(capOf({ expectedRows: 6000, expectedEvents: 600 })).toBeCloseTo(0.7, 12);
    expect(capOf({ expectedRows: 6000, expectedEvents: 60 })).toBe(0.3);
    expect(capOf({ expectedRows: 6000, expectedEvents: 6000 })).toBe(3);
    // Of the 7,500 that half of the most are.
    expect(capOf({ expectedEvents: 750 })).toBeCloseTo(0.7, 12);
    expect(capOf({ expectedRows: 6000 }, { parameters: { maxHazard: 1.2 } })).toBe(1.2);
    expect(capOf({}, { privacy: "none", parameters: { maxHazard: 1.2 } })).toBe(64);
    const countsOf = (max: number, change: Record<string, unknown> = {}) =>
      regressionLayout(
        regressionTestStudy("poisson", {
          privacy,
          features: [...regressionFeatures, { ...visits, max }, years],
          ...change,
        }),
      ).cap;
    expect([8, 2, 1, 0.5].map((max) => countsOf(max))).toEqual([4, 1, 1, 0.5]);
    expect(countsOf(8, { parameters: { maxEvents: 3 } })).toBe(3);
    expect([1, 8, 365].map((max) => countsOf(max, { privacy: "none" }))).toEqual([16, 16, 730]);
  });

  it("has the finest grid that 64-bit sums hold, up to 2^-22", () => {
    const exponentOf = (study: RegressionStudy) => regressionLayout(study).design.gridExponent;
    for (const family of ["logistic", "poisson", "cox"] as const)
      expect(exponentOf(regressionTestStudy(family, { privacy }))).toBe(22);
    const participation = { minimumSites: 3, maxRowsPerSite: 1_000_000_000 };
    const large = exponentOf(
      regressionTestStudy("logistic", { privacy, participation, features: numbers(60) }),
    );
    expect(large).toBeGreaterThanOrEqual(20);
    expect(large).toBeLessThan(22);
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
    const parameters = { steps: 4 };
    const counted = ["coefficients 6"];
    expect(shapesOf(regressionTestStudy("poisson", { privacy, parameters }))).toEqual([
      ["start", 2, []],
      ["sum-1", 29, counted],
      ["sum-2", 29, counted],
      ["sum-3", 29, counted],
    ]);
    // Without an intercept: five columns and ten intervals.
    const followed = ["coefficients 5", "baseline 10"];
    expect(shapesOf(regressionTestStudy("cox", { privacy, parameters }))).toEqual([
      ["start", 20, []],
      ["sum-1", 91, followed],
      ["sum-2", 91, followed],
      ["sum-3", 91, followed],
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
      ["parameters.maxHazard: only with family: cox", withParameters(poisson, { maxHazard: 1 })],
      ["parameters.maxHazard: greater than 0", withParameters(cox, { maxHazard: 0 })],
      ["parameters.maxHazard: at most 20", withParameters(cox, { maxHazard: 20.5 })],
      ["parameters.maxEvents: only with family: poisson", withParameters(cox, { maxEvents: 1 })],
      ["parameters.maxEvents: greater than 0", withParameters(poisson, { maxEvents: 0 })],
      [
        "participation.expectedEvents: more than expectedRows",
        {
          ...cox,
          participation: {
            minimumSites: 3,
            maxRowsPerSite: 5000,
            expectedRows: 900,
            expectedEvents: 901,
          },
        },
      ],
    ] as const)
      expect(faults(faulty).join("\n")).toContain(fault);
    const { below: _, ...negative } = months;
    expect(
      regressionIssues({
        ...regressionTestStudy("cox"),
        features: [...regressionFeatures, negative],
      } as never),
    ).toContainEqual([["features", 4, "below"], { code: "regression.value-below", params: { min: 0 } }]);
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
      )
        .warnings.map(english)
        .join("\n");
    expect(warnings(500)).toMatch(/at most \d of 5 coefficients can have an interval of use/);
    expect(warnings(100_000)).not.toContain("interval of use");
  });

  it("expects of intervals what events, noise and its own bound on hazards allow, and none where noise hides the information", () => {
    const widths = (
      family: "logistic" | "cox",
      epsilon: number,
      expectedEvents?: number,
      parameters: Record<string, unknown> = {},
    ) =>
      expectedHalfWidths(
        regressionTestStudy(family, {
          parameters,
          privacy: { epsilon, delta: 1e-6 },
          participation: { minimumSites: 3, maxRowsPerSite: 20_000, expectedRows: 10_000, expectedEvents },
        }),
        10_000,
      ).map(({ halfWidth }) => halfWidth);
    // 10,000 rows of which half smoke and a tenth is ill: with noise of 8.4 a standard error of √(225 + 70)/225.
    const [age, , , smoker] = widths("logistic", 1, 1000);
    expect(smoker! / 1.96).toBeGreaterThan(0.07);
    expect(smoker! / 1.96).toBeLessThan(0.1);
    expect(age).toBeGreaterThan(smoker!);
    expect(widths("logistic", 1)[3]).toBeLessThan(smoker!);
    // Fewer events tell less, but the cap that follows them takes most of the noise away.
    expect(widths("cox", 1, 1000)[3]).toBeLessThan(widths("cox", 1, 1000, { maxHazard: 3 })[3]!);
    expect(widths("cox", 1, 100)[3]).toBeGreaterThan(widths("cox", 1, 1000)[3]!);
    expect(widths("cox", 0.05, 100)[0]).toBe(Number.POSITIVE_INFINITY);
  });

  it("of counts may expect more of them than rows, whose mean a forecast takes", () => {
    const participation = { minimumSites: 3, maxRowsPerSite: 5000, expectedRows: 900, expectedEvents: 7200 };
    expect(faults({ ...poisson, participation })).toEqual([]);
    expect(partOf(regressionTestStudy("poisson", { participation }))).toBe(8);
    expect(faults({ ...cox, participation }).join()).toContain("more than expectedRows");
  });

  it("is refused where rows of a patient count as independent, in words that say what to write", () => {
    const patient = (keys: Record<string, unknown>) => ({ patient: { column: "id", ...keys } });
    for (const change of [
      {},
      patient({ maxRows: 1, weighting: "rows" }),
      patient({ maxRows: 3 }),
      patient({ maxRows: 3, weighting: "patients" }),
    ])
      expect(faults(change)).toEqual([]);
    const parsed = parseStudy({ ...source, ...patient({ maxRows: 3, weighting: "rows" }) });
    expect(parsed.ok || parsed.error.issues).toEqual([
      { path: "patient.weighting", message: 'plan.unweighted-rows {"rows":3}' },
    ]);
    expect(parsed.ok || english(parsed.error.message)).toMatch(
      /^patient\.weighting: intervals take rows .* up to 3 rows .* weighting: patients/,
    );
  });

  it("warns that hospitals count as one, and of counts beyond their bound, as facts", () => {
    const warnings = (study: RegressionStudy) =>
      planRegression(study).warnings.filter((warning) => /^plan\.(?:hospitals|counts)/.test(warning));
    const pooled = "plan.hospitals-pooled {}";
    for (const change of [{}, { privacy }]) {
      for (const family of ["logistic", "linear", "cox"] as const)
        expect(warnings(regressionTestStudy(family, change))).toEqual([pooled]);
      expect(warnings(regressionTestStudy("poisson", change))).toEqual([
        pooled,
        'plan.counts-beyond-max {"max":8,"outcome":"visits"}',
      ]);
    }
  });

  it("has no more coefficients than a record's sum takes a millisecond for", () => {
    expect(faults({ features: numbers(399), privacy: "none" })).toEqual([]);
    expect(faults({ features: numbers(400), privacy: "none" })).toEqual([
      "features: 401 coefficients are over the limit of 400; declare fewer features or levels",
    ]);
    expect(faults({ ...cox, features: [...numbers(391), months], privacy: "none" }).join()).toContain(
      "401 coefficients are over the limit of 400",
    );
    expect(faults({ ...linear, features: [...numbers(499), stay], privacy: "none" })).toEqual([]);
  });
});
