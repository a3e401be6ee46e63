import type { AggregatorSide } from "@consilium/core/method/aggregatorSide";
import { releasedTree } from "../shared/correlation-tree/released.js";
import { plausible } from "../shared/plausible.js";
import { dpPccConversation } from "./conversation.js";
import { words } from "./release.js";
import { asDpPcc } from "./study.js";

/** dp-pcc (aggregator side): its splits, a level at a time, then its leaves. */
export const aggregator: AggregatorSide = async (conversation) => {
  const study = asDpPcc(conversation.study);
  const tree = await dpPccConversation({ study, conversation, check: plausible });
  return releasedTree(study, tree, conversation, words);
};
