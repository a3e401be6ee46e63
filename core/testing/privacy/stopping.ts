import { epsilonFromRho } from "../../src/privacy/conversions.js";
import { zcdpAccountant } from "../../src/privacy/zcdp.js";
import type { Plan } from "../../src/study/plan.js";

/**
 * The δ of a statement about a study that noisy results may end early, under the worst rule of all that see the noise: by
 * backward induction over the privacy loss of continuous Gaussian noise. For tests and the audit.
 */

/** A study of stages that all run, then of tests that a rule ends, then of stages that follow the end. */
export interface StoppedStudy {
  /** ρ of what comes before the tests. */
  readonly before: number;
  /** ρ of each test. */
  readonly each: number;
  readonly tests: number;
  /**
   * How the study may continue where the tests end after so many, at least one.
   * @returns the ε that is stated then, and ρ of what is still to come
   */
  endings(made: number): readonly { readonly epsilon: number; readonly after: number }[];
}

/**
 * dp-ka as its rules let it end: a candidate that is accepted may leave all later ones too large for a test, and where all
 * candidates are rejected there is no table.
 * @param statement - what the certificate would state: the plan's ε, or that of the stages that took place
 */
export function dpKaEndings(plan: Plan, statement: "plan" | "realised"): StoppedStudy {
  const { delta, epsilon } = plan.claim;
  const rhoOf = (isMeant: (id: string) => boolean): number => {
    const accountant = zcdpAccountant({ neighbouringRelation: "add-remove" });
    for (const { id, disclosure } of plan.stages) if (isMeant(id)) accountant.compose(disclosure.event);
    return accountant.rho();
  };
  const isTest = (id: string) => id.startsWith("test-");
  const isAfter = (id: string) => id === "table" || id === "evaluation";
  const before = rhoOf((id) => !isTest(id) && !isAfter(id));
  const tests = plan.stages.filter(({ id }) => isTest(id)).length;
  const each = rhoOf(isTest) / tests;
  const ending = (made: number, after: number) => ({
    epsilon:
      statement === "plan" ? epsilon! : epsilonFromRho({ rho: before + made * each + after, delta: delta! }),
    after,
  });
  const [whole, noTable] = [rhoOf(isAfter), rhoOf((id) => id === "evaluation")];
  return {
    before,
    each,
    tests,
    endings: (made) => [ending(made, whole), ...(made === tests ? [ending(made, noTable)] : [])],
  };
}

/** Of the standard normal above x, right in the far tail too: by Simpson's rule. */
function upperTail(x: number): number {
  const density = (t: number) => Math.exp((-t * t) / 2) / Math.sqrt(2 * Math.PI);
  const [steps, width] = [400, 12];
  let sum = 0;
  for (let i = 0; i <= steps; i++) {
    const weight = i === 0 || i === steps ? 1 : i % 2 === 1 ? 4 : 2;
    sum += weight * density(x + (i * width) / steps);
  }
  return (sum * width) / steps / 3;
}

/** E[(1 - e^(ε - L))+] of a privacy loss L with this much so far, and variance v to come. */
function excess(epsilon: number, loss: number, v: number): number {
  if (v <= 0) return Math.max(0, 1 - Math.exp(epsilon - loss));
  const s = Math.sqrt(v);
  return (
    upperTail((epsilon - loss - v / 2) / s) -
    Math.exp(epsilon - loss) * upperTail((epsilon - loss + v / 2) / s)
  );
}

/** The δ of what is stated at each ending, whatever rule chooses it. */
export function worstStoppedDelta({ before, each, tests, endings }: StoppedStudy): number {
  const step = Math.sqrt(2 * each) / 4;
  const low = -1;
  const points = Math.ceil(3 / step);
  const at = (i: number) => low + i * step;
  const ended = (made: number) => {
    const ways = endings(made);
    return Float64Array.from({ length: points }, (_, i) =>
      Math.max(...ways.map(({ epsilon, after }) => excess(epsilon, at(i), 2 * after))),
    );
  };
  const reach = 24;
  const kernel = Float64Array.from({ length: 2 * reach + 1 }, (_, k) => {
    const x = (k - reach) * step - each;
    return (step / Math.sqrt(4 * Math.PI * each)) * Math.exp((-x * x) / (4 * each));
  });
  let value = ended(tests);
  for (let made = tests - 1; made >= 0; made--) {
    const next = value;
    const now = made === 0 ? null : ended(made);
    value = Float64Array.from({ length: points }, (_, i) => {
      let onwards = 0;
      for (let k = 0; k < kernel.length; k++)
        onwards += kernel[k]! * next[Math.min(points - 1, Math.max(0, i + k - reach))]!;
      return now === null ? onwards : Math.max(onwards, now[i]!);
    });
  }
  // The loss of what comes before the tests.
  let sum = 0;
  for (let i = 0; i < points; i++) {
    const x = at(i) - before;
    sum += (step / Math.sqrt(4 * Math.PI * before)) * Math.exp((-x * x) / (4 * before)) * value[i]!;
  }
  return sum;
}
