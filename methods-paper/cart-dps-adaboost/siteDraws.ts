import type { SiteId } from "@consilium/core/ids";
import seedrandom from "seedrandom";

/**
 * What a site draws for every row of its table, in the table's order. Reproducible from the study's public seed and the
 * site's id, so that each stage draws the same again.
 */

/** Whether each next row is held out from growing, to prune by. */
export function holdOutDraws(seed: string, site: SiteId, part: number): () => boolean {
  const generator = seedrandom(`${seed} hold-out ${site}`);
  return () => generator.double() < part;
}

/**
 * How often each next row is in a tree's resample: Poisson draws, so that a site needs to know no other's weights, and
 * the resample has as many rows as there are in expectation.
 * @returns of the row's expected number, at least 0
 */
export function resampleDraws(seed: string, site: SiteId, tree: number): (expected: number) => number {
  const generator = seedrandom(`${seed} resample ${tree} ${site}`);
  // Knuth's product of uniforms: as many as it takes to fall to e^-mean, less the last.
  const poisson = (mean: number): number => {
    const limit = Math.exp(-mean);
    let count = 0;
    for (let product = generator.double(); product > limit; product *= generator.double()) count++;
    return count;
  };
  return (expected) => {
    let count = 0;
    // A Poisson of a large mean is a sum of Poissons of means that exp can hold.
    for (let left = expected; left > 0; left -= meanMost) count += poisson(Math.min(left, meanMost));
    return count;
  };
}

const meanMost = 500;
