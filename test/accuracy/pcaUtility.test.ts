import { readFileSync } from "node:fs";
import { plainKernels } from "@consilium/core/linalg/plain";
import type { RandomSource } from "@consilium/core/random";
import { unwrap } from "@consilium/core/result";
import { capturedEnergy } from "@consilium/methods/shared/pca/subspace";
import { simulateMoments, simulateSubspace } from "@consilium/methods/testing/simulatePca";
import { parseStudy } from "@consilium/methods/testing/studies";
import { asPaperPca, type PaperPcaStudy } from "@consilium/methods-paper/elfed-pca/study";
import seedrandom from "seedrandom";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { blocksOf, bundledWdbc, type FeatureSource } from "./tables.js";

/** The comparison that both articles make, on the bundled table: relative captured energy over ε. */

const source = parse(
  readFileSync(new URL("../../examples/studies/wdbc-none.yaml", import.meta.url), "utf8"),
) as { features: FeatureSource[] };
const table = bundledWdbc(source.features);
const tables = table.sites.map((rows) => blocksOf(rows, table.features.length));
const kernels = plainKernels();
const seeds = 10;

function reproducible(seed: string): RandomSource {
  const random = seedrandom(seed);
  return { bytes: (count) => Uint8Array.from({ length: count }, () => Math.floor(random() * 256)) };
}

async function relativeEnergy(method: PaperPcaStudy["method"], scaling: "pooled" | "site", epsilon: number) {
  const studyWith = (privacy: unknown, how: PaperPcaStudy["method"]) =>
    asPaperPca(
      unwrap(
        parseStudy({
          ...source,
          name: "utility",
          method: how,
          privacy,
          parameters: { components: 5, scale: "declared", scaling },
        }),
      ),
    );
  const none = studyWith("none", "elfed-pca");
  const simulated = await simulateMoments({ study: none, tables, kernels });
  const random = reproducible("unused");
  const exact = await simulateSubspace({ study: none, simulated, sharedSeed: null, random, kernels });
  const best = capturedEnergy(exact.subspace.loadings, exact.matrix);
  const study = studyWith({ epsilon, delta: 0.01 }, method);
  let sum = 0;
  for (let seed = 0; seed < seeds; seed++) {
    const noise = reproducible(`${method} ${epsilon} ${seed}`);
    const sharedSeed = method === "elfed-pca" ? noise.bytes(32) : null;
    const { subspace } = await simulateSubspace({ study, simulated, sharedSeed, random: noise, kernels });
    sum += capturedEnergy(subspace.loadings, exact.matrix) / best;
  }
  return sum / seeds;
}

describe("captured energy over ε on the bundled table", () => {
  it("rises with ε to that without noise, and ELFedPCA keeps more than DPdisPCA", async () => {
    const epsilons = [0.1, 0.5, 1, 10];
    const elfed: number[] = [];
    const dpdis: number[] = [];
    for (const epsilon of epsilons) {
      elfed.push(await relativeEnergy("elfed-pca", "pooled", epsilon));
      dpdis.push(await relativeEnergy("dpdis-pca", "pooled", epsilon));
    }
    console.log(`ELFedPCA ${elfed.map((x) => x.toFixed(3))}, DPdisPCA ${dpdis.map((x) => x.toFixed(3))}`);
    for (const energies of [elfed, dpdis]) {
      expect(energies).toEqual([...energies].sort((a, b) => a - b));
      expect(energies.at(-1)).toBeGreaterThan(0.99);
      expect(energies.at(-1)).toBeLessThanOrEqual(1 + 1e-12);
    }
    elfed.forEach((energy, i) => {
      expect(energy).toBeGreaterThan(dpdis[i]!);
    });
  });

  it("shows the article's own scaling to add s times too little noise: as pooled at s·ε", async () => {
    const asPrinted = await relativeEnergy("elfed-pca", "site", 0.25);
    const pooled = await relativeEnergy("elfed-pca", "pooled", 0.25);
    const fourfold = await relativeEnergy("elfed-pca", "pooled", 1);
    expect(asPrinted - pooled).toBeGreaterThan(0.1);
    expect(Math.abs(asPrinted - fourfold)).toBeLessThan(0.06);
  });
});
