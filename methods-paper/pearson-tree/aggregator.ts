import type { AggregatorSide } from "@consilium/core/method/aggregatorSide";
import { releasedTree } from "@consilium/methods/shared/correlation-tree/released";
import { plausible } from "@consilium/methods/shared/plausible";
import { pearsonConversation } from "./conversation.js";
import { words } from "./release.js";
import { asPearsonTree } from "./study.js";

/** The decision tree by Pearson's correlation [MLW18] (aggregator side): its splits, a level or a node at a time, then its leaves. */
export const aggregator: AggregatorSide = async (conversation) => {
  const study = asPearsonTree(conversation.study);
  const tree = await pearsonConversation({
    study,
    conversation,
    random: conversation.random,
    check: plausible,
  });
  return releasedTree(study, tree, conversation, words);
};
