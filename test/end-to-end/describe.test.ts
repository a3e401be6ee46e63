/**
 * Descriptive statistics over real processes: three hospitals, one without a single row, an aggregator and a publisher. Without noise
 * the released counts are those of all rows at one place; with noise the release verifies, and pandas reads what it holds. Missing
 * numbers and levels are counted by themselves, of visits each patient counts once, and a group of sites by itself. Of a table
 * with rows that a study cannot use, all others count.
 */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { figuresFileSchema, tablesFileSchema } from "@consilium/core/release/views";
import { countsModelSchema } from "@consilium/methods/counts/release";
import { describeModelSchema } from "@consilium/methods/describe/model";
import { afterAll, beforeAll, expect, it } from "vitest";
import { LocalFederation } from "../../scripts/localFederation.js";
import { seededUniform } from "../support/faultFederation.js";
import { requirePython } from "../support/python.js";
import { fetchRelease, sentVectors } from "../support/released.js";

const hospitals = ["hospital-a", "hospital-b", "hospital-c"];
const sexes = ["f", "m"] as const;

interface Patient {
  readonly age: number | null;
  readonly sex: "f" | "m" | "";
  readonly ill: "no" | "yes";
}

function patients(count: number, seed: number): Patient[] {
  const uniform = seededUniform(seed);
  return Array.from({ length: count }, () => {
    const age = uniform() < 0.05 ? null : Math.floor(95 * uniform());
    const sex = uniform() < 0.03 ? "" : sexes[uniform() < 0.5 ? 0 : 1]!;
    return { age, sex, ill: uniform() < 0.1 + (age ?? 0) / 200 ? "yes" : "no" };
  });
}

const own = [patients(900, 1), patients(600, 2), []];
const all = own.flat();
/** An undeclared level and an invalid number, in so many rows that counts would show them beside any noise here. */
const unusable = Array.from({ length: 150 }, () => ["50,other,no", "old,m,yes"]).flat();
const lineOf = ({ age, sex, ill }: Patient) => `${age ?? ""},${sex},${ill}`;

const common = {
  table: "patients",
  analysis: "describe",
  features: [
    { name: "age", type: "numeric", min: 0, max: 100, unit: "years", edges: [20, 40, 60, 80] },
    { name: "sex", type: "categorical", levels: sexes },
  ],
  participation: { minimumSites: 3, maxRowsPerSite: 3000, phaseDeadline: "60s" },
};
const described = {
  ...common,
  method: "describe",
  label: { name: "ill", levels: ["no", "yes"] },
  parameters: { tables: [["age", "sex"]] },
};
const conditions = [
  { name: "all", all: [] },
  {
    name: "older women",
    all: [
      { column: "age", atLeast: 60 },
      { column: "sex", in: ["f"] },
    ],
  },
  { name: "no age", all: [{ column: "age", missing: true }] },
];
const counted = { ...common, method: "counts", parameters: { conditions } };

let folder: string;
let federation: LocalFederation;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "consilium-describe-"));
  federation = await LocalFederation.create(join(folder, "home"), "describe");
  for (const [i, id] of hospitals.entries()) {
    const path = join(folder, `${id}.csv`);
    await writeFile(path, `${["age,sex,ill", ...own[i]!.map(lineOf)].join("\n")}\n`);
    const faulty = join(folder, `${id}-faulty.csv`);
    await writeFile(faulty, `${["age,sex,ill", ...own[i]!.map(lineOf), ...unusable].join("\n")}\n`);
    const visits = join(folder, `${id}-visits.csv`);
    // Of each patient one row, of every third two.
    const rows = own[i]!.flatMap((patient, p) =>
      Array.from({ length: p % 3 === 0 ? 2 : 1 }, () => `${lineOf(patient)},p-${p}`),
    );
    await writeFile(visits, `${["age,sex,ill,person", ...rows].join("\n")}\n`);
    await federation.addSite({
      id,
      tables: { patients: path, faulty, visits },
      units: { visits: "patient:person:2" },
      enrolOptions: ["--same-patients", "visits"],
      allowNoPrivacy: true,
      policy: { budget: null, populations: { visitors: { tables: ["visits"], epsilon: "unlimited" } } },
    });
  }
  await federation.waitForSites();
});
afterAll(async () => {
  await federation?.remove();
  await rm(folder, { recursive: true, force: true });
});

async function released(study: object) {
  const { id } = await federation.startStudy(study);
  const view = await federation.waitForRelease(id);
  const base = view.release!.url;
  const read = async (file: string) => (await fetch(`${base}${file}`)).text();
  return { id, view, read };
}

/** Counts of ages by interval, the missing ones last. */
const byAge = (of: readonly Patient[]) => [
  ...[0, 20, 40, 60, 80].map(
    (from) => of.filter(({ age }) => age !== null && age >= from && age < from + 20).length,
  ),
  of.filter(({ age }) => age === null).length,
];

it("without noise releases the counts of all rows at one place", async () => {
  const { read } = await released({ ...described, name: "describe-exact", privacy: "none" });
  const model = describeModelSchema.parse(JSON.parse(await read("model.json")));
  expect(model.records.count).toBe(all.length);
  expect(model.columns[0]!.counts).toEqual(
    ["no", "yes"].flatMap((ill) => byAge(all.filter((patient) => patient.ill === ill))),
  );
  const { tables } = tablesFileSchema.parse(JSON.parse(await read("tables.json")));
  const tableOne = tables.find(({ name }) => name === "table-one")!;
  expect(tableOne.rows[0]).toEqual([
    "rows",
    "n (95 % interval)",
    ...[all.length, ...["no", "yes"].map((ill) => all.filter((patient) => patient.ill === ill).length)].map(
      String,
    ),
  ]);
  expect(await read("README.md")).toContain("## Table one");
});

it("counts each patient once, however many visits there are", async () => {
  const { read, view } = await released({
    ...described,
    name: "describe-visits",
    table: "visits",
    patient: { column: "person", maxRows: 2 },
    privacy: "none",
  });
  const model = describeModelSchema.parse(JSON.parse(await read("model.json")));
  expect(model.columns[0]!.counts).toEqual(
    ["no", "yes"].flatMap((ill) => byAge(all.filter((patient) => patient.ill === ill))),
  );
  expect(view.status).toBe("released");
});

it("with noise makes a release that verifies, and that pandas reads", async (context) => {
  const { id, view, read } = await released({
    ...described,
    name: "describe-noisy",
    table: "faulty",
    privacy: { epsilon: 2, delta: 1e-6 },
  });
  expect(view.claim).toMatchObject({ verdict: "proved", proof: "docs/METHODS.md#describe-proof" });
  const { figures } = figuresFileSchema.parse(JSON.parse(await read("figures.json")));
  expect(figures.map(({ kind, title }) => [kind, title])).toEqual([
    ["curves", "age by ill"],
    ["bars", "sex by ill"],
    ["flow", "Flow of rows"],
  ]);
  expect(await read("plots/column-1.svg")).toContain("age (years)");

  const to = join(folder, `release-${id}`);
  await fetchRelease(federation, view, to);
  const authority = join(federation.home, "authority", "root.pem");
  const verified = await federation.cliOrThrow("release", "verify", to, "--authority", authority);
  expect(verified.stdout).toContain("Verified: privacy is proven, epsilon 2");
  expect(await readFile(join(to, "table-one.csv"), "utf8")).toBe(await read("table-one.csv"));

  // A hospital without a row sends as much as any other.
  const sent = await sentVectors(federation, hospitals, id);
  expect(sent[0]!.map(([step]) => step)).toEqual(["flow", "tables"]);
  expect(sent[1]).toEqual(sent[0]);
  expect(sent[2]).toEqual(sent[0]);

  const { run } = requirePython(context, ["pandas", "pyarrow"]);
  const seen = JSON.parse(
    await run(
      `
import json, sys
import pandas as pd
folder = sys.argv[1]
csv = pd.read_csv(f"{folder}/histograms.csv")
parquet = pd.read_parquet(f"{folder}/histograms.parquet")
pd.testing.assert_frame_equal(csv, parquet, check_dtype=False)
age = csv[(csv.variable == "age") & (csv.group == "overall")]
summary = pd.read_parquet(f"{folder}/summary.parquet")
median = summary[(summary.variable == "age") & (summary.group == "overall") & (summary.statistic == "median")].iloc[0]
print(json.dumps({
  "counts": age["count"].tolist(), "low": age.count_low.tolist(), "high": age.count_high.tolist(),
  "from": age["from"].dropna().tolist(), "median": [median.low, median.estimate, median.high],
  "one": pd.read_csv(f"{folder}/table-one.csv").columns.tolist(),
}))`,
      [to],
    ),
  ) as Record<"counts" | "low" | "high" | "from" | "median", number[]> & { one: string[] };
  expect(seen.from).toEqual([0, 20, 40, 60, 80]);
  expect(seen.one).toEqual(["variable", "statistic", "overall", "ill: no", "ill: yes"]);
  const actual = byAge(all);
  // Of six intervals of 95 % one may miss; twice as wide, each by a chance of 10^-4.
  actual.forEach((count, i) => {
    const half = seen.high[i]! - seen.counts[i]!;
    expect(Math.abs(seen.counts[i]! - count)).toBeLessThan(2.2 * half);
  });
  const sorted = all.flatMap(({ age }) => (age === null ? [] : [age])).sort((a, b) => a - b);
  expect(seen.median[0]).toBeLessThanOrEqual(sorted[Math.floor(sorted.length / 2)]!);
  expect(seen.median[2]).toBeGreaterThanOrEqual(sorted[Math.floor(sorted.length / 2)]!);
});

it("counts records that meet conditions, at a small epsilon, in one step", async () => {
  const exact = await released({ ...counted, name: "counts-exact", privacy: "none" });
  const model = countsModelSchema.parse(JSON.parse(await exact.read("model.json")));
  const truth = [
    all.length,
    all.filter(({ age, sex }) => age !== null && age >= 60 && sex === "f").length,
    all.filter(({ age }) => age === null).length,
  ];
  expect(model.conditions.map(({ counts }) => counts)).toEqual(truth.map((count) => [count]));

  const noisy = await released({
    ...counted,
    name: "counts-noisy",
    table: "faulty",
    privacy: { epsilon: 0.2, delta: 1e-6 },
  });
  const { tables } = tablesFileSchema.parse(JSON.parse(await noisy.read("tables.json")));
  const rows = tables[0]!.rows as [string, string, string, number, number, number][];
  expect(rows.map(([name, meaning]) => [name, meaning])).toEqual([
    ["all", "every record"],
    ["older women", "age is at least 60 years, and sex is f"],
    ["no age", "age is missing"],
  ]);
  rows.forEach(([, , , count, , high], i) => {
    expect(Math.abs(count - truth[i]!)).toBeLessThan(2.2 * (high - count));
  });
  expect(await noisy.read("README.md")).toContain("| older women |");
});
