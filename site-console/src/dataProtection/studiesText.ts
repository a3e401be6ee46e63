import { errorSummaries } from "@consilium/core/errorSummaries";
import { isErrorCode } from "@consilium/core/errors";
import type { DataProtectionView, ProtectionStudy } from "@consilium/core/hospital/dataProtectionViews";
import { formatBytes } from "@consilium/core/units";
import { counted, listed, numberText } from "@consilium/core/words";
import { bullets, heading, joined, named, plain, table } from "./markdownText.js";
import { threeDigitsUp } from "./plainText.js";

/** Studies as the document lists them: all in one table. */
export function studiesText({ studies, studiesLeftOut, studiesWithoutText }: DataProtectionView): string {
  const without = withoutTextWords(studiesWithoutText);
  if (studies.length === 0 && studiesLeftOut === 0) {
    return without === null
      ? plain("No study has been offered to this hospital yet.")
      : joined([plain("No study that was offered to this hospital ran here or waits."), plain(without)]);
  }
  return joined([
    ...(studies.length === 0
      ? []
      : [
          table(
            ["Study", "Purpose", "Outcome", "Decided", "Spent"],
            studies.map((one) => [
              one.id,
              one.title ?? "not stated",
              one.words,
              decidedBy(one),
              spentText(one),
            ]),
          ),
          plain("The annex describes each of them."),
        ]),
    ...(studiesLeftOut === 0
      ? []
      : [
          plain(
            `This document was made for some studies: ${counted(studiesLeftOut, "further study is", "further studies are")} not listed. The other sections are about all of them.`,
          ),
        ]),
    plain(
      "A study states its epsilon at a delta of its own. What is spent is counted at the population's delta, where the same noise may come to another epsilon.",
    ),
    ...(without === null ? [] : [plain(without)]),
  ]);
}

/** Each study by itself; empty without one. */
export function annexText({ studies }: DataProtectionView): string[] {
  return studies.length === 0 ? [] : [heading(2, "Annex. Studies one by one"), ...studies.map(studyText)];
}

/** Nothing computed from a table was sent for these; their names, codes and times are in the list of studies. */
function withoutTextWords(counts: DataProtectionView["studiesWithoutText"]): string | null {
  if (counts.length === 0) return null;
  const listing = counts.map(
    ({ code, studies }) => `${counted(studies, "study", "studies")} (${code ?? "ended before a decision"})`,
  );
  return `Refused, or ended without a release, with the text not kept: ${listing.join(", ")}.`;
}

function studyText(study: ProtectionStudy): string {
  return joined([
    heading(3, study.title === null ? `Study ${study.id}` : `${study.title} (${study.id})`),
    named([
      ["Purpose", study.description ?? study.title ?? "the study's text states none: to be added"],
      [
        "Asked by",
        `the federation's operator, through the aggregator; ${study.creator === null ? "the study's text names nobody" : `to be cited: ${study.creator}`}`,
      ],
      ...study.request.map(
        ({ title, text }) => [title === "Purpose" ? "Purpose, as stated" : title, text] as const,
      ),
      ["Asked on", study.offeredAt.slice(0, 10)],
      ["Decision", `${decidedBy(study)}${ruleText(study)}`],
      ...(study.decision.reason === null
        ? []
        : [["Reason, as written here", study.decision.reason] as const]),
      ["Outcome", `${study.words}${study.endedAt === null ? "" : `, on ${study.endedAt.slice(0, 10)}`}`],
      ["Method", `${study.method} (analysis ${study.analysis}), variant ${study.variant}`],
      ["Data", dataText(study)],
      ...(study.recoding.length === 0 ? [] : [["Rows and columns", study.recoding.join(" ")] as const]),
      [
        "Together with",
        `at least ${counted(study.minimumSites - 1, "other hospital")}; it tolerates ${study.withstands} of them colluding with the aggregator`,
      ],
      [
        "Readers of the release",
        study.readers === "open" ? "everybody" : "holders of a token for this release",
      ],
      [study.claim.verdict === "proved" ? "Protects" : "Protects (unproven claim)", study.claim.unit],
      ["Spent by it so far", spentText(study)],
    ]),
    disclosureText(study),
    plain("Data sent from this hospital for it, from the egress log:"),
    study.left.length === 0
      ? plain("Nothing.")
      : table(
          ["What", "To", "Messages", "Size", "Charged"],
          study.left.map(({ what, whom, messages, bytes, charged }) => [
            what,
            whom,
            String(messages),
            formatBytes(bytes),
            charged ? "yes" : "no: reveals nothing about records",
          ]),
        ),
  ]);
}

/** Cost and disclosures; of a study that did not run here the JSON form has them. */
function disclosureText(study: ProtectionStudy): string {
  const isOpen = study.status === "waiting for approval";
  if (!study.joined && !isOpen)
    return plain("It did not run here: no data computed from a table were sent for it, and it cost nothing.");
  return joined([
    plain(
      `What it ${isOpen ? "would cost" : "costs"}, if no attempt is repeated; a further attempt costs again:`,
    ),
    bullets(study.cost.map((line) => line.replace(/^- /, ""))),
    plain(`What it ${isOpen ? "would disclose" : "discloses"}, stage by stage:`),
    table(
      ["Stage", "What", "Form", "Noise", "Who learns it"],
      study.leaving.map(({ numbers, name, what, formWords, noise, learns }) => [
        `${numbers}. ${name}`,
        what,
        formWords,
        noise,
        learns,
      ]),
    ),
  ]);
}

function dataText({ table, columns, patient, maxRows }: ProtectionStudy): string {
  const label = columns.find(({ type }) => type === "label");
  const features = columns.filter((column) => column !== label).map(({ name }) => name);
  const whose =
    patient === null
      ? "no patient column: the unit is the row"
      : `of each patient, told by ${patient.column}, at most ${counted(patient.maxRows, "row")}`;
  return `table ${table}; columns ${listed(features)}${label === undefined ? "" : `; label ${label.name}`}; ${whose}; at most ${counted(maxRows, "row")}`;
}

function decidedBy({ decision, status }: ProtectionStudy): string {
  const { outcome, person, at, code } = decision;
  const on = at === null ? "" : ` on ${at.slice(0, 10)}`;
  switch (outcome) {
    case "joined":
      return person === null ? "joined by the policy's rule" : `approved by ${person}${on}`;
    case "refused":
      return person === null ? `refused by a rule (${code})` : `refused by ${person}${on}`;
    case "open":
      return status === "waiting for approval" ? "awaits approval" : "it ended without a decision";
  }
}

/** What the code of a refusal by a rule means. */
function ruleText({ decision: { outcome, person, code } }: ProtectionStudy): string {
  const isRule = outcome === "refused" && person === null;
  return isRule && code !== null && isErrorCode(code) ? `: ${errorSummaries[code]}` : "";
}

function spentText({ spent }: ProtectionStudy): string {
  const { epsilon, delta, unproved } = spent;
  if (epsilon === 0 && unproved === 0) return "nothing";
  const proved =
    epsilon === 0 ? [] : [`epsilon ${threeDigitsUp(epsilon)} at the population's delta ${numberText(delta)}`];
  const without = unproved === 0 ? [] : [`${counted(unproved, "release")} without a proof`];
  return listed([...proved, ...without]);
}
