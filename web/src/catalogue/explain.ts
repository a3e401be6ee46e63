import { deltaText, guessText, protectsPatients, strengthOf } from "@consilium/core/privacy/words";
import type { ReleaseView } from "@consilium/core/release/views";
import { epsilonText } from "@consilium/core/release/wording";
import type { Tone } from "../shared/components";

/** A release's certificate in words for people who decide whether to use it, without a formula. */

export type Verdict = ReleaseView["certificate"]["verdict"];
type Certified = Pick<
  ReleaseView["certificate"],
  "verdict" | "epsilon" | "delta" | "unit" | "neighbouringRelation" | "reasons" | "countersigned"
>;

export function toneOf(verdict: string): Tone {
  switch (verdict) {
    case "proved":
      return "ok";
    case "no privacy":
      return "bad";
    default:
      return "warn";
  }
}

/** A verdict in few words, with its ε where it means something. */
export function verdictInShort({ verdict, epsilon }: { verdict: string; epsilon: number | null }): string {
  switch (verdict) {
    case "proved":
      return epsilon === null ? "Proved" : `Proved, ε ≤ ${epsilonText(epsilon)}`;
    case "no privacy":
      return "No privacy";
    default:
      return epsilon === null ? "Claimed, not verified" : `Claimed ε ${epsilonText(epsilon)}, not verified`;
  }
}

interface Explanation {
  readonly headline: string;
  /** What follows from the verdict, in a sentence or two. */
  readonly meaning: string;
  /** ε in plain words; null where no number is proved. */
  readonly epsilon: string | null;
  readonly delta: string | null;
  /** Whom it protects. */
  readonly protects: string | null;
  readonly notProtected: readonly string[];
}

export function explain(certificate: Certified): Explanation {
  const { verdict, epsilon, delta } = certificate;
  switch (verdict) {
    case "proved":
      return {
        headline: `Privacy is proved: ε is at most ${epsilonText(epsilon ?? 0)}.`,
        meaning:
          "It is a mathematical fact about how this release was made, whoever looks at it and whatever else they know. " +
          "It rests on the listed steps, which anyone can add up again.",
        epsilon: `${guessText({ epsilon: epsilon ?? 0, delta: delta ?? 0 }, certificate.unit)} ${strengthOf(epsilon ?? 0).text}`,
        delta: delta === null ? null : deltaSentence(delta),
        protects: `${certificate.unit}.`,
        notProtected: protectsPatients(certificate.unit) ? alwaysOpen : [moreRecords, ...alwaysOpen],
      };
    case "claimed by the authors, not verified":
      return {
        headline: "Privacy is not proved. This is a paper variant.",
        meaning:
          "The method ran as its authors published it, so that their results can be reproduced. " +
          (epsilon === null
            ? "They give no figure for its privacy."
            : `They claim ε ${epsilonText(epsilon)}; nobody has shown that it holds here.`) +
          " Treat this release as if it could tell about single patients.",
        epsilon: null,
        delta: null,
        protects: null,
        notProtected: ["Any single patient, as far as anything is proved.", ...alwaysOpen.slice(1)],
      };
    case "no privacy":
      return {
        headline: "No privacy: no noise was added anywhere.",
        meaning:
          "The study was run without protection, which hospitals allow for data that may be public. " +
          "The release may tell about single records exactly.",
        epsilon: null,
        delta: null,
        protects: null,
        notProtected: ["Any single patient.", ...alwaysOpen.slice(1, 3)],
      };
  }
}

function deltaSentence(delta: number): string {
  return delta === 0
    ? "The bound holds without exception."
    : `The bound may fail with a probability of about δ = ${deltaText(delta)}.`;
}

const moreRecords =
  "A person with several records: the bound is for one record. For each further one of the same person the odds multiply again.";

const alwaysOpen: readonly string[] = [
  "What is true of a group: if the release shows that smokers fall ill more often, it says so of smokers who were never in it.",
  "That a hospital took part: who did is public and stands in the certificate.",
  "Other releases from the same records: their costs add up, and each hospital keeps the account of its own.",
  "The figures themselves: noise was added where privacy asks for it, so they differ a little from the true ones.",
];

/** What took part and who signed, in a sentence. */
export function signedInWords({ countersigned: { by, of } }: Pick<Certified, "countersigned">): string {
  const who = by === of ? `All ${of} hospitals` : `${by} of ${of} hospitals`;
  return `${who} signed that the certificate says what their own records say.`;
}
