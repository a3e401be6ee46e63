import { createCipheriv, randomBytes } from "node:crypto";
import type { RandomSource } from "@consilium/core/random";
import { DiscreteGaussian } from "@consilium/gate/noise/discreteGaussian";
import { RandomWords } from "@consilium/gate/noise/randomWords";
import { exactRational } from "@consilium/gate/noise/rational";
import { type BenchRow, compare, parseBenchOptions, printReport } from "./report.js";

const draws = 500_000;
/** What a site needs, per second and core, so that noise for a million entries costs no more than a second. */
const required = 1_000_000;

/** A stream keyed by the operating system's generator, and that generator itself. */
const sources: readonly (readonly [name: string, open: () => RandomSource])[] = [
  ["operating system", () => ({ bytes: (count) => randomBytes(count) })],
  [
    "AES-256-CTR",
    () => {
      const cipher = createCipheriv("aes-256-ctr", randomBytes(32), Buffer.alloc(16));
      return { bytes: (count) => cipher.update(Buffer.alloc(count)) };
    },
  ],
];

/** Exact discrete Gaussian draws of one core, for σ from 1 to 2^30 and beyond. */
export async function run(args: string[]): Promise<void> {
  const options = parseBenchOptions(args, 5);
  const rows: BenchRow[] = [];
  const notes: string[] = [];
  for (const [source, open] of sources) {
    for (const stdDev of [1, 4.045, 100, 2 ** 15 + 0.3, 2 ** 20, 2 ** 30, 2 ** 46.3]) {
      let bytes = 0;
      const random = open();
      const counted: RandomSource = {
        bytes(count) {
          bytes += count;
          return random.bytes(count);
        },
      };
      const sampler = new DiscreteGaussian(exactRational(stdDev * stdDev), new RandomWords(counted));
      const out = new BigInt64Array(draws);
      sampler.fill(out);
      bytes = 0;
      let best = Number.POSITIVE_INFINITY;
      for (let repeat = 0; repeat < options.repeats; repeat++) {
        const start = performance.now();
        sampler.fill(out);
        best = Math.min(best, (performance.now() - start) / 1000);
      }
      const name = `σ = ${figure(stdDev)}, ${source}`;
      rows.push(compare(name, draws / best / 1e6, required / 1e6, 1, "higher"));
      notes.push(`${name}: ${(bytes / draws / options.repeats).toFixed(1)} random bytes per draw`);
    }
  }
  printReport(
    {
      bench: "sampler",
      unit: "million exact discrete Gaussian draws per second, one core",
      reference: "reference: the million draws per second that a core must reach",
      better: "higher",
      rows,
      notes,
    },
    options,
  );
}

function figure(stdDev: number): string {
  return stdDev < 1e6 ? `${stdDev}` : `2^${Math.log2(stdDev).toFixed(1)}`;
}
