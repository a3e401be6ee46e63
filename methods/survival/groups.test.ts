/** Three groups and more, of drawn tables: what one fixed table cannot show. Seeds are fixed. */
import { plainKernels } from "@consilium/core/linalg/plain";
import { type ComputePart, lacks, ResultParts, wholly } from "@consilium/core/method/parts";
import { readSaid } from "@consilium/core/readSaid";
import { fitting, releaseContentSchema } from "@consilium/core/release/content";
import { figureSchema } from "@consilium/core/release/figures";
import { saidText } from "@consilium/core/said";
import { noiseStdDev, soundSum } from "@consilium/core/study/soundSums";
import { rootOf } from "@consilium/gate/root";
import { multiplyByRoot } from "@consilium/gate/rootProduct";
import { english } from "@consilium/runtime/http/spoken";
import seedrandom from "seedrandom";
import { describe, expect, it } from "vitest";
import { Root } from "../shared/counts/root.js";
import { normalStream } from "../shared/draws/gaussian.js";
import { aloneInTests } from "../testing/aggregatorSums.js";
import { onRosterOfAll } from "../testing/rosterOfAll.js";
import { survivalSource, survivalTestStudy } from "../testing/survival/study.js";
import { aggregator } from "./aggregator.js";
import { atRisk, type GroupCounts } from "./counts.js";
import { logRankTest } from "./logRank.js";
import { survivalModelSchema } from "./model.js";
import { type SurvivalStudy, survivalLayout } from "./study.js";

const tables = 200;
const sites = [0, 1, 2];
const intervals = 20;
const horizon = 60;
const studies = [3, 4, 6, 12].flatMap((groups) =>
  ["none" as const, { epsilon: 1, delta: 1e-5 }].map((privacy) => {
    const levels = Array.from({ length: groups }, (_, g) => `g${g}`);
    const [months] = survivalSource.features;
    const study = survivalTestStudy({
      privacy,
      features: [
        { ...months, edges: undefined },
        { name: "arm", type: "categorical", levels },
      ],
      parameters: { event: "dead", intervals },
      participation: { minimumSites: 3, maxRowsPerSite: 20_000 },
    });
    return { groups, privacy, study: onRosterOfAll(study, sites) };
  }),
);

const run = intervals + 1;

/** Cells of all groups: hazards and sizes are drawn, and some tables are small. */
function drawnCells(groups: number, uniform: () => number): Float64Array {
  const cells = new Float64Array(groups * 2 * run);
  const rows = uniform() < 0.2 ? 60 : 600;
  for (let g = 0; g < groups; g++) {
    const mean = 15 + 40 * uniform();
    for (let row = 0; row < rows * (0.3 + uniform()); row++) {
      const event = -mean * Math.log(1 - uniform());
      const end = -60 * Math.log(1 - uniform());
      const time = Math.min(event, end);
      const stream = time < horizon && event <= end ? 1 : 0;
      const place = time >= horizon ? intervals : Math.floor((time * intervals) / horizon);
      cells[(2 * g + stream) * run + place]!++;
    }
  }
  return cells;
}

/** What the sites' sum is of cells, without noise. */
function summed(study: SurvivalStudy, cells: Float64Array): Float64Array {
  const { query } = survivalLayout(study).stage;
  const root = query.kind === "histogram" ? query.sections![0]!.root! : { run: 1, exponent: 0 };
  const sums = BigUint64Array.from(cells, (cell) => BigInt(cell));
  multiplyByRoot(sums, rootOf(root.run, root.exponent));
  return Float64Array.from(sums, Number);
}

/** Release of a study whose sum this is. */
function releasedOf(study: SurvivalStudy, sums: Float64Array, part: ComputePart = wholly) {
  const { scale } = soundSum(study, survivalLayout(study).stage);
  return aggregator({
    ...aloneInTests,
    part,
    study,
    sites: sites.length,
    survivors: sites.length,
    kernels: plainKernels(),
    draw: (_, make) => make(),
    rows: () => Promise.reject(new Error("no rows")),
    tags: () => Promise.reject(new Error("no tags")),
    writeRows: async (path, shape, parts) => {
      let rows = 0;
      for await (const part of parts) rows += part.rows;
      return { path, rows, ...shape };
    },
    sum: async () => BigUint64Array.from(sums, (sum) => BigInt.asUintN(64, BigInt(sum * scale))),
  });
}

describe("survival of drawn tables", () => {
  it.each(studies)("releases a test of $groups groups each time, privacy $privacy", async (setting) => {
    const { groups, study } = setting;
    const uniform = seedrandom(JSON.stringify([groups, setting.privacy]));
    const normal = normalStream(() => uniform.double());
    const stdDev = noiseStdDev(study, survivalLayout(study).stage, sites.length);
    let tested = 0;
    for (let table = 0; table < tables; table++) {
      const exact = summed(study, drawnCells(groups, uniform));
      const result = await releasedOf(
        study,
        exact.map((sum) => sum + Math.round(stdDev * normal())),
      );
      const { logRank, groups: found } = survivalModelSchema.parse(result.model);
      for (const figure of result.figures!) figureSchema.parse(figure);
      releaseContentSchema.shape.notes.parse(result.notes);
      if (logRank === null) continue;
      tested++;
      // Noise may leave nobody in a small group.
      expect(logRank.degreesOfFreedom).toBeGreaterThanOrEqual(stdDev > 0 ? 1 : groups - 1);
      expect(logRank.degreesOfFreedom).toBeLessThanOrEqual(groups - 1);
      expect(logRank.pValue).toBeGreaterThanOrEqual(0);
      expect(logRank.pValue).toBeLessThanOrEqual(1);
      if (stdDev > 0 || table % 10 > 0) continue;
      const counts = found.map((one) => ({
        events: Float64Array.from(one.events),
        competing: [],
        censored: Float64Array.from(one.censored),
        beyond: one.beyond,
      }));
      const compared = Math.round((logRank.until * intervals) / horizon);
      expect(logRank.statistic / textbook(counts, compared) - 1).toBeCloseTo(0, 9);
    }
    expect(tested).toBeGreaterThan(tables * 0.75);
  });

  it("keeps its curves where the test cannot be computed", async () => {
    const { study } = studies[0]!;
    const parts = new ResultParts([], () => undefined);
    const sums = summed(study, drawnCells(3, seedrandom("no test")));
    const failing: ComputePart = (part, compute) =>
      parts.compute(part, () => {
        if (part === "test") throw new RangeError("no test");
        return compute();
      });
    const whole = await releasedOf(study, sums);
    const rest = fitting(await releasedOf(study, sums, failing), parts);
    expect(parts.missing).toEqual([{ part: "test", reason: "fault" }]);
    expect(survivalModelSchema.parse(whole.model).logRank).not.toBeNull();
    expect(rest.model).toEqual({ ...whole.model, logRank: null });
    expect(rest.table).toEqual(whole.table);
    expect(rest.figures).toEqual(whole.figures);
    const isOfTest = (note: string) => readSaid(note)?.code === "survival.log-rank";
    expect(whole.notes.filter(isOfTest)).toHaveLength(1);
    expect(rest.notes).toEqual(whole.notes.filter((note) => !isOfTest(note)));
    const missing = saidText({ code: "result.missing", params: { missing: lacks(parts.missing) } });
    expect(english(missing)).toContain("the statistical test (its computation failed)");
  });

  it.each([
    ["nobody", [{ dead: 0, left: 40, at: 3 }, null, null]],
    ["no-events", [0, 1, 2].map((at) => ({ dead: 0, left: 40, at }))],
  ] as const)("says that there is no test: %s", async (why, groups) => {
    const { study } = studies[0]!;
    const cells = new Float64Array(3 * 2 * run);
    groups.forEach((one, g) => {
      if (one === null) return;
      cells[2 * g * run + one.at] = one.left;
      cells[(2 * g + 1) * run + one.at] = one.dead;
    });
    const { model, notes } = await releasedOf(study, summed(study, cells));
    expect(survivalModelSchema.parse(model).logRank).toBeNull();
    const [note, ...more] = notes.filter((one) => one.startsWith("survival.untested-"));
    expect(more).toEqual([]);
    expect(readSaid(note!)?.code).toBe(`survival.untested-${why}`);
    expect(english(note!)).toMatch(/^There is no log-rank test of arm: /);
  });

  it("has a degree of freedom less for a group that next to nobody is in, wherever it stands", () => {
    const one = {
      events: Float64Array.of(30, 20),
      censored: Float64Array.of(2, 3),
      competing: [],
      beyond: 5e4,
    };
    const other = {
      events: Float64Array.of(20, 30),
      censored: Float64Array.of(2, 3),
      competing: [],
      beyond: 5e4,
    };
    const nobody = {
      events: Float64Array.of(0, 0),
      censored: Float64Array.of(0, 0),
      competing: [],
      beyond: 2e-6,
    };
    const own = new Root(3, 8);
    const two = logRankTest([one, other], own, 0)!;
    for (const groups of [
      [nobody, one, other],
      [one, nobody, other],
      [one, other, nobody],
    ]) {
      const { halfInterval, constantHazards, degreesOfFreedom } = logRankTest(groups, own, 0)!;
      expect(halfInterval.statistic).toBeCloseTo(two.halfInterval.statistic, 6);
      expect(constantHazards.pValue).toBeCloseTo(two.constantHazards.pValue, 6);
      expect(degreesOfFreedom).toBe(1);
    }
  });

  it("has no statistic of counts that are not finite", () => {
    const one = {
      events: Float64Array.of(30, 20),
      censored: Float64Array.of(2, 3),
      competing: [],
      beyond: 50,
    };
    expect(() => logRankTest([one, { ...one, beyond: Number.POSITIVE_INFINITY }], new Root(3, 8), 0)).toThrow(
      RangeError,
    );
  });
});

/** The K-sample log-rank statistic by another way: the first group is left out, and the equations are solved by elimination. */
function textbook(groups: readonly GroupCounts[], intervals: number): number {
  const rest = groups.slice(1);
  const size = rest.length;
  const rows = rest.map(() => new Array<number>(size + 1).fill(0));
  for (let b = 0; b < intervals; b++) {
    const exposedOf = (one: GroupCounts) => atRisk(one)[b]! - one.censored[b]! / 2;
    const all = groups.reduce((sum, one) => sum + exposedOf(one), 0);
    const deaths = groups.reduce((sum, one) => sum + one.events[b]!, 0);
    rest.forEach((one, g) => {
      const own = exposedOf(one);
      rows[g]![size]! += one.events[b]! - (deaths * own) / all;
      if (all <= 1) return;
      rest.forEach((other, k) => {
        const each = g === k ? own * (all - own) : -own * exposedOf(other);
        rows[g]![k]! += (each * deaths * (all - deaths)) / (all * all * (all - 1));
      });
    });
  }
  const differences = rows.map((row) => row[size]!);
  for (let pivot = 0; pivot < size; pivot++) {
    rows.forEach((row, g) => {
      if (g === pivot) return;
      const factor = row[pivot]! / rows[pivot]![pivot]!;
      row.forEach((_, k) => {
        row[k]! -= factor * rows[pivot]![k]!;
      });
    });
  }
  return differences.reduce((sum, value, g) => sum + (value * rows[g]![size]!) / rows[g]![g]!, 0);
}
