/**
 * Additive boosting over real processes: three hospitals, one without a single row, an aggregator and a publisher. Without noise
 * the released curves are those of all rows at one place; with noise the release verifies, and shows a curve for each feature.
 * Of a table of visits each patient counts as much as one row.
 */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { plainKernels } from "@consilium/core/linalg/plain";
import { figuresFileSchema } from "@consilium/core/release/views";
import { unwrap } from "@consilium/core/result";
import { additiveModelSchema } from "@consilium/methods/dp-additive/model";
import { asAdditive } from "@consilium/methods/dp-additive/study";
import { simulateAdditive } from "@consilium/methods/testing/additive/simulate";
import { withPatients } from "@consilium/methods/testing/patients";
import { parseStudy } from "@consilium/methods/testing/studies";
import { afterAll, beforeAll, expect, it } from "vitest";
import { LocalFederation } from "../../scripts/localFederation.js";
import { egressOf, seededUniform } from "../support/faultFederation.js";

const hospitals = ["hospital-a", "hospital-b", "hospital-c"];
const wards = ["surgery", "heart", "children"];

interface Patient {
  readonly age: number;
  readonly ward: number;
  readonly ill: 0 | 1;
}

/** Illness goes with the ward, and with age above 60. */
function patients(count: number, seed: number): Patient[] {
  const uniform = seededUniform(seed);
  return Array.from({ length: count }, () => {
    const [age, ward] = [Math.floor(90 * uniform()), Math.floor(3 * uniform())];
    const ill = uniform() < (ward === 1 ? 0.6 : 0.2) + (age > 60 ? 0.2 : 0) ? 1 : 0;
    return { age, ward, ill };
  });
}

const own = [patients(420, 1), patients(260, 2), []];

/** Rows of each person that the hospitals, and the study of visits, take at most. */
const maxVisits = 4;

interface Visit extends Patient {
  readonly person: string;
  /** From 1. */
  readonly visit: number;
}

/** One visit of each person, then a second one of some, and so on: up to six. */
function visits(people: readonly Patient[]): Visit[] {
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

const studyOf = (name: string, privacy: unknown) => ({
  name,
  table: "patients",
  analysis: "boosted-trees",
  method: "dp-additive",
  features: [
    { name: "age", type: "numeric", min: 0, max: 100, unit: "years", edges: [20, 40, 60, 80] },
    { name: "ward", type: "categorical", levels: wards },
  ],
  label: { name: "ill", levels: ["no", "yes"] },
  privacy,
  parameters: { epochs: 3 },
  participation: { minimumSites: 3, maxRowsPerSite: 1000, phaseDeadline: "60s" },
});

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
      // One computes in its own process, one in two workers, and one shares out a table without a row.
      ...(i === 0 ? {} : { workers: 2 }),
      allowNoPrivacy: true,
      // One population counts by rows or by patients.
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
  const { id } = await federation.startStudy({ ...studyOf(name, privacy), ...more });
  const view = await federation.waitForRelease(id);
  const base = view.release!.url;
  const read = async (file: string) => (await fetch(`${base}${file}`)).text();
  return { id, view, read, model: additiveModelSchema.parse(JSON.parse(await read("model.json"))) };
}

it("without noise releases the curves of all rows at one place", async () => {
  const { model } = await released("additive-exact", "none");
  const study = asAdditive(unwrap(parseStudy(studyOf("additive-exact", "none"))));
  const all = own.flat();
  const { curves } = await simulateAdditive({
    study,
    tables: [
      [
        {
          rows: all.length,
          columns: [Float64Array.from(all, ({ age }) => age), Float64Array.from(all, ({ ward }) => ward)],
          labels: Uint16Array.from(all, ({ ill }) => ill),
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
  expect(model.curves.flatMap(({ bins }) => bins.map(({ logOdds }) => logOdds))).toEqual([...curves.values]);
});

const ofVisits = {
  table: "visits",
  patient: { column: "person", maxRows: maxVisits },
  participation: { minimumSites: 3, maxRowsPerSite: 3000, phaseDeadline: "60s" },
};

it("releases the curves of patients, however many visits each has", async () => {
  const { model } = await released("additive-visits", "none", ofVisits);
  const raw = { ...studyOf("additive-visits", "none"), ...ofVisits };
  const simulated = (study: unknown) =>
    simulateAdditive({
      study: asAdditive(unwrap(parseStudy(study))),
      tables: own.map((people) => {
        const rows = used(visits(people));
        const block = {
          rows: rows.length,
          columns: [Float64Array.from(rows, ({ age }) => age), Float64Array.from(rows, ({ ward }) => ward)],
          labels: Uint16Array.from(rows, ({ ill }) => ill),
        };
        return [
          withPatients(
            block,
            rows.map(({ person }) => person),
          ),
        ];
      }),
      kernels: plainKernels(),
      random: {
        bytes: () => {
          throw new Error("nothing is drawn");
        },
      },
    });
  const { curves } = await simulated(raw);
  expect(model.curves.flatMap(({ bins }) => bins.map(({ logOdds }) => logOdds))).toEqual([...curves.values]);
  // The control: rows that count 1 each give other curves.
  const byRow = await simulated({ ...raw, patient: { ...ofVisits.patient, weighting: "rows" } });
  expect([...byRow.curves.values]).not.toEqual([...curves.values]);
});

it("protects patients at the noise of one row, which the certificate says and the ledger charges", async () => {
  const { view, read } = await released("visits-noisy", { epsilon: 2, delta: 1e-6 }, ofVisits);
  const unit = `one patient of one site, with at most ${maxVisits} rows that together weigh as much as one`;
  expect(view.claim.unit).toBe(unit);
  const certificate = JSON.parse(await read("certificate.json"));
  expect(certificate.privacy.unit).toBe(unit);
  for (const { event } of certificate.privacy.accounting.events)
    expect(event.kind).toBe("distributed-discrete-gaussian");
  expect(await read("README.md")).toContain("together weigh as much as one");
  const { id: release, url } = view.release!;
  const authority = join(federation.home, "authority", "root.pem");
  const to = join(folder, `release-${release}`);
  await federation.cliOrThrow(
    ...["release", "get", release, "--publisher", new URL(url).origin, "--to", to, "--authority", authority],
  );
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

  const { id: release, url } = view.release!;
  const authority = join(federation.home, "authority", "root.pem");
  const to = join(folder, `release-${release}`);
  await federation.cliOrThrow(
    ...["release", "get", release, "--publisher", new URL(url).origin, "--to", to, "--authority", authority],
  );
  expect(await readFile(join(to, "curves.csv"), "utf8")).toBe(await read("curves.csv"));

  // A hospital without a row sends as much as any other, stage by stage.
  const sent = await Promise.all(
    hospitals.map(async (hospital) =>
      (await egressOf(federation.site(hospital)))
        .filter((entry) => entry.study === id && entry.what === "masked vector")
        .map(({ step, bytes }) => [step, bytes]),
    ),
  );
  expect(sent[0]!.map(([step]) => step)).toEqual(["epoch-1", "epoch-2", "epoch-3", "evaluation"]);
  expect(sent[1]).toEqual(sent[0]);
  expect(sent[2]).toEqual(sent[0]);
});
