import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { namesOf } from "@consilium/core/method/method";
import { unwrap } from "@consilium/core/result";
import { type StudyDocument, studyDocument } from "@consilium/core/study/study";
import { allMethods } from "@consilium/methods-paper/all";
import { parse } from "yaml";
import { root } from "./place.js";

type Raw = Readonly<Record<string, unknown>>;

const examples = join(root, "examples/studies");

export const exampleNames: readonly string[] = readdirSync(examples)
  .filter((file) => file.endsWith(".yaml"))
  .map((file) => file.slice(0, -".yaml".length))
  .sort();

function example(name: string, change: (study: Raw) => Raw = (study) => study): Raw {
  return change(parse(readFileSync(join(examples, `${name}.yaml`), "utf8")) as Raw);
}

/** A form of FELP that has no example: with its published noise or with none. */
const felpForm = (method: string, privacy?: "none") => (study: Raw) => {
  const { select } = study.parameters as { select: number };
  const name = `wdbc-${method}`;
  // These draw no subsamples.
  return { ...study, name, method, parameters: { select }, ...(privacy && { privacy }) };
};

/** Rows of a patient are neighbours in the table (`tables.ts`). */
const ofPatients = (weighting: "patients" | "rows", maxRows: number) => (study: Raw) => ({
  ...study,
  name: `${study.name as string}-of-patients`,
  patient: { column: "patient", maxRows, weighting },
});

/** More than zCDP proves of its ε; the exact accounting of the same noise still stays below it. */
const withOwnRho = (rho: number) => (study: Raw) => ({
  ...study,
  name: `${study.name as string}-own-rho`,
  privacy: { ...(study.privacy as object), rho },
});

/** Sets of more than two features are not tested, so that stages are left out. */
const withFewCells = (study: Raw) => ({
  ...study,
  name: `${study.name as string}-skipping`,
  parameters: { ...(study.parameters as object), maxCells: 4 },
});

/** Some rows are left out, and a number lies beyond its bound. */
const withFlow = (study: Raw) => ({
  ...study,
  name: `${study.name as string}-with-flow`,
  flow: true,
  privacy: { epsilon: 4, delta: 0.00001 },
  where: "concavity_mean > 0.02",
  features: (study.features as Raw[]).map((one) => (one.name === "area_worst" ? { ...one, max: 1000 } : one)),
});

const ofSix = "wdbc-dp-additive-of-six";

/** Studies beside the examples whose conversations are recorded: forms and ways to count that no example has. */
const further: Readonly<Record<string, () => Raw>> = {
  "wdbc-fple": () => example("wdbc-felp", felpForm("fple")),
  "wdbc-fwell": () => example("wdbc-felp", felpForm("fwell", "none")),
  "wdbc-fwell-en": () => example("wdbc-felp", felpForm("fwell-en", "none")),
  "wdbc-counts-of-patients": () => example("wdbc-counts", ofPatients("patients", 4)),
  "wdbc-dp-pca-of-patients": () => example("wdbc-dp-pca", ofPatients("rows", 2)),
  "wdbc-dp-ka-skipping": () => example("wdbc-dp-ka", withFewCells),
  [ofSix]: () => example("wdbc-dp-additive", (study) => ({ ...study, name: ofSix })),
  "wdbc-counts-with-flow": () => example("wdbc-counts", withFlow),
  "wdbc-counts-with-flow-of-patients": () => ofPatients("patients", 4)(example("wdbc-counts", withFlow)),
  "wdbc-describe-own-rho": () => example("wdbc-describe", withOwnRho(ownRho)),
};
/** Of `wdbc-describe`, whose ε of 3 zCDP reaches at ρ 0.2242. */
const ownRho = 0.24;

/** Hospitals of a recorded study: the four of the examples, or so many that noise is sized for more than the fewest. */
export const recordedSites = (name: string): number => (name === ofSix ? 6 : 4);

/** All studies of which a conversation is kept. */
export const recordedNames: readonly string[] = [...exampleNames, ...Object.keys(further)].sort();

export function recordedStudy(name: string): StudyDocument {
  return documentOf(further[name]?.() ?? example(name));
}

function documentOf(raw: Raw): StudyDocument {
  return studyDocument(unwrap(allMethods.parse(raw)));
}

/** Every form that a study may ask for. */
export const forms: readonly string[] = allMethods.list.flatMap(namesOf);

/** A study that was run once for its certificate. */
export interface CertifiedRun {
  readonly name: string;
  readonly document: () => StudyDocument;
  readonly sites: number;
  /** Attempts at the first stage that were given up. */
  readonly givenUp: number;
  /** Sites that were lost at the last stage. */
  readonly dropped: number;
  /** Sites that did not countersign. */
  readonly unsigned: number;
}

const run = (name: string, study: string, change: Partial<CertifiedRun> = {}): CertifiedRun => ({
  name,
  document: () => recordedStudy(study),
  sites: 4,
  givenUp: 0,
  dropped: 0,
  unsigned: 0,
  ...change,
});

/** By form, the first study that has it. */
function studyOfForm(form: string): string {
  const name = recordedNames.find((one) => recordedStudy(one).study.method === form);
  if (name === undefined) throw new RangeError(`no study has the form ${form}`);
  return name;
}

/** What a certificate may have to say beyond the ordinary. */
const states: readonly CertifiedRun[] = [
  run("given-up", "wdbc-counts", { givenUp: 1 }),
  run("dropped", "wdbc-dp-pca", { sites: 5, dropped: 1 }),
  run("skipped", "wdbc-dp-ka-skipping"),
  run("patients-weighted", "wdbc-counts-of-patients"),
  run("patients-unweighted", "wdbc-dp-pca-of-patients"),
  run("own-rho", "wdbc-describe-own-rho"),
  run("forty-sites", "wdbc-counts", { sites: 40 }),
  run("unsigned", "wdbc-counts", { sites: 5, unsigned: 1 }),
  run("none", "wdbc-none"),
  run("dealer", "wdbc-elfedpca", { sites: 5 }),
];
export const stateNames: readonly string[] = states.map(({ name }) => name);

export const certifiedRuns: readonly CertifiedRun[] = [
  ...forms.map((form) => run(form, studyOfForm(form))),
  ...states,
];
