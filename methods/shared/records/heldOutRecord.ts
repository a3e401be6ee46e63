import { heldOutHash } from "@consilium/core/learning/heldOut";
import type { Evaluation } from "@consilium/core/study/evaluation";
import type { OneRecord } from "@consilium/gate/record";

/** Whether a record is held out of training; none is where nothing is evaluated. @param seed - the study's public seed */
export function heldOutRecord(evaluation: Evaluation, seed: string): (record: OneRecord) => boolean {
  if (evaluation === "none") return () => false;
  const hash = heldOutHash(seed);
  const limit = evaluation.heldOut * 2 ** 32;
  return (record) => hash(record) < limit;
}
