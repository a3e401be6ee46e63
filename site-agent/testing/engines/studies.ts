import { namesOf } from "@consilium/core/method/method";
import { soundMethods } from "@consilium/methods/all";
import { documentOf } from "./stages.js";

/**
 * For tests: a study of every sound method that is computed in shares, over a table with the columns who, x, y, c, ill and day. A method
 * may have several, whose stages ask for other kinds of sums.
 */

export const visitsStudy = {
  name: "shares",
  table: "visits",
  features: [
    { name: "x", type: "numeric", min: 0, max: 1, missing: { constant: 0.5 } },
    { name: "y", type: "numeric", min: 0, max: 1 },
    { name: "c", type: "categorical", levels: ["u", "v"] },
  ],
  label: { name: "ill", levels: ["no", "yes"] },
  privacy: { epsilon: 4, delta: 1e-6 },
  participation: { sites: ["a", "b", "c", "d"], minimumSites: 3, maxRowsPerSite: 10_000 },
};

const evaluation = { heldOut: 0.3, share: 0.1 };
const timed = {
  features: [{ name: "day", type: "numeric", min: 0, max: 1000 }, visitsStudy.features[2]],
};
const regression = (parameters: object, more: object = {}) => ({
  analysis: "regression",
  parameters: { evaluation: "none", ...parameters },
  ...more,
});

/** By name: what of `visitsStudy` is other. */
export const sharedStudies: Readonly<Record<string, object>> = {
  describe: { analysis: "describe", parameters: { tables: [["c", "x"]], bins: 4 } },
  counts: {
    analysis: "describe",
    method: "counts",
    label: undefined,
    parameters: {
      conditions: [
        { name: "all", all: [] },
        { name: "high", all: [{ column: "x", atLeast: 0.5 }] },
        {
          name: "both",
          all: [
            { column: "x", atLeast: 0.5 },
            { column: "y", atLeast: 0.2 },
          ],
        },
      ],
    },
  },
  "regression, logistic": regression({ family: "logistic", steps: 3 }),
  "regression, linear": regression({ family: "linear", outcome: "y" }, { label: undefined }),
  "regression, cox": regression({ family: "cox", time: "day", event: "yes", intervals: 4, steps: 3 }, timed),
  survival: { analysis: "survival", parameters: { event: "yes", intervals: 5 }, ...timed },
  "synthetic-table": { analysis: "synthetic-table", label: undefined, parameters: { bins: 4 } },
  "dp-histboost": {
    analysis: "boosted-trees",
    parameters: { trees: 2, depth: 2, featuresPerNode: 2, evaluation },
  },
  "dp-additive": { analysis: "boosted-trees", method: "dp-additive", parameters: { epochs: 2, evaluation } },
  "dp-ka by boosting": {
    analysis: "k-anonymous-selection",
    method: "dp-ka",
    parameters: { k: 3, order: "boosting", trees: 1, depth: 2, kappa: 0.9, evaluation },
  },
  "dp-ka by one histogram": {
    analysis: "k-anonymous-selection",
    method: "dp-ka",
    parameters: { k: 3, order: "histogram", kappa: 0.9, evaluation },
  },
  "dp-pcc": { analysis: "correlation-tree", method: "dp-pcc", parameters: { depth: 2, evaluation } },
  "felp-a": {
    analysis: "feature-selection",
    method: "felp-a",
    parameters: { select: 1, rounds: 2, clip: 0.2 },
  },
  ...Object.fromEntries(
    ["one-round", "two-round", "iteration"].map((form) => [
      `dp-pca, ${form}`,
      { analysis: "pca", parameters: { components: 1, form, ball: "private", radius: 0.8 } },
    ]),
  ),
};

/** The same for patients: those who are followed up for some time have one row, others two. */
export const perPatient = (own: object) => ({
  ...own,
  patient: { column: "who", maxRows: "features" in own ? 1 : 2 },
});

/** Methods that are computed in shares and have no study here. */
export function methodsWithoutStudy(): string[] {
  const studied = Object.values(sharedStudies).map(
    (own) => documentOf({ ...visitsStudy, ...own }).study.method,
  );
  return soundMethods
    .filter(({ answersByBlocks }) => answersByBlocks !== true)
    .flatMap(namesOf)
    .filter((name) => !studied.some((method) => method === name));
}
