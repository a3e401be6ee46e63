import { unwrap } from "@consilium/core/result";
import { describe, expect, it } from "vitest";
import {
  coxCell,
  type Drawn,
  Draws,
  level,
  linearCell,
  logisticCell,
  number,
  poissonCell,
} from "../testing/regression/cells.js";
import { withoutNoise } from "../testing/regression/coverage.js";
import { parseStudy } from "../testing/studies.js";
import type { RegressionResult } from "./conversation.js";
import { estimatesOf, noEffect } from "./estimates.js";
import { asRegression, regressionLayout } from "./study.js";

/** Tables of which nothing goes with the outcome, and no more rows than noise shows in. */
const nothing = { epsilon: 4, columns: [number(), level(0.3)], effects: [0, 0] };
const half = { min: -0.5, max: 0.5 };
const columns = [
  { name: "number", type: "numeric", ...half },
  { name: "level", type: "categorical", levels: ["no", "yes"] },
];
const ill = { name: "status", levels: ["well", "ill"] };

const linear = {
  features: [...columns, { name: "score", type: "numeric", ...half }],
  parameters: { outcome: "score" },
};

interface Family {
  readonly name?: string;
  readonly family: string;
  readonly draw: (draws: Draws) => Promise<Drawn>;
  readonly declared: object;
  /** The noise of the squared residuals only ever adds to the variance: fewer p values are small. */
  readonly isCautious?: true;
}

const families: readonly Family[] = [
  {
    family: "logistic",
    draw: logisticCell({ ...nothing, rows: 1000, prevalence: 0.3 }),
    declared: { features: columns, label: ill },
  },
  {
    family: "poisson",
    draw: poissonCell({ ...nothing, rows: 1500, mean: 0.5, frailty: 0, most: 2, cap: 1 }),
    declared: {
      features: [...columns, { name: "visits", type: "numeric", min: 0, max: 2, below: "reject-row" }],
      parameters: { outcome: "visits", maxEvents: 1 },
    },
  },
  {
    family: "cox",
    draw: coxCell({ ...nothing, rows: 1500, hazard: 0.9, cap: 2, intervals: 2 }),
    declared: {
      features: [...columns, { name: "months", type: "numeric", min: 0, max: 1, below: "reject-row" }],
      label: ill,
      parameters: { time: "months", event: "ill", intervals: 2, maxHazard: 2 },
    },
  },
  {
    family: "linear",
    draw: linearCell({ ...nothing, rows: 1000, residual: "normal", robust: 0 }),
    declared: linear,
  },
  {
    family: "linear",
    name: "linear with squared residuals",
    draw: linearCell({ ...nothing, rows: 1000, residual: "normal", robust: 0.1 }),
    declared: linear,
    isCautious: true,
  },
];

const studyOf = ({ family, declared }: Family) =>
  asRegression(
    unwrap(
      parseStudy({
        name: "null",
        table: "patients",
        analysis: "regression",
        privacy: { epsilon: 4, delta: 1e-5 },
        participation: { minimumSites: 3, maxRowsPerSite: 1000 },
        ...declared,
        parameters: { family, ...("parameters" in declared ? (declared.parameters as object) : {}) },
      }),
    ),
  );

const tables = 1000;
const levels = [0.01, 0.05, 0.1] as const;
/** Three binomial errors of so many p values: at 1, 5 and 10 % .7, 1.5 and 2.0 points of 2,000, and .9, 2.1 and 2.8 of 1,000. */
const room = (part: number, of: number) => 3 * Math.sqrt((part * (1 - part)) / of);
const below = (values: readonly number[], part: number) =>
  values.filter((value) => value < part).length / values.length;

describe("a p value is below 1, 5 and 10 % in as many tables where there is no effect", () => {
  it.each(families.map((one) => [one.name ?? one.family, one] as const))("%s", async (_, family) => {
    const study = studyOf(family);
    const { design, parameters: d } = regressionLayout(study);
    const tested = design.columns.flatMap(({ feature }, j) => (feature === null ? [] : [j]));
    const draws = new Draws(23);
    const alone: number[] = [];
    const together: number[] = [];
    const forgetful: number[] = [];
    let printed = 0;
    for (let table = 0; table < tables; table++) {
      const { fit } = await family.draw(draws);
      const own = tested.map((j) => noEffect(study, fit.score, j)!);
      alone.push(...own);
      const rows = tested.map((j) => Float64Array.from({ length: d }, (_, i) => (i === j ? 1 : 0)));
      together.push(fit.score.pValue(rows, [0, 0]));
      if (table < 300) forgetful.push(...tested.map((j) => noEffect(study, withoutNoise(fit), j)!));
      if (table >= 10) continue;
      // What is printed is these.
      const estimates = await estimatesOf(study, { fit } as RegressionResult);
      tested.forEach((j, i) => {
        const { found } = estimates[j]!;
        if (found === null) return;
        printed++;
        expect(found.pValue).toBe(own[i]);
      });
    }
    expect(printed).toBeGreaterThan(10);
    for (const part of levels) {
      // Both columns' p values of a table hardly depend on each other.
      for (const values of [alone, together]) {
        const off = below(values, part) - part;
        expect(family.isCautious ? off : Math.abs(off)).toBeLessThanOrEqual(room(part, values.length));
      }
      // The control: a test that forgets the noise.
      expect(below(forgetful, part) - part).toBeGreaterThan(room(part, forgetful.length));
    }
  });
});
