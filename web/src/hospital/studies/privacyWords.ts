import type { LeavingView, StudyBudgetView } from "@consilium/core/hospital/studyViews";
import { deltaText } from "@consilium/core/privacy/words";
import { readSaid } from "@consilium/core/readSaid";
import type { ClaimView } from "@consilium/core/study/planViews";
import { decimal, plural, served, t } from "../../shared/language";

/** A study's cost and effect on the budget, in words for decision makers who do not read formulas. */

/** Warnings that must be seen before a study is approved. */
interface Warning {
  readonly title: string;
  readonly texts: readonly string[];
}

export function warningsOf(claim: ClaimView, leaving: readonly LeavingView[]): Warning[] {
  return [...warningOfVerdict(claim), ...warningOfRows(leaving)];
}

function warningOfVerdict(claim: ClaimView): Warning[] {
  switch (claim.verdict) {
    case "proved":
      return [];
    case "claimed by the authors, not verified":
      return [
        {
          title: t("No proven privacy: it is unknown how much this study reveals."),
          texts: [
            t(
              "This is an as-published variant: the method exactly as its authors published it, so that their results can be reproduced. {more}; this is not verified. The reasons why it may not hold are under Privacy cost below.",
              {
                more:
                  claim.epsilon === null
                    ? t("They claim that it protects patients")
                    : t("They claim that it protects patients with epsilon {epsilon}", {
                        epsilon: shown(claim.epsilon),
                      }),
              },
            ),
            t(
              "If this hospital approves, its ledger records spending without a bound, and the population's total shows “no proven bound” permanently.",
            ),
            t(
              "Approve it only for records that may become known, such as public or test data, or if other measures protect the patients.",
            ),
          ],
        },
      ];
    case "no privacy":
      return [
        {
          title: t("No privacy: this study adds no noise."),
          texts: [
            t(
              "Its results are exact. The results of two such studies, one with a patient and one without, reveal that patient's data by their difference.",
            ),
            t("Approve it for public data only."),
          ],
        },
      ];
  }
}

function warningOfRows(leaving: readonly LeavingView[]): Warning[] {
  const open = leaving.filter(({ form }) => form === "rows in the clear");
  const tags = leaving.filter(({ form }) => form === "tag counts");
  return [
    ...(open.length === 0
      ? []
      : [
          {
            title: areRowsReleased(open)
              ? t(
                  "Rows are sent unmasked: the aggregator can read each row, and so can everyone who reads the release.",
                )
              : t("Rows are sent unmasked: the aggregator can read each row."),
            texts: [
              t("This applies to {value}: {what}.", {
                value: open.map(({ name }) => name).join(", "),
                what: served(open[0]!.what),
              }),
            ],
          },
        ]),
    ...(tags.length === 0
      ? []
      : [
          {
            title: t("Counts of identical rows are sent to the aggregator, separately for each hospital."),
            texts: [
              t("This applies to {value}: {what}.", {
                value: tags.map(({ name }) => name).join(", "),
                what: served(tags[0]!.what),
              }),
            ],
          },
        ]),
  ];
}

/** Whether rows that are sent stand in the release, as the plan has who learns of them. */
export function areRowsReleased(leaving: readonly Pick<LeavingView, "form" | "learns">[]): boolean {
  return leaving.some(
    ({ form, learns }) => form === "rows in the clear" && readSaid(learns)?.code === "learns.shuffled",
  );
}

/** Whether the study can only be approved after an acknowledgement. */
export function needsAcknowledgement(claim: ClaimView, leaving: readonly LeavingView[]): boolean {
  return warningsOf(claim, leaving).length > 0;
}

/** The study's effect on the budget, before and after, in words. */
export function budgetTexts(budget: StudyBudgetView): string[] {
  const { population, limit, delta, before, after, remainingBefore, remainingAfter } = budget;
  const tables =
    budget.tables.length === 0 ? "" : t(" (tables {tables})", { tables: budget.tables.join(", ") });
  const at = t("per {unit} at delta {delta}", { unit: served(budget.unit), delta: served(deltaText(delta)) });
  const limitText =
    limit === null
      ? t(
          "The population {population}{tables} has no limit. Epsilon {before} {at} is spent or reserved without this study, {after} with it.",
          { population, tables, before: shown(before), at, after: shown(after) },
        )
      : t(
          "Of the population {population}{tables}, epsilon {before} of {limit} {at} is spent or reserved without this study, {after} with it.",
          { population, tables, before: shown(before), limit, at, after: shown(after) },
        );
  const remains =
    remainingBefore === null || remainingAfter === null
      ? []
      : [
          t("{remainingBefore} remains before, {remainingAfter} after.", {
            remainingBefore: shownDown(remainingBefore),
            remainingAfter: shownDown(remainingAfter),
          }),
        ];
  return [
    limitText,
    ...(budget.factor === 1
      ? []
      : [
          t(
            "The study protects rows and this hospital's ledger counts patients: it charges {factor} times the rho of one row, and uses no more rows per patient than that covers.",
            { factor: budget.factor },
          ),
        ]),
    ...remains,
    ...(budget.fits
      ? []
      : [t("The remaining budget is too small: approval is refused, and no data are used.")]),
    ...(budget.unprovedBefore === 0
      ? []
      : [
          t(
            "The total already has no proven bound: data without a proof were sent {unprovedBefore} before.",
            { unprovedBefore: times(budget.unprovedBefore) },
          ),
        ]),
    ...(budget.unprovedHere === 0
      ? []
      : [
          t(
            "This study sends data without a proof {unprovedHere}: this does not change the number above, but the total no longer has a proven bound.",
            { unprovedHere: times(budget.unprovedHere) },
          ),
        ]),
  ];
}

/** Spent ε, rounded up. */
export function shown(epsilon: number): string {
  return decimal(String(Math.ceil(epsilon * 1_000 - 1e-9) / 1_000));
}

/** Remaining ε, rounded down. */
export function shownDown(epsilon: number): string {
  return decimal(String(Math.floor(epsilon * 1_000 + 1e-9) / 1_000));
}

function times(n: number): string {
  return plural(n, "once", "{count} times");
}
