import { deltaText, guessText, protectsPatients, strengthOf } from "@consilium/core/privacy/words";
import type { ReleaseView } from "@consilium/core/release/views";
import { epsilonText } from "@consilium/core/release/wording";
import type { Tone } from "../shared/components";

/** A release's certificate in words, without formulas, for people who decide whether to use it. */

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

/** A short verdict, with its ε where it is meaningful. */
export function verdictInShort({ verdict, epsilon }: { verdict: string; epsilon: number | null }): string {
  switch (verdict) {
    case "proved":
      return epsilon === null ? "Proven" : `Proved, ε ≤ ${epsilonText(epsilon)}`;
    case "no privacy":
      return "No privacy";
    default:
      return epsilon === null ? "Claimed, not verified" : `Claimed ε ${epsilonText(epsilon)}, not verified`;
  }
}

interface Explanation {
  readonly headline: string;
  /** What the verdict implies, in one or two sentences. */
  readonly meaning: string;
  /** ε in plain words; null where no bound is proven. */
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
        headline: `Privacy is proven: ε is at most ${epsilonText(epsilon ?? 0)}.`,
        meaning:
          "This is a mathematical property of how the release was made; it holds against any reader with any other knowledge. " +
          "It follows from the listed steps, and anyone can recompute it.",
        epsilon: `${guessText({ epsilon: epsilon ?? 0, delta: delta ?? 0 }, certificate.unit)} ${strengthOf(epsilon ?? 0).text}`,
        delta: delta === null ? null : deltaSentence(delta),
        protects: `${certificate.unit}.`,
        notProtected: protectsPatients(certificate.unit) ? alwaysOpen : [moreRecords, ...alwaysOpen],
      };
    case "claimed by the authors, not verified":
      return {
        headline: "Privacy is not proven. This is an as-published variant.",
        meaning:
          "The method ran as its authors published it, so that their results can be reproduced. " +
          (epsilon === null
            ? "They claim no specific privacy bound."
            : `They claim ε ${epsilonText(epsilon)}; this is not verified.`) +
          " Treat this release as if it could reveal data of individual patients.",
        epsilon: null,
        delta: null,
        protects: null,
        notProtected: ["Any single patient, to the extent proven.", ...alwaysOpen.slice(1)],
      };
    case "no privacy":
      return {
        headline: "No privacy: no noise was added anywhere.",
        meaning:
          "The study ran without protection, which hospitals allow for data that may be public. " +
          "The release may reveal individual records exactly.",
        epsilon: null,
        delta: null,
        protects: null,
        notProtected: ["Any single patient.", ...alwaysOpen.slice(1, 3)],
      };
  }
}

function deltaSentence(delta: number): string {
  return delta === 0
    ? "The bound always holds."
    : `The bound may fail with a probability of about δ = ${deltaText(delta)}.`;
}

const moreRecords =
  "A person with several records: the bound is per record, and the odds multiply again for each further record of the same person.";

const alwaysOpen: readonly string[] = [
  "Facts about groups: if the release shows that smokers fall ill more often, this also applies to smokers whose data were not used.",
  "Participation of hospitals: the certificate lists them publicly.",
  "Other releases from the same records: their costs add up, and each hospital keeps its own ledger.",
  "Exactness: noise was added where privacy requires it, so figures differ slightly from the true values.",
];

/** Who took part and who signed, in one sentence. */
export function signedInWords({ countersigned: { by, of } }: Pick<Certified, "countersigned">): string {
  const who = by === of ? `All ${of} hospitals` : `${by} of ${of} hospitals`;
  return `${who} signed that the certificate matches their own records.`;
}
