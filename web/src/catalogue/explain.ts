import { deltaText, guessText, protectsPatients, strengthOf } from "@consilium/core/privacy/words";
import type { ReleaseView } from "@consilium/core/release/views";
import type { Tone } from "../shared/components";
import { formatDelta, formatEpsilon } from "../shared/format";
import { served, t } from "../shared/language";

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

/** A short verdict, with its ε where it is meaningful: always with the δ that it belongs to. */
export function verdictInShort(
  certificate: Pick<Certified, "epsilon" | "delta"> & { verdict: string },
): string {
  const { verdict, epsilon, delta } = certificate;
  switch (verdict) {
    case "proved":
      return epsilon === null
        ? t("Proven")
        : t("Proven, ε ≤ {epsilon}", { epsilon: atDelta(epsilon, delta) });
    case "no privacy":
      return t("No privacy");
    default:
      return epsilon === null
        ? t("Claimed, not verified")
        : t("Claimed ε {epsilon}, not verified", { epsilon: atDelta(epsilon, delta) });
  }
}

/** ε as every page shows it, and the δ that it holds at. */
function atDelta(epsilon: number, delta: number | null): string {
  const shown = formatEpsilon(epsilon);
  return delta === null ? shown : t("{epsilon} at δ {delta}", { epsilon: shown, delta: formatDelta(delta) });
}

/** A method; the verdict of a release says how private it is, so only an as-published variant is named. */
export function methodText({ method, variant }: ReleaseView["content"]["study"]): string {
  return variant === "paper" ? t("{method}, as published", { method }) : method;
}

export interface Explanation {
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
        headline: t("Privacy is proven: ε is at most {more}.", { more: atDelta(epsilon ?? 0, delta) }),
        meaning:
          t(
            "This is a mathematical property of how the release was made; it holds against any reader with any other knowledge. ",
          ) + t("It follows from the listed steps, and anyone can recompute it."),
        epsilon: `${served(guessText({ epsilon: epsilon ?? 0, delta: delta ?? 0 }, certificate.unit))} ${served(strengthOf(epsilon ?? 0).text)}`,
        delta: delta === null ? null : deltaSentence(delta),
        protects: `${served(certificate.unit)}.`,
        notProtected: protectsPatients(certificate.unit) ? alwaysOpen() : [moreRecords(), ...alwaysOpen()],
      };
    case "claimed by the authors, not verified":
      return {
        headline: t("Privacy is not proven. This is an as-published variant."),
        meaning:
          t("The method ran as its authors published it, so that their results can be reproduced. ") +
          (epsilon === null
            ? t("They claim no specific privacy bound.")
            : t("They claim ε {epsilon}; this is not verified.", {
                epsilon: atDelta(epsilon, delta),
              })) +
          t(" Treat this release as if it could reveal data of individual patients."),
        epsilon: null,
        delta: null,
        protects: null,
        notProtected: [t("Any single patient, to the extent proven."), ...alwaysOpen().slice(1)],
      };
    case "no privacy":
      return {
        headline: t("No privacy: no noise was added anywhere."),
        meaning:
          t("The study ran without protection, which hospitals allow for data that may be public. ") +
          t("The release may reveal individual records exactly."),
        epsilon: null,
        delta: null,
        protects: null,
        notProtected: [t("Any single patient."), ...alwaysOpen().slice(1, 3)],
      };
  }
}

/** Why a hospital's ledger tells another ε of the same study; null where nothing is proven. */
export function ledgerNote({ verdict, delta }: Pick<Certified, "verdict" | "delta">): string | null {
  if (verdict !== "proved" || delta === null) return null;
  return t(
    "This ε is told at the δ that the study states, {delta}. A hospital's ledger names it, too, and beside it what the study takes from the hospital's budget, which has a δ of its own: at a smaller δ the same noise has a larger ε.",
    { delta: formatDelta(delta) },
  );
}

function deltaSentence(delta: number): string {
  return delta === 0
    ? t("The bound always holds.")
    : t("The bound may fail with a probability of about δ = {delta}.", { delta: served(deltaText(delta)) });
}

const moreRecords = () =>
  t(
    "A person with several records: the bound is per record, and the odds multiply again for each further record of the same person.",
  );

const alwaysOpen = (): readonly string[] => [
  t(
    "Facts about groups: if the release shows that smokers fall ill more often, this also applies to smokers whose data were not used.",
  ),
  t("Participation of hospitals: the certificate lists them publicly."),
  t("Other releases from the same records: their costs add up, and each hospital keeps its own ledger."),
  t("Exactness: noise was added where privacy requires it, so figures differ slightly from the true values."),
];

/** Who took part and who signed, in one sentence. */
export function signedInWords({ countersigned: { by, of } }: Pick<Certified, "countersigned">): string {
  const who = by === of ? t("All {of} hospitals", { of }) : t("{by} of {of} hospitals", { by, of });
  return t("{who} signed that the certificate matches their own records.", { who });
}
