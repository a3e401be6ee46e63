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

/** Of the rate of visits in a year, and of the hazard of death in a month: logarithms. */
export const trueLogRates: Readonly<Record<string, number>> = {
  "(intercept)": -4.4,
  age: 0.02,
  pressure: 0.012,
  "ward=heart": 0.6,
  "ward=children": -0.4,
  "smoker=yes": 0.5,
};
export const trueLogHazards: Readonly<Record<string, number>> = {
  "(intercept)": -8.7,
  age: 0.03,
  pressure: 0.008,
  "ward=heart": 0.6,
  "ward=children": -0.4,
  "smoker=yes": 0.5,
};
export const visits = { name: "visits", type: "numeric", min: 0, max: 8, below: "reject-row" } as const;
export const years = { name: "years", type: "numeric", min: 0.25, max: 1, below: "reject-row" } as const;
export const months = {
  name: "months",
  type: "numeric",
  min: 0,
  max: 60,
  below: "reject-row",
  unit: "months",
} as const;
export const status = { name: "status", levels: ["alive", "dead", "moved away"] } as const;

/** What is drawn for each family. */
const outcomes = { logistic: "ill", linear: "stay", poisson: "visits", cox: "death" } as const;
export type Family = keyof typeof outcomes;
export type Outcome = (typeof outcomes)[Family];
export const outcomeOf = (family: Family): Outcome => outcomes[family];
export const truths: Readonly<Record<Family, Readonly<Record<string, number>>>> = {
  logistic: trueLogOdds,
  linear: trueDays,
  poisson: trueLogRates,
  cox: trueLogHazards,
};

const isLabel = (outcome: Outcome) => outcome === "ill" || outcome === "death";
const ownColumns = { ill: 0, stay: 1, visits: 2, death: 1 } as const;

/**
 * @param outcome - `ill`: the label; `stay`: a last column of numbers; `visits`: two, of counts and years; `death`: one of months, and the label
 */
export function drawnPatients(count: number, seed: string, outcome: Outcome): ColumnBlock {
  const uniform = seedrandom(seed);
  const normal = normalStream(() => uniform.double());
  const columns = Array.from({ length: 4 + ownColumns[outcome] }, () => new Float64Array(count));
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
    const waiting = () => -Math.log(1 - uniform.double());
    if (outcome === "ill") labels[r] = uniform.double() < 1 / (1 + Math.exp(-at(trueLogOdds))) ? 1 : 0;
    else if (outcome === "stay")
      columns[4]![r] = Math.min(25, Math.max(-5, at(trueDays) + residualStdDev * normal()));
    else if (outcome === "visits") {
      const observed = years.min + (years.max - years.min) * uniform.double();
      let seen = -1;
      for (let left = observed * Math.exp(at(trueLogRates)); left >= 0; left -= waiting()) seen++;
      columns[4]![r] = Math.min(visits.max, seen);
      columns[5]![r] = observed;
    } else {
      // Three in ten move away, at any time alike.
      const death = waiting() / Math.exp(at(trueLogHazards));
      const move = uniform.double() < 0.3 ? months.max * uniform.double() : months.max;
      columns[4]![r] = Math.min(death, move);
      labels[r] = death < move ? 1 : move < months.max ? 2 : 0;
    }
  }
  return { rows: count, columns, labels: isLabel(outcome) ? labels : null };
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

/** What a study declares for a family beside its features. */
const familyKeys = {
  logistic: { own: [], parameters: {}, label: { name: "ill", levels: ["no", "yes"] } },
  linear: { own: [stay], parameters: { outcome: "stay" }, label: undefined },
  poisson: { own: [visits, years], parameters: { outcome: "visits", exposure: "years" }, label: undefined },
  cox: { own: [months], parameters: { time: "months", event: "dead" }, label: status },
} as const;

/** A study of these patients. @param change - of its keys; `parameters` are added to */
export function regressionTestStudy(family: Family, change: Record<string, unknown> = {}): RegressionStudy {
  const { own, label, parameters: ownParameters } = familyKeys[family];
  const { parameters, ...rest } = change;
  return asRegression(
    unwrap(
      parseStudy({
        name: "patients",
        table: "patients",
        analysis: "regression",
        features: [...regressionFeatures, ...own],
        ...(label === undefined ? {} : { label }),
        privacy: "none",
        participation: { sites: ["a", "b", "c"], minimumSites: 3, maxRowsPerSite: 5000, expectedRows: 6000 },
        ...rest,
        parameters: {
          family,
          ...ownParameters,
          evaluation: "none",
          ...(parameters as object | undefined),
        },
      }),
    ),
  );
}
