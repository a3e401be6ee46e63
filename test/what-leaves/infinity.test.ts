/**
 * Days beyond a calendar's, which PostgreSQL's `date` holds and of which a difference or a part may be an error: a hospital that has such
 * records in its OMOP database sends the frames of one that has none, and reads the table to its end. The plan's `observed` and its windows
 * are what an operator would steer such an error by.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { postgresPrograms, TestPostgres } from "@consilium/runtime/testing/postgres/postgres";
import { omopInPostgres } from "@consilium/site-agent/testing/data/omopInPostgres";
import { syntheticConcepts, writeSyntheticCdm } from "@consilium/site-agent/testing/data/syntheticCdm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isVector, ObservedHospital, observed, sites } from "./observedHospital.js";

const programs = postgresPrograms();
const { diabetes, metformin, systolic, units } = syntheticConcepts;
const days = ["infinity", "-infinity", "4713-01-01 BC", "0044-03-15 BC", "5874897-12-31", "10000-01-01"];

const study = (table: string) => ({
  name: "infinity",
  table,
  analysis: "describe",
  variant: "sound",
  features: [
    { name: "age", type: "numeric", min: 0, max: 120 },
    { name: "started", type: "numeric", min: -4000, max: 4000, missing: { constant: 0 } },
    { name: "stays", type: "numeric", min: 0, max: 9 },
    { name: "pressure", type: "numeric", min: 90, max: 200, missing: { constant: 130 } },
  ],
  omop: {
    cdm: "5.4",
    conceptSets: {
      illness: [{ concept: diabetes.all, name: "Diabetes" }],
      drug: [{ concept: metformin }],
      systolic: [{ concept: systolic }],
    },
    index: {
      domain: "condition",
      concepts: "illness",
      occurrence: "last",
      observed: { daysBefore: 0, daysAfter: 0 },
    },
    columns: [
      { name: "age", value: "age" },
      { name: "started", value: "days-to", domain: "drug", concepts: "drug", days: [-9000, 9000] },
      { name: "stays", value: "count", domain: "drug", concepts: "drug", days: [-9000, 9000] },
      {
        name: "pressure",
        value: "last",
        domain: "measurement",
        concepts: "systolic",
        unit: units.mmHg,
        days: [-9000, 9000],
      },
    ],
  },
  parameters: { bins: 4 },
  privacy: { epsilon: 5, delta: 1e-5 },
  participation: { sites, minimumSites: 3, maxRowsPerSite: 200, phaseDeadline: "5m" },
});

/** Gives the first persons one record of each kind on each of those days. */
function addDays(server: TestPostgres, schema: string): void {
  for (const [i, day] of days.entries()) {
    const [person, id] = [i + 1, 900_000 + i];
    server.psql(`SET search_path = ${schema};
      INSERT INTO condition_occurrence (condition_occurrence_id, person_id, condition_concept_id, condition_start_date)
        VALUES (${id}, ${person}, ${diabetes.all}, '${day}');
      INSERT INTO drug_exposure (drug_exposure_id, person_id, drug_concept_id, drug_exposure_start_date)
        VALUES (${id}, ${person}, ${metformin}, '${day}');
      INSERT INTO measurement (measurement_id, person_id, measurement_concept_id, measurement_date, value_as_number, unit_concept_id)
        VALUES (${id}, ${person}, ${systolic}, '${day}', 140, ${units.mmHg});
      INSERT INTO observation_period (observation_period_id, person_id, observation_period_start_date, observation_period_end_date)
        VALUES (${id}, ${person}, '2010-01-01', '${day}'), (${id + 1000}, ${person}, '${day}', '2020-01-01')`);
  }
}

describe.skipIf(programs === null)("a hospital whose OMOP database has days beyond the calendar", () => {
  let folder: string;
  let server: TestPostgres;
  let hospital: ObservedHospital;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "consilium-infinity-"));
    server = await TestPostgres.start(programs!);
    await writeSyntheticCdm(join(folder, "cdm"), { persons: 60, seed: 7 });
    for (const schema of ["plain", "beyond"]) omopInPostgres(server, schema, join(folder, "cdm"));
    addDays(server, "beyond");
    const at = (schema: string) => ({ omop: { postgres: { url: server.url() }, schema } });
    hospital = await ObservedHospital.start(folder, {
      tables: { plain: at("plain"), beyond: at("beyond") },
      elsewhere: () => at("plain"),
    });
  });
  afterAll(async () => {
    await hospital?.remove();
    await server?.remove();
    await rm(folder, { recursive: true, force: true });
  });

  /** The frames of a study of each table, how each ended, and the codes of what the hospital alone is told. */
  async function both() {
    const { federation } = hospital;
    const ids = await hospital.runAll(["plain", "beyond"].map(study));
    const { stdout } = await federation.cliOrThrow(
      "site",
      "status",
      "--state",
      federation.site(observed).state,
      "--json",
    );
    const { studies } = JSON.parse(stdout) as {
      studies: { id: string; status: string; zeros: { code: string }[] }[];
    };
    const of = async (id: string) => {
      const own = studies.find((one) => one.id === id)!;
      return {
        left: await hospital.leftFor(id),
        status: own.status,
        zeros: own.zeros.map(({ code }) => code),
      };
    };
    return { plain: await of(ids[0]!), beyond: await of(ids[1]!) };
  }

  it("sends what one without them sends, and reads all its records", async () => {
    const { plain, beyond } = await both();
    expect(plain.left.some(isVector)).toBe(true);
    expect(beyond).toEqual(plain);
    expect(beyond).toMatchObject({ status: "released", zeros: [] });
  });

  it("is caught by its zeros where dates are taken as they stand, and by its frames where faults leave, too", async () => {
    await hospital.restart("weakened", "dates");
    const closed = await both();
    expect(closed.beyond.left).toEqual(closed.plain.left);
    // Of the flow of rows, and of the method's sum.
    expect(closed.beyond.zeros).toEqual(["TABLE_UNREADABLE", "TABLE_UNREADABLE"]);
    expect(closed.plain.zeros).toEqual([]);
    await hospital.restart("weakened", "dates faults");
    const open = await both();
    expect(open.plain.left).toEqual(closed.plain.left);
    expect(open.beyond.left).not.toEqual(open.plain.left);
    expect(open.beyond.left.join("\n")).toContain("TABLE_AWAY");
  });
});
