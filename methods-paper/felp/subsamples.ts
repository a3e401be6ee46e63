import type { SiteId } from "@consilium/core/ids";
import seedrandom from "seedrandom";
import type { PaperFelpStudy } from "./study.js";

/**
 * The subsamples of FWELL-EN at one site, ⌈β·N⌉ rows each: drawn by `seedrandom` from the study's seed, the site's id and
 * the subsample's number, so that a site that answers again answers the same.
 * @param rows - N
 * @returns for each subsample how often every row is in it, [rows]; of fwell the whole table once
 */
export function* subsamplesOf(study: PaperFelpStudy, site: SiteId, rows: number): Generator<Uint32Array> {
  const { subsamples, beta, bootstrap, seed } = study.parameters;
  if (study.method === "fwell") {
    yield new Uint32Array(rows).fill(1);
    return;
  }
  const size = Math.ceil(beta * rows);
  for (let k = 1; k <= subsamples; k++) {
    const generator = seedrandom(`${seed} ${site} subsample ${k}`);
    const below = (bound: number) => Math.floor(generator.double() * bound);
    yield bootstrap === "with-replacement" ? drawn(rows, size, below) : chosen(rows, size, below);
  }
}

function drawn(rows: number, size: number, below: (bound: number) => number): Uint32Array {
  const counts = new Uint32Array(rows);
  for (let i = 0; i < size; i++) {
    const row = below(rows);
    counts[row] = counts[row]! + 1;
  }
  return counts;
}

function chosen(rows: number, size: number, below: (bound: number) => number): Uint32Array {
  const order = Uint32Array.from({ length: rows }, (_, i) => i);
  const counts = new Uint32Array(rows);
  for (let i = 0; i < size; i++) {
    const other = i + below(rows - i);
    const row = order[other]!;
    order[other] = order[i]!;
    counts[row] = 1;
  }
  return counts;
}
