import type { Words } from "../said.js";
import type { StudySays } from "../says/studies.js";

export const studies: Words<StudySays> = {
  "study.correct-and-clone": () =>
    "correct what the sites refuse in a copy of the study (`consilium study clone`), and start that",
  "study.ask-undecided": () =>
    "ask the sites that have not answered to approve it or to come online, then `consilium study resume`; a longer participation.joinDeadline gives them more time",
};
