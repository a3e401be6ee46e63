import type { StageTable } from "@consilium/gate/answer";
import type { GramKernel } from "@consilium/gate/gramSums";
import type { RecordDomain } from "@consilium/gate/record";
import { ConsiliumError } from "../errors.js";
import type { ColumnBlock } from "../study/design.js";
import { countsMissing, levelsOf } from "../study/features.js";
import { hidesTables } from "../study/hidesTables.js";
import { countedPatients } from "../study/patientWeights.js";
import type { Study } from "../study/study.js";
import type { SiteInput } from "./sums.js";

/**
 * A table as the gate reads it for a study: by the study's own text, and by nothing that a method says.
 * @throws ConsiliumError ROWS_TOO_MANY while its records are read, as `withinRows`
 */
export function stageTable(
  study: Study,
  {
    blocks,
    kernels,
    random,
    checks = random,
  }: Pick<SiteInput, "blocks" | "random" | "checks"> & { readonly kernels: GramKernel },
): StageTable {
  return {
    records: withinRows(study, blocks),
    domain: domainOf(study),
    patients: countedPatients(study),
    rowsAtMost: study.participation.maxRowsPerSite,
    kernel: kernels,
    random,
    checks,
  };
}

function domainOf({ features, label }: Study): RecordDomain {
  return {
    features: features.map((feature): RecordDomain["features"][number] =>
      feature.type === "numeric"
        ? {
            kind: "number",
            min: feature.min,
            max: feature.max,
            ...(countsMissing(feature) ? { mayMiss: true } : {}),
          }
        : { kind: "level", levels: levelsOf(feature).length },
    ),
    labels: label?.levels.length ?? 1,
  };
}

/**
 * A study that hides tables takes whatever there is: with more rows than declared a sum may wrap around, which costs
 * accuracy and no privacy, where a refusal would tell how many rows a site has.
 * @throws ConsiliumError ROWS_TOO_MANY when a site has more rows than the study declares
 */
export function checkRows(rows: number, study: Study): void {
  const most = study.participation.maxRowsPerSite;
  if (rows > most && !hidesTables(study)) {
    throw new ConsiliumError(
      "ROWS_TOO_MANY",
      `the table has more than the ${most} rows that the study declares`,
    );
  }
}

/**
 * The blocks as they come, up to as many rows as the study declares; all of them where the study hides tables.
 * @throws ConsiliumError ROWS_TOO_MANY, as `checkRows`
 */
export async function* withinRows(
  study: Study,
  blocks: AsyncIterable<ColumnBlock>,
): AsyncGenerator<ColumnBlock> {
  let seen = 0;
  for await (const block of blocks) {
    seen += block.rows;
    checkRows(seen, study);
    yield block;
  }
}
