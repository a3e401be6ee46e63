import { ConsiliumError } from "@consilium/core/errors";
import type { ColumnBlock } from "@consilium/core/study/design";
import { hidesTables } from "@consilium/core/study/hidesTables";
import type { Study } from "@consilium/core/study/study";

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
