/**
 * Regressions over real processes: three hospitals, one without a single row, an aggregator and a publisher. Without noise the released
 * coefficients are those of all rows at one place; with noise the release verifies, and its table, figure and card say how sure it is.
 */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { plainKernels } from "@consilium/core/linalg/plain";
import { figuresFileSchema } from "@consilium/core/release/views";
import { estimatesOf } from "@consilium/methods/regression/estimates";
import { regressionModelSchema } from "@consilium/methods/regression/model";
import {
  drawnPatients,
  type Family,
  outcomeOf,
  regressionTestStudy,
  truths,
} from "@consilium/methods/testing/regression/patients";
import { simulateRegression } from "@consilium/methods/testing/regression/simulate";
import { afterAll, beforeAll, expect, it } from "vitest";
import { LocalFederation } from "../../scripts/localFederation.js";
import { egressOf } from "../support/faultFederation.js";

const hospitals = ["hospital-a", "hospital-b", "hospital-c"];
const counts = [2600, 1400, 0];
const families = ["logistic", "linear", "poisson", "cox"] as const;
const outcomes = families.map(outcomeOf);
/** Of each hospital its patients, with each outcome: a sample whose own coefficients lie well inside of the intervals, so that noise decides. */
const patientsOf = (i: number, outcome: (typeof outcomes)[number]) =>
  drawnPatients(counts[i]!, `a ${outcome} ${i}`, outcome);

const participation = { minimumSites: 3, maxRowsPerSite: 5000, expectedRows: 4000, phaseDeadline: "60s" };
const evaluation = { heldOut: 0.2, share: 0.1 };
/** As a hospital is asked; the tables are named by the outcome. */
function studyOf(family: Family, name: string, privacy: unknown) {
  const { features, label, parameters } = regressionTestStudy(family);
  const { family: _, seed: __, evaluation: ___, ...own } = parameters;
  return {
    name,
    table: outcomeOf(family),
    analysis: "regression",
    features,
    ...(label === undefined ? {} : { label }),
    parameters: { family, ...own, ...(family === "logistic" ? { evaluation } : {}) },
    privacy,
    participation: family === "cox" ? { ...participation, expectedEvents: 600 } : participation,
  };
}

let folder: string;
let federation: LocalFederation;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "consilium-regression-"));
  federation = await LocalFederation.create(join(folder, "home"), "regression");
  for (const [i, id] of hospitals.entries()) {
    const paths: Record<string, string> = {};
    for (const family of families) {
      const { features, label } = regressionTestStudy(family);
      const { rows, columns, labels } = patientsOf(i, outcomeOf(family));
      const lines = Array.from({ length: rows }, (_, r) =>
        [
          ...features.map((feature, j) =>
            feature.type === "categorical" ? feature.levels[columns[j]![r]!] : columns[j]![r],
          ),
          ...(label === undefined ? [] : [label.levels[labels![r]!]]),
        ].join(),
      );
      const header = [
        ...features.map(({ name }) => name),
        ...(label === undefined ? [] : [label.name]),
      ].join();
      const path = join(folder, `${id}-${outcomeOf(family)}.csv`);
      await writeFile(path, `${[header, ...lines].join("\n")}\n`);
      paths[outcomeOf(family)] = path;
    }
    await federation.addSite({ id, tables: paths, allowNoPrivacy: true, policy: { budget: null } });
  }
  await federation.waitForSites();
});
afterAll(async () => {
  await federation?.remove();
  await rm(folder, { recursive: true, force: true });
});

async function released(study: ReturnType<typeof studyOf>) {
  const { id } = await federation.startStudy(study);
  const view = await federation.waitForRelease(id);
  const base = view.release!.url;
  const read = async (file: string) => (await fetch(`${base}${file}`)).text();
  return { id, view, read, model: regressionModelSchema.parse(JSON.parse(await read("model.json"))) };
}

/** The release, fetched and verified as an analyst does. */
async function fetched(view: Awaited<ReturnType<typeof released>>["view"]): Promise<string> {
  const { id: release, url } = view.release!;
  const authority = join(federation.home, "authority", "root.pem");
  const to = join(folder, `release-${release}`);
  await federation.cliOrThrow(
    "release",
    "get",
    release,
    "--publisher",
    new URL(url).origin,
    "--to",
    to,
    "--authority",
    authority,
  );
  return to;
}

it.each(families)("without noise releases the coefficients of all rows at one place: %s", async (family) => {
  const { model } = await released(studyOf(family, `${family}-exact`, "none"));
  const study = regressionTestStudy(family, {
    participation,
    ...(family === "logistic" ? { parameters: { evaluation } } : {}),
  });
  const result = await simulateRegression({
    study,
    tables: hospitals.map((_, i) => [patientsOf(i, outcomeOf(family))]),
    kernels: plainKernels(),
    random: {
      bytes: () => {
        throw new Error("nothing is drawn");
      },
    },
  });
  const here = await estimatesOf(study, result);
  expect(model.coefficients.map(({ name }) => name)).toEqual(here.map(({ name }) => name));
  model.coefficients.forEach(({ found }, j) => {
    expect(found!.coefficient).toBeCloseTo(here[j]!.found!.coefficient, 6);
    expect(found!.stdError / here[j]!.found!.stdError).toBeCloseTo(1, 6);
  });
  expect(model.scaled!.covariance).toHaveLength(here.length);
});

type Model = Awaited<ReturnType<typeof released>>["model"];

/** Coefficients that are stated, and of these those whose interval holds the truth. */
function heldOf({ coefficients }: Model, family: Family) {
  const stated = coefficients.flatMap(({ name, found }) => (found === null ? [] : [{ name, ...found }]));
  const held = stated.filter(({ name, low, high }) => {
    const truth = truths[family][name]!;
    return low <= truth && truth <= high;
  });
  return { stated, held };
}

it("with noise publishes odds ratios whose intervals hold the truth, with figure, card and model, that verify", async () => {
  const { id, view, read, model } = await released(
    studyOf("logistic", "logistic-noisy", { epsilon: 4, delta: 1e-6 }),
  );
  // Three of six intervals fail in none of 1,000 simulated studies of these patients, two in four.
  const { stated, held } = heldOf(model, "logistic");
  expect(stated).toHaveLength(6);
  expect(held.length).toBeGreaterThanOrEqual(4);
  expect(stated.every(({ stdError }) => stdError > 0)).toBe(true);
  expect(model.evaluation!.auc.value).toBeGreaterThan(0.6);

  const to = await fetched(view);
  const [header, ...lines] = (await readFile(join(to, "coefficients.csv"), "utf8")).trim().split("\r\n");
  expect(header).toBe(
    "term,feature,level,reference,per,unit,coefficient,std_error,ci_low,ci_high,odds_ratio,odds_ratio_low,odds_ratio_high,p_value,imprecise",
  );
  expect(lines.map((line) => line.split(",").slice(0, 6).join())).toEqual([
    "(intercept),,,,,",
    "age,age,,,1,years",
    "pressure,pressure,,,1,",
    "ward=heart,ward,heart,surgery,,",
    "ward=children,ward,children,surgery,,",
    "smoker=yes,smoker,yes,no,,",
  ]);
  expect(lines.map((line) => Number(line.split(",")[6]))).toEqual(
    stated.map(({ coefficient }) => coefficient),
  );
  const { figures } = figuresFileSchema.parse(JSON.parse(await read("figures.json")));
  expect(figures[0]).toMatchObject({ name: "coefficients", exponential: { label: "odds ratio" } });
  const readme = await read("README.md");
  expect(readme).toContain("**Finding.** Odds ratio of ill = yes, ");
  // In a table's header, where markdown escapes it.
  expect(readme).toContain("| odds\\_ratio |");
  expect((await readFile(join(to, "model.onnx"))).length).toBeGreaterThan(100);

  // A hospital without a row sends as much as any other, stage by stage.
  const sent = await Promise.all(
    hospitals.map(async (hospital) =>
      (await egressOf(federation.site(hospital)))
        .filter((entry) => entry.study === id && entry.what === "masked vector")
        .map(({ step, bytes }) => [step, bytes]),
    ),
  );
  expect(sent[0]!.map(([step]) => step)).toEqual(
    expect.arrayContaining(["flow", "sum-1", "sum-2", "evaluation"]),
  );
  expect(sent[1]).toEqual(sent[0]);
  expect(sent[2]).toEqual(sent[0]);
});

it("with noise publishes a linear regression from one sum, that verifies", async () => {
  const { view, model } = await released(studyOf("linear", "linear-noisy", { epsilon: 4, delta: 1e-6 }));
  const { held } = heldOf(model, "linear");
  // Of 400 simulated studies four of six intervals failed in one, for errors go together; the residuals' standard deviation
  // came to 1.95 to 3.01.
  expect(held.length).toBeGreaterThanOrEqual(2);
  expect(Math.abs(model.fit!.residualStdDev - 2.5)).toBeLessThan(0.9);
  expect(model.fit!.rSquared).toBeGreaterThan(0.2);
  expect(view.claim).toMatchObject({ verdict: "proved", proof: "docs/METHODS.md#regression-proof" });
  const to = await fetched(view);
  expect(await readFile(join(to, "coefficients.csv"), "utf8")).toContain("ward=heart");
});

it("with noise publishes hazard ratios and the hazards of intervals, that verify", async () => {
  const { view, read, model } = await released(studyOf("cox", "cox-noisy", { epsilon: 20, delta: 1e-6 }));
  const { stated, held } = heldOf(model, "cox");
  expect(stated).toHaveLength(5);
  expect(held.length).toBeGreaterThanOrEqual(3);
  const to = await fetched(view);
  expect((await readFile(join(to, "coefficients.csv"), "utf8")).split("\r\n")[0]).toContain(
    "hazard_ratio,hazard_ratio_low,hazard_ratio_high",
  );
  // Ten intervals of six months; deaths come at one rate at all times.
  const [, ...lines] = (await readFile(join(to, "baseline.csv"), "utf8")).trim().split("\r\n");
  expect(lines).toHaveLength(10);
  const { figures } = figuresFileSchema.parse(JSON.parse(await read("figures.json")));
  expect(figures[0]).toMatchObject({ name: "coefficients", exponential: { label: "hazard ratio" } });
  expect((await readFile(join(to, "model.onnx"))).length).toBeGreaterThan(100);
});
