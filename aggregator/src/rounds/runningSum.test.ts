import { randomBytes } from "node:crypto";
import { addInto, newRingVector, ringVectorFromBytes } from "@consilium/core/fixed-point/ringVector";
import type { SiteId } from "@consilium/core/ids";
import { describe, expect, it } from "vitest";
import { RunningSum } from "./runningSum.js";

const length = 1_000;
const sites = ["a", "b", "c", "d"] as SiteId[];
const vectors = new Map(sites.map((site) => [site, new Uint8Array(randomBytes(4 * length))]));

function sumOf(some: readonly SiteId[]) {
  const sum = newRingVector(32, length);
  for (const site of some) addInto(sum, ringVectorFromBytes(vectors.get(site)!, 32));
  return sum;
}

/** @param fails - whose vector cannot be read, and how often */
function running(fails = new Map<SiteId, number>()) {
  const read: SiteId[] = [];
  const sum = new RunningSum({ ringBits: 32, length }, (site) => {
    read.push(site);
    const left = fails.get(site) ?? 0;
    fails.set(site, left - 1);
    if (left > 0) throw new Error("cannot be read");
    return vectors.get(site)!;
  });
  return { sum, read };
}

describe("RunningSum", () => {
  it("reads each vector once, as it comes, and at the end those that had come before", async () => {
    const { sum, read } = running();
    sum.came(sites[1]!);
    sum.came(sites[0]!);
    await expect(sum.of(sites)).resolves.toEqual(sumOf(sites));
    expect(read.toSorted()).toEqual(sites);
  });

  it("does not read a vector that is at hand", async () => {
    const { sum, read } = running();
    sum.came(sites[0]!, vectors.get(sites[0]!)!);
    await expect(sum.of(sites)).resolves.toEqual(sumOf(sites));
    expect(read).toEqual(sites.slice(1));
  });

  it("is of the sites that are asked for alone", async () => {
    const { sum } = running();
    for (const site of sites) sum.came(site);
    const some = sites.slice(1);
    await expect(sum.of(some)).resolves.toEqual(sumOf(some));
  });

  it("forgets a sum in which a vector failed, and adds it up again", async () => {
    const { sum } = running(new Map([[sites[2]!, 1]]));
    for (const site of sites) sum.came(site);
    await expect(sum.of(sites)).resolves.toEqual(sumOf(sites));
  });

  it("says so where a vector still cannot be read", async () => {
    const { sum } = running(new Map([[sites[2]!, 2]]));
    for (const site of sites) sum.came(site);
    await expect(sum.of(sites)).rejects.toThrow("cannot be read");
    await expect(sum.of(sites)).resolves.toEqual(sumOf(sites));
  });

  it("gives each caller a sum of its own", async () => {
    const { sum } = running();
    sum.came(sites[0]!);
    const first = await sum.of(sites);
    first.fill(0 as never);
    await expect(sum.of(sites)).resolves.toEqual(sumOf(sites));
  });
});
