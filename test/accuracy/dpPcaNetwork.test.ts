/**
 * What dp-pca's release is worth, through the whole of it: five hospitals as processes of their own, masks, noise from
 * the operating system, a release that is read back. `npm run bench -- dp-pca-utility --network` has every cell.
 */
import { plainKernels } from "@consilium/core/linalg/plain";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  equalNoiseEpsilon,
  reaches,
  spreadOf,
  UtilityRuns,
  utilityTargets,
} from "../../bench/src/dp-pca-utility.js";
import { adultTable, type UtilityTable, wdbcTable } from "../../bench/src/dpPcaTables.js";
import { UtilityNetwork } from "../../bench/src/utility/network.js";

const kernels = plainKernels();
let network: UtilityNetwork;
beforeAll(async () => {
  network = await UtilityNetwork.open();
});
afterAll(() => network?.close());

async function capturedEnergies(
  tables: readonly UtilityTable[],
  options: { readonly components: number; readonly epsilon: number; readonly runs: number },
): Promise<number[]> {
  const prepared = tables.map((table) => new UtilityRuns(table, kernels, network));
  const energies: number[] = [];
  for (let run = 0; run < options.runs; run++) {
    const { energy } = await prepared[run % tables.length]!.run(
      options.components,
      equalNoiseEpsilon(options.epsilon),
      `network ${run}`,
    );
    energies.push(energy);
  }
  return energies;
}

function targetOf(data: "wdbc" | "adult", components: number, epsilon: number): number {
  const target = utilityTargets.find((one) => one.data === data && one.components === components)!;
  return target.cells.find((cell) => cell.epsilon === epsilon)!.energy;
}

const folds = Array.from({ length: 10 }, (_, fold) => wdbcTable(fold));
const adult = adultTable(process.env.CONSILIUM_DATASETS ?? null);
if (adult === null) {
  if (process.env.CONSILIUM_FORBID_SKIPS === "1") throw new Error("CONSILIUM_DATASETS is not set");
  process.stderr.write(
    "\nSKIPPED: dp-pca on Adult through the network, because CONSILIUM_DATASETS is not set\n",
  );
}

it("reaches its target on WDBC, ten folds", async () => {
  const energies = await capturedEnergies(folds, { components: 2, epsilon: 1, runs: 10 });
  const spread = spreadOf(energies);
  const target = targetOf("wdbc", 2, 1);
  console.log(
    `WDBC, k = 2, ε = 1: ${spread.mean.toFixed(3)} ± ${spread.deviation.toFixed(3)}, target ${target}`,
  );
  expect(reaches(spread, target)).toBe(true);
});

it.skipIf(adult === null)("reaches its target on Adult", async () => {
  const energies = await capturedEnergies([adult!], { components: 10, epsilon: 0.25, runs: 5 });
  const spread = spreadOf(energies);
  const target = targetOf("adult", 10, 0.25);
  console.log(
    `Adult, k = 10, ε = .25: ${spread.mean.toFixed(3)} ± ${spread.deviation.toFixed(3)}, target ${target}`,
  );
  expect(reaches(spread, target)).toBe(true);
});
