import type { WeightWords } from "../shared/local-learning/released.js";
import type { FelpAStudy } from "./study.js";

/** What a reader is told of the weights. */
export const wordsOf = ({ parameters: { rounds } }: FelpAStudy): WeightWords => ({
  weightMeaning:
    rounds > 1
      ? "weights of the margin after gradient descent"
      : "how much farther, in parts of the feature's declared range, the mean row lies from the nearest prototype of another class than from that of its own",
  noise: "discrete Gaussian, a share from every site",
  rows: "noisyRows",
});
