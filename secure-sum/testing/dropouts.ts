import { expect } from "vitest";
import type { SiteId } from "../src/ids.js";
import type { SumPhase } from "../src/messages.js";
import type { SumPlace } from "../src/transcript.js";
import {
  type Fates,
  openedSum,
  phaseOrder,
  plainSum,
  runSum,
  type SumRun,
  siteName,
  testPlace,
  testRandom,
} from "./sum.js";

/** Whose vectors the sum must have: all that posted one. */
function survivorsOf(place: SumPlace, fates: Fates): SiteId[] {
  const names = place.roster.members.map((member) => member.site);
  return names.filter((name) => !["keys", "shares", "masked"].includes(fates.get(name) ?? ""));
}

/** Every map of at most `most` of the sites to the phase before which each drops. */
function* allFates(sites: number, most: number): Generator<Fates> {
  function* from(first: number, left: number): Generator<[SiteId, SumPhase][]> {
    yield [];
    if (left === 0) return;
    for (let i = first; i < sites; i++) {
      for (const rest of from(i + 1, left - 1)) {
        for (const phase of phaseOrder) yield [[siteName(i), phase], ...rest];
      }
    }
  }
  for (const pairs of from(0, most)) yield new Map(pairs);
}

export function expectExact(place: SumPlace, fates: Fates, run: SumRun): void {
  const survivors = survivorsOf(place, fates);
  const label = JSON.stringify([...fates]);
  expect(run.end.phase, label).toBe("unmasked");
  if (run.end.phase !== "unmasked") return;
  expect(run.end.survivors, label).toEqual(survivors);
  expect(run.end.faulty, label).toEqual([]);
  const alive = run.sites.filter((site) => survivors.includes(site.site));
  expect(openedSum(place, run), label).toEqual(plainSum(place, alive));
}

export function shuffled(seed: string): (sites: readonly SiteId[]) => readonly SiteId[] {
  const random = testRandom(seed);
  return (sites) =>
    sites
      .map((site) => ({ site, order: Buffer.from(random.bytes(8)).toString("hex") }))
      .sort((a, b) => (a.order < b.order ? -1 : 1))
      .map(({ site }) => site);
}

/**
 * Runs a sum for every way in which sites can drop out above the threshold, both widths in turn.
 * @param stride - of the patterns only each so-manieth is run
 */
export function expectExactForEveryPattern(sites: number, stride = 1): void {
  const { threshold } = testPlace({ sites }).parameters;
  let patterns = 0;
  for (const fates of allFates(sites, sites - threshold)) {
    if (patterns % stride === 0) {
      const place = testPlace({ sites, ringBits: (patterns / stride) % 2 === 0 ? 32 : 64 });
      expectExact(place, fates, runSum(place, { fates, order: shuffled(`order ${patterns}`) }));
    }
    patterns++;
  }
  const binomial = (n: number, k: number): number => (k === 0 ? 1 : (binomial(n, k - 1) * (n - k + 1)) / k);
  const expected = Array.from(
    { length: sites - threshold + 1 },
    (_, k) => binomial(sites, k) * phaseOrder.length ** k,
  );
  expect(patterns).toBe(expected.reduce((a, b) => a + b));
}
