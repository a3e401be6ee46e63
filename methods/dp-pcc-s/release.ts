import type { TreeWords } from "../shared/correlation-tree/released.js";

/** What a reader is told of a tree of dp-pcc-s. */
export const words: TreeWords = {
  gain: "A split's gain is |φ|, the correlation of its cut with the class, by the counts in the leaves below it; importance is the mean of the blocks' largest |φ|.",
  importance: "mean over the blocks of their largest |φ|, from 0 to 1; intervals of 95 % for the noise",
  noise: "discrete Gaussian, a share from every site",
  numbers: "All numbers are computed from noisy sums.",
};
