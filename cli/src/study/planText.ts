import type { PlanView } from "@consilium/core/operator/views";
import type { Study } from "@consilium/core/study/study";
import { formatBytes, formatDuration } from "@consilium/core/units";
import { paragraph, printable, table } from "../terminal/layout.js";
import type { Style } from "../terminal/style.js";

/** The privacy of a study in one line: the numbers never stand without their verdict. */
export function claimText(claim: PlanView["claim"], style: Style): string {
  const numbers =
    claim.epsilon === null || claim.delta === null
      ? ""
      : `epsilon ${roundedUp(claim.epsilon)}, delta ${claim.delta}: `;
  const verdict = claim.verdict === "proved" ? style.good(claim.verdict) : style.caution(claim.verdict);
  return `${numbers}${verdict}`;
}

/** An ε to six digits, rounded against us: what is proved for a smaller one holds for this. */
function roundedUp(epsilon: number): number {
  const short = Number(epsilon.toPrecision(6));
  return short >= epsilon ? short : Number((epsilon * (1 + 1e-5)).toPrecision(6));
}

const labels = { indent: 4, labelWidth: 11 };

export function planText(study: Study, view: PlanView, style: Style): string {
  const { participation } = study;
  const named = participation.sites === undefined ? "all enrolled sites" : participation.sites.join(", ");
  const facts: [string, string][] = [
    ["analysis", `${study.analysis}, method ${study.method}, variant ${study.variant}`],
    [
      "table",
      `${study.table}: ${study.features.length} features${study.label ? `, label ${study.label.name}` : ""}`,
    ],
    ["invited", named],
    ["quorum", `at least ${participation.minimumSites} sites`],
    ["dropouts", dropoutsText(view.thresholds)],
    ["rows", `at most ${participation.maxRowsPerSite} at a site`],
    [
      "deadline",
      `${formatDuration(participation.phaseDeadline)} for each phase${participation.joinDeadline === undefined ? "" : `, ${formatDuration(participation.joinDeadline)} to join`}`,
    ],
    ["hash", view.hash],
  ];
  const stages = view.stages.map((stage, index) => ({ ...stage, number: index + 1 }));
  const overview = table(
    stages,
    [
      { title: "#", cell: (stage) => String(stage.number), alignRight: true },
      { title: "STAGE", cell: (stage) => stage.id },
      { title: "LEAVES A SITE AS", cell: (stage) => stage.disclosure.form },
      {
        title: "NUMBERS",
        cell: (stage) => (stage.length === null ? "-" : String(stage.length)),
        alignRight: true,
      },
      { title: "BYTES PER SITE", cell: (stage) => byteBound(stage), alignRight: true },
      {
        title: view.claim.verdict === "proved" ? "COST BY ITSELF" : "CLAIMED COST",
        cell: (stage) => costText(stage.disclosure.cost),
      },
    ],
    style,
  );
  const disclosures = stages.map((stage) =>
    [
      `  ${stage.number} ${style.strong(stage.id)}`,
      paragraph("leaves", stage.disclosure.what, labels),
      paragraph("learned by", stage.disclosure.learns, labels),
      paragraph("mechanism", stage.disclosure.mechanism, labels),
      paragraph("bounds", boundsText(stage.disclosure), labels),
    ].join("\n"),
  );
  const { claim } = view;
  const parts = [
    `${style.strong(printable(view.name))}\n${facts.map(([label, text]) => paragraph(label, printable(text), { indent: 2, labelWidth: 10 })).join("\n")}`,
    `${style.strong("Stages")}\n${indentLines(overview)}\n  Upload of one site over the whole study: at most ${formatBytes(view.uploadBytesPerSite)}.`,
    `${style.strong("What each stage discloses")}\n${disclosures.join("\n")}`,
    `${style.strong("Privacy cost")}\n  ${claimText(claim, style)}${provedText(claim)}${claim.reasons.map((reason) => `\n${paragraph("-", reason, { indent: 4, labelWidth: 2 })}`).join("")}`,
  ];
  if (view.warnings.length > 0) {
    const warnings = view.warnings.map((text) =>
      paragraph("!", printable(text), { indent: 2, labelWidth: 2 }),
    );
    parts.push(`${style.strong("Warnings")}\n${warnings.join("\n")}`);
  }
  return parts.join("\n\n");
}

/** Whom a proved cost protects, from what, and where the proof stands. */
/** How many sites may leave a sum, and it is still opened; never a setting. */
function dropoutsText(thresholds: PlanView["thresholds"]): string {
  const parts = thresholds.map(({ sites, threshold }) => {
    const may = sites - threshold;
    return `${may === 0 ? "none" : `up to ${may}`} of ${sites} sites`;
  });
  return `${parts.join(", ")} may leave while a sum is made`;
}

function provedText(claim: PlanView["claim"]): string {
  if (claim.proof === null) return "";
  const facts: [string, string][] = [
    ["protects", claim.unit],
    ["neighbours", claim.neighbouringRelation],
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

function byteBound(stage: PlanView["stages"][number]): string {
  return stage.kind === "rows" ? `<= ${formatBytes(stage.uploadBytes)}` : formatBytes(stage.uploadBytes);
}

function costText(cost: { epsilon: number; delta: number } | null): string {
  return cost === null ? "-" : `epsilon ${roundedUp(cost.epsilon)}, delta ${cost.delta}`;
}

function boundsText(disclosure: { normBound: number | null; sensitivity: number | null }): string {
  const norm =
    disclosure.normBound === null ? "no norm bound" : `norm of one record at most ${disclosure.normBound}`;
  const sensitivity =
    disclosure.sensitivity === null ? "no sensitivity stated" : `L2 sensitivity ${disclosure.sensitivity}`;
  return `${norm}; ${sensitivity}`;
}
