import type { StudyFaultSays } from "@consilium/words/says/studyFaults";
import { z } from "zod";
import { lines } from "../said.js";

/** A number of a study from `min` to `max`, both included: what is wrong with another one names both. */
export function between(min: number, max: number) {
  const error = lines<StudyFaultSays>()("fault.from-to", { min, max });
  return z.number().min(min, error).max(max, error);
}
