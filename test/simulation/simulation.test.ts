import { RunningSum } from "@consilium/aggregator/rounds/runningSum";
import { ringVectorFromBytes } from "@consilium/core/fixed-point/ringVector";
import { inGate } from "@consilium/core/testing/wholeRun";
import type { Release } from "@consilium/gate/release";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import { addMasks, opposite } from "@consilium/secure-sum/masks";
import { SiteRecords } from "@consilium/site-agent/studies/records";
import { afterEach, describe, expect, it, vi } from "vitest";
import { type Seen, Simulation, type SimulationOptions } from "./simulation.js";

/** Of the simulation that runs: what a gate releases is told to it without its masks. */
let present: Simulation | null = null;

vi.mock("@consilium/gate/release", async (load) => {
  const real = await load<typeof import("@consilium/gate/release")>();
  return {
    ...real,
    release: <T>(options: Release<T>) =>
      real.release({
        ...options,
        commit: (content) => {
          const vector = ringVectorFromBytes(content, options.ringBits);
          addMasks(vector, options.masks.map(opposite));
          present!.plain.set(sha256(content), vector);
          return options.commit(content);
        },
      }),
  };
});

const environment = (name: string, usual: number) =>
  Number(process.env[`CONSILIUM_SIMULATION_${name}`] ?? usual);
const sites = environment("SITES", 7);
const studies = environment("STUDIES", 12);
const days = environment("DAYS", 3);
const seeds = environment("SEEDS", inGate(1, { whole: 2 }));
const firstSeed = environment("FIRST_SEED", 1);
const minutesMost = environment("MINUTES", 10);

const run = (options: Partial<SimulationOptions>): Promise<Seen> =>
  Simulation.run({ seed: "1", sites, studies, days, ...options }, (simulation) => {
    present = simulation;
  });

afterEach(() => {
  vi.restoreAllMocks();
});

describe("days of studies under faults", () => {
  it.each(Array.from({ length: seeds }, (_, i) => String(firstSeed + i)))(
    "seed %s: every sum is its sites', every answer the same, every charge one, and every study ends",
    async (seed) => {
      const seen = await run({ seed });
      console.log(`seed ${seed}: ${JSON.stringify(seen)}`);
      expect(seen.released + seen.cancelled).toBe(studies);
      expect(seen.sums).toBeGreaterThan(studies);
    },
    minutesMost * 60_000,
  );

  it("the same seed gives the same run, message by message", async () => {
    const options = { seed: "again", sites: 5, studies: 3, days: 1 };
    const seen = await run(options);
    const { history } = present!;
    expect(await run(options)).toEqual(seen);
    expect(present!.history).toEqual(history);
    expect(history.length).toBeGreaterThan(100);
  });
});

describe("a twin with a bug is caught, and the seed is named", () => {
  const small = { seed: "twin", sites: 6, studies: 4, days: 1 };

  it("an aggregator that adds an upload twice", async () => {
    const { came } = RunningSum.prototype;
    vi.spyOn(RunningSum.prototype, "came").mockImplementation(function (this: RunningSum, site) {
      came.call(this, site);
      came.call(this, site);
    });
    await expect(run(small)).rejects.toThrow(/seed "twin".*is not that of the \d+ sites that it names/);
  });

  it("a site that draws new keys when it is asked for them again", async () => {
    const { sumPost, saveSumPost } = SiteRecords.prototype;
    vi.spyOn(SiteRecords.prototype, "sumPost").mockImplementation(function (this: SiteRecords, ...of) {
      return of[3] === "keys" ? null : sumPost.apply(this, of);
    });
    vi.spyOn(SiteRecords.prototype, "saveSumPost").mockImplementation(function (this: SiteRecords, ...of) {
      if (of[3] !== "keys") saveSumPost.apply(this, of);
    });
    await expect(run({ ...small, faults: 0.02 })).rejects.toThrow(/seed "twin".*twice with different bytes/);
  });

  it("without the bug the same runs pass", async () => {
    await run(small);
    await run({ ...small, faults: 0.02 });
  });
});
