import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { bareRows } from "./gate/bareLoop.js";
import { type StageSpec, stages, supportOf, writeTable } from "./gate/stages.js";
import type { Source, StageRequest, StageRun } from "./gate/version.js";
import { type BenchRow, compare, printReport } from "./report.js";

/**
 * What it costs that the gate asks for every record by itself and checks what is said: with `--against`, a site's vectors of
 * whole stages beside those of another version, each in a process of its own, in turns; both must come to the same integers.
 * Without it, the gate's fold of contributions that cost nothing beside a bare loop that trusts them.
 */
const usage = `Usage: npm run bench -- gate [--against <folder of another clone, built>] [--rows 1000000] [--repeats 7]
         [--only <parts of names>] [--json]
A stage is a site's: from its table to the vector before noise, with the rehearsal. The table is a Parquet file, which is read
as for every stage, or for comparison blocks in memory.`;

/** Of whole stages. What is in memory, or beside a bare loop, has nothing to reach: it says where a stage's time goes. */
const target = 0.95;

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      against: { type: "string" },
      rows: { type: "string", default: "1000000" },
      repeats: { type: "string", default: "7" },
      only: { type: "string", default: "" },
      json: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  const [rows, repeats] = [Number(values.rows), Number(values.repeats)];
  if (
    values.help ||
    !Number.isSafeInteger(rows) ||
    rows < 1 ||
    !Number.isSafeInteger(repeats) ||
    repeats < 1
  ) {
    console.log(usage);
    return;
  }
  const parts = values.only.split(",");
  const isAsked = (name: string) => parts.some((part) => name.includes(part));
  const report = {
    bench: "gate",
    unit: "rows per second, millions",
    better: "higher",
    statistic: "median",
  } as const;
  const options = { json: values.json, repeats };
  const { against } = values;
  if (against === undefined) {
    const compared = await bareRows({ rows, repeats, isAsked });
    const notes = ["Nothing is to be reached: a method itself takes longer than either."];
    printReport(
      { ...report, statistic: "best", reference: "beside a bare loop", rows: compared, notes },
      options,
    );
    return;
  }
  const asked = stages.filter(({ kind, name }) => isAsked(`${kind} ${name}`));
  const compared = await besideVersion({ against, asked, rows, repeats });
  printReport({ ...report, reference: `beside ${against}`, ...compared }, options);
}

interface Compared {
  readonly rows: BenchRow[];
  readonly notes: string[];
}

async function besideVersion(options: {
  readonly against: string;
  readonly asked: readonly StageSpec[];
  readonly rows: number;
  readonly repeats: number;
}): Promise<Compared> {
  const { against, asked, rows, repeats } = options;
  const own = fileURLToPath(new URL("../..", import.meta.url));
  const folder = await mkdtemp(join(tmpdir(), "consilium-gate-"));
  const versions: ChildProcess[] = [];
  const compared: Compared = {
    rows: [],
    notes: [
      "The integers of every stage are the same in both versions. Rows per second of the processor, over all threads:",
    ],
  };
  try {
    const path = join(folder, "t.parquet");
    await writeTable(path, rows);
    for (const root of [own, against]) versions.push(await started(root, rows, path));
    for (const [spec, source] of asked.flatMap((one) => [[one, "file"] as const, [one, "memory"] as const])) {
      const name = `${spec.kind}: ${spec.name}${source === "memory" ? ", in memory" : ""}`;
      const [ours, theirs] = await inTurns(versions, spec, source, repeats);
      const speed = (runs: readonly StageRun[], of: "seconds" | "processor") =>
        rows / median(runs.map((run) => run[of])) / 1e6;
      const whole = compare(name, speed(ours, "seconds"), speed(theirs, "seconds"), target, "higher");
      const row = source === "file" ? whole : { ...whole, pass: undefined };
      const processor = speed(ours, "processor") / speed(theirs, "processor");
      compared.rows.push(row);
      compared.notes.push(`${name}: ${processor.toFixed(2)}×`);
      console.error(`${name}: ${row.ratio?.toFixed(2)}×, of the processor ${processor.toFixed(2)}×`);
    }
  } finally {
    for (const version of versions) version.kill();
    await rm(folder, { recursive: true });
  }
  return compared;
}

/** Runs of both versions; the first of each warms up and is not counted. */
async function inTurns(
  versions: readonly ChildProcess[],
  spec: StageSpec,
  source: Source,
  repeats: number,
): Promise<[StageRun[], StageRun[]]> {
  const runs: [StageRun[], StageRun[]] = [[], []];
  for (let round = 0; round <= repeats; round++) {
    const digests: string[] = [];
    // Who comes first changes, so that neither always follows the other.
    for (const side of round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
      const run = await answer(versions[side]!, spec, source);
      if (round > 0) runs[side].push(run);
      digests.push(run.digest);
    }
    if (digests[0] !== digests[1])
      throw new Error(`${spec.name}: the two versions come to different integers`);
  }
  return runs;
}

/** Both compute on WebAssembly, which is what a site's image has. */
async function started(root: string, rows: number, path: string): Promise<ChildProcess> {
  const { TSX_TSCONFIG_PATH: _, ...environment } = process.env;
  const version = fork(
    fileURLToPath(new URL("gate/version.ts", import.meta.url)),
    [root, String(rows), path],
    {
      cwd: root,
      execArgv: ["--import", "tsx"],
      env: {
        ...environment,
        ...(supportOf(root) === null ? {} : { TSX_TSCONFIG_PATH: join(root, "tsconfig.check.json") }),
        CONSILIUM_KERNELS: "wasm",
      },
    },
  );
  const [first] = (await Promise.race([
    once(version, "message"),
    once(version, "exit").then(([code]) => [`ended with ${code}`]),
  ])) as [string];
  if (first !== "ready") throw new Error(`${root}: ${first}`);
  return version;
}

async function answer(version: ChildProcess, spec: StageSpec, source: Source): Promise<StageRun> {
  version.send({ stage: stages.indexOf(spec), source } satisfies StageRequest);
  const [run] = (await once(version, "message")) as [StageRun | { readonly error: string }];
  if ("error" in run) throw new Error(`${spec.name}: ${run.error}`);
  return run;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
