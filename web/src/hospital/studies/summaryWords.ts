import type { ExplainedStudyView, LeavingView, StudyBudgetView } from "@consilium/core/hospital/studyViews";
import { deltaText, protectsPatients, rightInAHundred, strengthOf } from "@consilium/core/privacy/words";
import type { ClaimView } from "@consilium/core/study/planViews";
import type { Tone } from "../../shared/components";
import { formatDelta, formatMoment } from "../../shared/format";
import { plural, served, t } from "../../shared/language";
import { areRowsReleased, shown, shownDown } from "./privacyWords";

/** What an approver needs at a glance: one line or sentence for each question, the numbers in it. */

/** One kind of outgoing data, over all stages. */
export interface SentKind {
  readonly form: LeavingView["form"];
  readonly name: string;
  readonly tone: Tone;
  readonly text: string;
}

const kinds = {
  "masked sum": {
    get name() {
      return t("Masked sums");
    },
    tone: "ok",
  },
  "tag counts": {
    get name() {
      return t("Counts under tags");
    },
    tone: "warn",
  },
  "rows in the clear": {
    get name() {
      return t("Unmasked rows");
    },
    tone: "bad",
  },
} as const satisfies Record<LeavingView["form"], Pick<SentKind, "name" | "tone">>;

/** Kinds in the order of their first stages. */
export function sentKinds({ leaving, request }: Pick<ExplainedStudyView, "leaving" | "request">): SentKind[] {
  return [...new Set(leaving.map(({ form }) => form))].map((form) => {
    const those = leaving.filter((one) => one.form === form);
    const stages = those.reduce((sum, one) => sum + one.stages, 0);
    const count = plural(stages, "{count} stage", "{count} stages");
    return { form, ...kinds[form], text: `${count}. ${readersOf(form, { request, leaving })}` };
  });
}

function readersOf(
  form: LeavingView["form"],
  { request, leaving }: Pick<ExplainedStudyView, "leaving" | "request">,
): string {
  const { minimumSites, withstands } = request;
  switch (form) {
    case "masked sum":
      return withstands === 0
        ? t(
            "Only the sum over at least {minimumSites} hospitals can be read, unless a hospital colludes with the aggregator.",
            { minimumSites },
          )
        : plural(
            withstands,
            "Only the sum over at least {minimumSites} hospitals can be read, even if {count} of them colludes with the aggregator.",
            "Only the sum over at least {minimumSites} hospitals can be read, even if {count} of them collude with the aggregator.",
            { minimumSites },
          );
    case "tag counts":
      return t("The aggregator reads how many of this hospital's rows are identical.");
    case "rows in the clear":
      return areRowsReleased(leaving)
        ? t("The aggregator and everyone who reads the release read each of this hospital's rows.")
        : t("The aggregator reads each of this hospital's rows.");
  }
}

/** Characters of columns' names at a glance: all names are folded below. */
const namesMost = 30;

/** The first columns by name, as many as fit into a line; the first one always. */
export function firstNames(columns: readonly string[]): string {
  const shown = columns.filter(
    (_, at) => at === 0 || columns.slice(0, at + 1).join(", ").length <= namesMost,
  );
  return `${shown.join(", ")}${shown.length < columns.length ? ", …" : ""}`;
}

/** In a hundred; a guess that is right so often is no guess. */
const almostSure = 90;

/** How strong the protection is, in one sentence. */
export function protectionText({ verdict, epsilon, delta, unit }: ClaimView): {
  readonly word: string;
  readonly tone: Tone;
  readonly text: string;
} {
  if (verdict === "no privacy")
    return { word: t("none|protection"), tone: "bad", text: t("The results are exact and protect nobody.") };
  if (verdict !== "proved" || epsilon === null || delta === null)
    return {
      word: t("unknown|protection"),
      tone: "bad",
      text: t("Nothing is proven; it is unknown how much the results reveal."),
    };
  const { word } = strengthOf(epsilon);
  const right = rightInAHundred({ epsilon, delta });
  const whose = protectsPatients(unit) ? t("a patient's data were used") : t("a record was used");
  return {
    word: served(word),
    tone: word === "weak" ? "bad" : word === "moderate" ? "warn" : "ok",
    text:
      t(
        "Someone who knows everything else guesses whether {whose} right at most {value} times in 100 with the results, and 50 times without.",
        { whose, value: right },
      ) + (right < almostSure ? "" : ` ${t("In the worst case, that is near certainty.")}`),
  };
}

/** The budget's figures with their unit, for the meter and who cannot see it. */
export function meterText({ before, after, limit, remainingAfter, unit, delta }: StudyBudgetView): string {
  const change = `ε = ${shown(before)} → ${shown(after)}`;
  const at = t("per {unit} at δ = {delta}", { unit: served(unit), delta: served(deltaText(delta)) });
  return limit === null
    ? t("{change} {at}, without a limit", { change, at })
    : t("{change} of {limit} {at}; {more} remains", {
        change,
        limit,
        at,
        more: shownDown(remainingAfter ?? 0),
      });
}

/** Of a study without a proof: its budget stands as it is, which must not look as if the study cost nothing. */
export function uncountedText({ population, before, limit }: StudyBudgetView): string {
  return limit === null
    ? t("The budget of population {population} does not count it: what it reveals has no bound.", {
        population,
      })
    : t(
        "The budget of population {population} (ε = {before} of {limit}) does not count it: what it reveals has no bound, and no limit stops it.",
        { population, before: shown(before), limit },
      );
}

/** Parts of the meter in percent of its length, rounded together to no more than 100. */
export function meterParts({ before, after, limit }: Pick<StudyBudgetView, "before" | "after" | "limit">) {
  const whole = Math.max(after, limit ?? 0) || 1;
  const percent = (value: number) => Math.round((1_000 * value) / whole) / 10;
  return {
    before: percent(before),
    study: percent(after) - percent(before),
    /** Where the limit is; null where there is none or it is the end. */
    limit: limit === null || limit >= after ? null : percent(limit),
  };
}

/** What happens if the study is denied. */
export function denialTexts({ minimumSites }: Pick<ExplainedStudyView["request"], "minimumSites">): string[] {
  return [
    t("No data of this hospital are used or sent, and no budget is spent."),
    t(
      "The study runs without this hospital if at least {minimumSites} others join; otherwise it does not run.",
      { minimumSites },
    ),
    t(
      "The operator learns that this hospital denied it, and when, but not the reason. A denial is final for this study.",
    ),
  ];
}

/**
 * Who decides, or who has decided.
 * @returns null where the words of the policy's decision say it
 */
export function decisionText(
  study: Pick<ExplainedStudyView, "status" | "decision" | "decidedAt" | "decidedBy">,
): string | null {
  const { status, decision, decidedAt } = study;
  if (status === "waiting for approval")
    return decision.outcome === "automatic"
      ? t(
          "A person decides: the study was offered when the policy asked for one. The policy as it is now would approve it without asking.",
        )
      : null;
  if (decidedAt === null)
    return status === "refused"
      ? t("The policy or a check refused it; no person was asked.")
      : t("The policy approved it; no person was asked.");
  const values = { person: study.decidedBy ?? t("a person"), moment: formatMoment(decidedAt) };
  return status === "refused"
    ? t("{person} denied it on {moment}.", values)
    : t("{person} approved it on {moment}.", values);
}

/** Why the budget falls by another ε than the study's own; null where both are at the same δ. */
export function deltaNote({ claim, budget }: Pick<ExplainedStudyView, "claim" | "budget">): string | null {
  if (budget === null || claim.verdict !== "proved" || claim.delta === null || claim.delta === budget.delta)
    return null;
  return t(
    "The budget is counted at δ = {own} and this ε at δ = {stated}, where the same noise has another ε; several studies cost less than their sum.",
    { own: formatDelta(budget.delta), stated: formatDelta(claim.delta) },
  );
}
