import type { StudyFaultSays } from "@consilium/words/says/studyFaults";
import { z } from "zod";
import { lines } from "../said.js";
import { freeText } from "./features.js";

const stated = freeText(2_000).regex(/\S/, lines<StudyFaultSays>()("fault.blank", {})).optional();

/** Who wants a study and on what ground, for the people who decide on it. No program checks what it says. */
export const requestSchema = z.strictObject({
  investigator: stated.describe("Who leads the study: name and institution. Public with the release."),
  contact: stated.describe("Where questions go, such as an e-mail address. Public with the release."),
  purpose: stated.describe("What the results are for, in one or two sentences."),
  protocol: stated.describe(
    "The study's protocol: where it can be read, or its number in a registry, and its version.",
  ),
  ethicsVote: stated.describe("Ethics committee, number and date of its vote, or why none is needed."),
  legalBasis: stated.describe("The legal basis, such as GDPR Art. 9(2)(j) with the national law."),
  retention: stated.describe("How long results and records of the study are kept, and by whom."),
});
