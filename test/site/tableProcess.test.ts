/** The process that reads a hospital's tables, as its agent asks it: the same answers as without it, and what becomes of it. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { SiteId } from "@consilium/core/ids";
import { siteSideOf } from "@consilium/core/method/method";
import type { Broadcasts } from "@consilium/core/study/broadcast";
import type { ColumnBlock } from "@consilium/core/study/design";
import { planStudy } from "@consilium/core/study/plan";
import type { StudyDocument } from "@consilium/core/study/study";
import { inEnglish } from "@consilium/core/testing/inEnglish";
import { lengthOf } from "@consilium/gate/query";
import { openInlineGram } from "@consilium/kernels/inlineGram";
import { parseConfig } from "@consilium/runtime/config";
import { siteConfigSchema } from "@consilium/site-agent/config";
import type { FoundTable } from "@consilium/site-agent/data/snapshot";
import { ConfiguredTables } from "@consilium/site-agent/data/tables";
import { tableCheck } from "@consilium/site-agent/doctor/tableCheck";
import type { SharedStage } from "@consilium/site-agent/engines/stage";
import { startTables } from "@consilium/site-agent/tables/startProcess";
import { TableProcess } from "@consilium/site-agent/tables/tableProcess";
import { TablesHere } from "@consilium/site-agent/tables/tablesHere";
import { documentOf } from "@consilium/site-agent/testing/engines/stages";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";

const program = fileURLToPath(new URL("../../site-agent/dist/tables/main.js", import.meta.url));
const secret = new Uint8Array(32).fill(7);
const sourceKey = new Uint8Array(32).fill(9);

const common = {
  table: "patients",
  features: [
    { name: "age", type: "numeric", min: 0, max: 100 },
    { name: "ward", type: "categorical", levels: ["A", "B"] },
  ],
  privacy: { epsilon: 1, delta: 1e-6 },
  participation: { minimumSites: 3, maxRowsPerSite: 1000 },
};
const describing = documentOf({
  ...common,
  name: "described",
  analysis: "describe",
  parameters: { bins: 4 },
});
const reducing = documentOf({
  ...common,
  features: common.features.slice(0, 1).concat({ name: "weight", type: "numeric", min: 0, max: 200 }),
  name: "reduced",
  analysis: "pca",
  parameters: { components: 1 },
});
const published = documentOf({
  ...common,
  features: reducing.study.features,
  name: "published",
  analysis: "pca",
  variant: "paper",
  privacy: "none",
  parameters: { components: 1 },
});

let folder: string;
let configPath: string;
let configText: string;
const open: TableProcess[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "consilium-table-process-"));
  configPath = join(folder, "config.yaml");
  const rows = Array.from(
    { length: 500 },
    (_, i) => `${(i * 37) % 100},${i % 3 === 0 ? "A" : "B"},${i % 200}`,
  );
  await writeFile(join(folder, "patients.csv"), `age,ward,weight\n${rows.join("\n")}\n`);
  configText = "aggregator: localhost:1\ntables:\n  patients: { path: patients.csv, unit: rows }\n";
  await writeFile(configPath, configText);
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

interface Started {
  readonly tables: TableProcess;
  readonly pids: readonly number[];
}

/** @param onStart - is told of each process that tables are read in */
async function start(text = configText, onStart?: (pid: number) => void): Promise<Started> {
  const pids: number[] = [];
  const told = onStart ?? ((pid: number) => pids.push(pid));
  const tables = await TableProcess.start({
    opening: { configPath, configText: text, secret, sourceKey },
    log: { warn: () => undefined, error: () => undefined },
    start: (needs) => {
      const started = startTables(needs, { path: program, execArgv: [] });
      if (needs !== null) told(started.pid!);
      return started;
    },
  });
  open.push(tables);
  return { tables, pids };
}

function here(): TablesHere {
  const { tables } = parseConfig(configText, configPath, siteConfigSchema);
  const configured = new ConfiguredTables(tables, dirname(configPath), secret);
  return new TablesHere(configured, {
    kernels: async () => openInlineGram(),
    examine: () => Promise.reject(new Error("not asked")),
    tableCheck: (name, study) => tableCheck(configured.config(name), { study }),
  });
}

async function stageOf(document: StudyDocument, more: Partial<SharedStage> = {}): Promise<SharedStage> {
  const { study } = document;
  const broadcasts: Broadcasts = new Map();
  const site = "hospital-a" as SiteId;
  const stage = planStudy(study).stages[0]!;
  const { proposal } = await siteSideOf(study);
  const entries =
    proposal === undefined ? 0 : lengthOf(proposal(stage.id, { study, site, broadcasts }).query);
  const found = () => undefined;
  const signal = new AbortController().signal;
  return { document, stage: stage.id, site, broadcasts, entries, approval: null, found, signal, ...more };
}

async function all(blocks: AsyncIterable<ColumnBlock>): Promise<number[][]> {
  const columns: number[][] = [];
  for await (const block of blocks)
    block.columns.forEach((column, j) => {
      columns[j] = [...(columns[j] ?? []), ...column.subarray(0, block.rows)];
    });
  return columns;
}

const isAlive = (pid: number) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

describe("the process that reads tables", () => {
  it.each([
    ["counts", describing],
    ["products", reducing],
  ])("answers a stage of %s with the integers that its caller would come to", async (_, document) => {
    const { tables } = await start();
    const found: FoundTable[] = [];
    const stage = await stageOf(document, { found: (table) => found.push(table) });
    const answered = await tables.part(stage);
    expect(answered).toEqual(await here().part({ ...stage, found: (table) => found.push(table) }));
    expect(answered!.records).toBe(500);
    expect(found[0]).toEqual(found[1]);
  });

  it("tells of tables what a reading by its caller would", async () => {
    const { tables } = await start();
    const own = here();
    expect(tables.names).toEqual(["patients"]);
    expect(tables.unit("patients")).toEqual({ kind: "row", declared: true });
    expect(tables.source("patients")!.cover).toHaveLength(1);
    expect(tables.source("others")).toBeNull();
    expect(await tables.describe()).toEqual(await own.describe());
    expect(await tables.declared()).toEqual(await own.declared());
    expect(await tables.profile(describing.study)).toEqual(await own.profile(describing.study));
    const rules = { minimumRows: 1, refuseConstant: false };
    const { study } = published;
    const approved = await tables.preflight(study, rules);
    expect(approved).toEqual(await own.preflight(study, rules));
    const rows = await all(tables.blocks(study, approved, () => undefined));
    expect(rows).toEqual(await all(own.blocks(study, approved, () => undefined)));
    expect(rows[0]).toHaveLength(500);
    const examined = await tables.examine([describing.study], configText);
    expect(examined.strangers).toEqual([]);
  });

  it("hands on faults with their code and words, and no value", async () => {
    const { tables } = await start();
    await expect(inEnglish(tables.check({ ...describing.study, table: "others" }))).rejects.toMatchObject({
      code: "TABLE_UNKNOWN",
      message: 'this site has no table "others"',
    });
    const strange = documentOf({
      ...common,
      name: "strange",
      analysis: "describe",
      parameters: { bins: 4 },
      features: [{ name: "height", type: "numeric", min: 0, max: 1 }],
    });
    await expect(tables.check(strange.study)).rejects.toMatchObject({ code: "COLUMN_MISSING" });
    const approval = {
      rows: 499,
      contentHash: (await tables.preflight(published.study, { minimumRows: 1, refuseConstant: false }))
        .contentHash,
    };
    await expect(all(tables.blocks(published.study, approval, () => undefined))).rejects.toMatchObject({
      code: "TABLE_CHANGED",
    });
  });

  it("does not start for a configuration with a fault, whose place it names", async () => {
    const text = "aggregator: localhost:1\ntables:\n  patients: { pth: patients.csv }\n";
    await expect(start(text)).rejects.toMatchObject({
      code: "CONFIG_INVALID",
      message: expect.stringMatching(/line 3: tables\.patients\.pth is not a key here/),
    });
  });

  it("is started again where it was killed, and asked once more", async () => {
    const { tables, pids } = await start();
    const stage = await stageOf(reducing);
    const expected = await here().part(stage);
    const asked = tables.part(stage);
    process.kill(pids[0]!, "SIGKILL");
    expect(await asked).toEqual(expected);
    expect(pids).toHaveLength(2);
    expect(await tables.part(stage)).toEqual(expected);
  });

  it("is a fault of the site where it ends at every attempt, and serves the next request", async () => {
    const pids: number[] = [];
    const onStart = (pid: number) => {
      pids.push(pid);
      if (pids.length > 1 && pids.length <= 4) process.kill(pid, "SIGKILL");
    };
    const { tables } = await start(configText, onStart);
    const stage = await stageOf(reducing);
    const asked = tables.part(stage);
    process.kill(pids[0]!, "SIGKILL");
    await expect(asked).rejects.toMatchObject({ code: "ENGINE_FAILED" });
    expect(pids).toHaveLength(4);
    expect(await tables.part(stage)).toEqual(await here().part(stage));
  });

  it("is not started again for a study that is over, nor by an agent that stops", async () => {
    const ending = new AbortController();
    const pids: number[] = [];
    const onStart = (pid: number) => {
      pids.push(pid);
      if (pids.length === 2) ending.abort(new Error("over"));
      if (pids.length > 1) process.kill(pid, "SIGKILL");
    };
    const { tables } = await start(configText, onStart);
    const asked = tables.part(await stageOf(reducing, { signal: ending.signal }));
    process.kill(pids[0]!, "SIGKILL");
    await expect(asked).rejects.toThrow("over");
    expect(pids).toHaveLength(2);
    const stopped = tables.part(await stageOf(reducing));
    await tables.close();
    await expect(stopped).rejects.toMatchObject({ code: "INTERRUPTED" });
  });

  it("begins no table in the middle: rows of two readings are not mixed", async () => {
    const { tables, pids } = await start();
    const rules = { minimumRows: 1, refuseConstant: false };
    const approved = await tables.preflight(published.study, rules);
    const blocks = tables.blocks(published.study, approved, () => undefined);
    const reading = blocks[Symbol.asyncIterator]();
    expect((await reading.next()).done).toBe(false);
    process.kill(pids[0]!, "SIGKILL");
    await vi.waitFor(() => expect(isAlive(pids[0]!)).toBe(false), { timeout: 60_000 });
    await expect(reading.next()).rejects.toMatchObject({ code: "ENGINE_FAILED" });
  });

  it("stops a stage of a study that is over", async () => {
    const { tables } = await start();
    const ending = new AbortController();
    ending.abort(new Error("over"));
    await expect(tables.part(await stageOf(reducing, { signal: ending.signal }))).rejects.toThrow();
    expect(await tables.part(await stageOf(reducing))).not.toBeNull();
  });

  it("serves the tables of a changed configuration, and those of before while a table is being read", async () => {
    const { tables, pids } = await start();
    const more = `${configText}  others: { path: patients.csv, unit: { patient: { column: weight, maxRows: 3 } } }\n`;
    const stage = await stageOf(reducing);
    const expected = await here().part(stage);
    const asked = tables.part(stage);
    expect(tables.isIdle).toBe(false);
    expect(await asked).toEqual(expected);
    const blocks = tables.blocks(describing.study, null, () => undefined)[Symbol.asyncIterator]();
    await blocks.next();
    expect(await tables.reopen(more)).toBe(false);
    expect(tables.names).toEqual(["patients"]);
    while ((await blocks.next()).done !== true);
    expect(tables.isIdle).toBe(true);
    expect(await tables.reopen(more)).toBe(true);
    expect(tables.names).toEqual(["patients", "others"]);
    expect(tables.unit("others")).toMatchObject({ kind: "patient" });
    expect(tables.overlaps).toHaveLength(1);
    expect(await tables.part(stage)).toEqual(expected);
    expect(pids.map(isAlive)).toEqual([false, false, true]);
  });

  it("ends when it is let go, and not by a signal", async () => {
    const { tables, pids } = await start();
    process.kill(pids[0]!, "SIGTERM");
    expect(await tables.describe()).toHaveLength(1);
    expect(pids).toHaveLength(1);
    await tables.close();
    await vi.waitFor(() => expect(isAlive(pids[0]!)).toBe(false), { timeout: 60_000 });
    await expect(tables.describe()).rejects.toMatchObject({ code: "INTERRUPTED" });
  });
});
