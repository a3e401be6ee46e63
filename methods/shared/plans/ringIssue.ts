import type { MethodIssue } from "@consilium/core/method/method";

/** Of a study whose noise or sums are too large for the ring. */
export const ringIssue: MethodIssue = [
  ["privacy", "epsilon"],
  "noise of this size does not fit 64-bit numbers; raise epsilon, or lower maxRowsPerSite or patient.maxRows",
];
