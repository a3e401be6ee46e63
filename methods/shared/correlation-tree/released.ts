import type { SumConversation } from "@consilium/core/learning/sums";
import type { MethodResult } from "@consilium/core/method/aggregatorSide";
import type { CorrelationTree } from "./correlationTree.js";
import { correlationTreeFinding } from "./finding.js";
import {
  correlationTreeCard,
  correlationTreeFigures,
  correlationTreeModel,
  predictorOf,
  treeWarnings,
} from "./release.js";
import type { TreeStudy } from "./treeStudy.js";

/** What a method says of its tree. */
export interface TreeWords {
  /** What a split's gain is, and what importance is. */
  readonly gain: string;
  /** What the bars of importance are. */
  readonly importance: string;
  /** Where there is noise: whose, and where. */
  readonly noise: string;
  /** Where there is noise: which numbers carry it. */
  readonly numbers: string;
  /** Limits for the card, beside those of every tree. */
  readonly limits?: readonly string[];
}

/** Everything that is released of a grown tree. */
export function releasedTree(
  study: TreeStudy,
  tree: CorrelationTree,
  { survivors, part }: Pick<SumConversation, "survivors" | "part">,
  words: TreeWords,
): MethodResult {
  const isPrivate = study.privacy !== "none";
  return {
    model: correlationTreeModel(study, tree),
    table: null,
    // How many records took part is known with noise only.
    rowsUsed: null,
    facts: {
      masking: "pairwise",
      depth: study.parameters.depth,
      noise: isPrivate ? words.noise : "none",
      splits: tree.ensemble.trees[0]!.nodes.filter(({ kind }) => kind === "split").length,
      noisyRows: tree.rows,
    },
    notes: [
      "To predict a row: begin at the first node; go left where the value is below edges[cut], for a category where its level is the cut's, else right; a leaf's largest value is the class.",
      words.gain,
      isPrivate ? words.numbers : "No noise was added anywhere.",
      ...treeWarnings(study, tree),
    ],
    predictor: part("predictor", () => predictorOf(study, tree)),
    figures: part("figures", () => correlationTreeFigures(study, tree, words.importance)),
    finding: correlationTreeFinding(study, tree),
    card: part("card", () => correlationTreeCard(study, tree, survivors, words.limits)),
  };
}
