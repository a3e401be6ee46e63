import type { TreeWords } from "../shared/correlation-tree/released.js";

/** What a reader is told of a tree of dp-pcc. */
export const words: TreeWords = {
  gain: "A split's gain is |φ|, the correlation of its cut with the class, and importance that of each feature's best cut of all rows.",
  importance: "|φ| of the feature's best cut of all rows, from 0 to 1; intervals of 95 % for the noise",
  noise: "discrete Gaussian, a share from every site",
  numbers: "All numbers are computed from noisy sums.",
};
