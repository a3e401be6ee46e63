import { readdirSync, readFileSync } from "node:fs";
import { unwrap } from "@consilium/core/result";
import type { ColumnBlock } from "@consilium/core/study/design";
import { studyOnRoster } from "@consilium/core/study/onRoster";
import { weighsPatients } from "@consilium/core/study/patientWeights";
import type { Study } from "@consilium/core/study/study";
import { withPatients } from "@consilium/methods/testing/patients";
import { parseStudy } from "@consilium/methods/testing/studies";
import { parse } from "yaml";

/** A study whose stages are looked at, and the tables that its broadcasts come from. */
export interface SearchedStudy {
  readonly name: string;
  readonly study: Study;
  readonly tables: readonly (readonly ColumnBlock[])[];
}

type Keys = Record<string, unknown>;
type Cells = Readonly<Record<string, string>>;

const examples = new URL("../../../examples/", import.meta.url);
const hospitals = ["a", "b", "c", "d"];

const sourceOf = (file: string): Keys =>
  parse(readFileSync(new URL(`studies/${file}.yaml`, examples), "utf8")) as Keys;

function rowsOf(path: string): Cells[] {
  const [header, ...lines] = readFileSync(new URL(`data/${path}.csv`, examples), "utf8")
    .trim()
    .split("\n");
  const names = header!.split(",");
  return lines.map((line) => Object.fromEntries(line.split(",").map((cell, i) => [names[i]!, cell])));
}

function blockOf(study: Study, rows: readonly Cells[]): ColumnBlock {
  const { features, label } = study;
  const block: ColumnBlock = {
    rows: rows.length,
    columns: features.map((feature) =>
      Float64Array.from(rows, (row) => {
        const cell = row[feature.name]!;
        if (feature.type === "categorical") return feature.levels.indexOf(cell);
        return Math.min(feature.max, Math.max(feature.min, Number(cell)));
      }),
    ),
    labels:
      label === undefined ? null : Uint16Array.from(rows, (row) => label.levels.indexOf(row[label.name]!)),
  };
  // Two rows of each patient.
  return weighsPatients(study)
    ? withPatients(
        block,
        rows.map((_, r) => Math.floor(r / 2)),
      )
    : block;
}

function searched(name: string, source: Keys): SearchedStudy {
  const study: Study = studyOnRoster(unwrap(parseStudy(source)), hospitals.length);
  const folder = study.table === "trial" ? "trial/" : "";
  return {
    name,
    study,
    tables: hospitals.map((letter) => [blockOf(study, rowsOf(`${folder}hospital-${letter}`))]),
  };
}

const number = (name: string, min: number, max: number, more: Keys = {}) => ({
  name,
  type: "numeric",
  min,
  max,
  ...more,
});
const three = [
  number("radius_mean", 6, 30),
  number("texture_mean", 5, 45),
  number("smoothness_mean", 0, 0.2),
];
const fewRows = { minimumSites: 4, tolerateColluding: 1, maxRowsPerSite: 20 };

/** An example with other keys, which no example has: forms, families, patients, and blocks that a table fills. */
function changed(name: string, file: string, change: Keys): () => SearchedStudy {
  return () => searched(name, { ...sourceOf(file), ...change });
}

const patient = (weighting: string) => ({ patient: { column: "patient", maxRows: 3, weighting } });
const pca = (form: string, parameters: Keys = {}) =>
  changed(`dp-pca, ${form}`, "wdbc-dp-pca", {
    features: three,
    privacy: { epsilon: 4, delta: 0.00001 },
    parameters: { components: 1, form, ...parameters },
  });

const others: readonly (() => SearchedStudy)[] = [
  changed("regression, linear", "wdbc-regression", {
    label: undefined,
    features: [...three, number("area_mean", 100, 2600)],
    parameters: { family: "linear", outcome: "area_mean" },
  }),
  changed("regression, Poisson", "wdbc-regression", {
    label: undefined,
    features: [...three, number("area_se", 0, 50, { below: "reject-row" })],
    parameters: { family: "poisson", outcome: "area_se" },
  }),
  changed("regression, patients", "wdbc-regression", patient("patients")),
  changed("describe, patients", "wdbc-describe", patient("patients")),
  changed("describe, rows of patients", "wdbc-describe", patient("rows")),
  pca("one-round"),
  pca("two-round"),
  pca("iteration", { iterations: 2 }),
  changed("felp-s, full blocks", "wdbc-felp-s", {
    features: three,
    participation: fewRows,
    parameters: { select: 1, blocks: 2 },
  }),
];

/** Two nodes in each of two blocks of twenty rows: the fold of blocks has the most to hold here. */
export const fullBlocks = changed("dp-pcc-s, full blocks", "wdbc-dp-pcc-s", {
  features: three,
  participation: fewRows,
  parameters: { depth: 2, bins: 8, blocks: 2, guard: 0, evaluation: "none" },
});

/** @param name - of an example's file, without `.yaml` */
export const exampleStudy = (name: string): SearchedStudy => {
  const source = sourceOf(name);
  return searched(`${source.method}${name.startsWith("trial-cox") ? ", Cox" : ""}`, source);
};

/** Every proven example, and what none of them is. */
export function searchedStudies(): SearchedStudy[] {
  const proven = readdirSync(new URL("studies/", examples))
    .filter((file) => file.endsWith(".yaml"))
    .map((file) => file.slice(0, -".yaml".length))
    .filter((name) => {
      const { variant, privacy } = sourceOf(name);
      return variant === "sound" && privacy !== "none";
    });
  return [...proven.map(exampleStudy), ...others.map((make) => make()), fullBlocks()];
}
