import { openSystemKernels } from "@consilium/kernels/openSystem";
import { UtilityRuns } from "../dp-pca-utility.js";
import { adultTable, type UtilityTable, wdbcTable } from "../dpPcaTables.js";
import type { UtilityCell } from "./cell.js";
import type { UtilityNetwork } from "./network.js";
import { once } from "./tables.js";

/**
 * The energy that dp-pca's components capture of the most that as many can, at the ε that is shown. Its targets, at equal
 * noise, are another bench's: dp-pca-utility.
 */

const components = 5;
const kernels = once(openSystemKernels);

/** Tables made ready, by name, and by whether they are for a network. */
const ready = new Map<string, Promise<UtilityRuns>>();

function runsOn(
  name: string,
  load: () => UtilityTable,
  network: UtilityNetwork | null,
): Promise<UtilityRuns> {
  const key = `${name} ${network !== null}`;
  const known = ready.get(key) ?? kernels().then((own) => new UtilityRuns(load(), own, network));
  ready.set(key, known);
  return known;
}

function adult(): UtilityTable {
  const table = adultTable(process.env.CONSILIUM_DATASETS ?? null);
  if (table === null) throw new RangeError("adult is not at hand: set CONSILIUM_DATASETS");
  return table;
}

/** @param tableOf - of the seed: a fold of a small table, or the same for all */
const cell = (
  data: string,
  tableOf: (seed: number) => [name: string, load: () => UtilityTable],
): UtilityCell => ({
  method: "dp-pca",
  variant: "sound",
  data: `${data}, k = ${components}`,
  epsilon: 1,
  metric: "energy",
  target: null,
  async run(seed, network) {
    const [name, load] = tableOf(seed);
    const runs = await runsOn(name, load, network);
    return (await runs.run(components, 1, `${data} ${components} ${seed}`)).energy;
  },
});

const folds = 10;

export const cells: readonly UtilityCell[] = [
  cell("WDBC", (seed) => [`WDBC ${(seed - 1) % folds}`, () => wdbcTable((seed - 1) % folds)]),
  cell("Adult", () => ["Adult", adult]),
];
