import { type ColumnKind, levelKinds, numberKinds } from "./columnKinds.js";

/**
 * Type in which a study can declare a column, from the types that its hospitals' sources have. A number at one hospital and text
 * at another is a number: a source without types, such as a query over CSV files, has text for it, which is read as numbers.
 * @returns null where no source has a type, or where a study can read none of them
 */
export function declaredTypeOf(types: readonly string[]): "numeric" | "categorical" | null {
  const known = types.filter((type) => type !== "any") as ColumnKind[];
  if (known.includes("number") && known.every((type) => numberKinds.has(type))) return "numeric";
  return known.length > 0 && known.every((type) => levelKinds.has(type)) ? "categorical" : null;
}

const indexName = /^(?:__index_level_\d+__|Unnamed: ?\d+|level_0|index|row ?(?:num|number|names?)?)$/i;
const identifiers = new Set(
  "id pid mrn uuid guid ssn identifier patientid personid subjectid caseid patnr patientennummer fallnummer".split(
    " ",
  ),
);
/** Names of persons and records when nothing else stands in the name. */
const bearers = new Set(["patient", "person", "subject", "record", "case", "key", "name", "surname"]);

/**
 * Why a column's name says that the column is no feature: it names whose row it is, or counts rows.
 * @returns null for any other name
 */
export function keyRoleOf(name: string): "identifier" | "index" | null {
  if (indexName.test(name.trim())) return "index";
  const words = name
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "");
  if (words.length === 1 && bearers.has(words[0]!)) return "identifier";
  return identifiers.has(words.at(-1) ?? "") || identifiers.has(words.join("")) ? "identifier" : null;
}
