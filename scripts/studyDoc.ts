import { allMethods } from "../methods-paper/all.js";
import {
  code,
  descriptionOf,
  formsOf,
  keyTable,
  propertiesOf,
  type Row,
  requiredOf,
  rowOf,
  rowsOf,
  type Schema,
  sentence,
} from "./keyTable.js";
import { readProjectFile } from "./repository.js";

/** A study with categories, missing values and a patient column, shown on the page. */
export const annotatedStudy = "examples/annotated/readmission.yaml";

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

/** The page of the study file, from the JSON Schema that studies are validated with: every key with its type, default, range and meaning. */
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

A study is one YAML file. \`consilium study new <method>\` writes one to start from, \`consilium study validate\` checks it, and
\`consilium study plan\` shows what it sends and costs; all three work offline. \`consilium study schema\` prints the JSON Schema
behind this page. Editors with a YAML language server complete and check keys by it: \`study new\` writes it next to the
study, as \`study.schema.json\`, and names it in the study's first line.

What the tables cannot say: the label is no feature, \`min\` lies below \`max\`, columns differ from each other. \`validate\`
reports these with line and remedy. A value that begins with \`TODO\` is a placeholder, and no study starts with it.
`;

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

function textsOf(schema: Schema): string[] {
  if (typeof schema.const === "string") return [schema.const];
  return Array.isArray(schema.enum) ? schema.enum.map(String) : [];
}
