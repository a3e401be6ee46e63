/**
 * Features selected under K-anonymity over real processes: three hospitals, one without a single row, an aggregator and a
 * publisher. XGB-KA's tags come to what one pass over all rows together comes to; dp-ka goes without the tests that are of
 * no use any more.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { StudyView } from "@consilium/core/operator/views";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LocalFederation } from "../../scripts/localFederation.js";
import { egressOf, seededUniform } from "../support/faultFederation.js";

const hospitals = ["hospital-a", "hospital-b", "hospital-c"];
const wards = ["surgery", "heart", "children", "eyes"];
const k = 25;

interface Patient {
  readonly age: number;
  readonly smoker: "no" | "yes";
  readonly ward: string;
  readonly visits: number;
  readonly ill: "no" | "yes";
}

/** Illness goes with the ward, then with age; few children smoke. */
function patients(count: number, seed: number): Patient[] {
  const uniform = seededUniform(seed);
  return Array.from({ length: count }, () => {
    const ward = wards[Math.floor(4 * uniform() ** 1.4)]!;
    const age = Math.floor(ward === "children" ? 17 * uniform() : 18 + 70 * uniform());
    const smoker = uniform() < (age < 18 ? 0.05 : 0.4) ? "yes" : "no";
    const visits = Math.floor(9 * uniform() ** 3);
    const ill = (ward === "heart" ? 0.6 : 0.1) + age / 300 + 0.5 * uniform() > 0.75 ? "yes" : "no";
    return { age, smoker, ward, visits, ill };
  });
}

const own = [patients(260, 1), patients(140, 2), []];
const all = own.flat();

const names = ["age", "smoker", "ward", "visits"] as const;
const edges = { age: [18, 45, 65], visits: [1, 2, 4] };

/** A patient's value as it is tested and released. */
function released(patient: Patient, name: (typeof names)[number]): string {
  if (name === "smoker" || name === "ward") return patient[name];
  const bounds = { age: [0, 18, 45, 65, 120], visits: [0, 1, 2, 4, 50] }[name];
  const bin = edges[name].filter((edge) => patient[name] >= edge).length;
  return `[${bounds[bin]}, ${bounds[bin + 1]}${bin === 3 ? "]" : ")"}`;
}

/** One pass over all patients, in the order that the release gives. */
function naivePass(order: readonly string[]): string[] {
  const selected: string[] = [];
  for (const name of order) {
    const sizes = new Map<string, number>();
    for (const patient of all) {
      const tuple = [...selected, name].map((one) => released(patient, one as never)).join("/");
      sizes.set(tuple, (sizes.get(tuple) ?? 0) + 1);
    }
    if ([...sizes.values()].every((size) => size >= k)) selected.push(name);
  }
  return selected;
}

const studyOf = (name: string, more: object) => ({
  name,
  table: "patients",
  analysis: "k-anonymous-selection",
  features: [
    { name: "age", type: "numeric", min: 0, max: 120, edges: edges.age },
    { name: "smoker", type: "categorical", levels: ["no", "yes"] },
    { name: "ward", type: "categorical", levels: wards },
    { name: "visits", type: "numeric", min: 0, max: 50, edges: edges.visits },
  ],
  label: { name: "ill", levels: ["no", "yes"] },
  participation: { minimumSites: 3, maxRowsPerSite: 1000, phaseDeadline: "60s" },
  ...more,
});

let folder: string;
let federation: LocalFederation;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "consilium-k-anonymous-"));
  federation = await LocalFederation.create(join(folder, "home"), "anonymous");
  for (const [i, id] of hospitals.entries()) {
    const path = join(folder, `${id}.csv`);
    const lines = own[i]!.map(({ age, smoker, ward, visits, ill }) =>
      [age, smoker, ward, visits, ill].join(","),
    );
    await writeFile(path, `${["age,smoker,ward,visits,ill", ...lines].join("\n")}\n`);
    await federation.addSite({ id, tables: { patients: path }, allowNoPrivacy: true });
  }
  await federation.waitForSites();
});
afterAll(async () => {
  await federation?.remove();
  await rm(folder, { recursive: true, force: true });
});

interface Model {
  readonly selected: readonly string[];
  readonly features: readonly { readonly name: string; readonly importance: number }[];
  readonly tests: readonly { readonly tested: boolean; readonly accepted: boolean }[];
  readonly table: { readonly kept: readonly { readonly counts: readonly number[] }[] } | null;
  readonly evaluation?: { readonly rows: number } | null;
}

async function run(study: object): Promise<{ id: string; model: Model; lines: string[]; view: StudyView }> {
  const { id } = await federation.startStudy(study);
  const view = await federation.waitForRelease(id);
  const base = view.release!.url;
  const model = (await (await fetch(`${base}model.json`)).json()) as Model;
  const response = await fetch(`${base}data.csv`);
  const lines = response.ok ? (await response.text()).trim().split(/\r?\n/) : [];
  return { id, model, lines, view };
}

/** Fetches a release and has it verified, with the command that a reader would type. */
async function verify(view: StudyView): Promise<void> {
  const { id, url } = view.release!;
  const authority = join(federation.home, "authority", "root.pem");
  const to = join(folder, `release-${id}`);
  await federation.cliOrThrow(
    "release",
    "get",
    id,
    "--publisher",
    new URL(url).origin,
    "--to",
    to,
    "--authority",
    authority,
  );
}

/** The data that a hospital sent for a study, by step. */
async function leaving(id: string, hospital: string) {
  const entries = (await egressOf(federation.site(hospital))).filter((entry) => entry.study === id);
  return (step: string) => entries.filter((entry) => entry.step === step);
}

describe("XGB-KA", () => {
  it("selects what a pass over all rows together selects, and publishes those rows", async () => {
    const { id, model, lines, view } = await run(
      studyOf("xgb-ka", { variant: "paper", privacy: "none", parameters: { k, trees: 3 } }),
    );
    const order = model.features.map(({ name }) => name);
    expect(order[0]).toBe("ward");
    expect(model.selected).toEqual(naivePass(order));
    expect(model.selected.length).toBeGreaterThan(0);
    expect(model.selected.length).toBeLessThan(4);

    const columns = names.filter((name) => model.selected.includes(name));
    expect(lines[0]).toBe([...columns, "ill"].join(","));
    const expected = all.map((patient) =>
      [...columns.map((name) => released(patient, name)), patient.ill].join(),
    );
    const unquoted = lines.slice(1).map((line) => line.replaceAll('"', ""));
    expect(unquoted.sort()).toEqual(expected.sort());
    await verify(view);

    for (const [i, hospital] of hospitals.entries()) {
      const at = await leaving(id, hospital);
      // Commitment and shares of the seed, sealed.
      expect(at("commit").map(({ what }) => what)).toEqual(["sealed exchange"]);
      expect(at("reveal").map(({ what }) => what)).toEqual(["sealed exchange"]);
      const selected: string[] = [];
      order.forEach((name, test) => {
        const tuples = new Set(
          own[i]!.map((patient) =>
            [...selected, name].map((one) => released(patient, one as never)).join("/"),
          ),
        );
        if (model.tests[test]!.accepted) selected.push(name);
        // A tag and a count for each different combination, and nothing else.
        expect(at(`test-${test + 1}`)).toMatchObject([{ what: "tags with counts", bytes: 20 * tuples.size }]);
      });
      expect(at("rows")).toMatchObject([{ what: "reduced rows", bytes: own[i]!.length * (4 * 8 + 2) }]);
    }
  });

  it("ranks for several classes, by quantiles and of some rows and columns, and releases probabilities of all", async () => {
    const study = studyOf("several-classes", {
      variant: "paper",
      privacy: "none",
      label: { name: "ward", levels: wards },
      parameters: { k, trees: 2, treeMethod: "approx", maxBin: 3, subsample: 0.9, columnSample: 0.7 },
    });
    const { id, model, lines, view } = await run({
      ...study,
      features: study.features.filter(({ name }) => name !== "ward"),
    });
    const order = model.features.map(({ name }) => name);
    expect(order.length).toBe(3);
    expect(model.features[0]!.importance).toBeGreaterThan(0);
    expect(model.selected).toEqual(naivePass(order));
    expect(model.selected.length).toBeGreaterThan(0);
    expect(lines).toHaveLength(all.length + 1);
    await verify(view);
    // Two rounds of a tree for each ward, each with cuts of its own where it may split on a number.
    const steps = (await federation.study(id)).steps.map((step) => step.id);
    expect(steps.filter((step) => step.endsWith("-level-2"))).toHaveLength(2 * wards.length);
    const cuts = steps.filter((step) => step.endsWith("-cuts"));
    expect(cuts.length).toBeGreaterThan(0);
    const at = await leaving(id, hospitals[2]!);
    for (const step of cuts) expect(at(step).map(({ what }) => what)).toContain("masked vector");
  });

  it("by Greedy-Hamdist ends without rows where no column is K-anonymous, and says so", async () => {
    const { id, model, lines } = await run(
      studyOf("greedy-hamdist", {
        variant: "paper",
        method: "greedy-hamdist",
        privacy: "none",
        parameters: { k: 399 },
      }),
    );
    expect(model.selected).toEqual([]);
    expect(lines).toEqual([]);
    const at = await leaving(id, hospitals[0]!);
    expect(at("histogram").map(({ what }) => what)).toContain("masked vector");
    expect(at("rows")).toEqual([]);
  });
});

describe("dp-ka", () => {
  it("publishes a noisy table without the tests that were of no use, and a certificate that verifies", async () => {
    const { id, model, lines, view } = await run(
      studyOf("dp-ka", {
        privacy: { epsilon: 20, delta: 1e-6 },
        // Two features of four bins each have more cells than this: most candidates are not asked for.
        parameters: { k: 5, trees: 2, maxCells: 8 },
      }),
    );
    expect(model.selected[0]).toBe("ward");
    expect(model.tests.some(({ tested }) => !tested)).toBe(true);
    const counts = model.table!.kept.flatMap(({ counts }) => counts);
    const rows = counts.reduce((sum, count) => sum + Math.max(0, Math.round(count)), 0);
    expect(lines).toHaveLength(rows + 1);
    expect(Math.abs(rows - all.length)).toBeLessThan(200);
    expect(Math.abs(model.evaluation!.rows - all.length / 5)).toBeLessThan(80);
    await verify(view);

    const at = await leaving(id, hospitals[2]!);
    const tested = model.tests.filter((test) => test.tested).length;
    expect(at(`test-${tested}`).map(({ what }) => what)).toContain("masked vector");
    // Keys for the next test rode with the last one; its vector was never asked for.
    expect(at(`test-${tested + 1}`).map(({ what }) => what)).not.toContain("masked vector");
    expect(at("table").map(({ what }) => what)).toContain("masked vector");
    expect((await federation.study(id)).steps.map((step) => step.id)).not.toContain(`test-${tested + 1}`);
  });

  it("orders features by one histogram where few rows are expected, with a model that reads as a table", async () => {
    const { id, model, view } = await run(
      studyOf("dp-ka-histogram", {
        privacy: { epsilon: 6, delta: 1e-6 },
        participation: { minimumSites: 3, maxRowsPerSite: 1000, expectedRows: 400, phaseDeadline: "60s" },
        parameters: { k: 5, maxCells: 8 },
      }),
    );
    expect(model).toMatchObject({ orderedBy: "histogram" });
    expect(model.features[0]).toMatchObject({ name: "ward", standsOut: true });
    expect((model.features[0] as unknown as { added: number[] }).added).toHaveLength(wards.length);
    const at = await leaving(id, hospitals[2]!);
    expect(at("histogram").map(({ what }) => what)).toContain("masked vector");
    expect(at("tree-1-level-1")).toEqual([]);
    const readme = await (await fetch(`${view.release!.url}DICTIONARY.md`)).text();
    expect(readme).toMatch(/ordered by one noisy histogram/);
    expect(readme).toMatch(/Each feature adds the logarithm of how much more frequent a class is in its bin/);
    expect(readme).not.toMatch(/boosted trees|XGBoost/);
    expect((await fetch(`${view.release!.url}model.onnx`)).ok).toBe(true);
    expect((await fetch(`${view.release!.url}model.xgb.json`)).ok).toBe(false);
    await verify(view);
  });
});
