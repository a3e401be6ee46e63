import { fileURLToPath } from "node:url";
import { allMethods } from "../methods-paper/all.js";
import { readProjectFile } from "./repository.js";

/**
 * docs/STUDY.md from the JSON Schema that studies are validated with: every key with its type, default, range and meaning.
 *
 *   TSX_TSCONFIG_PATH=tsconfig.check.json npx tsx scripts/studyDoc.ts > docs/STUDY.md
 */
export const studyDocument = "docs/STUDY.md";
/** A study with categories, missing values and a patient column, shown on the page. */
export const annotatedStudy = "examples/annotated/readmission.yaml";

type Schema = Readonly<Record<string, unknown>>;

/** Keys that the method decides. */
const methodKeys = ["analysis", "method", "variant", "parameters"];
/** Keys whose parts have tables of their own, in this order. */
const sections = [
  "features",
  "label",
  "columns",
  "patient",
  "request",
  "privacy",
  "participation",
  "release",
  "omop",
];

export function renderStudy(): string {
  const branches = branchesOf(allMethods.jsonSchema());
  const common = propertiesOf(branches[0]!);
  const optional = new Set(
    Object.keys(common).filter((key) => branches.some((branch) => !requiredOf(branch).includes(key))),
  );
  const top = Object.entries(common).filter(([key]) => !methodKeys.includes(key));
  const parts = sections.map((key) => {
    const schema = common[key]!;
    const title = key === "features" ? "features" : key;
    return `## ${title}\n\n${sentence(descriptionOf(schema))}\n\n${partsOf(key, schema)}`;
  });
  return `${head}
## Keys of every study

${keyTable([...top.map(([key, schema]): Row => rowOf(key, schema, !optional.has(key))), ...choiceRows])}

${parts.join("\n\n")}

## analysis, method and parameters

\`consilium methods\` lists the methods, [METHODS.md](METHODS.md) says what each one computes, and what is proven of it.

${analysesOf(branches)}

## A whole study

[${annotatedStudy}](../${annotatedStudy}), with categories, missing values and a patient column:

\`\`\`yaml
${readProjectFile(annotatedStudy).trimEnd()}
\`\`\`
`;
}

const head = `# The study file

Generated from the schema that studies are validated with, by \`scripts/studyDoc.ts\`; a test compares the two.

A study is one YAML file. \`consilium study new <method>\` writes one to start from, \`consilium study validate\` checks it, and
\`consilium study plan\` shows what it sends and costs; all three work offline. \`consilium study schema\` prints the JSON Schema
behind this page. Editors with a YAML language server complete and check keys by it: \`study new\` writes it next to the
study, as \`study.schema.json\`, and names it in the study's first line.

What the tables cannot say: the label is no feature, \`min\` lies below \`max\`, columns differ from each other. \`validate\`
reports these with line and remedy. A value that begins with \`TODO\` is a placeholder, and no study starts with it.
`;

interface Row {
  readonly key: string;
  readonly type: string;
  /** `required` where it has none. */
  readonly usual: string;
  readonly range: string;
  readonly meaning: string;
}

const choiceRows: readonly Row[] = [
  {
    key: "analysis",
    type: "text",
    usual: "required",
    range: "",
    meaning: "What is computed: [below](#analysis-method-and-parameters).",
  },
  { key: "method", type: "text", usual: "the analysis's first", range: "", meaning: "How it is computed." },
  {
    key: "variant",
    type: "text",
    usual: "`sound`",
    range: "",
    meaning: "`sound`: privacy is proven. `paper`: as its authors published it, and not proven.",
  },
  { key: "parameters", type: "map", usual: "", range: "", meaning: "The method's own keys." },
];

/** The keys below one key: of each form that it may have. */
function partsOf(path: string, schema: Schema): string {
  return formsOf(schema)
    .map((form) => {
      const kind = propertiesOf(form).type?.const;
      const title = typeof kind === "string" ? `\`type: ${kind}\`\n\n` : "";
      return `${title}${keyTable(rowsOf(form, "", path))}`;
    })
    .join("\n\n");
}

/** The maps that a key's value, or each entry of its list, may be. */
function formsOf(schema: Schema): Schema[] {
  const inside = (schema.oneOf ??
    schema.anyOf ??
    (schema.items === undefined ? undefined : [schema.items])) as readonly Schema[] | undefined;
  if (inside !== undefined) return inside.flatMap(formsOf);
  if (schema.properties !== undefined) return [schema];
  const { additionalProperties: entries } = schema;
  return typeof entries === "object" && entries !== null ? formsOf(entries as Schema) : [];
}

/** A map's keys, and below each the keys of the maps within it; one that several forms share comes once. */
function rowsOf(form: Schema, prefix: string, path: string): Row[] {
  return Object.entries(propertiesOf(form)).flatMap(([key, schema]) => {
    const name = `${prefix}${key}`;
    const own = rowOf(name, schema, requiredOf(form).includes(key));
    const step =
      schema.type === "array"
        ? `${name}[].`
        : schema.properties === undefined && schema.additionalProperties !== undefined
          ? `${name}.<name>[].`
          : `${name}.`;
    const inner = formsOf(schema).flatMap((one) => rowsOf(one, step, path));
    const [seen, unique] = [new Set<string>(), [] as Row[]];
    for (const row of inner) {
      if (seen.has(row.key)) continue;
      seen.add(row.key);
      unique.push(row);
    }
    return [own, ...unique];
  });
}

function rowOf(key: string, schema: Schema, isRequired: boolean): Row {
  const { default: usual } = schema;
  return {
    key,
    type: typeOf(schema),
    usual:
      usual === undefined
        ? isRequired
          ? "required"
          : ""
        : code(typeof usual === "string" ? usual : JSON.stringify(usual)),
    range: rangeOf(schema),
    meaning: sentence(descriptionOf(schema)),
  };
}

function typeOf(schema: Schema): string {
  if (schema.const !== undefined) return code(String(schema.const));
  if (Array.isArray(schema.enum)) return schema.enum.map((one) => code(String(one))).join(", ");
  const union = (schema.oneOf ?? schema.anyOf) as readonly Schema[] | undefined;
  if (union !== undefined) return [...new Set(union.map(typeOf))].join(" or ");
  switch (schema.type) {
    case "integer":
      return "whole number";
    case "string":
      return "text";
    case "boolean":
      return "`true` or `false`";
    case "array":
      return schema.items === undefined ? "list" : `list of ${plural(typeOf(schema.items as Schema))}`;
    case "object":
      return "map";
    default:
      return String(schema.type ?? "any");
  }
}

function plural(type: string): string {
  const known: Readonly<Record<string, string>> = {
    map: "maps",
    text: "texts",
    number: "numbers",
    "whole number": "whole numbers",
  };
  return known[type] ?? type;
}

/** What a schema without a limit of its own has: the whole numbers that a double holds. */
const unlimited = Number.MAX_SAFE_INTEGER;

function rangeOf(schema: Schema): string {
  const union = (schema.oneOf ?? schema.anyOf) as readonly Schema[] | undefined;
  if (union !== undefined) return [...new Set(union.map(rangeOf).filter((range) => range !== ""))].join("; ");
  const { minimum, exclusiveMinimum, maximum, exclusiveMaximum } = schema;
  const parts = [
    limit(minimum, "from", ""),
    limit(exclusiveMinimum, "above", ""),
    limit(maximum, "to", ""),
    limit(exclusiveMaximum, "below", ""),
    limit(schema.maxLength, "at most", " characters"),
    limit(schema.minItems, "at least", " entries"),
    limit(schema.maxItems, "at most", " entries"),
  ];
  return parts.filter((part) => part !== "").join(", ");
}

function limit(value: unknown, word: string, unit: string): string {
  if (typeof value !== "number" || Math.abs(value) >= unlimited) return "";
  return `${word} ${value}${unit}`;
}

function analysesOf(branches: readonly Schema[]): string {
  const names = (branch: Schema, key: string) => textsOf(propertiesOf(branch)[key] ?? {});
  const analyses = [...new Set(branches.flatMap((branch) => names(branch, "analysis")))];
  return analyses
    .map((analysis) => {
      const own = branches.filter((branch) => names(branch, "analysis").includes(analysis));
      const methods = own.map((branch) => {
        const { parameters = {} } = propertiesOf(branch);
        const rows = rowsOf(parameters, "", "parameters");
        const list = names(branch, "method").map(code).join(", ");
        const label = requiredOf(branch).includes("label") ? " It needs a `label`." : "";
        const table =
          rows.length === 0 ? "It has no parameters." : `Below \`parameters\`:\n\n${keyTable(rows)}`;
        const about = sentence(descriptionOf(propertiesOf(branch).method ?? {}));
        return `**${list}**, \`variant: ${names(branch, "variant")[0]}\`. ${about}${label} ${table}`;
      });
      return `### ${analysis}\n\n${methods.join("\n\n")}`;
    })
    .join("\n\n");
}

function keyTable(rows: readonly Row[]): string {
  const lines = rows.map(({ key, type, usual, range, meaning }) =>
    [code(key), type, usual, range, meaning].map((cell) => cell.replaceAll("|", "\\|")).join(" | "),
  );
  return `| key | type | default | range | meaning |\n| --- | --- | --- | --- | --- |\n${lines.map((line) => `| ${line} |`).join("\n")}`;
}

/** The keys that the page shows without a meaning; a test wants none. */
export function unexplainedKeys(): string[] {
  const found = new Set<string>();
  const walk = (schema: Schema, path: string) => {
    for (const [key, inner] of Object.entries(propertiesOf(schema))) {
      const name = path === "" ? key : `${path}.${key}`;
      const isChoice = inner.const !== undefined || methodKeys.includes(name);
      if (!isChoice && descriptionOf(inner) === "") found.add(name);
      for (const form of formsOf(inner)) walk(form, name);
    }
  };
  for (const branch of branchesOf(allMethods.jsonSchema())) walk(branch, "");
  return [...found];
}

function branchesOf(schema: Schema): Schema[] {
  const union = (schema.oneOf ?? schema.anyOf) as readonly Schema[] | undefined;
  return union?.flatMap(branchesOf) ?? [schema];
}

function propertiesOf(schema: Schema): Readonly<Record<string, Schema>> {
  return (schema.properties ?? {}) as Readonly<Record<string, Schema>>;
}

function requiredOf(schema: Schema): readonly string[] {
  return (schema.required ?? []) as readonly string[];
}

function textsOf(schema: Schema): string[] {
  if (typeof schema.const === "string") return [schema.const];
  return Array.isArray(schema.enum) ? schema.enum.map(String) : [];
}

function descriptionOf(schema: Schema): string {
  return typeof schema.description === "string" ? schema.description : "";
}

function sentence(text: string): string {
  return text.replaceAll("\n", " ").replaceAll("<", "&lt;");
}

function code(text: string): string {
  return `\`${text}\``;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.stdout.write(renderStudy());
