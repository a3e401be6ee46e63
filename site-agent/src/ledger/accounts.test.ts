import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { LedgerView, PopulationView } from "@consilium/core/hospital/ledgerViews";
import { unwrap } from "@consilium/core/result";
import { planStudy } from "@consilium/core/study/plan";
import { studyDocument } from "@consilium/core/study/study";
import { parseStudy } from "@consilium/methods/testing/studies";
import { allMethods } from "@consilium/methods-paper/all";
import { parseConfig } from "@consilium/runtime/config";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { cost, testLedger, unitEvent, unitRho } from "../../testing/ledger/ledger.js";
import { siteConfigSchema } from "../config.js";
import { TableSources } from "../data/tableSources.js";
import { PolicyFile, parsePolicy } from "../policy/policyFile.js";
import type { SiteStudy } from "../studies/records.js";
import type { StudyView } from "../studies/studyView.js";
import { Anchors } from "./anchors.js";
import { ledgerCharges } from "./charges.js";
import { ledgerView } from "./ledgerView.js";
import { spentUnder } from "./spending.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "consilium-accounts-"));
  writeFileSync(join(folder, "visits.csv"), "age,person\n1,a\n");
  writeFileSync(join(folder, "labs.csv"), "age,person\n1,a\n");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const key = new Uint8Array(32).fill(3);

/** One ledger under one policy and configuration after another, as a hospital edits them. */
class Hospital {
  readonly made = testLedger();
  tables!: TableSources;
  policyText = "";

  async configure(tables: string, policy: string): Promise<void> {
    const text = `aggregator: a:1\ntables:\n${tables}`;
    const config = parseConfig(text, "config.yaml", siteConfigSchema);
    this.tables = new TableSources(
      config.tables.map((table) => ({ ...table, path: join(folder, table.path!) })),
      key,
    );
    await this.tables.resolve();
    this.policyText = policy;
  }

  get policy() {
    return unwrap(parsePolicy(this.policyText, "policy.yaml"));
  }

  study(name: string, table: string, patient?: object) {
    return unwrap(
      parseStudy({
        name,
        table,
        analysis: "pca",
        method: "dp-pca",
        privacy: { epsilon: 0.5, delta: 1e-6 },
        parameters: { components: 1 },
        participation: { maxRowsPerSite: 1000 },
        features: ["a", "b"].map((column) => ({ name: column, type: "numeric", min: 0, max: 1 })),
        ...(patient === undefined ? {} : { patient }),
      }),
    );
  }

  /** Reserves and commits a whole study. */
  spend(name: string, table: string, patient?: object): void {
    const { ledger } = this.made;
    const document = studyDocument(this.study(name, table, patient));
    const record = {
      id: name,
      text: document.text,
      hash: document.hash,
      roster: null,
      planHash: null,
      planText: null,
    } as unknown as SiteStudy;
    const plan = planStudy(document.study);
    const charges = ledgerCharges({
      ledger,
      anchors: new Anchors(folder),
      policy: () => this.policy,
      methods: allMethods,
      tables: this.tables,
      isApproved: () => true,
    });
    charges.reserveStudy(record);
    for (const stage of plan.stages) charges.commit({ record, document, plan } as StudyView, stage, 1);
  }

  view(): LedgerView {
    return ledgerView(this.made.ledger, this.policy, this.tables);
  }

  population(name: string): PopulationView {
    const found = this.view().populations.find((one) => one.name === name);
    if (found === undefined) throw new Error(`no population ${name}`);
    return found;
  }
}

const visits = "  visits: {path: visits.csv, unit: rows}\n";
const only = (name: string, tables: string, epsilon = 1) =>
  `populations:\n  ${name}: {tables: [${tables}], epsilon: ${epsilon}}\n`;

describe("what a population has spent", () => {
  it("stays with its records when the population is renamed", async () => {
    const hospital = new Hospital();
    await hospital.configure(visits, only("inpatients", "visits"));
    hospital.spend("first", "visits");
    const { spent } = hospital.population("inpatients");
    expect(spent).toBeGreaterThan(0.49);
    await hospital.configure(visits, only("patients", "visits"));
    expect(hospital.population("patients").spent).toBe(spent);
    expect(hospital.population("patients").notes.join()).toContain(
      "Spending booked to inpatients counts here too",
    );
    // It stands under its new name alone, and the budget has no room for what was spent before.
    expect(hospital.view().populations.map(({ name }) => name)).toEqual(["patients"]);
    await hospital.configure(visits, only("again", "visits", 0.6));
    expect(() => hospital.spend("second", "visits")).toThrow(
      expect.objectContaining({ code: "BUDGET_EXHAUSTED" }),
    );
  });

  it("stays with its records when the table is renamed, or moves to another population", async () => {
    const hospital = new Hospital();
    const both = `${visits}  labs: {path: labs.csv, unit: rows}\n`;
    await hospital.configure(both, `${only("inpatients", "visits")}  others: {tables: [labs], epsilon: 1}\n`);
    hospital.spend("first", "visits");
    const { spent } = hospital.population("inpatients");
    expect(hospital.population("others").spent).toBe(0);
    // The same file under another name, in the population that had spent nothing.
    const renamed = "  stays: {path: visits.csv, unit: rows}\n  labs: {path: labs.csv, unit: rows}\n";
    await hospital.configure(
      renamed,
      "populations:\n  inpatients: {tables: [labs], epsilon: 1}\n  others: {tables: [stays], epsilon: 1}\n",
    );
    expect(hospital.population("others").spent).toBe(spent);
    expect(hospital.population("inpatients").spent).toBe(spent);
    hospital.spend("second", "stays");
    expect(hospital.population("others").spent).toBeGreaterThan(spent);
    // Twice booked would be twice counted: each entry counts once for a population.
    expect(hospital.population("others").spent).toBeLessThan(2 * spent);
  });

  it("of entries that name no source counts for everybody once nobody has its name", async () => {
    const hospital = new Hospital();
    const { ledger } = hospital.made;
    ledger.reserve({ study: "old", population: "default", limit: null, stages: [cost("a", unitEvent(4))] });
    ledger.commit("old", "a", 1);
    expect(spentUnder("default", ledger.totals.bookings()).rho).toBe(4 * unitRho);
    await hospital.configure(visits, "minimumSites: 3\n");
    const { spent } = hospital.population("default");
    expect(spent).toBeGreaterThan(0);
    await hospital.configure(visits, only("patients", "visits"));
    expect(hospital.population("patients").spent).toBe(spent);
    expect(hospital.population("patients").notes.join()).toContain("counts for every population");
    await hospital.configure(visits, `${only("patients", "visits")}  default: {epsilon: 1}\n`);
    expect(hospital.population("patients").spent).toBe(0);
    expect(hospital.population("default").spent).toBe(spent);
  });

  it("counts in the present unit: rows M² times per patient of M rows, patients four times per row", async () => {
    const hospital = new Hospital();
    await hospital.configure(visits, only("inpatients", "visits", 50));
    hospital.spend("rows", "visits");
    const { ledger } = hospital.made;
    const perRow = spentUnder("inpatients", ledger.totals.bookings()).rho;
    const patients = "  visits: {path: visits.csv, unit: {patient: {column: person, maxRows: 5}}}\n";
    await hospital.configure(patients, only("inpatients", "visits", 50));
    const inPatients = hospital.population("inpatients");
    expect(inPatients).toMatchObject({ unit: "patient" });
    expect(inPatients.spent).toBeGreaterThan(2);
    expect(inPatients.notes.join()).toMatch(
      /counted per row\. Per patient of at most 5 rows their rho counts 25 times/,
    );
    // A study of patients is not counted 25 times, one of rows is charged so.
    hospital.spend("named", "visits", { column: "person", maxRows: 5 });
    hospital.spend("unnamed", "visits");
    const booked = ledger.totals.bookings().map(({ unit, rho }) => [unit, Math.round(rho / perRow)]);
    expect(booked).toEqual([
      ["row", 1],
      ["patient", 26],
    ]);
    expect(
      hospital
        .view()
        .entries.filter(({ kind }) => kind === "commit")
        .map((one) => one.cost?.unit),
    ).toEqual(["row", "patient", "patient"]);
    await hospital.configure(visits, only("inpatients", "visits", 50));
    expect(hospital.population("inpatients").notes.join()).toContain("Per row their rho counts 4 times");
    expect(ledger.verify().ok).toBe(true);
  });
});

describe("one source in two populations", () => {
  it("is a fault of the policy that names both tables and both populations", async () => {
    const hospital = new Hospital();
    const twice = `${visits}  copies: {path: ./visits.csv, unit: rows}\n`;
    const apart = `${only("a", "visits")}  b: {tables: [copies], epsilon: 1}\n`;
    await hospital.configure(twice, apart);
    const path = join(folder, "policy.yaml");
    writeFileSync(path, apart);
    const file = new PolicyFile(path, { tables: hospital.tables });
    const read = file.read();
    expect(read.ok ? "" : `${read.error.code} ${read.error.message}`).toMatch(
      /^POLICY_INVALID .*tables visits \(population a\) and copies \(population b\) have the same source/,
    );
    expect(file.status()).toMatchObject({ state: "invalid" });
    // In one population they have one budget.
    writeFileSync(path, only("a", "visits, copies"));
    expect(file.read().ok).toBe(true);
    // A file that becomes a link to the other one is found when the sources are resolved anew.
    await hospital.configure(`${visits}  labs: {path: labs.csv, unit: rows}\n`, "");
    writeFileSync(path, `${only("a", "visits")}  b: {tables: [labs], epsilon: 1}\n`);
    const linked = new PolicyFile(path, { tables: hospital.tables });
    expect(linked.read().ok).toBe(true);
    rmSync(join(folder, "labs.csv"));
    symlinkSync(join(folder, "visits.csv"), join(folder, "labs.csv"));
    await hospital.tables.resolve();
    expect(linked.read().ok).toBe(false);
  });
});
