import type { SiteId } from "@consilium/core/ids";
import { simulatedSite, simulateSums, streamed } from "@consilium/core/learning/sums";
import { plainKernels } from "@consilium/core/linalg/plain";
import { wholly } from "@consilium/core/method/parts";
import type { RandomSource } from "@consilium/core/random";
import { planStudy } from "@consilium/core/study/plan";
import { seededRandom } from "@consilium/core/testing/privacy/random";
import { blocksOfRows, type TestRecord, testRecords } from "@consilium/methods/testing/felp/tables";
import { featureSelectionStudy, type TestStudy } from "@consilium/methods/testing/study/featureSelection";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type PaperFelpResult, paperFelpConversation, paperFelpVector } from "./paper.js";
import { asPaperFelp, type PaperFelpStudy, publishedScale } from "./study.js";
import { subsamplesOf } from "./subsamples.js";

const kernels = plainKernels();
const untouched: RandomSource = {
  bytes() {
    throw new Error("nothing is drawn here");
  },
};

const studyOf = (options: TestStudy): PaperFelpStudy =>
  asPaperFelp(featureSelectionStudy({ variant: "paper", ...options }));

function simulate(
  study: PaperFelpStudy,
  tables: readonly (readonly TestRecord[])[],
  random = untouched,
): Promise<PaperFelpResult> {
  return simulateSums({
    plan: planStudy(study),
    tables: tables.map((records) => blocksOfRows(records, 13)),
    kernels,
    random,
    vector: (_, input) => paperFelpVector(study, input),
    run: (conversation) => paperFelpConversation(study, conversation, random),
  });
}

// An independent reading: records as objects, distances by categories, plain gradient descent.

const unitOf = ({ values: [a, b, c] }: TestRecord): [number, number, number] => [a, (b + 2) / 4, c];

function difference(x: TestRecord, y: TestRecord): [number, number, number] {
  const [[a, b, c], [e, f, g]] = [unitOf(x), unitOf(y)];
  return [Math.abs(a - e), Math.abs(b - f), c === g ? 0 : 1];
}

/** Squared, a category's two columns of ½ count ¼ each. */
function distance(x: TestRecord, y: TestRecord): number {
  const [a, b, c] = difference(x, y);
  return a * a + b * b + c * 0.5;
}

function nearest(sample: readonly TestRecord[], of: TestRecord, same: boolean): TestRecord | undefined {
  const others = sample.filter((other) => other !== of && (other.label === of.label) === same);
  return others.sort((x, y) => distance(of, x) - distance(of, y))[0];
}

/** @param times - how often each record is in the sample */
function naiveWeights(records: readonly TestRecord[], times: ArrayLike<number>, lambda: number): number[] {
  const sample = records.filter((_, i) => times[i]! > 0);
  const z: { readonly margin: number[]; readonly times: number }[] = [];
  records.forEach((record, i) => {
    const [hit, miss] = [nearest(sample, record, true), nearest(sample, record, false)];
    if (times[i]! === 0 || hit === undefined || miss === undefined) return;
    const [far, near] = [difference(record, miss), difference(record, hit)];
    z.push({ margin: far.map((value, j) => value - near[j]!), times: times[i]! });
  });
  const n = z.reduce((sum, one) => sum + one.times, 0);
  let w = [0, 0, 0];
  if (n === 0) return w;
  for (let step = 0; step < 20_000; step++) {
    const gradient = w.map((value) => 2 * lambda * value);
    for (const { margin, times: count } of z) {
      const pull = count / (n * (1 + Math.exp(margin.reduce((sum, value, j) => sum + value * w[j]!, 0))));
      margin.forEach((value, j) => {
        gradient[j]! -= pull * value;
      });
    }
    w = w.map((value, j) => value - gradient[j]! / (3 / 4 + 2 * lambda));
    if (Math.hypot(...gradient) < 1e-12) break;
  }
  return w;
}

function naiveMean(study: PaperFelpStudy, tables: readonly (readonly TestRecord[])[]): number[] {
  const total = [0, 0, 0];
  let n = 0;
  tables.forEach((records, index) => {
    const all = naiveWeights(records, new Array(records.length).fill(1), 1);
    if (all.every((value) => value === 0)) return;
    const samples = [...subsamplesOf(study, simulatedSite(index), records.length)];
    for (const times of samples) {
      naiveWeights(records, times, study.parameters.lambda).forEach((value, j) => {
        total[j]! += (records.length * value) / samples.length;
      });
    }
    n += records.length;
  });
  return total.map((value) => value / n);
}

describe("FWELL and FWELL-EN over sites", () => {
  it.each(["fwell", "fwell-en"])("%s is the mean over sites of a naive program's weights", async (method) => {
    for (const bootstrap of ["with-replacement", "without"]) {
      const parameters = { subsamples: 4, bootstrap, lambda: 0.05 };
      const study = studyOf({ method, parameters });
      const tables = [testRecords(23, "a"), testRecords(40, "b"), testRecords(9, "c"), testRecords(17, "d")];
      const result = await simulate(study, tables);
      expect(result.rows).toBe(89);
      expect(result.noise).toBeNull();
      const expected = naiveMean(study, tables);
      result.weights.forEach((weight, j) => {
        expect(Math.abs(weight - expected[j]!)).toBeLessThan(1e-8);
      });
    }
  });

  it("ranks first what tells the classes apart", async () => {
    const tables = ["a", "b", "c"].map((seed) => testRecords(60, seed));
    const { weights } = await simulate(studyOf({ method: "fwell-en" }), tables);
    expect(weights[0]).toBeGreaterThan(weights[1]!);
    expect(weights[1]).toBeGreaterThan(weights[2]!);
  });

  it("leaves out sites that can tell nothing apart: empty, of one class, with a class of one row each", async () => {
    const study = studyOf({ method: "fwell" });
    const tables = [testRecords(30, "a"), testRecords(25, "b"), testRecords(31, "c")];
    const one: TestRecord[] = testRecords(20, "d").map((record) => ({ ...record, label: 1 }));
    const pair: TestRecord[] = testRecords(2, "e").map((record, i) => ({ ...record, label: i }));
    const alone = await simulate(study, tables);
    const more = await simulate(study, [...tables, [], one, pair]);
    expect(more.rows).toBe(86);
    more.weights.forEach((weight, j) => {
      expect(weight).toBeCloseTo(alone.weights[j]!, 12);
    });
    const none = await simulate(study, [[], one, pair]);
    expect(none).toEqual({ rows: 0, weights: new Float64Array(3), noise: null });
  });

  it("answers the same whenever it is asked, by the site's own id", async () => {
    const study = studyOf({ method: "fwell-en", parameters: { subsamples: 3 } });
    const ask = (site: string, rows: number) =>
      paperFelpVector(study, {
        site: site as SiteId,
        sites: 3,
        broadcasts: new Map(),
        blocks: streamed(blocksOfRows(testRecords(40, "t"), rows)),
        kernels,
        random: untouched,
      });
    const first = await ask("a", 7);
    expect(await ask("a", 40)).toEqual(first);
    expect(await ask("b", 7)).not.toEqual(first);
  });

  it("refuses a sum that no honest sites can have sent", async () => {
    const study = studyOf({ method: "fwell" });
    for (const forged of [
      [0n, 0n, 0n, -(2n ** 52n)],
      [2n ** 61n, 0n, 0n, 0n],
      [0n, 0n, 0n, 2n ** 62n],
    ]) {
      const conversation = {
        sites: 3,
        survivors: 3,
        kernels,
        part: wholly,
        sum: async () => BigUint64Array.from(forged, (x) => BigInt.asUintN(64, x)),
        draw: (_: string, make: () => string) => make(),
      };
      await expect(paperFelpConversation(study, conversation, untouched)).rejects.toThrow(RangeError);
    }
  });
});

describe("subsamples", () => {
  it("have ⌈βN⌉ rows, with or without replacement", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 60 }),
        fc.double({ min: 0.01, max: 1, noNaN: true }),
        (rows, beta) => {
          for (const bootstrap of ["with-replacement", "without"] as const) {
            if (rows === 0) continue;
            const study = studyOf({ method: "fwell-en", parameters: { subsamples: 2, beta, bootstrap } });
            for (const counts of subsamplesOf(study, "a" as SiteId, rows)) {
              expect(counts.reduce((sum, count) => sum + count, 0)).toBe(Math.ceil(beta * rows));
              if (bootstrap === "without") expect(Math.max(...counts)).toBeLessThanOrEqual(1);
            }
          }
        },
      ),
      { numRuns: 30 },
    );
  });
});

describe("the published noise", () => {
  const privacy = { epsilon: 2, delta: 1e-5 };
  const tables = ["a", "b", "c"].map((seed) => testRecords(40, seed));

  it("of felp is drawn once at the aggregator, and is what its standard deviation says", async () => {
    const exact = await simulate(studyOf({ method: "fwell-en", parameters: { subsamples: 2 } }), tables);
    const study = studyOf({ method: "felp", parameters: { subsamples: 2 }, privacy });
    const stored = new Map<string, string>();
    const total = await totalOf(study);
    const ask = (random: RandomSource) =>
      paperFelpConversation(
        study,
        {
          sites: 3,
          survivors: 3,
          kernels,
          part: wholly,
          sum: async () => total,
          draw(name, make) {
            if (!stored.has(name)) stored.set(name, make());
            return stored.get(name)!;
          },
        },
        random,
      );
    const first = await ask(seededRandom("noise"));
    expect(await ask(untouched)).toEqual(first);
    let squares = 0;
    const runs = 400;
    for (let run = 0; run < runs; run++) {
      stored.clear();
      const { weights, noise } = await ask(seededRandom(`noise ${run}`));
      expect(noise!.stdDev[0]).toBeCloseTo(publishedScale(study, 120) * 2, 9);
      weights.forEach((weight, j) => {
        squares += (weight - exact.weights[j]!) ** 2 / noise!.stdDev[j]! ** 2;
      });
    }
    // Three entries each; of a heavy-tailed law, so with more slack than five standard errors of a normal one.
    expect(Math.abs(squares / (3 * runs) - 1)).toBeLessThan(8 * Math.sqrt(2 / (3 * runs)));
  });

  it("of fple comes from every site, each for its own number of rows", async () => {
    const exact = await simulate(studyOf({ method: "fwell-en", parameters: { subsamples: 1 } }), tables);
    const study = studyOf({ method: "fple", parameters: { subsamples: 1 }, privacy });
    let squares = 0;
    const runs = 100;
    for (let run = 0; run < runs; run++) {
      const { weights, noise } = await simulate(study, tables, seededRandom(`own ${run}`));
      expect(noise!.stdDev[0]).toBeCloseTo(publishedScale(study, 120) * Math.sqrt(3 * 4), 9);
      weights.forEach((weight, j) => {
        squares += (weight - exact.weights[j]!) ** 2 / noise!.stdDev[j]! ** 2;
      });
    }
    expect(Math.abs(squares / (3 * runs) - 1)).toBeLessThan(8 * Math.sqrt(2 / (3 * runs)));
  });

  async function totalOf(study: PaperFelpStudy): Promise<BigUint64Array> {
    let total: BigUint64Array = new BigUint64Array();
    await simulateSums({
      plan: planStudy(study),
      tables: tables.map((records) => blocksOfRows(records, 50)),
      kernels,
      random: untouched,
      vector: (_, input) => paperFelpVector(study, input),
      run: async (conversation) => {
        total = await conversation.sum(planStudy(study).stages[0]!.id, {});
      },
    });
    return total;
  }
});
