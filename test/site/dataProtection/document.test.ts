import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dataProtectionSchema } from "@consilium/core/hospital/dataProtectionViews";
import type { Sha256, StudyId } from "@consilium/core/ids";
import { describeTable } from "@consilium/site-agent/data/schema";
import { tableConfigSchema } from "@consilium/site-agent/data/tableConfig";
import {
  egressEntry,
  notJoined,
  paperStudy,
  studyFacts,
  testStudy,
} from "@consilium/site-agent/testing/dataProtection/facts";
import { cost, spend, testLedger, unbounded } from "@consilium/site-agent/testing/ledger/ledger";
import { dataProtectionDocument } from "@consilium/site-console/dataProtection/document";
import { dataProtectionMarkdown } from "@consilium/site-console/dataProtection/markdown";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { siteFacts } from "./facts.js";

const document = (...given: Parameters<typeof siteFacts>) => dataProtectionDocument(siteFacts(...given));
const everything = (...given: Parameters<typeof siteFacts>) => {
  const made = document(...given);
  return JSON.stringify(made) + dataProtectionMarkdown(made);
};

it("is what its schema says, and says who and with what", () => {
  const made = document({ studies: [studyFacts(testStudy())], egress: [egressEntry()] });
  expect(dataProtectionSchema.parse(structuredClone(made))).toEqual(made);
  expect(made).toMatchObject({
    madeAt: "2026-03-01T10:30:00.000Z",
    madeFrom: "running agent",
    hospital: { site: "st-mary", federation: "north-sea", aggregator: "aggregator.example.org:7443" },
  });
  expect(document({ agent: null })).toMatchObject({ madeFrom: "at rest", aggregatorSoftware: null });
});

it("lists the studies it is asked for, each whole in the annex, and says how many it leaves out", () => {
  const study = (name: string, ended: string | null) => {
    const endedAt = ended === null ? null : Date.parse(ended);
    return studyFacts(testStudy({ name }), { id: `${name}-0123456789` as StudyId, endedAt });
  };
  const facts = siteFacts({
    studies: [study("old", "2026-01-31"), study("new", "2026-02-01"), study("runs", null)],
  });
  const ids = facts.studies.map(({ id }) => id);
  const listed = (scope: object) => dataProtectionDocument(facts, scope);
  expect(listed({}).studiesLeftOut).toBe(0);
  const since = listed({ since: "2026-02-01" });
  expect(since.studies.map(({ id }) => id)).toEqual(ids.slice(1));
  expect(since.flows).toEqual(listed({}).flows);
  expect(dataProtectionMarkdown(since)).toContain("1 further study is not listed");
  const one = dataProtectionMarkdown(listed({ study: ids[0] }));
  expect(one.slice(one.indexOf("## Annex")).match(/^### /gm)).toHaveLength(1);
  expect(() => listed({ study: "unknown-1f" })).toThrow("no study unknown-1f");
});

describe("a table", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "consilium-dpo-"));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const cell = fc.oneof(
    fc.stringMatching(/^zq[a-z]{6,12}$/),
    fc.integer({ min: 4_711_000_000, max: 4_711_999_999 }).map(String),
    fc.integer({ min: 4_711_000_001, max: 4_711_999_999 }).map((n) => `0.${n}`),
  );
  const rows = fc.array(fc.tuple(cell, cell, cell), { minLength: 1, maxLength: 20 });

  /** The document of a site whose table lies on the disk, as the agent describes it. */
  async function ofTable(text: string, record = {}): Promise<string> {
    const path = join(folder, "visits.csv");
    await writeFile(path, text);
    const described = await describeTable(tableConfigSchema.parse({ name: "visits", path }));
    if (!described.ok) throw described.error;
    const study = testStudy({ patient: { column: "nhs", maxRows: 2 } });
    return everything({
      config: { tables: { visits: { path } } },
      descriptions: [described.value],
      studies: [studyFacts(study, record)],
      egress: [egressEntry()],
    });
  }

  it("shows its columns and no cell, number of rows, hash of its contents or path", async () => {
    await fc.assert(
      fc.asyncProperty(
        rows,
        fc.integer({ min: 471_100_000, max: 471_199_999 }),
        fc.stringMatching(/^[0-9a-f]{64}$/),
        async (cells, count, contentHash) => {
          const text = ["age,bmi,nhs", ...cells.map((row) => row.join(","))].join("\n");
          const made = await ofTable(`${text}\n`, {
            rows: count,
            contentHash: contentHash as Sha256,
            localReason: `row ${count}: ${cells[0]![0]}`,
          });
          for (const column of ["age", "bmi", "nhs"]) expect(made).toContain(column);
          for (const value of cells.flat()) expect(made).not.toContain(value);
          expect(made).not.toContain(String(count));
          expect(made).not.toContain(contentHash);
          expect(made).not.toContain(folder);
        },
      ),
      { numRuns: 20 },
    );
  });

  it("would be caught with a value in it: the column names are", async () => {
    expect(await ofTable("age,bmi,zqsecretcolumn\n1,2,3\n")).toContain("zqsecretcolumn");
  });

  it("that is a query shows where, and neither query, user nor password file", () => {
    const postgres = {
      url: "postgres://reader@db.hospital.example/clinic",
      passwordFile: "hidden-password",
      query: "SELECT age FROM patients WHERE name = 'Zqsmith'",
    };
    const made = everything({ config: { tables: { visits: { postgres } } } });
    expect(made).toContain("a query in a PostgreSQL database at db.hospital.example, by TLS");
    for (const secret of ["Zqsmith", "reader@", "hidden-password", "clinic"])
      expect(made).not.toContain(secret);
  });

  it("keeps null values of the configuration to itself", () => {
    expect(
      everything({ config: { tables: { visits: { path: "v.csv", nullValues: ["Zqnone"] } } } }),
    ).not.toContain("Zqnone");
  });

  it("says which columns studies have read, and which the policy allows", () => {
    const study = testStudy({ patient: { column: "nhs", maxRows: 2 } });
    const { tables } = document({
      studies: [studyFacts(study)],
      policy: { columns: { visits: { deny: ["postcode"] } } },
    });
    expect(tables[0]).toMatchObject({
      columnsRead: ["age", "bmi", "nhs"],
      patientColumns: ["nhs"],
      columnRule: "all but postcode",
      population: "default",
    });
    const refused = document({ studies: [studyFacts(study, { ...notJoined, status: "refused" })] });
    expect(refused.tables[0]).toMatchObject({ columnsRead: [], columnRule: null });
  });
});

describe("a study", () => {
  const one = (...given: Parameters<typeof studyFacts>) =>
    document({ studies: [studyFacts(...given)] }).studies[0]!;
  const at = Date.UTC(2026, 1, 3);

  it("says who decided, or which rule", () => {
    const by = { decidedBy: "dr.ada", decidedAt: at };
    expect(one(testStudy(), {}, { decision: "approved", ...by }).decision).toMatchObject({
      outcome: "joined",
      person: "dr.ada",
      at: "2026-02-03T00:00:00.000Z",
    });
    expect(one(testStudy()).decision).toMatchObject({ outcome: "joined", person: null });
    const ended = { ...notJoined, status: "cancelled", localCode: "REFUSED_BY_SITE" } as const;
    expect(one(testStudy(), ended, { decision: "refused", reason: "in May", ...by }).decision).toMatchObject({
      outcome: "refused",
      person: "dr.ada",
      code: "REFUSED_BY_SITE",
      reason: "in May",
    });
    const byRule = { ...notJoined, status: "refused", localCode: "POLICY_EPSILON" } as const;
    expect(one(testStudy(), byRule).decision).toMatchObject({
      outcome: "refused",
      person: null,
      code: "POLICY_EPSILON",
    });
    // A code beside a study that still waits is of an approval that failed.
    const waiting = { ...notJoined, status: "waiting for approval", localCode: "COLUMN_MISSING" } as const;
    expect(one(testStudy(), waiting, {}).decision.outcome).toBe("open");
    expect(one(testStudy(), { ...notJoined, status: "cancelled" }, {}).decision.outcome).toBe("open");
  });

  it("gives its purpose, its readers and whom it protects", () => {
    const release = { title: "Vital signs", description: "For sepsis.", creator: "Ada", access: "token" };
    const request = { legalBasis: "GDPR Art. 9(2)(j)", investigator: "Dr. Ada" };
    const study = testStudy({ release, request, patient: { column: "nhs", maxRows: 2 } });
    expect(one(study)).toMatchObject({
      request: [
        { title: "Investigator", text: "Dr. Ada" },
        { title: "Legal basis", text: "GDPR Art. 9(2)(j)" },
      ],
      title: "Vital signs",
      description: "For sepsis.",
      creator: "Ada",
      readers: "token",
      withstands: 1,
      patient: { column: "nhs", maxRows: 2 },
    });
    expect(one(study).claim.unit).toContain("one patient of one site");
    expect(one(paperStudy()).withstands).toBe(0);
  });

  it("costs what the ledger has committed for it, and shows the data sent", () => {
    const { ledger } = testLedger();
    spend(ledger, "vitals-0123456789", 4);
    spend(ledger, "another-0123456789", 400);
    const made = document({
      ledger,
      studies: [studyFacts(testStudy())],
      egress: [
        egressEntry({ charge: 3 }),
        egressEntry({ bytes: 24 }),
        egressEntry({ what: "fault" }),
        egressEntry({ study: "another-0123456789" as never }),
      ],
    });
    const { spent, left } = made.studies[0]!;
    expect(spent.epsilon).toBeGreaterThan(0);
    expect(spent.epsilon).toBeLessThan(made.populations[0]!.spent);
    expect(spent.unproved).toBe(0);
    expect(left).toEqual([
      { what: "masked vector", whom: "the aggregator", messages: 2, bytes: 1024, charged: true },
      { what: "fault", whom: "the aggregator", messages: 1, bytes: 1000, charged: false },
    ]);
  });

  it("without a proof is counted as such", () => {
    const { ledger } = testLedger();
    const study = "vitals-0123456789";
    ledger.reserve({ study, population: "default", limit: null, stages: [cost("only", unbounded)] });
    ledger.commit(study, "only", 1);
    const made = document({ ledger, studies: [studyFacts(paperStudy())], policy: { variants: ["paper"] } });
    expect(made.studies[0]!.spent).toMatchObject({ epsilon: 0, unproved: 1 });
    expect(JSON.stringify(made.guarantees)).toContain("no longer have a proven bound");
  });
});
