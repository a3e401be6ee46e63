import type { TableView } from "@consilium/core/operator/tableViews";
import { declaredTypeOf, keyRoleOf } from "@consilium/core/study/columnRoles";
import { placeholder } from "@consilium/core/study/placeholder";

/**
 * `label:` and `features:` of a study, as YAML, from the columns that every site with the table shares. Bounds and levels are
 * placeholders: names and types are all that sites tell.
 * @param label - the column that is the outcome; null for a study without one
 */
export function columnsFromSites({ columns, name }: TableView, label: string | null): string {
  const usable = columns.filter(({ types }) => !types.some((type) => type === "binary" || type === "nested"));
  const others = usable.filter((column) => column.name !== label);
  const keys = others.flatMap(({ name }) => {
    const role = keyRoleOf(name);
    return role === null ? [] : [`  # left out: ${flow(name)} (${reasons[role]})\n`];
  });
  const data = others.filter(({ name }) => keyRoleOf(name) === null);
  const shared = data.filter(({ missingAt }) => missingAt.length === 0);
  const features = shared.map(
    ({ name, types }) =>
      `  - ${flow({ name, ...declaration(types) })}${isMixed(types) ? " # text at some hospitals, read as numbers" : ""}\n`,
  );
  const lines = [
    label === null
      ? `# The outcome, where the study has one:\n# label: { name: outcome, levels: [${placeholder}] }\n`
      : `# The outcome, with every value that it may have.\nlabel: ${flow({ name: label, levels: [placeholder] })}\n`,
    `
# The columns of ${name} that all its sites share: remove those that the study does not need. Sites tell names and types.
# Replace each ${placeholder} by public knowledge, never by what records hold: round numbers that every plausible value lies
# within (a value outside counts as the bound), and every value that a category may have.
features:
${features.join("")}`,
    ...keys,
    ...data
      .filter(({ missingAt }) => missingAt.length > 0)
      .map(
        (column) =>
          `  # not at every site: ${flow(column.name)} (missing at ${column.missingAt.join(", ")})\n`,
      ),
  ];
  return lines.join("");
}

/** Why a column is no feature, by what its name says. */
const reasons = {
  identifier: "by its name an identifier: it tells patients apart, and explains nothing",
  index: "by its name the number of a row",
} as const;

/** True of a column that some hospitals have as numbers and others as text. */
const isMixed = (types: readonly string[]) => types.includes("text") && declaredTypeOf(types) === "numeric";

/** Declaration that types allow; a type that is not known may be either. */
function declaration(types: readonly string[]): object {
  switch (declaredTypeOf(types)) {
    case "numeric":
      return { type: "numeric", min: placeholder, max: placeholder };
    case "categorical":
      return { type: "categorical", levels: [placeholder] };
    case null:
      return { type: placeholder };
  }
}

/** A map, list or text of YAML on one line, whatever a name holds: JSON where it is not plain. */
function flow(value: unknown): string {
  if (typeof value === "string") return isPlain(value) ? value : JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(flow).join(", ")}]`;
  const entries = Object.entries(value as object).map(([key, inner]) => `${key}: ${flow(inner)}`);
  return `{ ${entries.join(", ")} }`;
}

function isPlain(text: string): boolean {
  return /^[A-Za-z_][\w.-]*$/.test(text) && !/^(?:true|false|null|yes|no|on|off|y|n)$/i.test(text);
}
