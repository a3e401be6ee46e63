import type { FormatKind } from "../sourceKind.js";

export const parquet: FormatKind = {
  title: "Parquet",
  endings: [".parquet", ".pq"],
};
