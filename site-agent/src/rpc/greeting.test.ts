import { mkdtempSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { maxLevels } from "@consilium/core/limits";
import { ok } from "@consilium/core/result";
import type { ControlFrame } from "@consilium/gate/frames";
import { Federation } from "@consilium/proto/load";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { cost, spend, testLedger, unitEvent } from "../../testing/ledger/ledger.js";
import { describeDeclared } from "../data/schema.js";
import { tableConfigSchema } from "../data/tableConfig.js";
import { unresolvedTables } from "../data/tableSources.js";
import type { Ledger } from "../ledger/ledger.js";
import { policySchema } from "../policy/policy.js";
import { Greeting } from "./greeting.js";

const folder = mkdtempSync(join(tmpdir(), "greeting-"));
afterAll(() => rm(folder, { recursive: true }));
const path = join(folder, "visits.csv");

const meanings = {
  hba1c: { unit: "%", bounds: { min: 3, max: 18 }, below: ["<"] },
  sex: { levels: { m: "male", M: "male", w: "female" } },
  smoker: { true: ["yes"], false: ["no"] },
  name: { unit: "withheld" },
};
const header = "hba1c,sex,smoker,name,ward";
const rules = { columns: { visits: { deny: ["name"] } } };
type Hello = Extract<ControlFrame, { frame: "hello" }>["hello"];

/** What a hospital's greeting has, and its bytes. */
async function greeted(policy: object, at: { rows?: string; columns?: object; ledger?: Ledger } = {}) {
  const { rows = "", columns = meanings, ledger = testLedger().ledger } = at;
  await writeFile(path, `${header}\n${rows}`);
  const config = tableConfigSchema.parse({ name: "visits", path, csv: { header: true }, columns });
  const hellos: Hello[] = [];
  const greeting = new Greeting({
    tables: { declared: async () => [await describeDeclared(config)] },
    knownTables: unresolvedTables([config]),
    policy: { read: () => ok(policySchema.parse({ ...rules, ...policy })) },
    allowNoPrivacy: false,
    methods: { editions: { describe: 1 } },
    totals: () => ledger.totals,
    door: {
      hello: (of: Omit<Hello, "nowMs">) => {
        hellos.push({ ...of, nowMs: 0 });
        return null as never;
      },
    },
    instance: new Uint8Array(16),
    log: { warn: () => undefined },
  });
  await greeting.hello();
  const hello = hellos[0]!;
  const bytes = Buffer.from(Federation.service.Attend.requestSerialize({ frame: "hello", hello } as never));
  return { hello, bytes: bytes.toString("hex") };
}

describe("a greeting under `announce: columns`", () => {
  it("is the same to the byte whatever a person wrote of the columns, and whatever is spent", async () => {
    const { hello, bytes } = await greeted({});
    expect(hello.tables).toStrictEqual([
      { name: "visits", columns: ["hba1c", "sex", "smoker", "ward"].map((name) => ({ name, type: "any" })) },
    ]);
    expect(Object.keys(hello).sort()).toEqual(["instance", "nowMs", "speaks", "tables", "versions"]);
    const { ledger } = testLedger();
    spend(ledger, "a-0123456789", 40);
    expect((await greeted({}, { columns: {}, ledger })).bytes).toBe(bytes);
    expect((await greeted({ announce: "tables" })).hello.tables).toStrictEqual([
      { name: "visits", columns: [] },
    ]);
  });
});

describe("a greeting under `announce: described`", () => {
  const described = { announce: "described" } as const;

  it("is what a person wrote of the columns that studies may name, and what the policy admits", async () => {
    const policy = {
      ...described,
      analyses: ["describe"],
      perStudy: { epsilon: 0.5 },
      requires: ["purpose"],
    };
    const { hello } = await greeted({ ...policy, minimumSites: 4, figures: { perHospital: true } });
    const none = { unit: "", bounds: null, levels: [] };
    expect(hello.tables).toStrictEqual([
      {
        name: "visits",
        columns: [
          { name: "hba1c", type: "any", unit: "%", bounds: { min: 3, max: 18 }, levels: [] },
          { name: "sex", type: "any", unit: "", bounds: null, levels: ["male", "female"] },
          { name: "smoker", type: "any", unit: "", bounds: null, levels: ["true", "false"] },
          { name: "ward", type: "any", ...none },
        ],
        budget: { epsilon: 3, delta: 1e-6 },
      },
    ]);
    expect(hello.admits).toStrictEqual({
      analyses: ["describe"],
      variants: ["sound"],
      maxEpsilon: 0.5,
      maxDelta: 0,
      minimumSites: 4,
      tolerateColluding: 0,
      perHospital: true,
      requires: ["purpose"],
    });
  });

  it("names a table and its columns where more is said of one than a greeting carries", async () => {
    const levels = Object.fromEntries(
      Array.from({ length: maxLevels + 1 }, (_, at) => [`spelling ${at}`, `level ${at}`]),
    );
    const { hello } = await greeted(described, { columns: { ...meanings, ward: { levels } } });
    expect(hello.tables).toMatchObject([
      { columns: ["hba1c", "sex", "smoker", "ward"].map((name) => ({ name, type: "any" })) },
    ]);
    expect(JSON.stringify(hello.tables)).not.toMatch(/level 0|female/);
  });

  it("changes with no row of the table", async () => {
    const { bytes } = await greeted(described);
    const cell = fc
      .string({ maxLength: 12, unit: "grapheme-ascii" })
      .map((text) => text.replace(/["\n\r,]/g, ""));
    const rows = fc.array(fc.tuple(cell, cell, cell, cell, cell), { maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(rows, async (all) => {
        expect((await greeted(described, { rows: all.map((row) => `${row.join()}\n`).join("") })).bytes).toBe(
          bytes,
        );
      }),
      { numRuns: 60 },
    );
  });

  it("shows of the budget what is spent, rounded down to a tenth, and never what is reserved", async () => {
    const { ledger } = testLedger();
    const left = async (policy: object = {}) =>
      (await greeted({ ...described, ...policy }, { ledger })).hello.tables[0]!.budget;
    expect(await left()).toEqual({ epsilon: 3, delta: 1e-6 });
    ledger.reserve({
      study: "b-0123456789",
      population: "default",
      limit: { epsilon: 3, delta: 1e-6 },
      stages: [cost("x", unitEvent(40))],
    });
    expect(await left()).toEqual({ epsilon: 3, delta: 1e-6 });
    ledger.commit("b-0123456789", "x", 1);
    const { epsilon } = (await left())!;
    expect(epsilon).toBeLessThan(3);
    expect(epsilon).toBe(Math.round(epsilon * 10) / 10);
    const unlimited = { populations: { default: { epsilon: "unlimited", delta: 1e-6 } } };
    expect(await left(unlimited)).toBeNull();
    const spent = { populations: { default: { epsilon: 0.01, delta: 1e-6 } } };
    expect(await left(spent)).toEqual({ epsilon: 0, delta: 1e-6 });
  });
});
