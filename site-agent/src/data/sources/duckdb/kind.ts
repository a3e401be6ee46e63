import { tableOfFiles } from "../../fileConfig.js";
import type { OmopDialect } from "../omop/dialect.js";
import { commonDialect, nearDay } from "../omop/dialect.js";
import { type DuckDbOptions, duckdbOptions, resolveDuckDb } from "../shared/queryTableConfig.js";
import type { SourceKind } from "../sourceKind.js";

/** One query over named local files. */
export const duckdb: SourceKind<DuckDbOptions> = {
  entry: duckdbOptions,
  resolve: resolveDuckDb,
  files: ({ files }, { name }) => Object.values(files).map((file) => tableOfFiles(name, file)),
  beside: () => [],
  elsewhere: () => null,
};

/** Of an OMOP CDM in files. */
export const duckdbOmop: OmopDialect = {
  ...commonDialect,
  day: nearDay,
  daysBetween: (from, to) => `date_diff('day', ${from}, ${to})`,
};
