import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { planStudy } from "@consilium/core/study/plan";
import { inGate, isWholeRun } from "@consilium/core/testing/wholeRun";
import { flowStatuses } from "@consilium/gate/flow";
import { english } from "@consilium/runtime/http/spoken";
import { beforeAll, describe, expect, it } from "vitest";
import { syntheticConcepts, writeSyntheticCdm } from "../../testing/data/syntheticCdm.js";
import { temporaryFolder } from "../../testing/data/writeTable.js";
import { converse, documentOf, exactOf, flowOf, sha256Of } from "../../testing/engines/stages.js";
import {
  methodsWithoutStudy,
  perPatient,
  sharedStudies,
  visitsStudy,
} from "../../testing/engines/studies.js";
import { bundledPrograms, killing, lying } from "../../testing/engines/workers.js";
import { processSecret } from "../data/rowHash.js";
import { type TableConfig, tableConfigSchema } from "../data/tableConfig.js";
import { ConfiguredTables } from "../data/tables.js";
import { Engines } from "./engines.js";
import { nodeProgram, type WorkerProgram } from "./workerProcess.js";

const folder = temporaryFolder();
let worker = "";
let published = "";
beforeAll(async () => {
  ({ worker, published } = await bundledPrograms());
});

const rows = 3000;
const secretName = "Marguerite-Nightingale";

/** Patients of one to five rows, with gaps, values out of bounds and cells that nothing covers. */
function writeVisits(name: string, { isClean }: { readonly isClean: boolean }): string {
  const path = join(folder, name);
  const lines = Array.from({ length: rows }, (_, i) => {
    const patient = Math.floor(i / 3) % 7 === 0 ? i % 40 : Math.floor(i / 2);
    const x = i % 41 === 0 ? "" : i % 97 === 0 ? "12" : String(((i * 37) % 101) / 100);
    const y = !isClean && i % 53 === 0 ? secretName : String(((i * 17) % 89) / 88);
    const ill = (i * 7) % 11 < 5 !== (i * 37) % 101 > 50 ? "yes" : "no";
    return `${secretName}-${patient},${x},${y},${i % 3 === 0 ? "u" : "v"},${ill},${(i * 7919) % 1000}`;
  });
  writeFileSync(path, `who,x,y,c,ill,day\n${lines.join("\n")}\n`);
  return path;
}
const visits = writeVisits("visits.csv", { isClean: false });

const patientUnit = { patient: { column: "who", maxRows: 2, orderBy: "day" } };

function tablesOf(program: WorkerProgram | null, workers: number, more: object = {}): ConfiguredTables {
  const config: TableConfig = tableConfigSchema.parse({
    name: "visits",
    path: visits,
    csv: { header: true },
    unit: "rows",
    ...(program === null ? {} : { engine: "box" }),
    ...more,
  });
  const engines =
    program === null
      ? null
      : new Engines({ box: { kind: "processes", workers } }, { program, published: nodeProgram(published) });
  return new ConfiguredTables([config], folder, processSecret, engines);
}

const pcc = (more: object = {}) => documentOf({ ...visitsStudy, ...sharedStudies["dp-pcc"], ...more });
const firstStage = (document = pcc()) => ({
  document,
  stage: planStudy(document.study).stages[0]!.id,
  broadcasts: new Map(),
});

describe("stages in worker processes", () => {
  it.each([
    ["rows", {}],
    ["patients", { patient: { column: "who", maxRows: 2 } }],
  ])("count the flow of %s as one process does", async (_, own) => {
    const document = pcc({ flow: true, ...own });
    const alone = await flowOf(tablesOf(null, 1), document);
    const statuses = alone.subarray(0, flowStatuses);
    expect(statuses.filter((count) => count > 0n).length).toBeGreaterThan(1);
    for (const workers of [2, 3])
      expect(await flowOf(tablesOf(nodeProgram(worker), workers), document)).toEqual(alone);
  });

  it("are tried of every sound method that has them", () => {
    expect(methodsWithoutStudy()).toEqual([]);
  });

  // In the gate of each kind of sum that a method asks for: these ask for what others do, in another order.
  const likeOthers = /^(?:regression, linear|dp-ka by boosting|dp-pca, (?:two-round|iteration))$/;
  const tried = Object.entries(sharedStudies).filter(([name]) => isWholeRun || !likeOthers.test(name));

  it.each(tried)(
    "have the integers of one process, of 2 and 4 workers of which some are killed: %s",
    async (name, own) => {
      const isOfBoth = name.includes("one-round");
      const forms = isOfBoth ? [own, perPatient(own)] : [perPatient(own)];
      for (const [at, form] of forms.entries()) {
        const document = documentOf({ ...visitsStudy, ...form });
        const program = killing(worker, (started) => (started % 9 === 0 ? 100 + 150 * at : null));
        const unit = "patient" in form ? { unit: patientUnit } : {};
        const alone = tablesOf(null, 1, unit);
        const shared = [2, 4].map((workers) => tablesOf(program, workers, unit));
        let largest = 0;
        const kinds = new Set<string>();
        const asked = await converse(document, async (stage, broadcasts) => {
          const whole = await exactOf(alone, { document, stage, broadcasts });
          // In the gate the first stage of each kind: those of a method that differ by a number ask for the same sum.
          const kind = stage.replaceAll(/\d+/g, "");
          if (!isWholeRun && kinds.has(kind)) return whole.exact;
          kinds.add(kind);
          largest = Math.max(largest, whole.exact.filter((entry) => entry !== 0n).length);
          const engine = shared[largest % 2]!;
          const parts = await exactOf(engine, { document, stage, broadcasts });
          expect(sha256Of(parts.exact), stage).toBe(sha256Of(whole.exact));
          // What is read again from memory is not counted again.
          if (whole.found !== null) expect(parts.found, stage).toEqual(whole.found);
          return whole.exact;
        });
        // Some methods ask for one sum alone.
        expect(asked.length).toBeGreaterThanOrEqual(Math.min(2, planStudy(document.study).stages.length));
        expect(largest).toBeGreaterThan(2);
        expect(program.started).toBeGreaterThan(2 * kinds.size);
      }
    },
  );

  it("are the same whenever a worker is killed, which is started again", async () => {
    const asked = firstStage(pcc({ patient: { column: "who", maxRows: 2 } }));
    const unit = { unit: patientUnit };
    const whole = await exactOf(tablesOf(null, 1, unit), asked);
    let restarted = 0;
    for (const afterMs of inGate([0, 150, 300], { whole: [0, 100, 200, 300, 450] })) {
      const program = killing(worker, (started) => (started === 0 ? afterMs : null));
      const { exact, found } = await exactOf(tablesOf(program, 3, unit), asked);
      expect({ sha256: sha256Of(exact), found }).toEqual({
        sha256: sha256Of(whole.exact),
        found: whole.found,
      });
      if (program.started > 3) restarted++;
    }
    expect(restarted).toBeGreaterThan(1);
    const ofEight = killing(worker, (started) => ({ 1: 60, 4: 150, 6: 300 })[started] ?? null);
    const { exact, found } = await exactOf(tablesOf(ofEight, 8, unit), asked);
    expect({ sha256: sha256Of(exact), found }).toEqual({ sha256: sha256Of(whole.exact), found: whole.found });
    expect(ofEight.started).toBeGreaterThan(8);
  });

  it("of the published correlation tree are those of its map tasks, whole tasks to each of 3 workers", async () => {
    const tasks = {
      name: "day",
      type: "categorical",
      levels: Array.from({ length: 1000 }, (_, k) => String(k)),
    };
    const own = {
      ...visitsStudy,
      privacy: "none",
      variant: "paper",
      features: [...visitsStudy.features.slice(1), tasks],
    };
    const parameters = { depth: 2, order: "breadth-first", evaluation: "none" };
    const of = { analysis: "correlation-tree", parameters: { ...parameters, mapTasks: "day" } };
    const document = documentOf({ ...own, ...of });
    const clean = { path: writeVisits("clean.csv", { isClean: true }) };
    const program = killing(worker, () => null);
    const alone = tablesOf(null, 1, clean);
    const shared = tablesOf(program, 3, clean);
    const approval = await shared.preflight(document.study, { minimumRows: 1, refuseConstant: true });
    const asked = await converse(document, async (stage, broadcasts) => {
      const whole = await exactOf(alone, { document, stage, broadcasts, approval });
      const parts = await exactOf(shared, { document, stage, broadcasts, approval });
      expect({ stage, sha256: sha256Of(parts.exact) }).toEqual({ stage, sha256: sha256Of(whole.exact) });
      return whole.exact;
    });
    expect(asked.length).toBe(3);
    // Without map tasks of its own it needs all rows in one place.
    const inTurn = documentOf({ ...own, ...of, parameters });
    await expect(
      shared.preflight(inTurn.study, { minimumRows: 1, refuseConstant: true }),
    ).rejects.toMatchObject({
      code: "ENGINE_UNSUITABLE",
    });
  });
});

it("a stage over an OMOP table has the integers of one process", async () => {
  const files = join(folder, "cdm");
  await writeSyntheticCdm(files, { persons: 200, seed: 3 });
  const document = documentOf({
    ...visitsStudy,
    ...sharedStudies["dp-pca, one-round"],
    label: undefined,
    features: ["age", "visits"].map((name) => ({
      name,
      type: "numeric",
      min: 0,
      max: 100,
      missing: { constant: 0 },
    })),
    omop: {
      cdm: "5.4",
      conceptSets: {
        diabetes: [{ concept: syntheticConcepts.diabetes.all }],
        inpatient: [{ concept: syntheticConcepts.inpatient }],
      },
      index: { domain: "condition", concepts: "diabetes" },
      columns: [
        { name: "age", value: "age" },
        { name: "visits", value: "count", domain: "visit", concepts: "inpatient", days: [-365, 365] },
      ],
    },
  });
  const omop = { path: undefined, csv: undefined, unit: undefined, omop: { files } };
  const whole = await exactOf(tablesOf(null, 1, omop), firstStage(document));
  const program = killing(worker, () => null);
  const parts = await exactOf(tablesOf(program, 2, omop), firstStage(document));
  expect(whole.records).toBeGreaterThan(20);
  expect(program.started).toBeGreaterThan(1);
  expect(sha256Of(parts.exact)).toBe(sha256Of(whole.exact));
  expect(parts.found).toEqual(whole.found);
});

describe("a worker that does not answer as it should", () => {
  const refusalOf = async (program: WorkerProgram) => {
    const thrown: unknown = await exactOf(tablesOf(program, 2), firstStage()).then(
      () => null,
      (error: unknown) => error,
    );
    const { code, message } = thrown as { code: string; message: string };
    expect(message).not.toContain(secretName);
    return `${code} ${english(message)}`;
  };

  it("is refused in another version, before it is sent a row", async () => {
    const other = lying(worker, 'return text.replace(/"worker":"[^"]*"/, \'"worker":"0.0.9"\');');
    expect(await refusalOf(other)).toMatch(/^ENGINE_VERSION .*0\.0\.9/);
  });

  it.each([
    ["ends after its first line", 'return text.startsWith("{\\"worker") ? text : "";', "ended early"],
    ["ends in a line", "return text.startsWith('{\"worker') ? text : text.slice(0, 20);", "ended early"],
    ["ends in the vector", "return text.startsWith('{\"worker') ? text : text.slice(0, -1);", "ended early"],
    ["counts other rows", 'return text.replace(/"read":\\d+/, \'"read":1499\');', "counts 1499 of"],
    ["has another length", 'return text.replace(/"entries":\\d+/, \'"entries":3\');', "malformed"],
    ["counts what is no number", 'return text.replace(/"read":\\d+/, \'"read":1.5\');', "malformed"],
    ["answers another job", 'return text.replace(/"job":"../, \'"job":"zz\');', "another job"],
    ["says something else", `return "${secretName}\\n" + text;`, "malformed"],
    [
      "quotes a value in its fault",
      `return text.replace(/\\{"part[^]*/, '{"fault":"${secretName}","at":null}\\n');`,
      "malformed",
    ],
    [
      "reports a fault",
      'return text.replace(/\\{"part[^]*/, \'{"fault":"INTERNAL","at":"x.mjs:17"}\\n\');',
      "reports INTERNAL (x.mjs:17)",
    ],
  ])("is a fault of the site where it %s, twice", async (_, change, what) => {
    const refusal = await refusalOf(lying(worker, change));
    expect(refusal).toMatch(
      /^ENGINE_FAILED table "visits": a share of its rows failed at the last of 4 readings: its worker/,
    );
    expect(refusal).toContain(what);
  });

  it("is a fault of the site where it ends at once, twice", async () => {
    const empty = { command: process.execPath, args: ["-e", ""] };
    expect(await refusalOf(empty)).toMatch(/^ENGINE_FAILED .*ended early/);
  });

  it("is believed no sum that its records cannot come to: its share counts as zeros", async () => {
    const huge = lying(
      worker,
      'return text.startsWith("{\\"worker") ? text : text.slice(0, -8) + "\\x7f".repeat(8);',
    );
    const { exact } = await exactOf(tablesOf(huge, 2), firstStage());
    expect(exact.some((entry) => entry !== 0n)).toBe(false);
    const honest = await exactOf(tablesOf(nodeProgram(worker), 2), firstStage());
    expect(honest.exact.some((entry) => entry !== 0n)).toBe(true);
  });

  it("is believed where nothing is changed", async () => {
    const honest = await exactOf(tablesOf(lying(worker, "return text;"), 2), firstStage());
    expect(sha256Of(honest.exact)).toBe(sha256Of((await exactOf(tablesOf(null, 1), firstStage())).exact));
  });
});

describe("an engine", () => {
  const killed = (program: WorkerProgram & { pids?: number[] }) => {
    const pids: number[] = [];
    return { ...program, onStart: (pid: number) => void pids.push(pid), pids };
  };
  const isGone = (pid: number) => {
    try {
      process.kill(pid, 0);
      return false;
    } catch {
      return true;
    }
  };

  it("ends its workers when the study ends, and serves the next one", async () => {
    const program = killed(nodeProgram(worker));
    const tables = tablesOf(program, 2);
    const abort = new AbortController();
    const pending = exactOf(tables, { ...firstStage(), signal: abort.signal });
    setTimeout(() => abort.abort(new Error("the study is over")), 50);
    await expect(pending).rejects.toThrow("the study is over");
    expect(program.pids.map(isGone)).toEqual([true, true]);
    expect((await exactOf(tables, firstStage())).records).toBeGreaterThan(1000);
    expect(program.pids.map(isGone)).toEqual([true, true, true, true]);
  });

  it("begins nothing for a study that ended while the stage waited for its turn", async () => {
    const silent = { command: process.execPath, args: ["-e", "setInterval(() => {}, 1000)"] };
    const tables = tablesOf(silent, 2);
    const signal = AbortSignal.abort(new Error("the study is over"));
    await expect(exactOf(tables, { ...firstStage(), signal })).rejects.toThrow("the study is over");
  });

  it("computes a study that is not private over the table that was approved, and over no other", async () => {
    const document = pcc({ privacy: "none" });
    const clean = { path: writeVisits("clean.csv", { isClean: true }) };
    const plain = tablesOf(null, 1, clean);
    const approval = await plain.preflight(document.study, { minimumRows: 0, refuseConstant: false });
    const asked = { ...firstStage(document), approval };
    const shared = tablesOf(nodeProgram(worker), 2, clean);
    const [whole, parts] = [await exactOf(plain, asked), await exactOf(shared, asked)];
    expect(sha256Of(parts.exact)).toBe(sha256Of(whole.exact));
    for (const other of [
      { ...approval, rows: approval.rows + 1 },
      { ...approval, rows: approval.rows - 1 },
      { ...approval, contentHash: approval.contentHash.replace(/^./, (c) => (c === "0" ? "1" : "0")) },
    ])
      await expect(exactOf(shared, { ...asked, approval: other as typeof approval })).rejects.toMatchObject({
        code: "TABLE_CHANGED",
      });
  });
});
