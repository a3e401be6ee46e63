/**
 * Whole rounds of the secure sum: the aggregator as a process, one site-agent process for each site, gRPC with mutual
 * TLS on loopback, everything that must be durable on disk. Only the sites' tables are in memory, and have two rows.
 */
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import type { StudyView } from "@consilium/core/operator/views";
import { unwrap } from "@consilium/core/result";
import { planStudy, stageUploadBytes } from "@consilium/core/study/plan";
import { parseStudy } from "@consilium/methods/testing/studies";
import { openLibsql } from "@consilium/runtime/store/driver";
import { LocalFederation } from "../../scripts/localFederation.js";
import { type BenchRow, compare, median, printReport, wholeNumbers } from "./report.js";

const usage = `Usage: npm run bench -- round [--sites 5,10,20] [--length 1e4,1e5,1e6] [--repeats 3] [--json]
       [--noise both|off|on]`;

const execute = promisify(execFile);
/** The one sum of `studyOf`. */
export const roundStage = "level-1";
const stage = roundStage;
const phases = ["keys", "shares", "masked", "unmask", "sum"] as const;
type Phase = (typeof phases)[number];

/** Rounds before those that count: the processes stand for ones that have run for weeks, and compile as they run. */
const warmUps = 3;

/** Milliseconds from one phase's opening to the next one's. */
type Round = Readonly<Record<Phase, number>>;

/**
 * Seconds of a round of SecAgg+ of Flower 1.28, without TLS, its polls patched to 50 ms, on a machine whose core
 * encrypts 8.7 GB/s with AES-256-CTR; and how many times faster ours must be.
 */
const flower: readonly { sites: number; length: number; seconds: number; target: number | null }[] = [
  { sites: 5, length: 1e5, seconds: 0.6, target: 5 },
  { sites: 10, length: 1e5, seconds: 1.09, target: 5 },
  { sites: 10, length: 1e6, seconds: 1.97, target: null },
  { sites: 20, length: 1e6, seconds: 6.1, target: 4 },
];
const flowerGigabytes = 8.7;
const flowerBytesPerValue = 8;

interface Options {
  readonly sites: readonly number[];
  readonly lengths: readonly number[];
  readonly repeats: number;
  readonly json: boolean;
  readonly noise: readonly boolean[];
}

function readOptions(args: string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      sites: { type: "string", default: "5,10,20" },
      length: { type: "string", default: "1e4,1e5,1e6" },
      repeats: { type: "string", default: "3" },
      noise: { type: "string", default: "both" },
      json: { type: "boolean", default: false },
    },
  });
  const list = (text: string, least: number) => wholeNumbers(text, least, usage);
  const noise = { both: [false, true], off: [false], on: [true] }[values.noise];
  if (noise === undefined) throw new RangeError(usage);
  return {
    sites: list(values.sites, 3),
    lengths: list(values.length, 3),
    repeats: list(values.repeats, 1)[0]!,
    json: values.json,
    noise,
  };
}

/** A sum of at least so many entries: counts of two rows at every site, by feature, bin and class. */
export function studyOf(sites: readonly string[], length: number, noise: boolean): object {
  const features = Math.ceil(length / (2 * binsMost));
  return {
    name: "round",
    table: "records",
    analysis: "correlation-tree",
    method: "dp-pcc",
    variant: "sound",
    privacy: noise ? { epsilon: 1, delta: 1e-5 } : "none",
    parameters: { depth: 1, bins: Math.ceil(length / (2 * features)), evaluation: "none" },
    // As many rows as a large hospital may have: they decide the width of the ring.
    participation: { sites: [...sites], minimumSites: 3, maxRowsPerSite: 1_000_000, phaseDeadline: "10m" },
    features: Array.from({ length: features }, (_, j) => ({
      name: `f${j}`,
      type: "numeric",
      min: 0,
      max: 1,
    })),
    label: { name: "label", levels: ["no", "yes"] },
  };
}

const binsMost = 4096;

/** One round, and nothing after it. */
async function timeRound(federation: LocalFederation, study: object): Promise<Round> {
  const { id } = await federation.startStudy(study);
  const database = openLibsql(join(federation.aggregator.state, "state.db"));
  try {
    const done = database.prepare(
      "SELECT done_at, failure_message FROM attempts WHERE study = ? AND stage = ?",
    );
    const ended = database.prepare(
      "SELECT failure_message FROM studies WHERE id = ? AND ended_at IS NOT NULL",
    );
    for (;;) {
      const failure = ended.get([id])?.failure_message;
      if (failure !== undefined) throw new Error(`study ${id} ended: ${failure}`);
      const sum = done.get([id, stage]);
      if (sum?.done_at != null)
        return roundOf(
          database.prepare("SELECT step, opened_at, done_at FROM steps WHERE study = ?").all([id]),
          Number(sum.done_at),
        );
      await delay(50);
    }
  } finally {
    database.close();
    await federation.api<StudyView>("POST", `/api/studies/${id}/cancel`).catch(() => undefined);
    // What follows the sum would be in the next round's way.
    while ((await federation.study(id)).endedAt === null) await delay(100);
  }
}

function roundOf(rows: readonly Record<string, unknown>[], doneAt: number): Round {
  const step = (suffix: string) => {
    const row = rows.find((one) => one.step === `${stage}${suffix}`)!;
    return { openedAt: Number(row.opened_at), doneAt: Number(row.done_at) };
  };
  if (rows.some((one) => one.step === `${stage}-survivors`)) throw new Error("a site dropped out");
  const [keys, shares, masked, unmask] = ["-keys", "-shares", "", "-unmask"].map(step);
  return {
    keys: shares!.openedAt - keys!.openedAt,
    shares: masked!.openedAt - shares!.openedAt,
    masked: unmask!.openedAt - masked!.openedAt,
    unmask: unmask!.doneAt - unmask!.openedAt,
    sum: doneAt - unmask!.doneAt,
  };
}

const total = (round: Round) => phases.reduce((sum, phase) => sum + round[phase], 0);

/** GB/s of one core. */
async function cipherSpeed(): Promise<number> {
  const { stdout } = await execute("openssl", [
    "speed",
    "-seconds",
    "1",
    "-bytes",
    "16384",
    "-evp",
    "aes-256-ctr",
  ]);
  const found = /AES-256-CTR\s+([\d.]+)k/i.exec(stdout);
  if (found === null) throw new Error("openssl speed says nothing of AES-256-CTR");
  return Number(found[1]) / 1e6;
}

interface Measured {
  readonly sites: number;
  readonly length: number;
  readonly noise: boolean;
  readonly bytesPerValue: number;
  readonly rounds: readonly Round[];
  /** The whole first round, before anything was warm. */
  readonly firstMs: number;
}

async function measure(
  federation: LocalFederation,
  names: readonly string[],
  options: Options,
): Promise<Measured[]> {
  const measured: Measured[] = [];
  for (const noise of options.noise) {
    for (const sites of options.sites) {
      for (const length of options.lengths) {
        const study = studyOf(names.slice(0, sites), length, noise);
        const parsed = unwrap(parseStudy(study));
        const [sum] = planStudy(parsed).stages;
        if (sum?.kind !== "sum") throw new RangeError("the study has no sum");
        const bytesPerValue = stageUploadBytes(sum, parsed) / sum.length;
        const all: Round[] = [];
        for (let round = 0; round < warmUps + options.repeats; round++) {
          all.push(await timeRound(federation, study));
        }
        const rounds = all.slice(warmUps);
        measured.push({ sites, length: sum.length, noise, bytesPerValue, rounds, firstMs: total(all[0]!) });
        if (!options.json) console.error(words(measured.at(-1)!));
      }
    }
  }
  return measured;
}

function words({ sites, length, noise, bytesPerValue, rounds, firstMs }: Measured): string {
  const parts = phases.map((phase) => `${phase} ${median(rounds.map((round) => round[phase]))}`);
  return `${nameOf(sites, length, noise)}: ${median(rounds.map(total))} ms (${parts.join(", ")}); ${bytesPerValue} bytes per value; the first of all ${firstMs} ms`;
}

function nameOf(sites: number, length: number, noise: boolean): string {
  return `${sites} sites × ${length.toLocaleString("en")}${noise ? ", with noise" : ""}`;
}

/** Rounds beside Flower's. */
async function rounds(options: Options): Promise<void> {
  const home = await mkdtemp(join(tmpdir(), "consilium-round-"));
  const federation = await LocalFederation.create(join(home, "federation"), "round");
  try {
    const table = join(home, "records.csv");
    await writeFile(table, "f0\n0\n");
    const names = Array.from(
      { length: Math.max(...options.sites) },
      (_, i) => `site-${String(i + 1).padStart(2, "0")}`,
    );
    const program = [
      "--import",
      import.meta.resolve("tsx"),
      fileURLToPath(new URL("./roundSite.ts", import.meta.url)),
    ];
    for (const id of names) {
      await federation.addSite({ id, tables: { records: table }, allowNoPrivacy: true, program });
    }
    await federation.waitForSites();
    const speed = await cipherSpeed();
    const measured = await measure(federation, names, options);
    report(measured, speed, options);
  } finally {
    await federation.remove();
    await rm(home, { recursive: true, force: true });
  }
}

function report(measured: readonly Measured[], speed: number, options: Options): void {
  const scale = flowerGigabytes / speed;
  const rows = measured.map(({ sites, length, noise, rounds }): BenchRow => {
    const seconds = median(rounds.map(total)) / 1000;
    const peer = noise ? undefined : flower.find((one) => one.sites === sites && isAbout(length, one.length));
    const row = compare(
      nameOf(sites, length, noise),
      seconds,
      peer && peer.seconds * scale,
      1 / (peer?.target ?? 1),
      "lower",
    );
    return peer?.target == null ? { ...row, pass: undefined } : row;
  });
  const whole = {
    bench: "round",
    unit: "seconds of a whole round",
    reference:
      `reference: SecAgg+ of Flower 1.28 without TLS, polls at 50 ms, on a core of ${flowerGigabytes} GB/s AES-256-CTR, ` +
      `times ${scale.toFixed(3)}: this core does ${speed.toFixed(2)} GB/s`,
    rows,
    notes: [
      `uploads: ${flowerBytesPerValue} bytes per value in Flower; ours as the plan's ring has it`,
      ...measured.map(words),
    ],
    statistic: "median" as const,
    /** For `--json`: medians of milliseconds, phase by phase. */
    measured: measured.map(({ sites, length, noise, bytesPerValue, rounds, firstMs }) => ({
      sites,
      length,
      noise,
      bytesPerValue,
      totalMs: median(rounds.map(total)),
      firstMs,
      ...Object.fromEntries(phases.map((phase) => [`${phase}Ms`, median(rounds.map((one) => one[phase]))])),
    })),
  };
  printReport({ ...whole, better: "lower" }, options);
}

/** The study's length is the next that bins make. */
function isAbout(length: number, wanted: number): boolean {
  return length >= wanted && length < wanted * 1.1;
}

export async function run(args: string[]): Promise<void> {
  await rounds(readOptions(args));
}
