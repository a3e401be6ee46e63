import type { Choice } from "./questions";

/** Where a new study begins: a complete example of each question, to be replaced by the person's own table and columns. */

const age = "{ name: age, type: numeric, min: 18, max: 98, unit: years, edges: [30, 40, 50, 60, 70, 80] }";
const sex = "{ name: sex, type: categorical, levels: [female, male] }";
const bmi =
  "{ name: body_mass_index, type: numeric, min: 10, max: 60, unit: kg/m2, edges: [18.5, 25, 30, 35, 40] }";
const followUp =
  "{ name: follow_up, type: numeric, min: 0, max: 60, unit: months, below: reject-row, missing: reject-row }";
const admissions =
  "{ name: admissions, type: numeric, min: 0, max: 10, below: reject-row, missing: reject-row }";
const pressure = "{ name: systolic_pressure, type: numeric, min: 60, max: 260, unit: mmHg }";
const treatment = "{ name: treatment, type: categorical, levels: [standard, new] }";

interface Start {
  readonly label?: string;
  readonly features?: readonly string[];
  readonly parameters?: string;
}

const readmitted = "{ name: readmitted, levels: [no, yes] }";
const status = "{ name: status, levels: [alive, dead] }";

const starts: Readonly<Record<string, Start>> = {
  describe: { label: "{ name: treatment, levels: [standard, new] }" },
  counts: {
    parameters: `
  conditions:
    # Met by every record.
    - { name: all patients, all: [] }
    - { name: 65 and older, all: [{ column: age, atLeast: 65 }] }
    - { name: obese women, all: [{ column: sex, in: [female] }, { column: body_mass_index, atLeast: 30 }] }`,
  },
  "regression-linear": { features: [pressure, age, sex, bmi], parameters: "\n  outcome: systolic_pressure" },
  "regression-poisson": { features: [admissions, age, sex, bmi], parameters: "\n  outcome: admissions" },
  "regression-cox": {
    label: status,
    features: [followUp, treatment, age, sex],
    parameters: "\n  time: follow_up\n  event: dead",
  },
  survival: {
    label: status,
    features: [followUp, treatment],
    parameters: "\n  event: dead",
  },
  "synthetic-table": { features: [age, sex, bmi, treatment] },
  "dp-pca": {
    label: "{ name: treatment, levels: [standard, new] }",
    features: [age, bmi, pressure],
    parameters: "\n  components: 2",
  },
};

/** The initial text of a study that asks this: every required field, and nothing else. */
export function startOf({ id, method, sets, label: use }: Choice): string {
  const own = starts[id] ?? {};
  const label = own.label ?? (use === "needed" ? readmitted : null);
  const set = Object.entries(sets).map(([key, value]) => `\n  ${key}: ${value}`);
  const parameters = `${set.join("")}${own.parameters ?? ""}`;
  const labelText =
    label === null
      ? ""
      : `
# ${use === "needed" ? "The outcome: its values in the table." : "The groups that are compared."}
label: ${label}
`;
  return `# The study's name, and the name of the table at each site.
name: my-study
table: patients

analysis: ${method.analysis}
method: ${method.method}
variant: ${method.variant}
privacy: { epsilon: 1, delta: 0.000001 }
${parameters === "" ? "" : `parameters:${parameters}\n`}
participation:
  minimumSites: 3
  maxRowsPerSite: 10000

release:
  title: My study
${labelText}
# Bounds are declared and public: round numbers with room, never the extremes of a table.
features:
${(own.features ?? [age, sex, bmi]).map((one) => `  - ${one}`).join("\n")}
`;
}
