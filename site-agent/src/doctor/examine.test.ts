import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { doctorViewSchema } from "@consilium/core/hospital/doctorView";
import { unwrap } from "@consilium/core/result";
import { parseStudy, type Study } from "@consilium/methods/testing/studies";
import { english } from "@consilium/runtime/http/spoken";
import { type PlayedAggregator, playAggregator } from "@consilium/runtime/testing/doctor/servers";
import {
  type TestFederation,
  testFederation,
  writeTestIdentity,
} from "@consilium/runtime/testing/identity/federation";
import { postgresPrograms, TestPostgres } from "@consilium/runtime/testing/postgres/postgres";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { testAgent } from "../../testing/socket/agent.js";
import { type ExamineOptions, examineSite } from "./examine.js";

const study: Study = unwrap(
  parseStudy({
    name: "vitals",
    table: "visits",
    analysis: "pca",
    parameters: { components: 2 },
    privacy: { epsilon: 0.5, delta: 1e-6 },
    participation: { maxRowsPerSite: 1000, minimumSites: 3 },
    features: [
      { name: "age", type: "numeric", min: 0, max: 120 },
      { name: "bmi", type: "numeric", min: 10, max: 60 },
    ],
  }),
);

let federation: TestFederation;
let aggregator: PlayedAggregator;
let state: string;
beforeAll(async () => {
  federation = await testFederation();
  const leaf = await federation.leaf("aggregator", "aggregator");
  aggregator = await playAggregator(leaf, federation.root.certificatePem);
});
afterAll(() => aggregator.close());
beforeEach(async () => {
  state = await mkdtemp(join(tmpdir(), "consilium-examine-"));
  await chmod(state, 0o700);
  const leaf = await federation.leaf("site", "st-mary");
  await writeTestIdentity(join(state, "identity"), leaf, federation.root.certificatePem);
  await writeFile(join(state, "visits.csv"), "age,bmi,note\n44,23.5,secret-word\n");
  await configure("  visits: { path: visits.csv }");
});
afterEach(() => rm(state, { recursive: true }));

async function configure(tables: string, more = ""): Promise<void> {
  const text = `aggregator: 127.0.0.1:${aggregator.port}\nproxy: none\ntables:\n${tables}\n${more}`;
  await writeFile(join(state, "config.yaml"), text);
}

async function examine(more: Partial<ExamineOptions> = {}) {
  const view = await examineSite(state, {
    environment: {},
    now: Date.now,
    timeoutMs: 1_000,
    ...more,
  });
  expect(doctorViewSchema.parse(structuredClone(view))).toEqual(view);
  // Nothing of a record may be in it.
  expect(JSON.stringify(view)).not.toContain("secret-word");
  const of = (id: string) => view.checks.find((one) => one.id === id);
  return { view, of, failing: view.checks.filter(({ status }) => status === "fail").map(({ id }) => id) };
}

describe("a healthy site", () => {
  it("has nothing that fails without an agent", async () => {
    const without = await examine({ studies: [study] });
    expect(without.failing).toEqual([]);
    expect(without.of("agent")).toMatchObject({
      status: "warn",
      remedy: expect.stringContaining("serve site"),
    });
    expect(without.of("tables:visits")!.found).toContain("3 columns, with all that vitals asks for");
    expect(without.view).toMatchObject({ subject: "site", name: "st-mary" });
  });

  it("says of its policy what keeps a study out, and what only a person decides", async () => {
    const undeclared = (await examine()).of("policy");
    expect(undeclared).toMatchObject({
      status: "warn",
      found: expect.stringContaining("table visits is a patient"),
    });
    await writeFile(join(state, "policy.yaml"), "populations: {others: {tables: [labs], epsilon: 1}}\n");
    expect((await examine()).of("policy")!.found).toContain("No population of");
    await writeFile(join(state, "policy.yaml"), "minimumSite: 3\n");
    expect((await examine()).of("policy")).toMatchObject({ status: "fail" });
    await configure("  visits: { path: visits.csv, unit: rows }\n  copies: { path: visits.csv, unit: rows }");
    const apart = "{a: {tables: [visits], epsilon: 1}, b: {tables: [copies], epsilon: 1}}";
    await writeFile(join(state, "policy.yaml"), `populations: ${apart}\n`);
    const twice = (await examine()).of("policy");
    expect(twice).toMatchObject({ status: "fail" });
    expect(twice!.found).toMatch(/visits \(population a\) and copies \(population b\) have the same source/);
    await writeFile(join(state, "policy.yaml"), "minimumSites: 3\n");
    expect((await examine()).of("policy")).toMatchObject({ status: "ok" });
  });

  it("hears from its agent what its tables need to be held, and knows nothing of that without one", async () => {
    const without = (await examine()).of("tables:visits-stages")!;
    expect(without.status).toBe("ok");
    expect(without.found).toContain("table.not-read");
    const { context } = await testAgent(state);
    const facts = await context.doctor();
    const memory = { needs: 3 * 2 ** 20, holds: 2 ** 20, memory: 4 * 2 ** 20 };
    const tables = facts.tables.map((table) => ({ ...table, memory }));
    const status = { connected: true, connectedSince: null, lastFault: null, expelledList: null };
    const server = createServer(({ url }, answer) => {
      answer.end(JSON.stringify(url?.endsWith("/doctor") ? { ...facts, tables } : status));
    });
    await new Promise<void>((resolve) => server.listen(join(state, "agent.sock"), resolve));
    const found = await examine();
    server.close();
    expect(found.of("tables:visits-stages")).toMatchObject({
      status: "warn",
      found: 'table.too-large {"holds":1,"memory":4,"needs":3}',
      remedy: 'table.more-memory {"memory":12}',
    });
  });

  it("hears from its agent over the socket, also what keeps it from connecting", async () => {
    const lastFault = { code: "SITE_EXPELLED", message: "this site was expelled", remedy: "speak" };
    const server = createServer((_, answer) => {
      answer.end(JSON.stringify({ connected: false, connectedSince: null, lastFault, expelledList: null }));
    });
    await new Promise<void>((resolve) => server.listen(join(state, "agent.sock"), resolve));
    const found = await examine();
    server.close();
    expect(found.failing).toEqual(["agent"]);
    expect(found.of("agent")!.found).toContain("[SITE_EXPELLED] this site was expelled");
  });
});

describe("a site with a fault", () => {
  it("of its configuration is told the key, and what can be looked at is", async () => {
    await configure("  visits: { path: visits.csv }", "consol: {}\n");
    const found = await examine();
    expect(found.failing).toEqual(["configuration"]);
    expect(found.of("configuration")!.found).toContain("did you mean console?");
    expect(found.of("tcp")).toMatchObject({ status: "skipped" });
    expect(found.of("disk")!.status).not.toBe("skipped");
  });

  it("of its proxy's settings is told the key", async () => {
    const proxy = 'proxy: { url: "https://p:1", ca: missing.pem }\n';
    await writeFile(join(state, "config.yaml"), `aggregator: 127.0.0.1:${aggregator.port}\n${proxy}`);
    expect((await examine()).of("configuration")!.found).toContain("proxy.ca");
  });

  it("that is not enrolled is told how to", async () => {
    await rm(join(state, "identity"), { recursive: true });
    const found = await examine();
    expect(found.failing).toEqual(["identity"]);
    expect(found.of("identity")!.remedy).toContain("consilium site enroll");
  });

  it("whose state folder is gone is told so", async () => {
    const found = await examineSite(join(state, "none"), { environment: {}, now: Date.now, timeoutMs: 500 });
    expect(found.checks.find(({ id }) => id === "disk")).toMatchObject({ status: "fail" });
  });
});

describe("its tables", () => {
  it.each([
    ["  visits: { path: gone.csv }", "tables:visits", "there is no such file or folder"],
    ["  visits: { path: visits.txt }", "tables:visits", "there is no such file"],
    ["  other: { path: visits.csv }", "tables", 'asks for a table "visits", and this site has: other'],
  ])("with %s fail as they should", async (tables, id, words) => {
    await configure(tables);
    const found = await examine({ studies: [study] });
    expect(found.failing).toEqual([id]);
    expect(english(found.of(id)!.found)).toContain(words);
    expect(found.of(id)!.remedy).not.toBeNull();
  });

  it("name the column that a study lacks, and one close to it", async () => {
    await writeFile(join(state, "visits.csv"), "age,bni,note\n44,23.5,secret-word\n");
    const found = await examine({ studies: [study] });
    expect(found.failing).toEqual(["tables:visits"]);
    expect(english(found.of("tables:visits")!.found)).toMatch(/no column "bmi" .*nearest: "bni"/);
    // Without a study there is nothing wrong with it.
    expect((await examine()).failing).toEqual([]);
  });

  it("that are empty, or folders without data, or none at all, are told apart", async () => {
    await writeFile(join(state, "visits.csv"), "");
    expect((await examine()).failing).toEqual(["tables:visits"]);
    await mkdir(join(state, "folder"));
    await configure("  visits: { path: folder }");
    expect(english((await examine()).of("tables:visits")!.found)).toContain("no data file");
    await configure("  {}");
    expect((await examine()).of("tables")).toMatchObject({ status: "warn", found: "No table is named." });
  });

  it.skipIf(postgresPrograms() === null)("that are queries are asked for their columns", async () => {
    const server = await TestPostgres.start(postgresPrograms()!);
    const query = (text: string) =>
      configure(`  visits: { postgres: { url: "${server.url()}", query: "${text}" } }`);
    try {
      await query("SELECT 44 AS age, 23.5 AS bmi, 'secret-word' AS note");
      const healthy = await examine({ studies: [study] });
      expect(healthy.failing).toEqual([]);
      expect(healthy.of("tables:visits")!.found).toContain("3 columns, with all that vitals asks for");
      await query("SELECT 44 AS age");
      const lacking = (await examine({ studies: [study] })).of("tables:visits")!.found;
      expect(english(lacking)).toContain('no column "bmi"');
    } finally {
      await server.remove();
    }
    const gone = await examine();
    expect(gone.failing).toEqual(["tables:visits"]);
    expect(gone.of("tables:visits")!.remedy).not.toBeNull();
  });

  it("that this user may not read fail", async () => {
    await chmod(join(state, "visits.csv"), 0o000);
    const found = await examine();
    // Root may read everything.
    if (process.getuid?.() === 0) expect(found.failing).toEqual([]);
    else expect(found.failing).toEqual(["tables:visits"]);
  });
});
