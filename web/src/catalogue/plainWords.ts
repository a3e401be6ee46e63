import { protectsPatients } from "@consilium/core/privacy/words";
import type { ReleaseView } from "@consilium/core/release/views";
import { t } from "../shared/language";

/** What a release protects, from whom and how: for readers of no mathematics, before they are led to a proof. */

export type Released = Pick<ReleaseView["content"], "study" | "columns"> & {
  readonly certificate: Pick<ReleaseView["certificate"], "verdict" | "unit" | "attempts">;
};

export interface PlainWords {
  readonly what: string;
  readonly from: string;
  readonly how: string;
}

export function plainWords(released: Released): PlainWords {
  const { verdict, unit } = released.certificate;
  switch (verdict) {
    case "proved":
      return {
        what: protectsPatients(unit)
          ? t(
              "Every single patient: whether their data were used at all, and what the data say. A patient with data at several hospitals is protected less.",
            )
          : t(
              "Every single record: whether it was used at all, and what it says. A patient with several records is protected less.",
            ),
        from: t(
          "From everybody who reads the release, whatever else they know, from the aggregator that computed it, and from other hospitals, unless more of them conspire than the study allows for.",
        ),
        how: `${distributedNoise()} ${contentWords(released)}`,
      };
    case "claimed by the authors, not verified":
      return {
        what: t("Single records, as the method's authors claim. Nobody has proven it for this release."),
        from: `${t("From readers of the release, as far as the claim holds.")} ${seenByAggregator(released)}`,
        how: t(
          "By the noise that the authors describe. Where they leave it to the aggregator to add, the aggregator sees sums without it.",
        ),
      };
    case "no privacy":
      return {
        what: t("Nothing in the release: any record may be recognisable in it."),
        from: seenByAggregator(released),
        how: t("No noise was added. Hospitals allow that only for data that may be public."),
      };
  }
}

const distributedNoise = () =>
  t(
    "Each hospital added random noise to its numbers and masked them before it sent them, so that only the sum over the hospitals could be read, with the noise already in it. No central party adds the noise or could leave it out.",
  );

/** How what is released follows from the noisy sums. */
function contentWords({ study, columns }: Released): string {
  if (columns.length > 0 && study.analysis !== "survival")
    return t("The rows were made up from what these sums say: none is a patient's.");
  return t("Everything in the release was computed from these sums alone.");
}

/** Where hospitals sent more than masked sums, who saw it. */
function seenByAggregator({ certificate: { attempts } }: Released): string {
  return attempts.some(({ kind }) => kind !== "sum")
    ? t("The aggregator saw reduced rows or counts of each hospital.")
    : t("The aggregator saw only sums over hospitals, never one hospital's numbers.");
}
