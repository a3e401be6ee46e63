import type { AuditedMethod } from "../auditedMethod.js";
import { additive, additiveMutations } from "./additive.js";
import { cartAdaboost } from "./cartAdaboost.js";
import { correlationTreeMutations, correlationTrees } from "./correlationTree.js";
import { descriptionMutations, descriptions } from "./describe.js";
import { dpKa, dpKaMutations, dpKaStopped } from "./dpKa.js";
import { dpPca, dpPcaMutations } from "./dpPca.js";
import { evaluationMutations, evaluations } from "./evaluation.js";
import { exactAccounting } from "./exactAccounting.js";
import { felpMutations, felpPaper, felpSound } from "./felp.js";
import { flowMutations, flows } from "./flow.js";
import { histBoost, histBoostMutations } from "./histBoost.js";
import { dpdisPca, elfedPca, normalisedRows } from "./paperPca.js";
import { pearsonTree } from "./pearsonTree.js";
import { regressionMutations, regressions } from "./regression.js";
import { secondOrder, secondOrderMutations } from "./secondOrder.js";
import { survival, survivalMutations } from "./survival.js";
import { syntheticTableMutations, syntheticTables } from "./syntheticTable.js";
import { vectorSum, vectorSumMutations } from "./vectorSum.js";

/** Everything that is audited; a further method adds its line. */
export const auditedMethods: readonly AuditedMethod[] = [
  exactAccounting,
  vectorSum,
  ...vectorSumMutations,
  ...dpPca,
  ...dpPcaMutations,
  ...descriptions,
  ...descriptionMutations,
  ...flows,
  ...flowMutations,
  ...regressions,
  ...regressionMutations,
  ...evaluations,
  ...evaluationMutations,
  ...histBoost,
  ...histBoostMutations,
  ...additive,
  ...additiveMutations,
  ...secondOrder,
  ...secondOrderMutations,
  ...dpKa,
  dpKaStopped,
  ...dpKaMutations,
  survival,
  ...survivalMutations,
  syntheticTables,
  ...syntheticTableMutations,
  normalisedRows,
  elfedPca,
  dpdisPca,
  cartAdaboost,
  ...felpSound,
  ...felpMutations,
  ...felpPaper,
  ...correlationTrees,
  ...correlationTreeMutations,
  pearsonTree,
];
