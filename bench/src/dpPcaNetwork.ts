import { dpPcaModelSchema } from "@consilium/methods/dp-pca/model";
import type { DpPcaStudy } from "@consilium/methods/dp-pca/study";
import type { UtilityTable } from "./dpPcaTables.js";
import { releasedFile, type UtilityNetwork } from "./utility/network.js";

/** What a release gives an analyst: directions, and synthetic rows with their labels. */
export interface ReleasedPca {
  /** [k × d] row-major */
  readonly loadings: Float64Array;
  readonly values: Float64Array;
  readonly labels: Uint16Array;
}

/** Runs a study of dp-pca on a table and reads its release. */
export async function releasedPca(
  network: UtilityNetwork,
  study: DpPcaStudy,
  table: UtilityTable,
): Promise<ReleasedPca> {
  const view = await network.run(study, table);
  const model = dpPcaModelSchema.parse(JSON.parse(await releasedFile(view, "model.json")));
  const [, ...lines] = (await releasedFile(view, "data.csv")).trim().split(/\r?\n/);
  const cells = lines.map((line) => line.split(","));
  return {
    loadings: Float64Array.from(model.loadings.flat()),
    values: Float64Array.from(cells.flatMap((row) => row.slice(0, -1).map(Number))),
    labels: Uint16Array.from(cells, (row) => table.levels.indexOf(row.at(-1)!)),
  };
}
