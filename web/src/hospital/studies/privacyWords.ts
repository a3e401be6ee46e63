import type { LeavingView, StudyBudgetView } from "@consilium/core/hospital/studyViews";
import { deltaText } from "@consilium/core/privacy/words";
import type { ClaimView } from "@consilium/core/study/planViews";

/** What a study costs and takes from the budget, for somebody who decides about patients and reads no formulas. */

/** What must not be missed before somebody approves. */
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
          title: "No proved privacy: nobody knows how much this study reveals.",
          texts: [
            `This is a paper variant: the method exactly as its authors published it, so that their results can be reproduced. ${claim.epsilon === null ? "They claim that it protects patients" : `They claim that it protects patients with epsilon ${shown(claim.epsilon)}`}; nobody has verified that, and the reasons why it may not hold stand below, under What it costs.`,
            "If this hospital approves, its ledger enters spending without a bound, and the population's total reads “no proved bound” from then on, for ever.",
            "Approve it only for records that may become known, such as public or test data, or where something other than this proof protects the patients.",
          ],
        },
      ];
    case "no privacy":
      return [
        {
          title: "No privacy at all: this study adds no noise anywhere.",
          texts: [
            "Its results are exact. Who sees the results of two such studies, one with a patient and one without, can read that patient's data from the difference.",
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
            title: "Rows leave in the clear: the aggregator reads them one by one.",
            texts: [`It concerns ${open.map(({ name }) => name).join(", ")}: ${open[0]!.what}.`],
          },
        ]),
    ...(tags.length === 0
      ? []
      : [
          {
            title: "Counts of like rows leave for the aggregator alone, hospital by hospital.",
            texts: [`It concerns ${tags.map(({ name }) => name).join(", ")}: ${tags[0]!.what}.`],
          },
        ]),
  ];
}

/** Whether a person must say that they have understood before the study can be approved. */
export function needsAcknowledgement(claim: ClaimView, leaving: readonly LeavingView[]): boolean {
  return warningsOf(claim, leaving).length > 0;
}

/** What the study does to the budget, before and after, in sentences. */
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
          `The study counts rows and this hospital patients: its ledger charges ${budget.factor} times the rho of one row, and uses no more rows of a patient than that stands for.`,
        ]),
    ...remains,
    ...(budget.fits
      ? []
      : ["The budget does not leave room for it: approving is refused, and nothing is used."]),
    ...(budget.unprovedBefore === 0
      ? []
      : [
          `Besides, ${times(budget.unprovedBefore)} something left for which nothing is proved: the total has no proved bound already.`,
        ]),
    ...(budget.unprovedHere === 0
      ? []
      : [
          `In this study ${times(budget.unprovedHere)} something leaves for which nothing is proved: it takes nothing from the number above, and the total has no proved bound any more.`,
        ]),
  ];
}

/** ε that was spent, never shown as less. */
export function shown(epsilon: number): string {
  return String(Math.ceil(epsilon * 1_000 - 1e-9) / 1_000);
}

/** ε that remains, never shown as more. */
export function shownDown(epsilon: number): string {
  return String(Math.floor(epsilon * 1_000 + 1e-9) / 1_000);
}

function times(n: number): string {
  return n === 1 ? "once" : `${n} times`;
}
