import type { AggregatorSide } from "@consilium/core/method/aggregatorSide";
import { releasedSelection } from "../shared/local-learning/released.js";
import { plausible } from "../shared/plausible.js";
import { felpSConversation } from "./blocks.js";
import { words } from "./release.js";
import { asFelpS } from "./study.js";

/** felp-s (aggregator side): one sum, a ranking, and how far it can be trusted. */
export const aggregator: AggregatorSide = async (conversation) => {
  const study = asFelpS(conversation.study);
  const { weights, noise } = await felpSConversation(study, conversation, plausible);
  return releasedSelection(study, conversation, { weights, noise, classes: null, rows: null }, words);
};
