import type { ProfileView } from "@consilium/core/hospital/profileViews";
import { formatDuration } from "@consilium/core/units";
import { minuteText, paragraph, printable, table } from "../terminal/layout.js";
import type { Style } from "../terminal/style.js";

/** A study as listed by the hospital's agent (GET /studies on its socket); only the fields that are shown. */
export interface OfferedStudy {
  readonly id: string;
  readonly status: string;
  /** The status as the end of a sentence. */
  readonly words: string;
  readonly table: string;
  readonly firstSeenAt: string | null;
  readonly approveUntil: string | null;
  readonly code: string | null;
  readonly reason: string | null;
}

export interface ExplainedStudy extends OfferedStudy {
  readonly verdict: { readonly allowed: boolean; readonly message: string | null };
  /** Set where the population's budget has no room for the study. */
  readonly budgetFault: string | null;
  readonly changedSince: readonly string[];
  readonly questions: readonly { readonly text: string; readonly answer: string | null }[];
  readonly explanation: readonly { readonly title: string; readonly paragraphs: readonly string[] }[];
}

type Members = Readonly<Record<string, unknown>>;

const members = (value: unknown): Members =>
  typeof value === "object" && value !== null ? (value as Members) : {};
const text = (value: unknown): string | null => (typeof value === "string" ? value : null);
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export function readOfferedList(json: unknown): OfferedStudy[] {
  return list(json).map(readOffered);
}

export function readExplained(json: unknown): ExplainedStudy {
  const study = members(json);
  const verdict = members(study.verdict);
  return {
    ...readOffered(json),
    verdict: { allowed: verdict.allowed === true, message: text(verdict.message) },
    budgetFault: text(study.budgetFault),
    changedSince: list(study.changedSince).map((one) => text(one) ?? "-"),
    questions: list(study.questions).map((one) => {
      const { text: asked, answer } = members(one);
      return { text: text(asked) ?? "-", answer: text(answer) };
    }),
    explanation: list(study.explanation).map((entry) => {
      const section = members(entry);
      return {
        title: text(section.title) ?? "-",
        paragraphs: list(section.paragraphs).map((one) => text(one) ?? "-"),
      };
    }),
  };
}

function readOffered(json: unknown): OfferedStudy {
  const study = members(json);
  return {
    id: text(study.id) ?? "-",
    status: text(study.status) ?? "-",
    words: text(study.words) ?? "-",
    table: text(study.table) ?? "-",
    firstSeenAt: text(study.firstSeenAt),
    approveUntil: text(study.approveUntil),
    code: text(study.code),
    reason: text(study.reason),
  };
}

export function offeredTable(studies: readonly OfferedStudy[], now: number, style: Style): string {
  if (studies.length === 0) return "No studies have been offered yet.";
  return table(
    studies,
    [
      { title: "STUDY", cell: (study) => printable(study.id) },
      { title: "TABLE", cell: (study) => printable(study.table) },
      { title: "OFFERED", cell: (study) => minuteText(study.firstSeenAt) },
      { title: "STATUS (visible only here)", cell: (study) => standing(study, now, style) },
    ],
    style,
  );
}

function standing(study: OfferedStudy, now: number, style: Style): string {
  const why = reasonText(study.code, study.reason);
  const words = printable(study.words) + (why === null ? "" : `: ${why}`);
  if (study.status !== "waiting for approval") return words;
  if (study.approveUntil === null) return style.caution(words);
  return `${style.caution(words)}; ${timeLeft(study.approveUntil, now)}`;
}

/** How long a study can still be approved. */
function timeLeft(until: string, now: number): string {
  const left = Date.parse(until) - now;
  if (!Number.isFinite(left)) return "deadline unknown";
  if (left <= 0) return `the deadline to join was ${minuteText(until)} UTC`;
  return `until ${minuteText(until)} UTC, ${formatDuration(Math.ceil(left / 60_000) * 60_000)} from now`;
}

/** A study, explained to its approver. */
export function explainedText(study: ExplainedStudy, now: number, style: Style): string {
  const head = [
    `${style.strong(printable(study.id))}: ${standing(study, now, style)}`,
    `  ${verdictText(study, style)}`,
  ];
  const sections = study.explanation.map(({ title, paragraphs }) =>
    [
      style.strong(printable(title)),
      ...paragraphs.map((one) => paragraph("", printable(one), { indent: 2, labelWidth: 0 })),
    ].join("\n"),
  );
  const lapsed =
    study.changedSince.length === 0
      ? []
      : [
          style.caution(
            `  the approval no longer counts: ${study.changedSince.map(printable).join(", ")} changed`,
          ),
        ];
  return [[...head, ...lapsed].join("\n"), ...sections, ...questionsText(study, style)].join("\n\n");
}

function verdictText({ verdict, budgetFault }: ExplainedStudy, style: Style): string {
  if (!verdict.allowed)
    return `the hospital's policy ${style.bad("does not allow it")}: ${printable(verdict.message ?? "")}`;
  return budgetFault === null
    ? `the hospital's policy ${style.good("allows it")}`
    : `${style.bad("it cannot be approved:")} ${printable(budgetFault)}`;
}

/** A remark on the hospital's own table, below the rows that a study uses of it. */
export const remarkText = ({ style }: { readonly style: Style }, remark: string): string =>
  paragraph(style.caution("check"), printable(remark), { indent: 2, labelWidth: 7 });

/** Use that a study would make of the table, before anybody approves it. */
export function checkedText(
  { report: { rows, malformed, used }, flow, remarks }: Omit<ProfileView, "text">,
  style: Style,
): string {
  const share = `${used.toLocaleString("en-US")} of ${(rows + malformed).toLocaleString("en-US")} rows`;
  const head = `${style.strong("Your data")}: the study uses ${used === 0 ? style.bad(share) : share}. This stays at the hospital.`;
  return [
    head,
    ...flow.map((line) => paragraph("", printable(line), { indent: 2, labelWidth: 0 })),
    ...remarks.map((remark) => remarkText({ style }, remark)),
  ].join("\n");
}

function questionsText({ questions }: ExplainedStudy, style: Style): string[] {
  if (questions.length === 0) return [];
  const said = (words: string, indent: number) => paragraph("", printable(words), { indent, labelWidth: 0 });
  const lines = questions.flatMap(({ text: asked, answer }) => [
    said(asked, 2),
    answer === null ? `    ${style.caution("no answer yet")}` : said(answer, 4),
  ]);
  return [[style.strong("Questions to the operator"), ...lines].join("\n")];
}

/** `[CODE] why`; the agent's own reasons already start with their code. */
export function reasonText(code: string | null, reason: string | null): string | null {
  if (code === null && reason === null) return null;
  const prefix = code === null || reason?.startsWith(`[${code}]`) ? "" : `[${code}]`;
  return printable([prefix, reason ?? ""].filter(Boolean).join(" "));
}
