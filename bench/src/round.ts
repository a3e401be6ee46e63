/**
 * Whole rounds of the secure sum: the aggregator as a process, one site-agent process for each site, gRPC with mutual
 * TLS on loopback, everything that must be durable on disk. Only the sites' tables are in memory, and have two rows.
 * Beside them, in turns: a bare stream of the same bytes (bareStream.ts), and Flower's SecAgg+ (flower_secagg.py).
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { unwrap } from "@consilium/core/result";
import { planStudy, stageUploadBytes } from "@consilium/core/study/plan";
import { parseStudy } from "@consilium/methods/testing/studies";
import { thresholdFor } from "@consilium/secure-sum/parameters";
import { LocalFederation } from "../../scripts/localFederation.js";
import { BareStream } from "./bareStream.js";
import { builtProgram } from "./builtProgram.js";
import { FlowerSecagg } from "./flowerSecagg.js";
import type { Mark } from "./marks.js";
import { median, wholeNumbers } from "./report.js";
import { type Cell, markedCells, markOfFirst, marksOfCell } from "./roundMarks.js";
import { phases, type Round, studyOf, tableOf, timeRound, total } from "./roundTiming.js";

const usage = `Usage: npm run bench -- round [--sites 5,10,20] [--length 1e4,1e5,1e6] [--noise off|on|both] [--repeats 5]
       [--only rounds|first] [--no-flower] [--json]

Without --sites and --length: the sums that have marks. Flower is run by the Python of CONSILIUM_FLOWER_PYTHON, or of CONSILIUM_PYTHON,
where it has flwr 1.30.`;

/** Rounds before those that count: the processes stand for ones that have run for weeks, and compile as they run. */
const warmUps = 20;
const streamWarmUps = 10;
const flowerWarmUps = 1;

/** Of which the first round of fresh processes is measured, and how often; the rounds after each. */
const firstCell: Cell = { sites: 5, length: 1e5 };
const starts = 5;
const laterRounds = 6;
/** Processes have stood so long before their first round, as those of a hospital have before anybody approves a study. */
const stoodMs = 20_000;

interface Options {
  readonly cells: readonly Cell[];
  readonly noise: readonly boolean[];
  readonly repeats: number;
  readonly parts: readonly ("rounds" | "first")[];
  readonly flower: boolean;
  readonly json: boolean;
}

/** @returns null where help is asked for */
function readOptions(args: string[]): Options | null {
  const { values } = parseArgs({
    args,
    allowNegative: true,
    options: {
      sites: { type: "string" },
      length: { type: "string" },
      noise: { type: "string", default: "off" },
      repeats: { type: "string", default: "5" },
      only: { type: "string", default: "both" },
      flower: { type: "boolean", default: true },
      json: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return null;
  const noise = { both: [false, true], off: [false], on: [true] }[values.noise];
  const parts = { both: ["first", "rounds"], rounds: ["rounds"], first: ["first"] }[values.only];
  if (noise === undefined || parts === undefined) throw new RangeError(usage);
  const list = (text: string, least: number) => wholeNumbers(text, least, usage);
  const cells =
    values.sites === undefined && values.length === undefined
      ? markedCells
      : list(values.sites ?? "5,10,20", 3).flatMap((sites) =>
          list(values.length ?? "1e4,1e5,1e6", 3).map((length) => ({ sites, length })),
        );
  return {
    cells,
    noise,
    parts: parts as Options["parts"],
    flower: values.flower,
    json: values.json,
    repeats: list(values.repeats, 1)[0]!,
  };
}

/**
 * Processes of a federation, all started.
 * @param tables - made up in the agents' own memory, for whatever columns a study has; or `firstCell`'s in a file, which the agents read
 * as hospitals' do
 */
async function startFederation(
  home: string,
  { sites, tables }: { readonly sites: number; readonly tables: "made up" | "in a file" },
): Promise<LocalFederation> {
  const federation = await LocalFederation.create(join(home, "federation"), "round");
  const records = join(home, "records.csv");
  await writeFile(records, tables === "made up" ? "f0\n0\n" : tableOf(firstCell.length));
  const program = await builtProgram("roundSite");
  for (let i = 1; i <= sites; i++)
    await federation.addSite({
      id: `site-${String(i).padStart(2, "0")}`,
      tables: { records },
      allowNoPrivacy: true,
      ...(tables === "made up" && { program }),
    });
  await federation.waitForSites();
  return federation;
}

/** The study of a cell, and what its references must do as well. */
function workOf(names: readonly string[], { sites, length }: Cell, noise: boolean) {
  const study = studyOf(names.slice(0, sites), length, noise);
  const parsed = unwrap(parseStudy(study));
  const [sum] = planStudy(parsed).stages;
  if (sum?.kind !== "sum") throw new RangeError("the study has no sum");
  const { minimumSites, tolerateColluding } = parsed.participation;
  const threshold = thresholdFor({ sites, minimumSites, tolerateColluding });
  return { study, entries: sum.length, bytes: stageUploadBytes(sum, parsed), threshold };
}

interface MeasuredCell {
  readonly cell: Cell;
  readonly noise: boolean;
  readonly entries: number;
  /** Of one site's upload. */
  readonly bytes: number;
  readonly threshold: number;
  readonly rounds: readonly Round[];
  /** Seconds of each repeat; empty where the reference was not measured. */
  readonly stream: readonly number[];
  readonly flower: readonly number[];
}

/** What runs beside our rounds of so many sites; without noise alone, for theirs have none. */
interface References {
  readonly stream: BareStream | null;
  readonly flower: FlowerSecagg | null;
}

async function measureCell(
  federation: LocalFederation,
  references: References,
  of: { readonly cell: Cell; readonly noise: boolean; readonly repeats: number },
): Promise<MeasuredCell> {
  const { cell, noise } = of;
  const work = workOf([...federation.sites.keys()], cell, noise);
  const ours = () => timeRound(federation, work.study);
  const stream = async (into: number[]) => {
    if (references.stream !== null) into.push(await references.stream.round(work.bytes));
  };
  const flower = async (into: number[]) => {
    if (references.flower !== null) into.push(await references.flower.round(work.entries, work.threshold));
  };
  for (let i = 0; i < warmUps; i++) await ours();
  for (let i = 0; i < streamWarmUps; i++) await stream([]);
  for (let i = 0; i < flowerWarmUps; i++) await flower([]);
  const measured = { rounds: [] as Round[], stream: [] as number[], flower: [] as number[] };
  for (let i = 0; i < of.repeats; i++) {
    await references.flower?.rest();
    measured.rounds.push(await ours());
    await stream(measured.stream);
    await flower(measured.flower);
  }
  return { ...work, cell, noise, ...measured };
}

async function measureRounds(options: Options): Promise<MeasuredCell[]> {
  const home = await mkdtemp(join(tmpdir(), "consilium-round-"));
  const numbers = [...new Set(options.cells.map(({ sites }) => sites))];
  const federation = await startFederation(home, { sites: Math.max(...numbers), tables: "made up" });
  const measured: MeasuredCell[] = [];
  const nothing: References = { stream: null, flower: null };
  try {
    for (const sites of numbers) {
      const stream = await BareStream.start(sites);
      const flower = options.flower ? await FlowerSecagg.start(sites) : null;
      try {
        for (const cell of options.cells.filter((one) => one.sites === sites))
          for (const noise of options.noise) {
            const references = noise ? nothing : { stream, flower };
            const of = { cell, noise, repeats: options.repeats };
            measured.push(await measureCell(federation, references, of));
            if (!options.json) console.error(words(measured.at(-1)!));
          }
      } finally {
        await stream.close();
        await flower?.close();
      }
    }
    return measured;
  } finally {
    await federation.remove();
    await rm(home, { recursive: true, force: true });
  }
}

/** Milliseconds of the first round after all processes have started, and of those after it. */
interface First {
  readonly first: Round;
  readonly later: readonly Round[];
}

async function measureFirst(options: Options): Promise<First[]> {
  const home = await mkdtemp(join(tmpdir(), "consilium-round-"));
  const federation = await startFederation(home, { sites: firstCell.sites, tables: "in a file" });
  const { study } = workOf([...federation.sites.keys()], firstCell, false);
  const measured: First[] = [];
  try {
    for (let start = 0; start < starts; start++) {
      await federation.stop();
      await federation.publisher.start();
      await federation.aggregator.start();
      await Promise.all([...federation.sites.values()].map((site) => site.start()));
      await federation.waitForSites();
      await delay(stoodMs);
      const first = await timeRound(federation, study);
      const later: Round[] = [];
      for (let i = 0; i < laterRounds; i++) later.push(await timeRound(federation, study));
      measured.push({ first, later });
      if (!options.json)
        console.error(`start ${start + 1}: first ${partsOf([first])}; later ${partsOf(later)}`);
    }
    return measured;
  } finally {
    await federation.remove();
    await rm(home, { recursive: true, force: true });
  }
}

function partsOf(rounds: readonly Round[]): string {
  const parts = phases.map((phase) => `${phase} ${median(rounds.map((round) => round[phase]))}`);
  return `${median(rounds.map(total))} ms (${parts.join(", ")})`;
}

const nameOf = ({ sites }: Cell, entries: number, noise: boolean) =>
  `${sites} sites × ${entries.toLocaleString("en")}${noise ? ", with noise" : ""}`;

const words = ({ cell, entries, noise, rounds }: MeasuredCell) =>
  `${nameOf(cell, entries, noise)}: ${partsOf(rounds)}`;

const secondsOf = (values: readonly number[]) => (values.length === 0 ? null : median(values));
const rounded = (value: number) => Number(value.toPrecision(3));

export async function run(args: string[]): Promise<void> {
  const options = readOptions(args);
  if (options === null) {
    console.log(usage);
    return;
  }
  const before = loadavg();
  const measuresRounds = options.parts.includes("rounds");
  const firsts = options.parts.includes("first") ? await measureFirst(options) : [];
  const cells = measuresRounds ? await measureRounds(options) : [];

  const marks: Mark[] = [];
  const results: Record<string, unknown>[] = [];
  for (const { cell, entries, noise, ...one } of cells) {
    const ours = median(one.rounds.map(total)) / 1000;
    const [stream, flower] = [secondsOf(one.stream), secondsOf(one.flower)];
    const name = nameOf(cell, entries, noise);
    marks.push(...marksOfCell(name, cell, { ours, stream, flower }));
    const figures = { uploadBytes: one.bytes, threshold: one.threshold };
    results.push({ sum: name, of: "ours", seconds: rounded(ours), ...figures });
    if (stream !== null) results.push({ sum: name, of: "bare stream", seconds: rounded(stream), ...figures });
    if (flower !== null)
      results.push({
        sum: name,
        of: "Flower's SecAgg+",
        seconds: rounded(flower),
        uploadBytes: flowerBytesPerValue * entries,
        threshold: one.threshold,
      });
  }
  if (firsts.length > 0) {
    const name = nameOf(firstCell, firstCell.length, false);
    const first = median(firsts.map((one) => total(one.first)));
    const later = median(firsts.flatMap((one) => one.later.map(total)));
    marks.push(markOfFirst(name, first, later));
    results.push({ sum: name, of: "first round of fresh processes", seconds: rounded(first / 1000) });
    results.push({ sum: name, of: "rounds after it", seconds: rounded(later / 1000) });
  }
  const withoutFlower = measuresRounds && cells.every((one) => one.flower.length === 0);
  report({ results, marks, cells, firsts, withoutFlower, before }, options);
}

/** Masked vectors are int64 in Flower's messages. */
const flowerBytesPerValue = 8;

interface Report {
  readonly results: readonly object[];
  readonly marks: readonly Mark[];
  readonly cells: readonly MeasuredCell[];
  readonly firsts: readonly First[];
  readonly withoutFlower: boolean;
  /** Load averages at the beginning. */
  readonly before: readonly number[];
}

function report({ results, marks, cells, firsts, withoutFlower, before }: Report, options: Options): void {
  const load = (values: readonly number[]) => values.map((value) => Number(value.toFixed(1)));
  const machine = { cores: cpus().length, loadBefore: load(before), loadAfter: load(loadavg()) };
  if (marks.some(({ verdict }) => verdict === "missed")) process.exitCode = 1;
  if (withoutFlower)
    console.error(
      "NO FLOWER: ITS REFERENCE IS LEFT OUT, AND NOTHING IS HELD AGAINST IT (CONSILIUM_FLOWER_PYTHON: a Python with flwr 1.30)",
    );
  if (options.json) {
    const { repeats } = options;
    console.log(JSON.stringify({ repeats, machine, results, marks, cells, firsts, withoutFlower }));
    return;
  }
  console.table(results);
  console.table(marks);
  console.log(
    `medians of ${options.repeats} in turns, a first round's of ${starts} starts; ${machine.cores} cores, ` +
      `load ${machine.loadBefore.join(", ")} before and ${machine.loadAfter.join(", ")} after`,
  );
}
