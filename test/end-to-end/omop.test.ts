/**
 * One study over real processes at three hospitals of three kinds: OMOP as files that DuckDB reads, OMOP in PostgreSQL, and a
 * CSV file of the same features. Without noise the released model is that of all persons' rows, worked out without SQL;
 * with noise the release verifies and each ledger charges one patient. A hospital sees in plain words what is read.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { plainKernels } from "@consilium/core/linalg/plain";
import { omopPlanSchema } from "@consilium/core/omop/plan";
import { unwrap } from "@consilium/core/result";
import { additiveModelSchema } from "@consilium/methods/dp-additive/model";
import { asAdditive } from "@consilium/methods/dp-additive/study";
import { simulateAdditive } from "@consilium/methods/testing/additive/simulate";
import { parseStudy } from "@consilium/methods/testing/studies";
import { postgresPrograms, TestPostgres } from "@consilium/runtime/testing/postgres/postgres";
import { type HandRow, readCdm, rowsByHand } from "@consilium/site-agent/testing/data/omopByHand";
import { omopInPostgres } from "@consilium/site-agent/testing/data/omopInPostgres";
import { syntheticConcepts, writeSyntheticCdm } from "@consilium/site-agent/testing/data/syntheticCdm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LocalFederation } from "../../scripts/localFederation.js";

const programs = postgresPrograms();
if (programs === null)
  process.stderr.write("SKIPPED: no PostgreSQL programs, so no study reads OMOP in it\n");

const { diabetes, heartFailure, metformin, systolic, inpatient, units } = syntheticConcepts;

const plan = {
  cdm: "5.4",
  conceptSets: {
    diabetes: [{ concept: diabetes.all, name: "Diabetes" }],
    "heart-failure": [{ concept: heartFailure.all, name: "Heart failure" }],
    metformin: [{ concept: metformin }],
    systolic: [{ concept: systolic }],
    inpatient: [{ concept: inpatient }],
  },
  index: { domain: "condition", concepts: "diabetes", occurrence: "first" },
  columns: [
    { name: "age", value: "age" },
    { name: "sex", value: "sex" },
    {
      name: "systolic",
      value: "last",
      domain: "measurement",
      concepts: "systolic",
      unit: units.mmHg,
      days: [-3000, 3000],
    },
    { name: "metformin", value: "any", domain: "drug", concepts: "metformin", days: [-3000, 0] },
    { name: "stays", value: "count", domain: "visit", concepts: "inpatient", days: [-3000, -1] },
    { name: "failure", value: "any", domain: "condition", concepts: "heart-failure", days: [-3000, 3000] },
  ],
};

const studyOf = (name: string, privacy: unknown) => ({
  name,
  table: "cohort",
  analysis: "boosted-trees",
  method: "dp-additive",
  features: [
    { name: "age", type: "numeric", min: 18, max: 100, unit: "years", edges: [40, 50, 60, 70, 80] },
    { name: "sex", type: "categorical", levels: ["female", "male"] },
    { name: "systolic", type: "numeric", min: 90, max: 200, unit: "mmHg", missing: { constant: 130 } },
    { name: "metformin", type: "categorical", levels: ["0", "1"] },
    { name: "stays", type: "numeric", min: 0, max: 5, edges: [1, 2, 3, 4] },
  ],
  label: { name: "failure", levels: ["0", "1"] },
  omop: plan,
  privacy,
  parameters: { epochs: 2 },
  participation: { minimumSites: 3, maxRowsPerSite: 2000, phaseDeadline: "120s" },
});

const names = plan.columns.map(({ name }) => name);
const hospitals = ["files", "database", "export"] as const;

describe.skipIf(programs === null)("a study of OMOP", () => {
  let folder: string;
  let federation: LocalFederation;
  let server: TestPostgres;
  let own: Map<string, HandRow>[];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "consilium-omop-"));
    const parsed = omopPlanSchema.parse(plan);
    own = [];
    for (const [i, hospital] of hospitals.entries()) {
      const cdm = join(folder, hospital);
      await writeSyntheticCdm(cdm, { persons: 500 + 100 * i, seed: i + 1, firstPerson: 1 + 10_000 * i });
      own.push(rowsByHand(parsed, readCdm(cdm)));
    }
    server = await TestPostgres.start(programs!);
    omopInPostgres(server, "cdm", join(folder, "database"));
    const csv = join(folder, "features.csv");
    const lines = [...own[2]!].map(([person, row]) =>
      [...names.map((name) => row[name] ?? ""), person].join(),
    );
    await writeFile(csv, `${[[...names, "person_id"].join(), ...lines].join("\n")}\n`);

    federation = await LocalFederation.create(join(folder, "home"), "omop");
    const omop = {
      files: { files: join(folder, "files") },
      database: { postgres: { url: server.url() }, schema: "cdm" },
    };
    for (const hospital of hospitals) {
      await federation.addSite({
        id: hospital,
        tables: hospital === "export" ? { cohort: csv } : {},
        units: { cohort: "patient:person_id:1" },
        ...(hospital !== "export" && { entries: { cohort: { omop: omop[hospital] } } }),
        allowNoPrivacy: true,
        policy: { budget: null },
      });
    }
    await federation.waitForSites();
  }, 180_000);
  afterAll(async () => {
    await federation?.remove();
    await server?.remove();
    await rm(folder, { recursive: true, force: true });
  });

  async function released(name: string, privacy: unknown) {
    const { id } = await federation.startStudy(studyOf(name, privacy));
    const view = await federation.waitForRelease(id);
    const read = async (file: string) => (await fetch(`${view.release!.url}${file}`)).text();
    return { id, view, model: additiveModelSchema.parse(JSON.parse(await read("model.json"))) };
  }

  it("without noise releases the curves of all hospitals' persons at one place", async () => {
    const { model } = await released("omop-exact", "none");
    const study = asAdditive(unwrap(parseStudy(studyOf("omop-exact", "none"))));
    // Persons whose sex is not told are left out, as the study has it.
    const all = own.flatMap((rows) => [...rows.values()]).filter(({ sex }) => sex !== null);
    expect(all.length).toBeGreaterThan(600);
    const column = (of: (row: HandRow) => number) => Float64Array.from(all, of);
    const { curves } = await simulateAdditive({
      study,
      tables: [
        [
          {
            rows: all.length,
            columns: [
              column(({ age }) => Math.min(100, Math.max(18, Number(age)))),
              column(({ sex }) => (sex === "female" ? 0 : 1)),
              column(({ systolic: value }) => (value === null ? 130 : Number(value))),
              column((row) => Number(row.metformin)),
              column(({ stays }) => Math.min(5, Number(stays))),
            ],
            labels: Uint16Array.from(all, ({ failure }) => Number(failure)),
          },
        ],
      ],
      kernels: plainKernels(),
      random: {
        bytes: () => {
          throw new Error("nothing is drawn");
        },
      },
    });
    expect(model.intercept).toBe(curves.intercept);
    expect(model.curves.flatMap(({ bins }) => bins.map(({ logOdds }) => logOdds))).toEqual([
      ...curves.values,
    ]);
  });

  it("with noise is released, verifies, and costs each patient what it says", async () => {
    const { id, view } = await released("omop-noisy", { epsilon: 3, delta: 1e-6 });
    const { id: release, url } = view.release!;
    const authority = join(federation.home, "authority", "root.pem");
    const to = join(folder, `release-${release}`);
    const got = [
      "release",
      "get",
      release,
      "--publisher",
      new URL(url).origin,
      "--to",
      to,
      "--authority",
      authority,
    ];
    await federation.cliOrThrow(...got);
    for (const hospital of hospitals) {
      const { state } = federation.site(hospital);
      const { stdout } = await federation.cliOrThrow("ledger", "show", "--state", state, "--json");
      const { populations } = JSON.parse(stdout) as { populations: { unit: string; spent: number }[] };
      const charged = populations.find(({ spent }) => spent > 0);
      expect(charged?.unit, hospital).toBe("patient");
      expect(charged?.spent, hospital).toBeLessThanOrEqual(3);
    }
    const { state } = federation.site("database");
    const shown = await federation.cliOrThrow("site", "show", id, "--state", state);
    const text = shown.stdout.replace(/\s+/g, " ");
    expect(text).toContain("the study brings no SQL");
    expect(text).toContain(
      "systolic: last value in the unit of concept 8876 of a measurement of the concept set systolic",
    );
  });
});
