import { simulateSums } from "@consilium/core/learning/sums";
import { plainKernels } from "@consilium/core/linalg/plain";
import { unwrap } from "@consilium/core/result";
import type { ColumnBlock } from "@consilium/core/study/design";
import { planStudy } from "@consilium/core/study/plan";
import { parseStudy } from "@consilium/methods/testing/studies";
import { cartAdaboostConversation } from "@consilium/methods-paper/cart-dps-adaboost/conversation";
import { asCartAdaboost } from "@consilium/methods-paper/cart-dps-adaboost/study";
import { cartAdaboostVector } from "@consilium/methods-paper/cart-dps-adaboost/vector";
import type { PaperMethod } from "../auditedMethod.js";

/** CART-DPsAdaBoost [JQM21] as the sites and the aggregator compute it, all in one process. */

const claim = { epsilon: 1, delta: 1e-5, relation: "replace-one" } as const;
const kernels = plainKernels();

const study = asCartAdaboost(
  unwrap(
    parseStudy({
      name: "audit",
      table: "records",
      analysis: "boosted-trees",
      method: "cart-dps-adaboost",
      variant: "paper",
      features: [{ name: "x", type: "numeric", min: 0, max: 1 }],
      label: { name: "y", levels: ["no", "yes"] },
      privacy: { epsilon: claim.epsilon, delta: claim.delta },
      participation: { maxRowsPerSite: 1000 },
      parameters: { trees: 1, depth: 1, bins: 2, holdOut: 0, evaluation: "none" },
    }),
  ),
);

/** Rows of one class, the last of which may be of the other. */
function blockOf(rows: number, last: 0 | 1): ColumnBlock {
  return {
    rows,
    columns: [Float64Array.from({ length: rows }, (_, i) => (i % 10) / 10)],
    labels: Uint16Array.from({ length: rows }, (_, i) => (i === rows - 1 ? last : 0)),
  };
}

/**
 * All records are of one class but perhaps one. α is computed from exact weights and published with the tree: a tree that
 * answers the one class errs on no record, or on exactly one.
 */
export const cartAdaboost: PaperMethod = {
  kind: "paper",
  name: "CART-DPsAdaBoost",
  claim,
  attacks: [
    {
      name: "the published weight of a tree tells its exact error",
      view: "every reader of the release",
      runs: 300,
      async sample({ table, runs, random }) {
        const tables = [[blockOf(100, table === "first" ? 0 : 1)], [blockOf(60, 0)], [blockOf(40, 0)]];
        const values = new Float64Array(runs);
        for (let i = 0; i < runs; i++) {
          const { trees } = await simulateSums({
            plan: planStudy(study),
            tables,
            kernels,
            random,
            vector: (id, input) => cartAdaboostVector(study, id, input),
            run: (conversation) => cartAdaboostConversation(study, conversation, random),
          });
          values[i] = trees[0]?.alpha ?? 0;
        }
        return values;
      },
    },
  ],
};
