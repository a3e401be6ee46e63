import { describe, expect, it } from "vitest";
import {
  coverageGrid,
  coxCell,
  type Drawn,
  Draws,
  level,
  linearCell,
  logisticCell,
  number,
  poissonCell,
} from "../testing/regression/cells.js";
import { heldOf } from "../testing/regression/coverage.js";

/** Small tables, on which the noise is as large as what is drawn. */
const columns = [number(), level(0.3)];
const tables = 3000;
const cells: readonly (readonly [string, (draws: Draws) => Promise<Drawn>])[] = [
  ["logistic", logisticCell({ rows: 600, epsilon: 4, prevalence: 0.3, columns, effects: [2, -0.8] })],
  [
    "poisson",
    poissonCell({
      rows: 600,
      epsilon: 4,
      mean: 0.8,
      frailty: 0.5,
      most: 10,
      cap: 4,
      columns,
      effects: [2, -0.8],
    }),
  ],
  ["cox", coxCell({ rows: 600, epsilon: 4, hazard: 0.9, cap: 2, intervals: 3, columns, effects: [2, -0.8] })],
  [
    "linear",
    linearCell({ rows: 1000, epsilon: 1, residual: "normal", robust: 0.1, columns, effects: [0.25, 0.07] }),
  ],
];

describe("an interval of 95 % holds every coefficient by itself in 93 % of the tables at least", () => {
  it.each(cells)("%s", async (_, draw) => {
    const { held, forgetful } = await heldOf(draw, { tables, seed: 11 });
    expect(Math.min(...held)).toBeGreaterThanOrEqual(0.93);
    // The control: a test that forgets the noise does not.
    expect(Math.min(...forgetful)).toBeLessThan(0.9);
  });
});

describe("a path of eleven columns whose effects are far from 0 arrives", () => {
  it.each([
    "Cox, 50,000 rows, ε 4, 11 columns, 55 % events",
    "Poisson, 50,000 rows, ε 4, 11 columns, mean 0.6",
  ])("%s", async (name) => {
    const draw = coverageGrid()
      .find((cell) => cell.name === name)!
      .draw();
    const { fit } = await draw(new Draws(13));
    expect(fit.hasArrived).toBe(true);
  });
});
