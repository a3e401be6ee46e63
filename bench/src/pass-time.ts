import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { writePolicy } from "../../scripts/localFederation.js";
import { isVector, ObservedHospital, observed, sites } from "../../test/what-leaves/observedHospital.js";
import { type Config, csvTable } from "../../test/what-leaves/tables.js";

/**
 * What the duration of a pass over a table tells an aggregator: the time from a hospital's word that it has begun a step to
 * the first byte of its answer, for tables of several lengths, with answers that leave when they are ready and at set
 * times. Of two tables, "told apart" is how often the longer one's answer takes longer: 0.5 is nothing, 1 is certainty.
 */
const lengths = [10_000, 11_000, 20_000, 100_000, 1_000_000] as const;
const columns = ["a", "b", "outcome"] as const;

const rowOf = (i: number) => ({
  a: String((i * 37) % 101),
  b: String(((i * 13) % 97) / 10),
  outcome: i % 2 === 0 ? "good" : "poor",
});

const study = (table: string) => ({
  name: "pass-time",
  table,
  analysis: "correlation-tree",
  method: "dp-pcc",
  variant: "sound",
  parameters: { depth: 1, bins: 4 },
  features: [
    { name: "a", type: "numeric", min: 0, max: 100 },
    { name: "b", type: "numeric", min: 0, max: 10 },
  ],
  label: { name: "outcome", levels: ["good", "poor"] },
  privacy: { epsilon: 5, delta: 1e-6 },
  participation: { sites, minimumSites: 3, maxRowsPerSite: 1_000_000, phaseDeadline: "5m" },
});

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      repeats: { type: "string", default: "6" },
      /** Seconds between the times at which answers leave. */
      schedule: { type: "string", default: "5" },
      json: { type: "boolean", default: false },
    },
  });
  const [repeats, schedule] = [Number(values.repeats), Number(values.schedule)];
  if (!Number.isSafeInteger(repeats) || repeats < 2 || !Number.isSafeInteger(schedule) || schedule < 1)
    throw new RangeError("--repeats is a whole number from 2, --schedule one from 1");
  const folder = await mkdtemp(join(tmpdir(), "consilium-pass-time-"));
  const tables: Record<string, Config> = {};
  for (const length of lengths)
    tables[`t${length}`] = await csvTable(
      folder,
      `t${length}`,
      columns,
      Array.from({ length }, (_, i) => rowOf(i)),
    );
  const plain = await csvTable(
    folder,
    "plain",
    columns,
    Array.from({ length: 100 }, (_, i) => rowOf(i)),
  );
  const hospital = await ObservedHospital.start(folder, { tables, elsewhere: () => plain });
  try {
    const ready = await measure(hospital, repeats);
    await writePolicy(hospital.federation.site(observed).state, { answerOn: { schedule } });
    const scheduled = await measure(hospital, repeats);
    const report = {
      bench: "pass-time",
      repeats,
      schedule,
      ready: summary(ready),
      scheduled: summary(scheduled),
    };
    if (values.json) console.log(JSON.stringify(report));
    else {
      print("answers leave when they are ready", report.ready);
      print(`answers leave every ${schedule} s`, report.scheduled);
    }
  } finally {
    await hospital.remove();
    await rm(folder, { recursive: true, force: true });
  }
}

type Times = ReadonlyMap<number, readonly number[]>;

/** Milliseconds from the message before an answer to the answer, by length of the table. */
async function measure(hospital: ObservedHospital, repeats: number): Promise<Times> {
  const times = new Map<number, number[]>(lengths.map((length) => [length, []]));
  for (let repeat = 0; repeat < repeats; repeat++) {
    for (const length of lengths) {
      const messages = await hospital.timesFor(await hospital.run(study(`t${length}`)));
      let begun: number | null = null;
      for (const { at, text } of messages) {
        if (isVector(text) && begun !== null) times.get(length)!.push(at - begun);
        begun = at;
      }
    }
  }
  return times;
}

interface Line {
  readonly rows: number;
  readonly medianMs: number;
  /** Against the table of the length before it. */
  readonly toldApart: number | null;
}

function summary(times: Times): Line[] {
  return lengths.map((rows, i) => {
    const own = [...times.get(rows)!].sort((a, b) => a - b);
    const before = i === 0 ? null : times.get(lengths[i - 1]!)!;
    return {
      rows,
      medianMs: own[Math.floor(own.length / 2)] ?? Number.NaN,
      toldApart: before === null ? null : toldApart(before, own),
    };
  });
}

function toldApart(shorter: readonly number[], longer: readonly number[]): number {
  let wins = 0;
  for (const a of shorter) for (const b of longer) wins += b > a ? 1 : b === a ? 0.5 : 0;
  return wins / (shorter.length * longer.length);
}

function print(title: string, lines: readonly Line[]): void {
  console.log(title);
  for (const { rows, medianMs, toldApart: told } of lines)
    console.log(
      `  ${String(rows).padStart(9)} rows  ${medianMs.toFixed(0).padStart(6)} ms  ${told === null ? "" : `told apart from the one before: ${told.toFixed(2)}`}`,
    );
}
