import type { PlanView } from "@consilium/core/operator/views";
import type { PrecisionCase } from "@consilium/core/study/expectedPrecision";
import { forecastOf, forecastWithin } from "@consilium/core/study/forecastWords";
import { recodingWords } from "@consilium/core/study/recodingWords";
import { statedRequest } from "@consilium/core/study/requestWords";
import { rowsExpected, sitesAtLeast } from "@consilium/core/study/soundSums";
import { groupedStages, groupName, numberList } from "@consilium/core/study/stageGroups";
import { joinMsOf, type Study } from "@consilium/core/study/study";
import { formatBytes, formatDuration } from "@consilium/core/units";
import { english } from "@consilium/runtime/http/spoken";
import { paragraph, printable, table } from "../terminal/layout.js";
import type { Style } from "../terminal/style.js";
import { claimText, roundedUp, unitText } from "./claimText.js";

const labels = { indent: 4, labelWidth: 11 };

export function planText(
  study: Study,
  view: PlanView,
  { style, precision }: { readonly style: Style; readonly precision: readonly PrecisionCase[] },
): string {
  const { participation } = study;
  const named = participation.sites === undefined ? "all enrolled sites" : participation.sites.join(", ");
  const facts: [string, string][] = [
    ["analysis", `${study.analysis}, method ${study.method}, variant ${study.variant}`],
    [
      "table",
      `${study.table}: ${study.features.length} features${study.label ? `, label ${study.label.name}` : ""}`,
    ],
    ...recodingWords(study).map((words, at): [string, string] => [at === 0 ? "recoding" : "", words]),
    ["invited", named],
    ["quorum", `at least ${participation.minimumSites} sites`],
    ["dropouts", dropoutsText(view.thresholds)],
    ["rows", `at most ${participation.maxRowsPerSite} at a site`],
    ...(study.variant === "sound" ? [["expects", expectedText(study)] as [string, string]] : []),
    [
      "deadline",
      `${formatDuration(participation.phaseDeadline)} for each phase, ${formatDuration(joinMsOf(study))} for the hospitals to decide`,
    ],
    ["hash", view.hash],
  ];
  const request = statedRequest(study).map(({ title, text }) =>
    paragraph(title, printable(text), { indent: 2, labelWidth: 14 }),
  );
  const groups = groupedStages(view.stages);
  const overview = table(
    groups,
    [
      { title: "#", cell: ({ numbers }) => numberList(numbers), alignRight: true },
      { title: "STAGE", cell: ({ stages }) => groupName(stages) },
      { title: "LEAVES A SITE AS", cell: ({ stages }) => stages[0]!.disclosure.form },
      { title: "NUMBERS", cell: ({ stages }) => lengthsText(stages), alignRight: true },
      { title: "BYTES PER SITE", cell: ({ stages }) => byteBound(stages), alignRight: true },
      {
        title: view.claim.verdict === "proved" ? "COST BY ITSELF" : "CLAIMED COST",
        cell: ({ stages }) => costText(stages),
      },
    ],
    style,
  );
  const disclosures = groups.map(({ stages, numbers }) => {
    const { disclosure } = stages[0]!;
    return [
      `  ${numberList(numbers)} ${style.strong(groupName(stages))}`,
      paragraph("leaves", disclosure.what, labels),
      paragraph("learned by", disclosure.learns, labels),
      paragraph("mechanism", disclosure.mechanism, labels),
      paragraph("bounds", boundsText(disclosure), labels),
    ].join("\n");
  });
  const { claim } = view;
  const parts = [
    `${style.strong(printable(view.name))}\n${facts.map(([label, text]) => paragraph(label, printable(text), { indent: 2, labelWidth: 10 })).join("\n")}`,
    ...(request.length === 0 ? [] : [`${style.strong("Request")}\n${request.join("\n")}`]),
    `${style.strong("Stages")}\n${indentLines(overview)}\n  Upload of one site over the whole study: at most ${formatBytes(view.uploadBytesPerSite)}.`,
    `${style.strong("Disclosures by stage")}\n${disclosures.join("\n")}`,
    `${style.strong("Privacy cost")}\n  ${claimText(claim, style)}${provedText(claim)}${claim.reasons.map((reason) => `\n${paragraph("-", reason, { indent: 4, labelWidth: 2 })}`).join("")}`,
  ];
  parts.push(`${style.strong("Forecast")}\n${forecastText(precision, style)}`);
  if (view.warnings.length > 0) {
    const warnings = view.warnings.map((text) =>
      paragraph("!", printable(english(text)), { indent: 2, labelWidth: 2 }),
    );
    parts.push(`${style.strong("Warnings")}\n${warnings.join("\n")}`);
  }
  return parts.join("\n\n");
}

const forecastNote =
  "Computed as the release's intervals at 95% are, over invented rows, of a ratio or difference over a column's whole range. Likely: two thirds of a number's values lie in a third of its bounds, columns correlate, categories are uneven, and the outcome depends on them. At best: values fill their bounds, and nothing goes with anything. For one figure in five, and two in five of a regression, the release is more than twice as wide or as narrow as is likely.";

/** Precision of the release, for the rows that are expected, or for several numbers that there may be. */
function forecastText(cases: readonly PrecisionCase[], style: Style): string {
  return cases
    .map(({ rows, rowsPerSite, lines, remarks }) => {
      const told = remarks.map((remark) =>
        paragraph("!", printable(sentence(english(remark))), { indent: 2, labelWidth: 2 }),
      );
      if (lines.length === 0) return told.join("\n");
      const assumed = rowsPerSite === null ? "" : `, assumed: ${rowsPerSite} at each site`;
      const figures = table(
        lines,
        [
          { title: "FIGURE", cell: (line) => english(forecastOf(line)) },
          { title: "LIKELY WITHIN", cell: (line) => english(forecastWithin(line, "likely")) },
          { title: "AT BEST", cell: (line) => english(forecastWithin(line, "best")) },
          {
            title: "ROWS",
            cell: ({ rows: own, isOfGroup }) => `${own}${isOfGroup ? " each" : ""}`,
            alignRight: true,
          },
        ],
        style,
      );
      return [`  With ${rows} rows at all sites together${assumed}:`, indentLines(figures), ...told].join(
        "\n",
      );
    })
    .concat(
      cases.some(({ lines }) => lines.length > 0)
        ? [paragraph("", forecastNote, { indent: 2, labelWidth: 0 })]
        : [],
    )
    .join("\n");
}

const sentence = (words: string) => `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;

/** The number of rows that warnings and precision are judged by, and whether somebody has said it. */
function expectedText(study: Study): string {
  const rows = rowsExpected(study);
  if (study.participation.expectedRows !== undefined) return `${rows} rows at all sites together`;
  return `${rows} rows at all sites together, an assumption: half of the most that ${sitesAtLeast(study)} sites may have (participation.expectedRows is left out)`;
}

/** The number of sites that may drop out of a sum that can still be unmasked; not configurable. */
function dropoutsText(thresholds: PlanView["thresholds"]): string {
  const parts = thresholds.map(({ sites, threshold }) => {
    const may = sites - threshold;
    return `${may === 0 ? "none" : `up to ${may}`} of ${sites} sites`;
  });
  return `${parts.join(", ")} may drop out during a sum`;
}

/** A proven cost's unit of privacy, neighbouring relation and proof. */
function provedText(claim: PlanView["claim"]): string {
  if (claim.proof === null) return "";
  const facts: [string, string][] = [
    ...(claim.lossDistribution === undefined
      ? []
      : [
          [
            "exactly",
            `epsilon ${roundedUp(claim.lossDistribution.epsilon)} by the loss distribution of the noise, each stage once; budgets are charged by zCDP`,
          ] as [string, string],
        ]),
    ["unit", unitText(claim)],
    ["proof", claim.proof],
  ];
  return facts.map(([label, text]) => `\n${paragraph(label, printable(text), labels)}`).join("");
}

function indentLines(text: string): string {
  return text
    .split("\n")
    .map((line) => `  ${line}`)
    .join("\n");
}

type Stages = readonly PlanView["stages"][number][];

/** The vector's entries; from the shortest to the longest where a group's stages differ. */
function lengthsText(stages: Stages): string {
  const lengths = stages.map((stage) => stage.length ?? 0);
  const [least, most] = [Math.min(...lengths), Math.max(...lengths)];
  if (stages[0]!.length === null) return "-";
  return least === most ? String(most) : `${least}-${most}`;
}

function byteBound(stages: Stages): string {
  const each = formatBytes(Math.max(...stages.map((stage) => stage.uploadBytes)));
  const bound = stages.every((stage) => stage.kind === "sum" && stage.uploadBytes === stages[0]!.uploadBytes)
    ? each
    : `<= ${each}`;
  return stages.length === 1 ? bound : `${stages.length} × ${bound}`;
}

/** What one stage of the group costs by itself, the dearest of them. */
function costText(stages: Stages): string {
  const costs = stages.flatMap(({ disclosure: { cost } }) => (cost === null ? [] : [cost]));
  if (costs.length === 0) return "-";
  const dearest = costs.reduce((most, cost) => (cost.epsilon > most.epsilon ? cost : most));
  return `epsilon ${roundedUp(dearest.epsilon)}, delta ${dearest.delta}${stages.length === 1 ? "" : " each"}`;
}

function boundsText(disclosure: { normBound: number | null; sensitivity: number | null }): string {
  const norm =
    disclosure.normBound === null
      ? "no norm bound"
      : `norm of one record at most ${roundedUp(disclosure.normBound)}`;
  const sensitivity =
    disclosure.sensitivity === null
      ? "no sensitivity stated"
      : `L2 sensitivity ${roundedUp(disclosure.sensitivity)}`;
  return `${norm}; ${sensitivity}`;
}
