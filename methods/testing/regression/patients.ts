import { unwrap } from "@consilium/core/result";
import type { ColumnBlock } from "@consilium/core/study/design";
import seedrandom from "seedrandom";
import { asRegression, type RegressionStudy } from "../../regression/study.js";
import { normalStream } from "../../shared/draws/gaussian.js";
import { parseStudy } from "../studies.js";

/** Patients whose outcomes are drawn by known coefficients, for tests of a regression. */

export const regressionFeatures = [
  { name: "age", type: "numeric", min: 20, max: 100, unit: "years" },
  { name: "pressure", type: "numeric", min: 80, max: 200 },
  { name: "ward", type: "categorical", levels: ["surgery", "heart", "children"] },
  { name: "smoker", type: "categorical", levels: ["no", "yes"] },
] as const;

/** In the units of the columns; the reference is a patient of surgery who does not smoke. */
export const trueLogOdds: Readonly<Record<string, number>> = {
  "(intercept)": -4.6,
  age: 0.03,
  pressure: 0.012,
  "ward=heart": 0.7,
  "ward=children": -0.4,
  "smoker=yes": 0.5,
};

/** Of the length of stay, in days. */
export const trueDays: Readonly<Record<string, number>> = {
  "(intercept)": 2,
  age: 0.05,
  pressure: 0.02,
  "ward=heart": 2,
  "ward=children": -1,
  "smoker=yes": 1.5,
};
export const residualStdDev = 2.5;
export const stay = { name: "stay", type: "numeric", min: -5, max: 25, unit: "days" } as const;

/** @param outcome - `ill`: the label; `stay`: a last column of numbers */
export function drawnPatients(count: number, seed: string, outcome: "ill" | "stay"): ColumnBlock {
  const uniform = seedrandom(seed);
  const normal = normalStream(() => uniform.double());
  const columns = Array.from({ length: outcome === "stay" ? 5 : 4 }, () => new Float64Array(count));
  const labels = new Uint16Array(count);
  for (let r = 0; r < count; r++) {
    const age = 20 + 80 * uniform.double();
    const pressure = Math.min(200, Math.max(80, 110 + age / 3 + 15 * normal()));
    const ward = uniform.double() < 0.5 ? 0 : uniform.double() < 0.6 ? 1 : 2;
    const smoker = uniform.double() < 0.3 ? 1 : 0;
    [age, pressure, ward, smoker].forEach((value, j) => {
      columns[j]![r] = value;
    });
    const at = (truth: Readonly<Record<string, number>>) =>
      truth["(intercept)"]! +
      truth.age! * age +
      truth.pressure! * pressure +
      (ward === 1 ? truth["ward=heart"]! : ward === 2 ? truth["ward=children"]! : 0) +
      (smoker === 1 ? truth["smoker=yes"]! : 0);
    if (outcome === "ill") labels[r] = uniform.double() < 1 / (1 + Math.exp(-at(trueLogOdds))) ? 1 : 0;
    else columns[4]![r] = Math.min(25, Math.max(-5, at(trueDays) + residualStdDev * normal()));
  }
  return { rows: count, columns, labels: outcome === "ill" ? labels : null };
}

/** Dealt to three sites in turn. */
export function dealtToThree(block: ColumnBlock): ColumnBlock[][] {
  return [0, 1, 2].map((site) => {
    const rows = Array.from({ length: block.rows }, (_, r) => r).filter((r) => r % 3 === site);
    return [
      {
        rows: rows.length,
        columns: block.columns.map((column) => Float64Array.from(rows, (r) => column[r]!)),
        labels: block.labels === null ? null : Uint16Array.from(rows, (r) => block.labels![r]!),
      },
    ];
  });
}

/** A study of these patients. @param change - of its keys; `parameters` are added to */
export function regressionTestStudy(
  family: "logistic" | "linear",
  change: Record<string, unknown> = {},
): RegressionStudy {
  const isLinear = family === "linear";
  const { parameters, ...rest } = change;
  return asRegression(
    unwrap(
      parseStudy({
        name: "patients",
        table: "patients",
        analysis: "regression",
        features: isLinear ? [...regressionFeatures, stay] : regressionFeatures,
        ...(isLinear ? {} : { label: { name: "ill", levels: ["no", "yes"] } }),
        privacy: "none",
        participation: { sites: ["a", "b", "c"], minimumSites: 3, maxRowsPerSite: 5000, expectedRows: 6000 },
        ...rest,
        parameters: {
          family,
          ...(isLinear ? { outcome: "stay" } : {}),
          evaluation: "none",
          ...(parameters as object | undefined),
        },
      }),
    ),
  );
}
