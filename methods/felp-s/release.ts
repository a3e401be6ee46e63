import type { WeightWords } from "../shared/local-learning/released.js";

/** What a reader is told of the weights. */
export const words: WeightWords = {
  weightMeaning: "the mean over all blocks of rows of their weight vectors, each of length 1 or 0",
  noise: "discrete Gaussian, a share from every site",
  rows: "noisyRows",
};
