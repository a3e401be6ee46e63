import type { WeightWords } from "@consilium/methods/shared/local-learning/released";
import type { PaperFelpStudy } from "./study.js";

const meanings: Readonly<Record<PaperFelpStudy["method"], string>> = {
  felp: "the mean of FWELL's weights over subsamples and sites, with the published noise",
  fple: "the mean of FWELL's weights over subsamples and sites, with each site's published noise",
  fwell: "FWELL's weights, the mean over sites",
  "fwell-en": "the mean of FWELL's weights over subsamples and sites",
};

/** What a reader is told of the weights. */
export const wordsOf = ({ method, privacy }: PaperFelpStudy): WeightWords => ({
  weightMeaning: meanings[method],
  noise:
    method === "fple"
      ? "each site's own, of density falling with its length"
      : "the aggregator's, of density falling with its length",
  rows: "rows",
  notes:
    privacy === "none"
      ? []
      : ["Choosing these features for records, and training on them, is another look at the records."],
});
