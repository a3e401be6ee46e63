import type { TableExamination } from "../src/hospital/tableExamination.js";

/** For tests: a table check that finds nothing. */
export const nothingFound: TableExamination = {
  name: "visits",
  format: "csv",
  files: 1,
  columns: [],
  leftOut: null,
  rows: 100,
  malformed: 0,
  written: null,
  problems: [],
  remarks: [],
  csv: null,
  fault: null,
  policy: null,
};
