/**
 * A table on a standalone Spark cluster: the integers of one process though an executor and a worker are killed; its codes where the
 * cluster is full, lacks Node or has another secret; and neither a secret on a command line nor a value of a record in what it keeps.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { planStudy } from "@consilium/core/study/plan";
import { english } from "@consilium/runtime/http/spoken";
import { processSecret } from "@consilium/site-agent/data/rowHash";
import { tableConfigSchema } from "@consilium/site-agent/data/tableConfig";
import { ConfiguredTables } from "@consilium/site-agent/data/tables";
import { Engines } from "@consilium/site-agent/engines/engines";
import { SparkApplication } from "@consilium/site-agent/engines/spark/application";
import { probeCluster } from "@consilium/site-agent/engines/spark/probe";
import type { ResolvedCluster } from "@consilium/site-agent/engines/spark/sparkConfig";
import { temporaryFolder } from "@consilium/site-agent/testing/data/writeTable";
import { documentOf, exactOf, sha256Of } from "@consilium/site-agent/testing/engines/stages";
import { perPatient, sharedStudies, visitsStudy } from "@consilium/site-agent/testing/engines/studies";
import { bundledPrograms } from "@consilium/site-agent/testing/engines/workers";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { below, filesBelow, filesHolding, hasSpark, requireSpark, smallCluster } from "../support/spark.js";
import { StandaloneSpark } from "../support/standaloneSpark.js";

const folder = temporaryFolder();
const visits = join(folder, "visits.csv");
const secret = "of-the-cluster-0b5f6c0e6c1d4e53";
const storageKey = "of-the-storage-77d1f0aa19";
const secretName = "Marguerite-Nightingale";
const rows = 2000;

let home = "";
let worker = "";
let cluster: StandaloneSpark | undefined;
const drivers: number[] = [];
const engines: Engines[] = [];

beforeEach((context) => requireSpark(context));
beforeAll(async () => {
  if (!hasSpark()) return;
  const find = "import pyspark; print(pyspark.__path__[0])";
  home = spawnSync(process.env.CONSILIUM_PYTHON!, ["-c", find], { encoding: "utf8" }).stdout.trim();
  ({ worker } = await bundledPrograms());
  const lines = Array.from({ length: rows }, (_, i) => {
    const ill = (i * 7) % 11 < 5 ? "yes" : "no";
    const [x, y] = [((i * 37) % 101) / 100, i % 53 === 0 ? secretName : ((i * 17) % 89) / 88];
    return `${secretName}-${i % 700},${x},${y},${i % 3 === 0 ? "u" : "v"},${ill},${(i * 7919) % 1000}`;
  });
  writeFileSync(visits, `who,x,y,c,ill,day\n${lines.join("\n")}\n`);
  cluster = await StandaloneSpark.start({ home, folder: join(folder, "cluster"), secret, workers: 2 });
});
const closeAll = () => Promise.all(engines.splice(0).map((engine) => engine.close()));
afterEach(closeAll);
afterAll(() => cluster?.stop());

function lake(more: object = {}) {
  const environment = {
    ...process.env,
    SPARK_LOCAL_IP: "127.0.0.1",
    SPARK_LOCAL_DIRS: join(folder, "local"),
  };
  return smallCluster(
    { worker, environment, onStart: (pid) => void drivers.push(pid) },
    {
      master: cluster!.master,
      secretFile: cluster!.secretFile,
      startMinutes: 4,
      conf: { "spark.hadoop.fs.s3a.secret.key": storageKey },
      ...more,
    },
  );
}

const unit = { patient: { column: "who", maxRows: 2, orderBy: "day" } };
const csv = { csv: { header: true } };
const entryOn = (own: ResolvedCluster) => ({
  ...tableConfigSchema.parse({ name: "visits", spark: { csv: visits }, engine: "lake", unit, ...csv }),
  cluster: own,
});

function onSpark(own: ResolvedCluster): ConfiguredTables {
  const engine = new Engines({ lake: own });
  engines.push(engine);
  return new ConfiguredTables([entryOn(own)], folder, processSecret, engine);
}

const document = documentOf({ ...visitsStudy, ...perPatient(sharedStudies["dp-pcc"]!) });
const asked = { document, stage: planStudy(document.study).stages[0]!.id, broadcasts: new Map() };

async function ofOneProcess(): Promise<string> {
  const config = tableConfigSchema.parse({ name: "visits", path: visits, unit, ...csv });
  return sha256Of((await exactOf(new ConfiguredTables([config], folder, processSecret), asked)).exact);
}

async function refusalOf(tables: ConfiguredTables): Promise<string> {
  const thrown: unknown = await exactOf(tables, asked).catch((error: unknown) => error);
  const { code, message, remedy } = thrown as { code: string; message: string; remedy: string };
  expect(`${message} ${remedy}`).not.toContain(secretName);
  return `${code} ${english(message)}`;
}

const executorsOf = (pid: number) =>
  below(pid).filter(({ command }) => command.includes("CoarseGrainedExecutorBackend"));
const executors = () => cluster!.workers.flatMap(({ pid }) => executorsOf(pid!));

/** Waits until a fold worker of the cluster computes. @returns its executor */
async function computing(): Promise<number> {
  for (;;) {
    await wait(5);
    for (const { pid } of executors())
      if (below(pid).some(({ command }) => command.includes("fold-worker.mjs"))) return pid;
  }
}

/** Files of workers, master and applications that hold one of these words. */
function holding(...words: string[]): string[] {
  const places = [cluster!.work, join(folder, "local"), join(folder, "cluster/local")];
  return filesHolding(places.filter(existsSync), ...words);
}

describe("a standalone cluster", () => {
  it("has the integers of one process though an executor and a worker are killed, and keeps no secret and no value", async () => {
    const whole = await ofOneProcess();
    const tables = onSpark(lake());
    const commands: string[] = [];
    const first = exactOf(tables, asked);
    const killed = computing().then((pid) => {
      commands.push(...below(process.pid).map(({ command }) => command));
      process.kill(pid, "SIGKILL");
      return pid;
    });
    expect(sha256Of((await first).exact)).toBe(whole);
    expect(await killed).toBeGreaterThan(0);
    expect(commands.some((command) => command.includes("CoarseGrainedExecutorBackend"))).toBe(true);
    expect(commands.filter((command) => command.includes(secret) || command.includes(storageKey))).toEqual(
      [],
    );
    await expect.poll(() => executors().length, { timeout: 60_000 }).toBe(2);
    const second = exactOf(tables, asked);
    const executor = await computing();
    const own = cluster!.workers.find(({ pid }) => executorsOf(pid!).some((one) => one.pid === executor))!;
    own.kill("SIGKILL");
    expect(sha256Of((await second).exact)).toBe(whole);
    expect(drivers.length).toBe(1);
    const files = filesBelow(cluster!.work);
    expect(files.some((name) => name.endsWith("stderr"))).toBe(true);
    expect(files.some((name) => name.endsWith("fold-worker.mjs"))).toBe(true);
    expect(holding(secretName, secret, storageKey)).toEqual([]);
    expect(cluster!.log()).not.toMatch(new RegExp(`${secretName}|${secret}|${storageKey}`));
    expect(files.some((name) => /eventlog|app-.*\.(?:lz4|zstd|inprogress)$/i.test(name))).toBe(false);
    await cluster!.addWorker(3);
  });

  it("has its codes where it is full, or has no Node; and its executors end with the application", async () => {
    const first = await SparkApplication.start(lake());
    expect(executors().length).toBe(2);
    const refusal = await refusalOf(onSpark({ ...lake(), startMinutes: 0.4 }));
    expect(refusal).toMatch(/^ENGINE_UNREACHABLE .*no executor within 0.4 minutes/);
    await closeAll();
    await first.end();
    await expect.poll(() => executors().length, { timeout: 30_000 }).toBe(0);
    const noNode = entryOn(lake({ node: "/nowhere/node" }));
    const thrown: unknown = await probeCluster(noNode).catch((error: unknown) => error);
    expect(thrown).toMatchObject({ code: "ENGINE_INCOMPLETE" });
    expect(english((thrown as Error).message)).toMatch(/no Node at/);
  });

  it("has a code where its master has another secret", async () => {
    const other = join(folder, "other");
    mkdirSync(other);
    writeFileSync(join(other, "secret"), "of-another-cluster\n");
    const from = drivers.length;
    expect(await refusalOf(onSpark({ ...lake(), secretFile: join(other, "secret") }))).toMatch(
      /^ENGINE_UNREACHABLE .*did not take the Spark application in/,
    );
    // An application that cannot start is not tried once more.
    expect(drivers.length).toBe(from + 1);
  });
});
