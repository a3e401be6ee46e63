/**
 * Survival over real processes: three hospitals, one without a single row, an aggregator and a publisher. Without noise the released
 * curves are those of all rows at one place, whatever is wrong with single rows; with noise the release verifies, and reads in pandas.
 */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z95 } from "@consilium/core/linalg/z95";
import { figuresFileSchema } from "@consilium/core/release/views";
import { survivalModelSchema } from "@consilium/methods/survival/model";
import {
  type Followed,
  followedBlock,
  followedRows,
  simulateSurvival,
  survivalSource,
  survivalTestStudy,
} from "@consilium/methods/testing/survival/study";
import { afterAll, beforeAll, expect, it } from "vitest";
import { LocalFederation } from "../../scripts/localFederation.js";
import { egressOf } from "../support/faultFederation.js";
import { requirePython } from "../support/python.js";

const hospitals = ["hospital-a", "hospital-b", "hospital-c"];
const many = Array.from({ length: 4 }, () => followedRows).flat();
const own = [many.slice(0, 600), many.slice(600), []];

/** A negative time, none at all, a status and an arm that nobody declared, and what is no number: none of them is used. */
const unusable = [
  "-3,standard,dead",
  "-0.01,new,alive",
  ",new,dead",
  "5,new,lost",
  "5,third,dead",
  "x,new,dead",
];

/** The flow of all three hospitals: a negative time is refused as a level that nobody declared is. */
const causes = [
  ["read", "", many.length + 3 * unusable.length],
  ["left out", "where", 0],
  ["left out", "label", 3],
  ["left out", "level", 9],
  ["left out", "type", 3],
  ["left out", "missing", 3],
  ["used", "", many.length],
] as const;

const csvOf = (rows: readonly Followed[], more: readonly string[]) =>
  [
    "months,arm,status",
    ...rows.map(({ months, arm, status }) =>
      [months, ["standard", "new"][arm], ["alive", "dead"][status]].join(),
    ),
    ...more,
  ]
    .map((line) => `${line}\n`)
    .join("");

const studyOf = (name: string, privacy: unknown, table = "patients") => ({
  ...survivalSource,
  name,
  table,
  privacy,
  participation: { minimumSites: 3, maxRowsPerSite: 1000, expectedRows: 960, phaseDeadline: "60s" },
});

let folder: string;
let federation: LocalFederation;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "consilium-survival-"));
  federation = await LocalFederation.create(join(folder, "home"), "survival");
  for (const [i, id] of hospitals.entries()) {
    const [patients, faulty] = [join(folder, `${id}.csv`), join(folder, `${id}-faulty.csv`)];
    await writeFile(patients, csvOf(own[i]!, []));
    await writeFile(faulty, csvOf(own[i]!, unusable));
    await federation.addSite({ id, tables: { patients, faulty }, allowNoPrivacy: true });
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
  const model = survivalModelSchema.parse(JSON.parse(await read("model.json")));
  const [header, ...lines] = (await read("data.csv")).trim().split("\r\n");
  const names = header!.split(",");
  const rows = lines.map((line) => {
    const cells = line.split(",");
    return Object.fromEntries(names.map((name, j) => [name, cells[j]!]));
  });
  return { id, view, read, model, rows };
}

it("without noise releases the curves and the test of all rows at one place", async () => {
  const { model, rows } = await released(studyOf("survival-exact", "none"));
  const { curves, logRank } = await simulateSurvival({
    study: survivalTestStudy({ participation: { minimumSites: 3, maxRowsPerSite: 1000 } }),
    tables: [[followedBlock(many)]],
    random: {
      bytes: () => {
        throw new Error("nothing is drawn");
      },
    },
  });
  expect(
    rows.map(({ group, survival, survival_low: low }) => [group, Number(survival), Number(low)]),
  ).toEqual(
    curves.flatMap((points, g) =>
      points.map(({ survival }) => [["standard", "new"][g], survival.value, survival.low]),
    ),
  );
  expect(model.logRank).toMatchObject({
    ...logRank!.halfInterval,
    constantHazards: logRank!.constantHazards,
  });
});

it("of a table with unusable rows counts all others, and those by cause in its flow alone", async () => {
  const { id, read, model } = await released(
    studyOf("survival-faulty", { epsilon: 1000, delta: 1e-6 }, "faulty"),
  );
  const records = model.groups.reduce((sum, one) => sum + one.records, 0);
  expect(Math.abs(records - many.length)).toBeLessThan(6 * model.groups[0]!.recordsStdDev * Math.SQRT2);
  const [, ...lines] = (await read("flow.csv")).trim().split("\r\n");
  const flow = lines.map((line) => line.split(","));
  expect(flow.slice(0, causes.length).map(([step, of]) => [step, of])).toEqual(
    causes.map(([step, of]) => [step, of]),
  );
  for (const [at, [, , count]] of causes.entries()) {
    const [, , found, low] = flow[at]!.map(Number);
    // Within six standard deviations, each of them about a quarter of a row, and of their sum 0.6.
    expect(found! - low!).toBeLessThan(1.2);
    expect(Math.abs(found! - count), flow[at]!.join()).toBeLessThan((6 / z95) * (found! - low!));
  }
  // A hospital without a usable row sends as much as any other.
  const sent = await Promise.all(
    hospitals.map(async (hospital) =>
      (await egressOf(federation.site(hospital)))
        .filter((entry) => entry.study === id && entry.what === "masked vector")
        .map(({ step, bytes }) => [step, bytes]),
    ),
  );
  expect(sent[0]!.map(([step]) => step)).toEqual(["flow", "counts"]);
  expect(sent[1]).toEqual(sent[0]);
  expect(sent[2]).toEqual(sent[0]);
});

it("with noise publishes curves with bands, the test and the error to expect, in a release that verifies", async () => {
  // At an epsilon of 2 one of 17 simulated studies had nobody left under observation in the last interval, at 3 none of 10,000.
  const { view, read, model, rows } = await released(studyOf("survival-noisy", { epsilon: 4, delta: 1e-6 }));
  expect(view.claim).toMatchObject({ verdict: "proved" });
  expect(rows).toHaveLength(12);
  expect(rows.map(({ time }) => Number(time)).slice(0, 6)).toEqual([6, 12, 24, 36, 48, 60]);
  for (const row of rows) {
    expect(Number(row.survival_low)).toBeLessThan(Number(row.survival));
    expect(Number(row.noise_std_dev)).toBeGreaterThan(0);
  }
  expect(model.logRank!.pValue).toBeLessThan(0.05);
  const { figures } = figuresFileSchema.parse(JSON.parse(await read("figures.json")));
  expect(figures.map(({ name }) => name)).toEqual(["survival", "cumulative-hazard", "flow"]);
  expect(figures[0]).toMatchObject({ kind: "curves", series: [{ style: "band" }, { style: "band" }] });
  expect(await read("plots/survival.svg")).toContain('class="band');
  expect(await read("DICTIONARY.md")).toMatch(/Expected error: .*the noise moves survival of arm = new by/);

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
  expect(await readFile(join(to, "data.csv"), "utf8")).toBe(await read("data.csv"));
});

it("reads in pandas, the same as CSV and as Parquet", async (context) => {
  const python = requirePython(context, ["pandas", "pyarrow"]);
  const { read, view, rows } = await released(studyOf("survival-pandas", { epsilon: 2, delta: 1e-6 }));
  const csv = join(folder, "data.csv");
  const parquet = join(folder, "data.parquet");
  await writeFile(csv, await read("data.csv"));
  const bytes = await (await fetch(`${view.release!.url}data.parquet`)).arrayBuffer();
  await writeFile(parquet, new Uint8Array(bytes));
  const program = `
import pandas, sys
csv = pandas.read_csv(sys.argv[1])
pandas.testing.assert_frame_equal(csv, pandas.read_parquet(sys.argv[2]), check_dtype=False)
print(csv[csv.group == "new"].set_index("time").survival[36])
`;
  const printed = await python.run(program, [csv, parquet]);
  const expected = rows.find(({ group, time }) => group === "new" && Number(time) === 36)!;
  expect(Number(printed)).toBeCloseTo(Number(expected.survival), 12);
});
