import type { AggregatorSide } from "@consilium/core/method/aggregatorSide";
import { releasedTree } from "../shared/correlation-tree/released.js";
import { plausible } from "../shared/plausible.js";
import { dpPccSConversation } from "./conversation.js";
import { words } from "./release.js";
import { asDpPccS } from "./study.js";

/** dp-pcc-s (aggregator side): its splits, a level at a time, then its leaves. */
export const aggregator: AggregatorSide = async (conversation) => {
  const study = asDpPccS(conversation.study);
  const tree = await dpPccSConversation({ study, conversation, check: plausible });
  return releasedTree(study, tree, conversation, words);
};
