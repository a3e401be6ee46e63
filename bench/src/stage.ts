/**
 * What a stage of a study waits for: round trips and durable writes. The aggregator and one agent for each site are processes
 * of their own, with mutual TLS and everything durable on disk; between them stands a proxy that delays every byte. Only the
 * sites' tables are in memory, and have two rows.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { unwrap } from "@consilium/core/result";
import { planStudy, type SumStage } from "@consilium/core/study/plan";
import { parseStudy } from "@consilium/methods/testing/studies";
import { openLibsql } from "@consilium/runtime/store/driver";
import { startDelayingProxy } from "@consilium/runtime/testing/tls/delayingProxy";
import { LocalFederation, type Member } from "../../scripts/localFederation.js";
import { builtProgram } from "./builtProgram.js";
import { type BenchRow, compare, median, printReport, wholeNumbers } from "./report.js";
import { unitFeatures } from "./unitFeatures.js";

const usage = `Usage: npm run bench -- stage [--sites 4] [--rtt 0,20,100,400] [--length 200,10000] [--repeats 1] [--json]`;

/** A stage may take so many round trips, and so many milliseconds beside them. */
const tripsMost = 2.1;
const besideMs = 30;
/** Durable writes of a stage. */
const siteSyncsMost = 2;
const aggregatorSyncsMost = 4;

/** Stumps of a study, each one stage or two; the first stages are left out. */
const stumps = 8;
const warmUps = 2;
/** Studies before those that count: the processes stand for ones that have run for weeks, and compile as they run. */
const studiesBefore = 40;

/** What makes something durable; of what is opened with O_DSYNC every write counts, and this software opens nothing so. */
const syncCalls = ["fsync", "fdatasync", "msync", "sync", "syncfs", "sync_file_range"];

interface Options {
  readonly sites: number;
  readonly trips: readonly number[];
  readonly lengths: readonly number[];
  readonly repeats: number;
  readonly json: boolean;
}

/** @returns null where help is asked for */
function readOptions(args: string[]): Options | null {
  const { values } = parseArgs({
    args,
    options: {
      sites: { type: "string", default: "4" },
      rtt: { type: "string", default: "0,20,100,400" },
      length: { type: "string", default: "200,10000" },
      repeats: { type: "string", default: "1" },
      json: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return null;
  const list = (text: string, least: number) => wholeNumbers(text, least, usage);
  return {
    sites: list(values.sites, 3)[0]!,
    // Upwards: a byte that is delayed for less than the one before it would overtake it.
    trips: list(values.rtt, 0).sort((a, b) => a - b),
    lengths: list(values.length, 40),
    repeats: list(values.repeats, 1)[0]!,
    json: values.json,
  };
}

/** Boosted stumps whose stages have about so many entries: two for each bin of each feature. */
function studyOf(sites: readonly string[], length: number): object {
  const bins = length < 2_000 ? 10 : 100;
  const features = Math.floor(length / (2 * bins));
  return {
    name: "stage",
    table: "records",
    analysis: "boosted-trees",
    method: "dp-histboost",
    variant: "sound",
    privacy: { epsilon: 4, delta: 1e-5 },
    parameters: { trees: stumps, depth: 1, featuresPerNode: features, bins, evaluation: "none" },
    participation: { sites: [...sites], minimumSites: 3, maxRowsPerSite: 100_000, phaseDeadline: "10m" },
    features: unitFeatures(features),
    label: { name: "label", levels: ["no", "yes"] },
  };
}

/** One stage, by the aggregator's clock: from the end of the one before it. Milliseconds since 1970. */
interface Span {
  readonly from: number;
  readonly to: number;
}

/** Runs a study to its last sum. */
async function runStages(federation: LocalFederation, study: object): Promise<Span[]> {
  const { id } = await federation.startStudy(study);
  await federation.waitForStudy(id, ({ status }) => status === "released", 600_000);
  const database = openLibsql(join(federation.aggregator.state, "state.db"));
  try {
    const rows = database
      .prepare(
        "SELECT done_at, attempt FROM attempts WHERE study = ? AND done_at IS NOT NULL ORDER BY done_at",
      )
      .all([id]);
    if (rows.some(({ attempt }) => attempt !== 1)) throw new Error("a stage was tried again");
    const ends = rows.map(({ done_at }) => Number(done_at));
    return ends
      .slice(1)
      .map((to, i) => ({ from: ends[i]!, to }))
      .slice(warmUps);
  } finally {
    database.close();
  }
}

// ---- durable writes --------------------------------------------------------------------------------------------------

interface Sync {
  readonly at: number;
  /** Name of the file or folder. */
  readonly of: string;
}

/**
 * Watches a process's calls that make something durable. SQLite's are made by native code, so only the kernel's own
 * account has all of them.
 */
class Tracer {
  readonly #child: ChildProcess;
  readonly #path: string;

  private constructor(child: ChildProcess, path: string) {
    this.#child = child;
    this.#path = path;
  }

  /** @returns null where strace is not there, or may not attach */
  static async attach(member: Member, path: string): Promise<Tracer | null> {
    const options = ["-f", "-y", "-ttt", "-e", `trace=${syncCalls.join(",")}`, "-o", path];
    const child = spawn("strace", [...options, "-p", String(member.pid)], {
      stdio: ["ignore", "ignore", "pipe"],
    });
    const attached = await new Promise<boolean>((resolve) => {
      child.once("error", () => resolve(false));
      child.once("exit", () => resolve(false));
      child.stderr!.on("data", (text: Buffer) => {
        if (text.toString().includes("attached")) resolve(true);
      });
    });
    return attached ? new Tracer(child, path) : null;
  }

  async end(): Promise<Sync[]> {
    const gone = new Promise((resolve) => this.#child.once("exit", resolve));
    this.#child.kill("SIGINT");
    await gone;
    return syncsOf(await readFile(this.#path, "utf8"));
  }
}

/** A line of strace: `pid seconds call(3</path>) = 0`; a call that was interrupted has a second line, which begins otherwise. */
function syncsOf(text: string): Sync[] {
  const call = new RegExp(`^\\d+ +(\\d+\\.\\d+) (?:${syncCalls.join("|")})\\((?:\\d+<([^>]*)>)?`, "gm");
  return [...text.matchAll(call)].map(([, at, path]) => ({
    at: Number(at) * 1000,
    of: basename(path ?? "").replace(/[~0-9a-f]{16,}/g, "…"),
  }));
}

interface SyncCounts {
  readonly who: string;
  /** The median of the stages. */
  readonly count: number;
  /** Of the stage in the middle, by file. */
  readonly files: Readonly<Record<string, number>>;
}

function counted(who: string, syncs: readonly Sync[], spans: readonly Span[]): SyncCounts {
  const byStage = spans
    .map(({ from, to }) => syncs.filter(({ at }) => at > from && at <= to))
    .toSorted((a, b) => a.length - b.length);
  const middle = byStage[Math.floor(byStage.length / 2)]!;
  const files: Record<string, number> = {};
  for (const { of } of middle) files[of] = (files[of] ?? 0) + 1;
  return { who, count: middle.length, files };
}

/** @returns null where nothing can be counted */
async function countSyncs(
  federation: LocalFederation,
  study: object,
  folder: string,
): Promise<SyncCounts[] | null> {
  const processes: readonly (readonly [string, Member])[] = [
    ["aggregator", federation.aggregator],
    ...federation.sites,
  ];
  const tracers: Tracer[] = [];
  try {
    for (const [who, member] of processes) {
      const tracer = await Tracer.attach(member, join(folder, `${who}.strace`));
      if (tracer === null) return null;
      tracers.push(tracer);
    }
    const spans = await runStages(federation, study);
    const syncs = await Promise.all(tracers.splice(0).map((tracer) => tracer.end()));
    return processes.map(([who], i) => counted(who, syncs[i]!, spans));
  } finally {
    await Promise.all(tracers.map((tracer) => tracer.end()));
  }
}

// ---- the whole -------------------------------------------------------------------------------------------------------

interface Measured {
  readonly length: number;
  readonly times: readonly { readonly rtt: number; readonly ms: number }[];
  readonly syncs: readonly SyncCounts[] | null;
}

async function measure(options: Options): Promise<Measured[]> {
  const home = await mkdtemp(join(tmpdir(), "consilium-stage-"));
  const federation = await LocalFederation.create(join(home, "federation"), "stage");
  let delayMs = 0;
  const { grpc } = await federation.aggregator.addresses();
  const proxy = await startDelayingProxy(Number(new URL(`tcp://${grpc}`).port), () => delayMs);
  try {
    const table = join(home, "records.csv");
    await writeFile(table, "f0\n0\n");
    const names = Array.from({ length: options.sites }, (_, i) => `site-${String(i + 1).padStart(2, "0")}`);
    const program = await builtProgram("roundSite");
    for (const id of names)
      await federation.addSite({
        id,
        tables: { records: table },
        dials: `127.0.0.1:${proxy.port}`,
        program,
      });
    await federation.waitForSites();
    const lengths = options.lengths.map((wanted) => {
      const study = studyOf(names, wanted);
      const stages = planStudy(unwrap(parseStudy(study))).stages;
      return { study, length: Math.max(...stages.map((stage) => (stage as SumStage).length)) };
    });
    for (let i = 0; i < studiesBefore; i++) await runStages(federation, lengths[i % lengths.length]!.study);
    const syncs: (SyncCounts[] | null)[] = [];
    for (const { study } of lengths) syncs.push(await countSyncs(federation, study, home));
    const times = lengths.map((): { rtt: number; ms: number }[] => []);
    for (const rtt of options.trips) {
      delayMs = rtt / 2;
      for (const [i, { study }] of lengths.entries()) {
        const spans: Span[] = [];
        for (let r = 0; r < options.repeats; r++) spans.push(...(await runStages(federation, study)));
        times[i]!.push({ rtt, ms: median(spans.map(({ from, to }) => to - from)) });
      }
    }
    return lengths.map(({ length }, i) => ({ length, times: times[i]!, syncs: syncs[i]! }));
  } finally {
    await proxy.close();
    await federation.remove();
    await rm(home, { recursive: true, force: true });
  }
}

function report(measured: readonly Measured[], options: Options): void {
  const rows = measured.flatMap(({ length, times, syncs }): BenchRow[] => {
    const name = `${options.sites} sites × ${length.toLocaleString("en")}`;
    return [
      ...times.map(({ rtt, ms }) =>
        compare(`${name}, ${rtt} ms: ms`, ms, tripsMost * rtt + besideMs, 1, "lower"),
      ),
      ...(syncs ?? []).map(({ who, count }) => {
        const most = who === "aggregator" ? aggregatorSyncsMost : siteSyncsMost;
        return compare(`${name}, ${who}: syncs`, count, most, 1, "lower");
      }),
    ];
  });
  const notes = measured.flatMap(({ length, times, syncs }) => [
    ...times
      .filter(({ rtt }) => rtt > 0)
      .map(({ rtt, ms }) => `${length} entries at ${rtt} ms: ${(ms / rtt).toFixed(2)} round trips`),
    ...(syncs ?? []).map(({ who, files }) => {
      const each = Object.entries(files).map(([file, count]) => `${count} ${file}`);
      return `${length} entries, ${who}: ${each.join(", ") || "nothing"}`;
    }),
  ]);
  if (measured.some(({ syncs }) => syncs === null))
    notes.push("SKIPPED: the durable writes, for there is no strace here that may attach to a process");
  printReport(
    {
      bench: "stage",
      unit: "milliseconds of a stage, and its calls of fsync and the like",
      reference: `reference: ${tripsMost} round trips and ${besideMs} ms; ${siteSyncsMost} syncs at a site, ${aggregatorSyncsMost} at the aggregator`,
      better: "lower",
      statistic: "median",
      rows,
      notes,
    },
    options,
  );
}

export async function run(args: string[]): Promise<void> {
  const options = readOptions(args);
  if (options === null) console.log(usage);
  else report(await measure(options), options);
}
