import type { Feature, Label } from "../study/features.js";
import { type OmopColumn, type OmopPlan, personColumn } from "./plan.js";

/** What `sex` gives: other concepts of GENDER are missing values. */
export const sexLevels = ["female", "male"] as const;
const anyLevels = ["0", "1"] as const;

type Declared = Feature | (Label & { readonly type: "label" });
type Issue = readonly [path: (string | number)[], message: string];

/** Where a plan does not fit the study's own features and label; paths begin below `omop`. */
export function omopPlanIssues(
  plan: OmopPlan,
  { features, label }: { readonly features: readonly Feature[]; readonly label?: Label | undefined },
): Issue[] {
  const declared = new Map<string, Declared>(features.map((feature) => [feature.name, feature]));
  if (label !== undefined) declared.set(label.name, { ...label, type: "label" });
  const issues: Issue[] = [];
  const used = new Set([plan.index.concepts]);
  const planned = new Set<string>();
  plan.columns.forEach((column, at) => {
    const { name } = column;
    const own = declared.get(name);
    const unfit = own === undefined ? null : misfit(column, own);
    if (own === undefined)
      issues.push([["columns", at, "name"], `no feature or label of the study is called "${name}"`]);
    if (planned.has(name)) issues.push([["columns", at, "name"], `column "${name}" is planned twice`]);
    if (name === personColumn)
      issues.push([
        ["columns", at, "name"],
        `${personColumn} is whose row it is; call the feature otherwise`,
      ]);
    if (unfit !== null) issues.push([["columns", at, "value"], unfit]);
    planned.add(name);
    if ("concepts" in column) used.add(column.concepts);
  });
  const lacking = [...declared.keys()].filter((name) => !planned.has(name));
  for (const name of lacking) issues.push([["columns"], `column "${name}" of the study has no plan`]);
  for (const name of used)
    if (!Object.hasOwn(plan.conceptSets, name))
      issues.push([["conceptSets"], `there is no concept set "${name}"`]);
  for (const name of Object.keys(plan.conceptSets))
    if (!used.has(name)) issues.push([["conceptSets", name], "nothing uses this concept set; remove it"]);
  return issues;
}

/** Why a column's values are none of what the study declares, or null. */
function misfit(column: OmopColumn, declared: Declared): string | null {
  const levels = declared.type === "numeric" ? null : new Set(declared.levels);
  const needs = (wanted: readonly string[]) =>
    levels?.size === wanted.length && wanted.every((level) => levels.has(level));
  switch (column.value) {
    case "age":
    case "count":
    case "days-to":
    case "last":
      return levels === null ? null : `gives numbers: declare "${column.name}" numeric`;
    case "sex":
      return needs(sexLevels) ? null : `declare "${column.name}" with the levels ${sexLevels.join(", ")}`;
    case "any":
      return levels === null || needs(anyLevels)
        ? null
        : `declare "${column.name}" numeric, or with the levels ${anyLevels.map((level) => `"${level}"`).join(", ")}`;
  }
}
