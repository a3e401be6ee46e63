import type { FormatKind } from "../sourceKind.js";

export const csv: FormatKind = {
  title: "CSV",
  endings: [".csv.gz", ".tsv.gz", ".csv", ".tsv"],
};
