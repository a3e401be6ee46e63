import type { StudySays } from "@consilium/words/says/studies";
import { omopPlanWords } from "../omop/words.js";
import { guessText } from "../privacy/words.js";
import { readSaid } from "../readSaid.js";
import { lines, nameOf } from "../said.js";
import type { Feature } from "../study/features.js";
import { hidesTables } from "../study/hidesTables.js";
import { weighsPatients } from "../study/patientWeights.js";
import { type Plan, type StagePlan, stageUploadBytes } from "../study/plan.js";
import { columnsRead } from "../study/recoding.js";
import { madeColumns, recodingWords } from "../study/recodingWords.js";
import { statedRequest } from "../study/requestWords.js";
import { groupedStages, groupName, numberList } from "../study/stageGroups.js";
import type { Study } from "../study/study.js";
import { uploadBytes } from "../study/uploads.js";
import { formatBytes, formatDuration } from "../units.js";
import { numberText } from "../words.js";
import type { ChargedUnit, FoundTableView, StudyFacts } from "./studyFacts.js";
import type { LeavingView } from "./studyViews.js";

/**
 * A study in plain words, for the person who approves: the request, the data sent, who learns what, what it costs and
 * what remains. Made from the site's own reading of the plan alone; a page and the command line show the same.
 */
export interface Section {
  readonly title: string;
  readonly paragraphs: readonly string[];
}

export interface ExplainedStudy
  extends Pick<
    StudyFacts,
    "population" | "chargedUnit" | "spent" | "maxEpsilon" | "pinned" | "isCharged" | "found"
  > {
  readonly study: Study;
  readonly plan: Plan;
}

const line = lines<StudySays>();

/** Columns that are listed one by one. */
const columnsMax = 60;

export function explainStudy(explained: ExplainedStudy): Section[] {
  const notes = notesOf(explained);
  const { maxEpsilon } = explained;
  return [
    { title: "Request", paragraphs: asked(explained.study) },
    ...recodingSection(explained.study),
    ...(explained.study.omop === undefined
      ? []
      : [{ title: "Columns from OMOP", paragraphs: omopPlanWords(explained.study.omop) }]),
    { title: "Data sent from this hospital", paragraphs: leaving(explained) },
    { title: "Who learns what", paragraphs: learning(explained) },
    {
      title: "Privacy cost",
      paragraphs: [
        ...costWords(explained.plan, explained.chargedUnit),
        ...(maxEpsilon === null ? [] : [line("study.attempts", { epsilon: maxEpsilon })]),
      ],
    },
    { title: "Remaining budget", paragraphs: remaining(explained) },
    { title: "What a decision reveals", paragraphs: decisionWords(explained.study) },
    ...(explained.found === null ? [] : [{ title: "Data check", paragraphs: foundWords(explained.found) }]),
    ...(notes.length === 0 ? [] : [{ title: "Before you approve", paragraphs: notes }]),
  ];
}

function recodingSection(study: Study): Section[] {
  const paragraphs = recodingWords(study);
  return paragraphs.length === 0 ? [] : [{ title: "Rows and columns", paragraphs }];
}

function asked(study: Study): string[] {
  const { title, description } = study.release;
  const columns = study.features.slice(0, columnsMax).map(columnText);
  const read = columnsRead(study);
  const made = madeColumns(study);
  if (study.features.length > columnsMax) columns.push(`${study.features.length - columnsMax} more columns`);
  return [
    ...(title === undefined ? [] : [title]),
    ...(description === undefined ? [] : [description]),
    ...statedRequest(study).map((one) => `${one.title}: ${one.text}`),
    `Analysis ${study.analysis}, method ${study.method}, variant ${study.variant}, on table ${study.table}: at most ${study.participation.maxRowsPerSite} rows.`,
    ...(made.length === 0
      ? []
      : [
          line("study.reads", {
            columns: read.slice(0, columnsMax).map(nameOf),
            makes: made.slice(0, columnsMax).map(nameOf),
          }),
        ]),
    `${made.length === 0 ? "It reads" : "It uses"} ${columns.join(", ")}.`,
    ...(study.label === undefined
      ? []
      : [`Its label is ${study.label.name}, one of ${study.label.levels.length} levels.`]),
    ...(study.patient === undefined
      ? []
      : [
          `Rows are grouped by patient using ${study.patient.column}, which is not used for anything else; at most ${study.patient.maxRows} rows per patient are used${weighsPatients(study) ? ", each weighing 1 / (number of rows of the patient), so that a patient counts as much as one row" : ""}.`,
        ]),
  ];
}

function columnText(feature: Feature): string {
  if (feature.type === "categorical") return `${feature.name} (${feature.levels.length} levels)`;
  const unit = feature.unit === undefined ? "" : ` ${feature.unit}`;
  return `${feature.name} (${feature.min} to ${feature.max}${unit})`;
}

function leaving({ study, plan }: ExplainedStudy): string[] {
  return [
    ...groupedStages(plan.stages).map(({ stages, numbers }) => {
      const stage = stages[0]!;
      const most = Math.max(...stages.map((one) => stageUploadBytes(one, study)));
      const bytes = most === 0 ? "" : ` At most ${formatBytes(most)}${stages.length === 1 ? "" : " each"}.`;
      return `${numberList(numbers)}. ${groupName(stages)}: ${stage.disclosure.what}. ${formText(stage, study, plan)}${bytes}`;
    }),
    `In total at most ${formatBytes(uploadBytes(plan, study))}. All outgoing data are listed in the egress log, with sizes and hashes.`,
  ];
}

/** The same as fields, for a page: stages that disclose the same together. */
export function leavingViews(study: Study, plan: Plan): LeavingView[] {
  return groupedStages(plan.stages).map(({ stages, numbers }) => {
    const { disclosure } = stages[0]!;
    return {
      numbers: numberList(numbers),
      name: groupName(stages),
      what: disclosure.what,
      form: disclosure.form,
      formWords: formWords(disclosure.form, study, plan),
      noise: disclosure.mechanism,
      learns: disclosure.learns,
      bytes: Math.max(...stages.map((one) => stageUploadBytes(one, study))),
      stages: stages.length,
      stageIds: stages.map(({ id }) => id),
    };
  });
}

function formText(stage: StagePlan, study: Study, plan: Plan): string {
  const { form, mechanism } = stage.disclosure;
  return `${formWords(form, study, plan)} Noise: ${mechanism}.`;
}

function formWords(form: StagePlan["disclosure"]["form"], study: Study, plan: Plan): string {
  if (form === "rows in the clear")
    return "It leaves in the clear: the aggregator reads this hospital's rows, one by one.";
  if (form === "tag counts")
    return "It leaves as counts under tags: the aggregator reads how many of this hospital's rows are alike, and needs another hospital's help to read what is in them.";
  const { minimumSites, tolerateColluding } = study.participation;
  return plan.masking === "pairwise"
    ? `It leaves masked: only the sum over at least ${minimumSites} hospitals can be read, even by an aggregator that works together with ${tolerateColluding} of them.`
    : "It leaves masked, and only the sum over all hospitals of the study can be read; but one hospital deals all masks, and together with the aggregator it could read this hospital's part.";
}

function learning({ study, plan, pinned }: ExplainedStudy): string[] {
  const readers =
    study.release.access === "open"
      ? "everyone can read the release"
      : "readers with a token can read the release";
  return [
    ...groupedStages(plan.stages).map(
      ({ stages, numbers }) =>
        `${numberList(numbers)}. ${groupName(stages)}: ${stages[0]!.disclosure.learns}.`,
    ),
    `When the study is released, ${readers}. That this hospital takes part is public and not protected.`,
    pinned === 0
      ? "The policy pins no members: the study's other hospitals are those that the federation has certified, and the noise is sized for all of them."
      : `The policy pins ${pinned} members: as many of the study's hospitals as a sum has at least, ${study.participation.minimumSites} or more, must be among them, this one included, and all others count as colluding with the aggregator.`,
  ];
}

/**
 * What a study costs one patient or record, and what that means.
 * @param charged - how this hospital charges it; null where it does not
 */
export function costWords(plan: Plan, charged: ChargedUnit | null): string[] {
  const { claim } = plan;
  const numbers = `epsilon ${numberText(claim.epsilon === null ? null : sixDigitsUp(claim.epsilon))} at delta ${numberText(claim.delta)}`;
  switch (claim.verdict) {
    case "proved": {
      const cost = { epsilon: claim.epsilon ?? 0, delta: claim.delta ?? 0 };
      return [
        `${capital(numbers)}, proven. It protects ${claim.unit}.`,
        `In words: ${guessText(cost, claim.unit)}`,
        "A patient with data at several hospitals of the study is protected less: at m of them the cost is that of m times as much data, which grows with the square of m before it is expressed as epsilon.",
        ...(claim.lossDistribution === undefined || claim.isExact
          ? []
          : [
              `Exactly accounted, its stages cost epsilon ${sixDigitsUp(claim.lossDistribution.epsilon)} if each takes place once.`,
            ]),
        ...(charged === null ? [] : [chargedWords(charged)]),
        ...(claim.proof === null ? [] : [`Proof: ${claim.proof}.`]),
      ];
    }
    case "claimed by the authors, not verified":
      return [
        `${capital(numbers)} is what the method's authors claim. It is not verified, and the ledger enters it as spending without a proven bound:`,
        ...claim.reasons.map((reason) => `- ${reason}`),
      ];
    case "no privacy":
      return [
        "The study adds no noise anywhere and protects nobody. It is for public data only.",
        ...claim.reasons.map((reason) => `- ${reason}`),
      ];
  }
}

/** In the hospital's own unit and at its own δ: what limits and ledger count. */
function chargedWords({ epsilon, delta, unit, factor, isDeclared, rowsOfEach }: ChargedUnit): string {
  const entered = `This hospital's ledger enters epsilon ${sixDigitsUp(epsilon)} per ${unit} at the population's delta ${numberText(delta)}.`;
  if (rowsOfEach !== null && factor > 1)
    return `${entered} The study names no patient: this hospital takes at most ${rowsOfEach} rows of each patient by its own column, and charges ${factor} times the rho of one row.`;
  if (!isDeclared)
    return `${entered} The configuration does not say whether a row is a patient; a patient with several rows is protected less.`;
  return entered;
}

function remaining({ plan, population, spent, isCharged, study }: ExplainedStudy): string[] {
  if (population === null) return [`No population of the policy has table ${study.table}: it has no budget.`];
  const { name, budget } = population;
  const limit =
    budget === null
      ? `Table ${study.table} belongs to the population ${name}, for which this hospital sets no limit.`
      : `Table ${study.table} belongs to the population ${name}, which may spend epsilon ${budget.epsilon} at delta ${numberText(budget.delta)} in all its studies together.`;
  const state =
    spent === null
      ? []
      : [
          `Epsilon ${spent.spentEpsilon} per ${spent.unit} is spent or reserved${spent.remainingEpsilon === null ? "" : `, ${spent.remainingEpsilon} remains`}${isCharged ? ", with this study" : ", before this study"}.`,
          ...(spent.unproved === 0
            ? []
            : [
                `Besides, ${spent.unproved} earlier releases have no proven bound: what they spent is not known.`,
              ]),
          ...spent.notes,
        ];
  const entered =
    plan.claim.verdict === "proved"
      ? "Approving reserves the study's cost; what has left is spent permanently, and an attempt that is repeated after a failure costs again."
      : "After this study the population's total has no proven bound any more, whatever else it spends.";
  return [limit, ...state, entered];
}

/** The data sent because a person decided. */
function decisionWords(study: Study): string[] {
  const always =
    "The operator learns that this hospital approved or refused, and when. The reason you write down stays here.";
  return hidesTables(study)
    ? [
        always,
        "A decision that rests on what is in the table tells the operator something about the table. Rows that do not fit the study are left out inside the noisy sums, so they are no reason to refuse.",
      ]
    : [
        always,
        "If the study cannot use the table, the operator learns PREFLIGHT_FAILED: some record keeps the study from using it.",
      ];
}

/** For the hospital's eyes alone. */
function foundWords(found: FoundTableView): string[] {
  const rows = (count: number) => `${count} ${count === 1 ? "row" : "rows"}`;
  const left = [
    [found.malformed, `at least ${rows(found.malformed)} could not be parsed`],
    [found.faults, `${found.faults} ${found.faults === 1 ? "cell holds" : "cells hold"} an undeclared value`],
    [found.overBound, `${rows(found.overBound)} exceeded the limit of rows for each patient`],
    [found.unsampled, `${rows(found.unsampled)} were left out by sampling`],
  ].flatMap(([count, words]) => (count === 0 ? [] : [words]));
  return [
    `The last pass read ${rows(found.rows)} and used ${found.used}. These counts stay at the hospital.`,
    ...(left.length === 0
      ? []
      : [
          `${capital(left.join("; "))}. The sums leave such rows out; \`consilium site profile\` shows where they are.`,
        ]),
  ];
}

function notesOf({ plan, study }: ExplainedStudy): string[] {
  const differences =
    plan.claim.verdict === "proved"
      ? []
      : [
          "Its sums carry no noise that protects them. Rosters differing across studies reveal differences: who sees the same study with this hospital and without it can subtract.",
        ];
  return [
    ...differences,
    ...plan.warnings.map((warning) => line("study.plan-warns", { warning: readSaid(warning)! })),
    hidesTables(study)
      ? `Every step uses the table as it is then: that it changed in between is not told. Each step may take ${formatDuration(study.participation.phaseDeadline)}.`
      : `The table must not change while the study runs: it is read through at approval, and every stage uses it as it was then. Each step may take ${formatDuration(study.participation.phaseDeadline)}.`,
  ];
}

/** The least number of six digits that is not below a positive one. */
function sixDigitsUp(value: number): number {
  const rounded = Number(value.toPrecision(6));
  if (rounded >= value) return rounded;
  return Number((value + Number(`1e${Math.floor(Math.log10(value)) - 5}`)).toPrecision(6));
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
