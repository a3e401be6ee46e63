import { type SparkTable, sparkTable } from "../../../engines/spark/sparkConfig.js";
import { commonDialect, nearDay, type OmopDialect } from "../omop/dialect.js";
import type { Elsewhere, SourceKind } from "../sourceKind.js";

/** A table on the cluster of its engine. */
export const spark: SourceKind<SparkTable> = {
  entry: sparkTable,
  resolve: (value) => value,
  files: () => [],
  beside: () => [],
  elsewhere: ({ parquet, csv }) => onSpark(parquet ?? csv),
};

/** Of an OMOP CDM there. */
export const sparkOmop: OmopDialect = {
  ...commonDialect,
  day: nearDay,
  daysBetween: (from, to) => `datediff(${to}, ${from})`,
};

/** @param place - as an executor finds it; undefined: a table or a query of the catalogue */
export const onSpark = (place: string | undefined): Elsewhere => ({
  kind: "spark",
  path: place === undefined ? null : place.replace(/^file:\/+/i, "/").replace(/(?<=.)\/+$/, ""),
});
