import { simulateSums } from "@consilium/core/learning/sums";
import { plainKernels } from "@consilium/core/linalg/plain";
import type { ColumnBlock } from "@consilium/core/study/design";
import type { SoundStage } from "@consilium/core/study/soundSums";
import { seededRandom } from "@consilium/core/testing/privacy/random";
import { expect, it } from "vitest";
import { dealtToThree, drawnPatients, regressionTestStudy } from "../testing/regression/patients.js";
import { regressionVector } from "../testing/vectors.js";
import { roundedCoefficients } from "./coefficients.js";
import { cholesky, solved } from "./dense.js";
import { type OpenedSum, openedStart, openedSum, type Start } from "./openedSum.js";
import { baselineName, coefficientsName, planRegression, regressionLayout } from "./study.js";

type Family = "logistic" | "poisson" | "cox";
const outcomes = { logistic: "ill", poisson: "visits", cox: "death" } as const;

/** Rows in the units of the columns, and everything in floating point: a fit that knows no sum of integers. */
function plainSum(family: Family, { rows, columns, labels }: ColumnBlock, point: Float64Array) {
  const intervals = family === "cox" ? 10 : 0;
  const score = point.map(() => 0);
  const d = point.length;
  const information = new Float64Array(d * d);
  let largest = 0;
  const add = (z: readonly number[], residual: number, weight: number) => {
    z.forEach((zi, i) => {
      score[i]! += residual * zi;
      z.forEach((zj, j) => {
        information[i * d + j]! += weight * zi * zj;
      });
    });
  };
  for (let r = 0; r < rows; r++) {
    const [age, pressure, ward, smoker, own, exposure] = columns.map((column) => column[r]!);
    const x = [
      ...(family === "cox" ? [] : [1]),
      (age! - 60) / 80,
      (pressure! - 140) / 120,
      (ward === 1 ? 1 : 0) - 0.5,
      (ward === 2 ? 1 : 0) - 0.5,
      smoker! - 0.5,
    ];
    const eta = x.reduce((sum, value, j) => sum + value * point[j]!, 0);
    if (family === "logistic") {
      const p = 1 / (1 + Math.exp(-eta));
      add(x, labels![r]! - p, p * (1 - p));
    } else if (family === "poisson") {
      const mean = exposure! * Math.exp(eta);
      add(x, own! - mean, mean);
    } else {
      let all = 0;
      for (let k = 0; k < intervals && 6 * k < own!; k++) {
        const hazard = (Math.exp(eta + point[5 + k]!) * Math.min(6, own! - 6 * k)) / 60;
        const died = labels![r] === 1 && own! < 60 && own! <= 6 * (k + 1) ? 1 : 0;
        add(
          [...x, ...Array.from({ length: intervals }, (_, other) => (other === k ? 1 : 0))],
          died - hazard,
          hazard,
        );
        all += hazard;
      }
      largest = Math.max(largest, all);
    }
  }
  return { score, information, largest };
}

const steps = ({ score, information }: Pick<OpenedSum, "score" | "information">) =>
  solved(cholesky(information, score.length), score.length, score);
const moved = (point: Float64Array, step: Float64Array) => point.map((value, j) => value + step[j]!);

it.each(["logistic", "poisson", "cox"] as const)(
  "takes Newton's steps of a %s regression to the plain fit where there is no noise, and then no further sum",
  async (family) => {
    const study = regressionTestStudy(family);
    const layout = regressionLayout(study);
    const block = drawnPatients(3000, `plain ${family}`, outcomes[family]);
    const asked: string[] = [];
    const { point, opened } = await simulateSums({
      plan: planRegression(study),
      tables: dealtToThree(block),
      kernels: plainKernels(),
      random: seededRandom("sites"),
      vector: (stage, input) => regressionVector(study, stage, input),
      async run(conversation) {
        const ask = async (stage: SoundStage, at: Float64Array | null) => {
          asked.push(stage.id);
          const sum = await conversation.sum(
            stage.id,
            at === null || stage.broadcasts.length === 0
              ? {}
              : {
                  [coefficientsName]: at.slice(0, layout.columns),
                  ...(family === "cox" ? { [baselineName]: at.slice(layout.columns) } : {}),
                },
          );
          return Float64Array.from(new BigInt64Array(sum.buffer), (q) => Number(q) / stage.integersPerUnit);
        };
        let point: Float64Array = new Float64Array(layout.parameters);
        if (layout.start !== null)
          point = begin(family, point, openedStart(layout, await ask(layout.start, null), 0));
        for (const stage of layout.sums) {
          point = roundedCoefficients(point);
          const opened = openedSum(layout, stage, await ask(stage, point), 0);
          const step = steps(opened);
          if (step.reduce((sum, value, j) => sum + value * opened.score[j]!, 0) < endOfPath)
            return { point, opened };
          point = moved(point, step);
        }
        throw new Error("25 sums are not enough");
      },
    });
    expect(asked.length).toBeLessThan(12);
    let plain = point;
    for (let i = 0; i < 5; i++) plain = moved(plain, steps(plainSum(family, block, plain)));
    const { information, largest } = plainSum(family, block, plain);
    // A hundredth of a standard error is further than cutting to the grid takes any coefficient.
    const lower = cholesky(information, point.length);
    point.forEach((value, j) => {
      const unit = Float64Array.from(point, (_, i) => (i === j ? 1 : 0));
      const error = Math.sqrt(solved(lower, point.length, unit)[j]!);
      expect(Math.abs(value - plain[j]!)).toBeLessThan(error / 100);
    });
    if (family === "cox") {
      // Late follow-up of patients at high risk counts in full, and nobody is cut.
      expect(largest).toBeGreaterThan(1.2);
      expect(opened.bounded).toBe(0);
    }
  },
);

/** g'I⁻¹g of 10⁻⁴ standard errors: sums of integers are a staircase in the coefficients. */
const endOfPath = 1e-8;

/** The mean rate, at the columns' middle or in every interval. */
function begin(family: Family, point: Float64Array, { events, exposures }: Start): Float64Array {
  const all = (values: Float64Array) => values.reduce((sum, value) => sum + value, 0);
  const rate = Math.log(all(events) / all(exposures));
  return point.map((_, j) => ((family === "cox" ? j >= 5 : j === 0) ? rate : 0));
}
