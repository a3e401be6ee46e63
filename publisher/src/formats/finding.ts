import type { Finding } from "@consilium/core/release/finding";

/** Head of a finding: `Finding`, or that it is inconclusive. */
export const findingTitle = ({ isClear }: Finding): string =>
  isClear ? "Finding" : "Finding (inconclusive)";
