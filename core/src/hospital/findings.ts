import type { TableExamination } from "./tableExamination.js";

/** What a table check found, as sentences by their codes. */
export const findingsOf = ({
  problems,
  remarks,
}: Pick<TableExamination, "problems" | "remarks">): string[] => [
  ...problems,
  ...remarks.map(({ line }) => line),
];
