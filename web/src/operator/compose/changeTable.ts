import { placeholder } from "@consilium/core/study/placeholder";
import { withValue } from "../../shared/yaml/edit";
import { isRecord } from "../../shared/yaml/values";
import { readStudyText } from "./studyText";

type Study = Readonly<Record<string, unknown>>;

/** Parameters that name a column or a level. */
const naming = ["outcome", "time", "event", "exposure"];

/**
 * The draft on another table. An example's columns, its outcome and what names them are of no other table and make room; what a
 * person has changed stays.
 * @param starts - the examples' texts
 * @param needsLabel - the question has no answer without an outcome: its fields stay, empty
 */
export function withTable(
  text: string,
  table: string | undefined,
  { starts, needsLabel }: { readonly starts: readonly string[]; readonly needsLabel: boolean },
): string {
  const { value } = readStudyText(text);
  if (value === null) return text;
  let changed = withValue(text, ["table"], table);
  const examples = starts.flatMap((start): Study[] => {
    const example = readStudyText(start).value;
    return example === null ? [] : [example];
  });
  const isExample = (own: unknown, of: (example: Study) => unknown) =>
    own !== undefined && examples.some((example) => JSON.stringify(of(example)) === JSON.stringify(own));
  if (!isExample(value.features, ({ features }) => features)) return changed;
  changed = withValue(changed, ["features"], []);
  if (isExample(value.label, ({ label }) => label))
    changed = withValue(changed, ["label"], needsLabel ? openLabel : undefined);
  const parameters = isRecord(value.parameters) ? value.parameters : {};
  for (const key of naming) changed = withValue(changed, ["parameters", key], undefined);
  const conditions: readonly unknown[] = Array.isArray(parameters.conditions) ? parameters.conditions : [];
  const known = new Set(examples.flatMap(conditionsOf).map((one) => JSON.stringify(one)));
  const kept = conditions.filter((one) => !(known.has(JSON.stringify(one)) && namesColumns(one)));
  if (kept.length < conditions.length) changed = withValue(changed, ["parameters", "conditions"], kept);
  return changed;
}

/** An outcome that nobody has named yet. */
export const openLabel = { name: placeholder, levels: [placeholder] };

function conditionsOf({ parameters }: Study): readonly unknown[] {
  return isRecord(parameters) && Array.isArray(parameters.conditions) ? parameters.conditions : [];
}

const namesColumns = (condition: unknown) =>
  !(isRecord(condition) && Array.isArray(condition.all) && condition.all.length === 0);

/** Places of declared columns that a table does not have, with their names there. @param columns - the table's */
export function lackingColumns(
  features: readonly unknown[],
  columns: readonly { readonly name: string }[],
): ReadonlyMap<number, string> {
  const there = new Set(columns.map(({ name }) => name));
  const lacking = new Map<number, string>();
  features.forEach((one, at) => {
    if (!isRecord(one)) return;
    const name = one.from ?? one.name;
    if (typeof name === "string" && name !== "" && !there.has(name)) lacking.set(at, name);
  });
  return lacking;
}
