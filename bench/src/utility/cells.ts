import type { UtilityCell } from "./cell.js";

/** Every cell that is measured; a further method adds its line. */
const methods: readonly (() => Promise<{ cells: readonly UtilityCell[] }>)[] = [
  () => import("./histBoost.js"),
  () => import("./additive.js"),
  () => import("./dpPca.js"),
  () => import("./cartAdaboost.js"),
  () => import("./correlationTree.js"),
  () => import("./kAnonymous.js"),
  () => import("./featureSelection.js"),
  () => import("./heartDisease.js"),
  () => import("./described.js"),
  () => import("./regressions.js"),
  () => import("./survivalCurves.js"),
  () => import("./syntheticRows.js"),
];

export async function utilityCells(): Promise<UtilityCell[]> {
  const cells: UtilityCell[] = [];
  for (const load of methods) cells.push(...(await load()).cells);
  return cells;
}
