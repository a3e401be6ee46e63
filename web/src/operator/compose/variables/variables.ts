import type { OmopPlan } from "@consilium/core/omop/plan";
import { sexLevels } from "@consilium/core/omop/planIssues";
import { declaredTypeOf } from "@consilium/core/study/columnRoles";
import { placeholder } from "@consilium/core/study/placeholder";
import { withStep } from "@consilium/core/study/step";
import { isMap, isNode, parseDocument, stringify } from "yaml";
import { withItem } from "../../../shared/yaml/edit";
import { isRecord } from "../../../shared/yaml/values";
import type { SharedTable } from "../../api";
import { type ClinicalUnit, type Proposal, proposalFor } from "./clinical";

/** Declarations of columns, from what is known of them, and how they come into the draft. */

export type Declaration = Readonly<Record<string, unknown>>;
type SharedColumn = SharedTable["columns"][number];

/** A CSV file says no types: there, the name alone says what a column is. */
const isAny = ({ types }: SharedColumn): boolean => types.every((type) => type === "any");

/** Whether a column is declared as a number; `any` is, where nothing says otherwise. */
export function isNumeric(column: SharedColumn): boolean {
  if (isAny(column)) return (proposalFor(column.name)?.levels.length ?? 0) === 0;
  return declaredTypeOf(column.types) === "numeric";
}

/** What is proposed for a column that sites share; null where its type or its name says nothing. */
export function proposalOf(column: SharedColumn): Proposal | null {
  const found = proposalFor(column.name);
  if (found === null) return null;
  // A category in numbers, such as 0 and 1, has levels that no list of words has.
  return isNumeric(column) === found.units.length > 0 ? found : null;
}

/** A column's declaration: what is not known of it is for a person to say. */
export function declarationOf(
  column: SharedColumn,
  unit: ClinicalUnit | null,
  levels: readonly string[],
): Declaration {
  const { name } = column;
  if (!isNumeric(column))
    return { name, type: "categorical", levels: levels.length > 0 ? levels : [placeholder] };
  return unit === null
    ? { name, type: "numeric", min: placeholder, max: placeholder }
    : { name, type: "numeric", ...unit };
}

/** Whether nobody has said a numeric column's bounds yet. */
const isOpen = ({ type, min, max }: Declaration): boolean =>
  type === "numeric" && (min === placeholder || max === placeholder || (min === 0 && max === 1));

/** Declarations whose bounds or levels nobody has said, with what is proposed for them, by their place. */
export function openProposals(features: readonly unknown[]): ReadonlyMap<number, Declaration> {
  const found = new Map<number, Declaration>();
  features.forEach((one, at) => {
    if (!isRecord(one) || typeof one.name !== "string") return;
    const proposal = proposalFor(one.name);
    if (proposal === null) return;
    const [unit] = proposal.units;
    const isUnsaid = Array.isArray(one.levels) && one.levels.every((level) => level === placeholder);
    if (unit !== undefined && isOpen(one)) found.set(at, { ...one, ...unit });
    else if (unit === undefined && one.type === "categorical" && isUnsaid)
      found.set(at, { ...one, levels: proposal.levels });
  });
  return found;
}

/** A declaration of each column that an OMOP plan makes, but the outcome's. */
export function declarationsOfPlan(plan: OmopPlan, outcome: string | null): Declaration[] {
  return plan.columns.filter(({ name }) => name !== outcome).map(planned);
}

function planned(column: OmopPlan["columns"][number]): Declaration {
  const { name } = column;
  const numeric = { name, type: "numeric" };
  switch (column.value) {
    case "sex":
      return { name, type: "categorical", levels: sexLevels };
    case "any":
      return { name, type: "categorical", levels: ["0", "1"] };
    case "count":
      return { ...numeric, min: 0, max: 10, edges: [1, 2, 3, 5] };
    case "days-to":
      return { ...numeric, min: column.days[0], max: column.days[1], unit: "days" };
    case "age":
      return { ...numeric, ...unitOf("age") };
    case "last":
      return { ...numeric, ...unitOf(name, column.concepts) };
  }
}

function unitOf(...names: readonly string[]): ClinicalUnit | { readonly min: string; readonly max: string } {
  for (const name of names) {
    const [unit] = proposalFor(name)?.units ?? [];
    if (unit !== undefined) return unit;
  }
  return { min: placeholder, max: placeholder };
}

/** So many are added one by one, each in its place among comments; more are written as one block. */
const singlyMost = 200;

/**
 * Puts columns into the draft: those that are declared already keep their declaration.
 * @param declared - in a regression each number with the step that is proposed for its bounds
 * @param isWhole - no other column stays
 * @returns the same text if it is not valid YAML
 */
export function withVariables(text: string, declared: readonly Declaration[], isWhole: boolean): string {
  const document = parseDocument(text);
  if (document.errors.length > 0 || !isMap(document.contents)) return text;
  const value: unknown = document.toJS();
  const features: readonly unknown[] = isRecord(value) && Array.isArray(value.features) ? value.features : [];
  const hasSteps = isRecord(value) && value.analysis === "regression";
  const added = hasSteps ? declared.map(withStep) : declared;
  const kept = new Map(features.filter(isRecord).map((one): [unknown, Declaration] => [one.name, one]));
  const others = added.filter(({ name }) => !kept.has(name));
  if (!isWhole && others.length <= singlyMost)
    return others.reduce((before, one) => withItem(before, ["features"], one), text);
  const whole = isWhole ? added.map((one) => kept.get(one.name) ?? one) : [...features, ...others];
  const block = `features:\n${whole.map((one) => `  - ${inline(one)}\n`).join("")}`;
  const pair = document.contents.items.find(({ key }) => String(key) === "features");
  const from = rangeOf(pair?.key)?.[0];
  const to = rangeOf(pair?.value)?.[1];
  if (from === undefined || to === undefined) return `${text.trimEnd()}\n\n${block}`;
  return `${text.slice(0, from)}${block}${text.slice(to).replace(/^[^\S\n]*\n/, "")}`;
}

const rangeOf = (node: unknown) => (isNode(node) ? node.range : null);

const inline = (value: unknown) => stringify(value, { collectionStyle: "flow", lineWidth: 0 }).trimEnd();
