import type {
  StepView,
  StudySiteView,
  StudyStatus,
  StudySummary,
  StudyView,
} from "@consilium/core/operator/views";
import { formatBytes, formatDuration } from "@consilium/core/units";
import { presenceText, presenceWord } from "../federation/sites.js";
import {
  bar,
  elapsedText,
  fit,
  minuteText,
  padTo,
  paragraph,
  printable,
  table,
  visibleLength,
  wrap,
} from "../terminal/layout.js";
import type { Style } from "../terminal/style.js";
import { claimText } from "./claimText.js";
import { hasEnded } from "./watchEvents.js";

export function statusText(status: StudyStatus, style: Style): string {
  switch (status) {
    case "released":
      return style.good(status);
    case "failed":
      return style.bad(status);
    case "cancelled":
      return style.caution(status);
    case "inviting":
    case "running":
    case "publishing":
      return style.accent(status);
    default:
      return printable(String(status));
  }
}

/** The status, with the code of what the study waits for. */
function standingText({ status, waiting }: Pick<StudySummary, "status" | "waiting">, style: Style): string {
  const text = statusText(status, style);
  return !waiting ? text : `${text} ${style.caution(`[${printable(waiting.code)}]`)}`;
}

/** Why a study is stalled, and the remedy; null while it only waits for sites. */
function waitingText({ waiting }: Pick<StudySummary, "waiting">): string | null {
  return !waiting ? null : `waits: ${faultText(waiting)}`;
}

function faultText({ code, message, remedy }: NonNullable<StudySummary["waiting"]>): string {
  const advice = remedy.charAt(0).toUpperCase() + remedy.slice(1);
  return printable(`[${code}] ${message.replace(/\.$/, "")}. ${advice}.`);
}

export function studyTable(studies: readonly StudySummary[], style: Style): string {
  return table(
    studies,
    [
      { title: "STUDY", cell: (study) => printable(study.id) },
      { title: "STATUS", cell: (study) => standingText(study, style) },
      { title: "METHOD", cell: (study) => printable(`${study.analysis}/${study.method}`) },
      { title: "VARIANT", cell: (study) => printable(study.variant) },
      { title: "SITES", cell: (study) => String(study.sites), alignRight: true },
      { title: "STARTED", cell: (study) => minuteText(study.createdAt) },
      { title: "RELEASE", cell: (study) => printable(study.releaseUrl ?? "-") },
    ],
    style,
  );
}

const stepWords: Readonly<Record<StepView["kind"], string>> = {
  join: "sites decide whether to take part",
  exchange: "sites exchange keys and sealed shares",
  keys: "sites send fresh keys for the next sum",
  shares: "sites share the secrets of their masks, sealed for each other",
  sum: "sites send masked vectors; only their sum is revealed",
  survivors: "sites dropped out: the survivors sign the list of vectors in the sum",
  unmask: "sites reveal the shares that unmask the sum, and nothing else",
  rows: "sites send reduced rows",
  tags: "sites send counts of identical rows, under tags that only they can read",
  countersign: "sites check and sign the certificate's statement",
  compute: "aggregator computing",
  deposit: "sending the release to the publisher",
};

const phaseNames: Partial<Readonly<Record<StepView["kind"], string>>> = {
  keys: "keys",
  shares: "shares",
  survivors: "survivors",
  unmask: "unmasking",
};

/** `moments: keys`, `moments`, `publish`; a further attempt is named. */
export function stepTitle(step: StepView): string {
  const phase = phaseNames[step.kind];
  const name = phase === undefined || step.stage === null ? step.id : `${step.stage}: ${phase}`;
  return printable(step.attempt > 1 ? `${name} (attempt ${step.attempt})` : name);
}

interface FoldedSteps extends Pick<StepView, "status"> {
  readonly folded: number;
}

/** Of more steps than these, runs without an event are folded to their first and last. `--json` has all. */
const stepsUnfolded = 20;

/** Long runs of steps that are done without dropouts, or wait, with the middle of each as one line. */
export function foldedSteps(steps: readonly StepView[]): (StepView | FoldedSteps)[] {
  if (steps.length <= stepsUnfolded) return [...steps];
  const plain = ({ status, dropped, attempt }: StepView) =>
    (status === "done" || status === "waiting") && dropped.length === 0 && attempt === 1;
  const folded: (StepView | FoldedSteps)[] = [];
  for (let from = 0; from < steps.length; ) {
    const first = steps[from]!;
    let to = from + 1;
    if (plain(first))
      while (to < steps.length && plain(steps[to]!) && steps[to]!.status === first.status) to++;
    const run = steps.slice(from, to);
    if (run.length <= 4) folded.push(...run);
    else folded.push(first, { status: first.status, folded: run.length - 2 }, run.at(-1)!);
    from = to;
  }
  return folded;
}

/** @param hasEnded - nothing waits for anything any more */
function stepMark(step: Pick<StepView, "status">, hasEnded: boolean, style: Style): string {
  switch (step.status) {
    case "done":
      return style.good("done");
    case "open":
      return hasEnded ? style.caution("stopped") : style.accent("open");
    default:
      return style.faint(hasEnded ? "not run" : "waiting");
  }
}

/** What a study that ended without a release has cost: hospitals are charged for the sums that they were asked for. */
function chargedText({ steps, status }: Pick<StudyView, "steps" | "status">): string | null {
  if (status !== "failed" && status !== "cancelled") return null;
  const sums = steps.filter(({ kind }) => kind === "sum" || kind === "rows" || kind === "tags");
  const asked = sums.filter((step) => step.status !== "waiting").length;
  if (asked === 0) return "planned, and nothing was charged: no data were asked for";
  return `planned; sites were charged for at most ${asked} of ${sums.length} uploads`;
}

/** The study's progress: `[3/7] covariance`. */
function openStepText(view: StudyView): string | null {
  const index = view.steps.findIndex((step) => step.status === "open");
  if (index < 0) return null;
  return `[${index + 1}/${view.steps.length}] ${stepTitle(view.steps[index]!)}`;
}

function siteStateText(site: StudySiteView, style: Style): string {
  // As the pages say it, where the API says `left out`.
  const state = site.state === "left out" ? "excluded" : site.state;
  const isPublic = site.state === "refused" && site.mayPublishRefusal;
  const code = site.code === null ? "" : ` [${printable(site.code)}${isPublic ? ", may be published" : ""}]`;
  const text = `${state}${code}`;
  if (site.state === "failed" || site.state === "refused") return style.bad(text);
  if (site.state === "dropped" || site.state === "left out" || site.state === "awaiting approval")
    return style.caution(text);
  return site.state === "done" ? style.good(text) : text;
}

/** The order of attention: failed, then unreachable or awaiting approval, then still to answer, then the rest. */
function urgency(site: StudySiteView): number {
  if (site.state === "failed" || site.state === "refused") return 0;
  if (site.presence !== "online" || site.state === "awaiting approval") return 1;
  return site.state === "done" ? 3 : 2;
}

interface SiteWidths {
  readonly name: number;
  readonly state: number;
}

function siteWidths(sites: readonly StudySiteView[], style: Style): SiteWidths {
  return {
    name: Math.max(4, ...sites.map((site) => visibleLength(printable(site.site)))),
    state: Math.max(12, ...sites.map((site) => visibleLength(siteStateText(site, style)))),
  };
}

function siteLine(site: StudySiteView, widths: SiteWidths, style: Style): string {
  // Sites do not report progress of the work itself: only the upload has a public length.
  const uploaded = site.expectedBytes > 0 ? Math.min(1, site.receivedBytes / site.expectedBytes) : null;
  const bytes =
    site.expectedBytes > 0
      ? `  ${formatBytes(site.receivedBytes)} of ${formatBytes(site.expectedBytes)}`
      : "";
  return (
    `  ${padTo(printable(site.site), widths.name)}  ${padTo(presenceText(site.presence, style), 8)}  ` +
    `${padTo(siteStateText(site, style), widths.state)}` +
    (uploaded === null
      ? ""
      : `  ${bar(uploaded, 20, style)}${`${Math.round(100 * uploaded)}%`.padStart(5)}${style.faint(bytes)}`)
  );
}

/** The remaining time, or that the deadline has passed, and what happens then unless it was printed before. */
export function deadlineText(view: StudyView, now: number, said: string | null = null): string | null {
  if (view.deadlineAt === null) return null;
  const left = Date.parse(view.deadlineAt) - now;
  if (!Number.isFinite(left)) return null;
  // Whole seconds, rounded up: a countdown that ends at 0s, not at 1s.
  const time = left > 0 ? `${formatDuration(Math.ceil(left / 1000) * 1000)} left` : "the deadline has passed";
  return view.atDeadline === null || view.atDeadline === said
    ? time
    : `${time}; then ${printable(view.atDeadline)}`;
}

/**
 * A study as the live view shows it.
 * @param now - milliseconds since 1970, by the aggregator's clock
 * @param trouble - why the view may be out of date, if so
 * @returns lines of at most `size.columns` characters, at most `size.rows`
 */
export function liveLines(
  view: StudyView,
  context: { now: number; trouble: string | null; size: { columns: number; rows: number }; style: Style },
): string[] {
  const { now, trouble, size, style } = context;
  const done = view.steps.filter((step) => step.status === "done").length;
  const running = hasEnded(view.status)
    ? view.seconds
    : Math.max(view.seconds, (now - Date.parse(view.createdAt)) / 1000);
  const elapsed = elapsedText(running);
  const head = [
    `${style.strong(printable(view.id))}  ${statusText(view.status, style)}  ${style.faint(elapsed)}`,
    `  ${bar(view.steps.length === 0 ? 0 : done / view.steps.length, 30, style)}  ${done} of ${view.steps.length} steps`,
  ];
  const open = view.steps.find((step) => step.status === "open");
  if (open !== undefined) head.push(`  ${openStepText(view)}: ${stepWords[open.kind] ?? ""}`);
  const deadline = hasEnded(view.status) ? null : (waitingText(view) ?? deadlineText(view, now));
  if (deadline !== null) {
    // On a small screen the sites matter more than the end of the sentence.
    const lines = size.rows < 16 ? [deadline] : wrap(deadline, Math.max(20, size.columns - 2));
    head.push(...lines.map((line) => `  ${style.caution(line)}`));
  }
  if (trouble !== null) head.push(`  ${style.bad(trouble)}`);
  head.push("");

  const room = Math.max(1, size.rows - head.length - 2);
  const sites = [...view.siteStates].sort((a, b) => urgency(a) - urgency(b) || (a.site < b.site ? -1 : 1));
  const fitting = sites.length > room ? room - 1 : sites.length;
  const widths = siteWidths(sites, style);
  const lines = sites.slice(0, fitting).map((site) => siteLine(site, widths, style));
  if (fitting < sites.length) lines.push(style.faint(`  and ${sites.length - fitting} more sites`));
  return [...head, ...lines].map((line) => fit(line, size.columns));
}

/** The changes since the last view, one line each, for logs and pipes. */
export function changeLines(before: StudyView | null, after: StudyView, now: number): string[] {
  const lines: string[] = [];
  if (before?.status !== after.status) lines.push(`${after.id} ${after.status}`);
  const waiting = waitingText(after);
  const waitedBefore = before?.waiting?.code ?? null;
  if (waiting !== null && after.waiting?.code !== waitedBefore) lines.push(`${after.id} ${waiting}`);
  if (waiting === null && waitedBefore !== null) lines.push(`${after.id} continues`);
  const steps = new Map(before?.steps.map((step) => [stepTitle(step), step]));
  after.steps.forEach((step, index) => {
    const earlier = steps.get(stepTitle(step));
    const dropped = step.dropped.filter((site) => !earlier?.dropped.includes(site));
    if (dropped.length > 0) lines.push(`step ${stepTitle(step)} continues without ${dropped.join(", ")}`);
    if (earlier?.status === step.status || step.status === "waiting") return;
    const seconds = step.seconds === null ? "" : ` after ${elapsedText(step.seconds)}`;
    const deadline = step.status === "open" ? deadlineText(after, now, before?.atDeadline) : null;
    lines.push(
      `step ${index + 1}/${after.steps.length} ${stepTitle(step)} ${step.status}${step.status === "done" ? seconds : ""}` +
        (deadline === null ? "" : ` (${deadline})`),
    );
  });
  const sites = new Map(before?.siteStates.map((site) => [site.site, site]));
  for (const site of after.siteStates) {
    const earlier = sites.get(site.site);
    if (earlier?.presence !== site.presence)
      lines.push(`site ${site.site} is ${presenceWord(site.presence)}`);
    if (earlier?.state !== site.state || earlier.code !== site.code) {
      lines.push(`site ${site.site} ${site.state}${site.code === null ? "" : ` [${site.code}]`}`);
    }
  }
  return lines.map(printable);
}

/** A study's outcome, for the last lines of a watch. */
export function endText(view: StudyView, style: Style): string {
  const elapsed = elapsedText(view.seconds);
  if (view.status === "released") {
    const where = view.release === null ? "" : `\n  ${printable(view.release.url)}`;
    const verify =
      view.release === null
        ? ""
        : `\n  consilium release get ${printable(view.release.id)} --authority root.pem`;
    return `${style.good("Released")} after ${elapsed}.${where}${verify}`;
  }
  if (view.failure === null) return `${statusText(view.status, style)} after ${elapsed}.`;
  return `${statusText(view.status, style)} after ${elapsed}.\n${failureLine(view, style)}`;
}

/** The effects of a cancellation. The view may be from before it: the aggregator answers when it has accepted it. */
export function cancelledText(view: StudyView, style: Style): string {
  return `${style.strong(printable(view.id))}  ${statusText("cancelled", style)} after ${elapsedText(view.seconds)}.
Data sent by its sites are discarded, and nothing is released. Data already sent stay charged to each site's budget.`;
}

/** The step at which a resumed study continues, and how to follow it. */
export function resumedText(view: StudyView, now: number, style: Style): string {
  const step = view.steps.find(({ status }) => status !== "done");
  const lines = [`${style.strong(printable(view.id))}  ${statusText(view.status, style)}`];
  if (step !== undefined) {
    lines.push(`Continuing at step ${printable(step.id)}; earlier results are kept.`);
  }
  const deadline = deadlineText(view, now);
  if (deadline !== null) lines.push(`Deadline: ${deadline}`);
  lines.push(`Follow it: ${style.accent(`consilium study watch ${printable(view.id)}`)}`);
  return lines.join("\n");
}

function failureLine(view: StudyView, style: Style): string {
  if (view.failure === null) return "";
  const code = `[${printable(view.failure.code)}]`;
  return faultText(view.failure).replace(code, () => style.bad(code));
}

/** Everything about a study, for `study show`. */
export function studyDetails(view: StudyView, now: number, style: Style): string {
  const label = { indent: 2, labelWidth: 10 };
  const facts = [
    paragraph("status", statusText(view.status, style), label),
    paragraph(
      "analysis",
      printable(`${view.analysis}, method ${view.method}, variant ${view.variant}`),
      label,
    ),
    paragraph("started", `${view.createdAt}${view.endedAt === null ? "" : `, ended ${view.endedAt}`}`, label),
    paragraph("privacy", [claimText(view.claim, style), chargedText(view) ?? []].flat().join("; "), label),
    paragraph("hash", printable(view.hash), label),
  ];
  const waiting = view.waiting;
  if (waiting) facts.push(paragraph("waits", style.caution(faultText(waiting)), label));
  if (view.rows !== null) facts.push(paragraph("rows", String(view.rows), label));
  const deadline = hasEnded(view.status) ? null : deadlineText(view, now);
  if (deadline !== null) facts.push(paragraph("deadline", deadline, label));
  if (view.release !== null)
    facts.push(paragraph("release", printable(`${view.release.id}, ${view.release.url}`), label));
  const steps = table(
    foldedSteps(view.steps),
    [
      {
        title: "  STEP",
        cell: (step) => ("folded" in step ? `  … ${step.folded} more` : `  ${stepTitle(step)}`),
      },
      { title: "KIND", cell: (step) => ("folded" in step ? "" : printable(step.kind)) },
      { title: "STATUS", cell: (step) => stepMark(step, hasEnded(view.status), style) },
      {
        title: "TOOK",
        cell: (step) => ("folded" in step || step.seconds === null ? "-" : elapsedText(step.seconds)),
        alignRight: true,
      },
      ...(view.steps.some((step) => step.dropped.length > 0)
        ? [
            {
              title: "WITHOUT",
              cell: (step: StepView | FoldedSteps) =>
                "folded" in step || step.dropped.length === 0 ? "-" : printable(step.dropped.join(", ")),
            },
          ]
        : []),
    ],
    style,
  );
  const widths = siteWidths(view.siteStates, style);
  const sites = view.siteStates.map((site) => siteLine(site, widths, style)).join("\n");
  const parts = [
    `${style.strong(printable(view.id))}\n${facts.join("\n")}`,
    `${style.strong("Sites")}\n${sites === "" ? "  none yet" : sites}`,
    `${style.strong("Steps")}\n${steps}`,
  ];
  if (view.failure !== null) parts.push(failureLine(view, style));
  return parts.join("\n\n");
}
