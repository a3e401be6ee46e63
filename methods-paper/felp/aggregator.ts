import type { AggregatorSide } from "@consilium/core/method/aggregatorSide";
import { releasedSelection } from "@consilium/methods/shared/local-learning/released";
import { plausible } from "@consilium/methods/shared/plausible";
import { paperFelpConversation } from "./paper.js";
import { wordsOf } from "./release.js";
import { asPaperFelp } from "./study.js";

/** FELP and its relatives [LYJ16] (aggregator side): one sum, a ranking, and how far it can be trusted. */
export const aggregator: AggregatorSide = async (conversation) => {
  const study = asPaperFelp(conversation.study);
  const found = await paperFelpConversation(study, conversation, conversation.random, plausible);
  return releasedSelection(study, conversation, { ...found, classes: null }, wordsOf(study));
};
