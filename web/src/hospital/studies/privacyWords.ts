import type { LeavingView, StudyBudgetView } from "@consilium/core/hospital/studyViews";
import { deltaText } from "@consilium/core/privacy/words";
import type { ClaimView } from "@consilium/core/study/planViews";

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
          title: "No proven privacy: it is unknown how much this study reveals.",
          texts: [
            `This is an as-published variant: the method exactly as its authors published it, so that their results can be reproduced. ${claim.epsilon === null ? "They claim that it protects patients" : `They claim that it protects patients with epsilon ${shown(claim.epsilon)}`}; this is not verified. The reasons why it may not hold are under Privacy cost below.`,
            "If this hospital approves, its ledger records spending without a bound, and the population's total shows “no proven bound” permanently.",
            "Approve it only for records that may become known, such as public or test data, or if other measures protect the patients.",
          ],
        },
      ];
    case "no privacy":
      return [
        {
          title: "No privacy: this study adds no noise.",
          texts: [
            "Its results are exact. The results of two such studies, one with a patient and one without, reveal that patient's data by their difference.",
            "Approve it for public data only.",
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
            title: "Rows are sent unmasked: the aggregator can read each row.",
            texts: [`This applies to ${open.map(({ name }) => name).join(", ")}: ${open[0]!.what}.`],
          },
        ]),
    ...(tags.length === 0
      ? []
      : [
          {
            title: "Counts of identical rows are sent to the aggregator, separately for each hospital.",
            texts: [`This applies to ${tags.map(({ name }) => name).join(", ")}: ${tags[0]!.what}.`],
          },
        ]),
  ];
}

/** Whether the study can only be approved after an acknowledgement. */
export function needsAcknowledgement(claim: ClaimView, leaving: readonly LeavingView[]): boolean {
  return warningsOf(claim, leaving).length > 0;
}

/** The study's effect on the budget, before and after, in words. */
export function budgetTexts(budget: StudyBudgetView): string[] {
  const { population, limit, delta, before, after, remainingBefore, remainingAfter } = budget;
  const tables = budget.tables.length === 0 ? "" : ` (tables ${budget.tables.join(", ")})`;
  const at = `per ${budget.unit} at delta ${deltaText(delta)}`;
  const limitText =
    limit === null
      ? `The population ${population}${tables} has no limit. Epsilon ${shown(before)} ${at} is spent or reserved without this study, ${shown(after)} with it.`
      : `Of the population ${population}${tables}, epsilon ${shown(before)} of ${limit} ${at} is spent or reserved without this study, ${shown(after)} with it.`;
  const remains =
    remainingBefore === null || remainingAfter === null
      ? []
      : [`${shownDown(remainingBefore)} remains before, ${shownDown(remainingAfter)} after.`];
  return [
    limitText,
    ...(budget.factor === 1
      ? []
      : [
          `The study protects rows and this hospital's ledger counts patients: it charges ${budget.factor} times the rho of one row, and uses no more rows per patient than that covers.`,
        ]),
    ...remains,
    ...(budget.fits ? [] : ["The remaining budget is too small: approval is refused, and no data are used."]),
    ...(budget.unprovedBefore === 0
      ? []
      : [
          `The total already has no proven bound: data without a proof were sent ${times(budget.unprovedBefore)} before.`,
        ]),
    ...(budget.unprovedHere === 0
      ? []
      : [
          `This study sends data without a proof ${times(budget.unprovedHere)}: this does not change the number above, but the total no longer has a proven bound.`,
        ]),
  ];
}

/** Spent ε, rounded up. */
export function shown(epsilon: number): string {
  return String(Math.ceil(epsilon * 1_000 - 1e-9) / 1_000);
}

/** Remaining ε, rounded down. */
export function shownDown(epsilon: number): string {
  return String(Math.floor(epsilon * 1_000 + 1e-9) / 1_000);
}

function times(n: number): string {
  return n === 1 ? "once" : `${n} times`;
}
