import type { AggregatorSide } from "@consilium/core/method/aggregatorSide";
import { releasedSelection } from "../shared/local-learning/released.js";
import { plausible } from "../shared/plausible.js";
import { felpAConversation, noisyRows } from "./conversation.js";
import { wordsOf } from "./release.js";
import { asFelpA } from "./study.js";

/** felp-a (aggregator side): a few sums, a ranking, and how far it can be trusted. */
export const aggregator: AggregatorSide = async (conversation) => {
  const study = asFelpA(conversation.study);
  const { weights, noise, classes } = await felpAConversation(study, conversation, plausible);
  const result = { weights, noise, classes, rows: noisyRows(classes) };
  return releasedSelection(study, conversation, result, wordsOf(study));
};
