/**
 * Additive boosting over real processes: three hospitals, one without a single row, an aggregator and a publisher. Without noise
 * the released curves are those of all rows at one place; with noise the release verifies, and shows a curve for each feature.
 * Of a table of visits each patient counts as much as one row.
 */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { utf8Of } from "@consilium/core/bytes";
import { figuresFileSchema } from "@consilium/core/release/views";
import { unwrap } from "@consilium/core/result";
import { additiveModelSchema } from "@consilium/methods/dp-additive/model";
import { withPatients } from "@consilium/methods/testing/patients";
import { readCertificate } from "@consilium/release/v3/schema";
import { eventOf } from "@consilium/release/v3/terms";
import { afterAll, beforeAll, expect, it } from "vitest";
import { LocalFederation } from "../../scripts/localFederation.js";
import { fetchRelease, sentVectors } from "../support/released.js";
import {
  curvesOf,
  type WardPatient,
  wardBlock,
  wardPatients,
  wardStudy,
  wards,
} from "../support/wardPatients.js";

const hospitals = ["hospital-a", "hospital-b", "hospital-c"];
const own = [wardPatients(420, 1), wardPatients(260, 2), []];

/** Rows of each person that the hospitals, and the study of visits, take at most. */
const maxVisits = 4;

interface Visit extends WardPatient {
  readonly person: string;
  /** From 1. */
  readonly visit: number;
}

/** One visit of each person, then a second one of some, and so on: up to six. */
function visits(people: readonly WardPatient[]): Visit[] {
  const table: Visit[] = [];
  for (let visit = 0; visit < 6; visit++)
    people.forEach((patient, i) => {
      if (i % 6 >= visit)
        table.push({ ...patient, age: (patient.age + 7 * visit) % 90, person: `p-${i}`, visit: visit + 1 });
    });
  return table;
}

/** Those that are used: of each person the first. */
function used(table: readonly Visit[]): Visit[] {
  const seen = new Map<string, number>();
  return table.filter(({ person }) => {
    seen.set(person, (seen.get(person) ?? 0) + 1);
    return seen.get(person)! <= maxVisits;
  });
}

let folder: string;
let federation: LocalFederation;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "consilium-additive-"));
  federation = await LocalFederation.create(join(folder, "home"), "additive");
  for (const [i, id] of hospitals.entries()) {
    const path = join(folder, `${id}.csv`);
    const lines = own[i]!.map(({ age, ward, ill }) => [age, wards[ward], ill === 1 ? "yes" : "no"].join());
    await writeFile(path, `${["age,ward,ill", ...lines].join("\n")}\n`);
    const visitsPath = join(folder, `${id}-visits.csv`);
    const rows = visits(own[i]!).map(({ age, ward, ill, person, visit }) =>
      [age, wards[ward], ill === 1 ? "yes" : "no", person, visit].join(),
    );
    await writeFile(visitsPath, `${["age,ward,ill,person,visit", ...rows].join("\n")}\n`);
    await federation.addSite({
      id,
      tables: { patients: path, visits: visitsPath },
      units: { visits: `patient:person:${maxVisits}` },
      orderBy: { visits: "visit" },
      // One population counts by rows or by patients.
      enrolOptions: ["--same-patients", "visits"],
      // One computes in its own process, one in two workers, and one shares out a table without a row.
      ...(i === 0 ? {} : { workers: 2 }),
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

async function released(name: string, privacy: unknown, more: object = {}) {
  const { id } = await federation.startStudy({ ...wardStudy(name, privacy), ...more });
  const view = await federation.waitForRelease(id);
  const base = view.release!.url;
  const read = async (file: string) => (await fetch(`${base}${file}`)).text();
  return { id, view, read, model: additiveModelSchema.parse(JSON.parse(await read("model.json"))) };
}

it("without noise releases the curves of all rows at one place", async () => {
  const { model } = await released("additive-exact", "none");
  const curves = await curvesOf(wardStudy("additive-exact", "none"), [[wardBlock(own.flat())]]);
  expect(model.intercept).toBe(curves.intercept);
  expect(model.curves.flatMap(({ bins }) => bins.map(({ logOdds }) => logOdds))).toEqual([...curves.values]);
});

const ofVisits = {
  table: "visits",
  patient: { column: "person", maxRows: maxVisits },
  participation: { minimumSites: 3, maxRowsPerSite: 3000, phaseDeadline: "60s" },
};

it("releases the curves of patients, however many visits each has", async () => {
  const { model } = await released("additive-visits", "none", ofVisits);
  const raw = { ...wardStudy("additive-visits", "none"), ...ofVisits };
  const simulated = (study: unknown) =>
    curvesOf(
      study,
      own.map((people) => {
        const rows = used(visits(people));
        return [
          withPatients(
            wardBlock(rows),
            rows.map(({ person }) => person),
          ),
        ];
      }),
    );
  const curves = await simulated(raw);
  expect(model.curves.flatMap(({ bins }) => bins.map(({ logOdds }) => logOdds))).toEqual([...curves.values]);
  // The control: rows that count 1 each give other curves.
  const byRow = await simulated({ ...raw, patient: { ...ofVisits.patient, weighting: "rows" } });
  expect([...byRow.values]).not.toEqual([...curves.values]);
});

it("protects patients at the noise of one row, which the certificate says and the ledger charges", async () => {
  const { view, read } = await released("visits-noisy", { epsilon: 2, delta: 1e-6 }, ofVisits);
  const unit = `one patient of one site, with at most ${maxVisits} rows that together weigh as much as one`;
  expect(view.claim.unit).toBe(unit);
  const { plan } = unwrap(readCertificate(utf8Of(await read("certificate.json")))).stated;
  // 12: the least common multiple of the numbers of rows that a patient may have, by which rows are divided.
  expect(plan.unit).toEqual({ kind: "patient", maxRows: maxVisits, weight: 12 });
  // None is a group of rows: neither a sum of the method nor the flow, in which a patient is one record.
  expect(plan.stages.map((stage) => [stage.id, eventOf(stage, plan.unit).kind])).toEqual(
    ["flow", "epoch-1", "epoch-2", "epoch-3", "evaluation"].map((id) => [
      id,
      "distributed-discrete-gaussian",
    ]),
  );
  expect(await read("DICTIONARY.md")).toContain("together weigh as much as one");
  await fetchRelease(federation, view, join(folder, `release-${view.release!.id}`));
  const { state } = federation.site("hospital-a");
  const { stdout } = await federation.cliOrThrow("ledger", "show", "--state", state, "--json");
  const { populations } = JSON.parse(stdout) as {
    populations: { name: string; unit: string; spent: number }[];
  };
  const { unit: charged, spent } = populations.find(({ name }) => name === "visitors")!;
  expect(charged).toBe("patient");
  expect(spent).toBeGreaterThan(1.9);
  expect(spent).toBeLessThanOrEqual(2);
});

it("with noise publishes a curve for each feature, as figure and as CSV, that verifies", async () => {
  const { id, view, read, model } = await released("additive-noisy", { epsilon: 10, delta: 1e-6 });
  const ward = model.curves[1]!.bins.map(({ logOdds }) => logOdds);
  expect(ward.indexOf(Math.max(...ward))).toBe(1);
  expect(model.curves.flatMap(({ bins }) => bins).every(({ stdDev }) => stdDev > 0)).toBe(true);

  const [header, ...lines] = (await read("curves.csv")).trim().split("\r\n");
  expect(header).toBe("feature,from,to,level,log_odds,std_dev");
  expect(lines.map((line) => line.split(",").slice(0, 4).join())).toEqual([
    "age,0,20,",
    "age,20,40,",
    "age,40,60,",
    "age,60,80,",
    "age,80,100,",
    ...wards.map((level) => `ward,,,${level}`),
  ]);
  expect(lines.map((line) => Number(line.split(",")[4]))).toEqual(
    model.curves.flatMap(({ bins }) => bins.map(({ logOdds }) => logOdds)),
  );
  const { figures } = figuresFileSchema.parse(JSON.parse(await read("figures.json")));
  const age = figures.find(({ title }) => title === "What age adds to the log-odds of ill = yes");
  expect(age).toMatchObject({ kind: "curves", xLabel: "age (years)", exponential: { label: "odds ratio" } });
  expect(await read(`plots/${age!.name}.svg`)).toContain("odds ratio");

  const to = join(folder, `release-${view.release!.id}`);
  await fetchRelease(federation, view, to);
  expect(await readFile(join(to, "curves.csv"), "utf8")).toBe(await read("curves.csv"));

  // A hospital without a row sends as much as any other, stage by stage.
  const sent = await sentVectors(federation, hospitals, id);
  expect(sent[0]!.map(([step]) => step)).toEqual(["flow", "epoch-1", "epoch-2", "epoch-3", "evaluation"]);
  expect(sent[1]).toEqual(sent[0]);
  expect(sent[2]).toEqual(sent[0]);
});
