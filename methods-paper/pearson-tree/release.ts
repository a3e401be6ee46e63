import type { TreeWords } from "@consilium/methods/shared/correlation-tree/released";

/** What a reader is told of a tree of pearson-tree. */
export const words: TreeWords = {
  gain: "A split's gain is |φ|, the correlation of its cut with the class, by the counts in the leaves below it; importance that of the features asked.",
  importance: "|φ| of the feature's split, from 0 to 1, by the counts in the leaves below it",
  noise: "Laplace in the leaves, drawn by the aggregator",
  numbers:
    "Only the counts in the leaves carry noise. Cuts are values of records, or means of a few of them, as the method publishes them.",
  limits: [
    "Its cuts are values of records, or means of a few of them: anyone who reads the model reads them, and its privacy is claimed and not proven.",
  ],
};
