import type { SiteStepState, StepView, StudySiteView, StudyView } from "@consilium/core/operator/views";

/** One part of a study, as a column: joining, setup, each stage, and the end. */
export interface MatrixColumn {
  readonly id: string;
  readonly title: string;
  readonly status: StepView["status"];
  /** The current activity; null unless it is open. */
  readonly phase: string | null;
  /** The highest of its steps'. */
  readonly attempt: number;
  readonly seconds: number | null;
}

export interface MatrixCell {
  readonly state: SiteStepState | "waiting";
  /** 0 to 1, of the current upload; null if there is none. */
  readonly fraction: number | null;
  /** When the site started working on the step; null if it has not. */
  readonly workingSince: string | null;
  /** Bytes received of its vector or rows. */
  readonly bytes: number;
}

interface MatrixRow {
  readonly site: StudySiteView;
  /** In the order of the columns. */
  readonly cells: readonly MatrixCell[];
}

interface Matrix {
  readonly columns: readonly MatrixColumn[];
  readonly rows: readonly MatrixRow[];
  /** The final part, done by the aggregator alone. */
  readonly closing: MatrixColumn | null;
}

type ShownStudy = Pick<StudyView, "steps" | "siteStates" | "endedAt">;

interface Group {
  readonly id: string;
  readonly title: string;
  readonly steps: StepView[];
}

/** The state of each site in each part of a study. */
export function matrixOf({ steps, siteStates, endedAt }: ShownStudy): Matrix {
  const groups = groupsOf(steps);
  const ofSites = groups.filter(({ id }) => id !== closingId);
  const closing = groups.find(({ id }) => id === closingId);
  return {
    columns: ofSites.map((group) => columnOf(group, endedAt !== null)),
    rows: siteStates.map((site) => ({ site, cells: cellsOf(site, ofSites) })),
    closing: closing === undefined ? null : columnOf(closing, endedAt !== null),
  };
}

const joinId = "join";
const closingId = "deposit";
const titles: Readonly<Record<string, string>> = {
  join: "Join",
  exchange: "Set-up",
  countersign: "Countersign",
  deposit: "Publish",
};

/** Steps of one stage form one group; so do those before the first. */
function groupsOf(steps: readonly StepView[]): Group[] {
  const groups: Group[] = [];
  for (const step of steps) {
    const id = step.stage ?? step.kind;
    const last = groups.at(-1);
    if (last?.id === id) last.steps.push(step);
    else groups.push({ id, title: step.stage ?? titles[step.kind] ?? step.id, steps: [step] });
  }
  return groups;
}

const phases: Readonly<Record<StepView["kind"], string>> = {
  join: "sites decide",
  exchange: "sites exchange sealed secrets",
  keys: "fresh keys",
  shares: "shares of the masks",
  sum: "masked vectors",
  survivors: "survivors",
  unmask: "unmasking",
  rows: "rows",
  tags: "tags and counts",
  countersign: "countersigning",
  compute: "aggregator computing",
  deposit: "publishing the release",
};

function columnOf({ id, title, steps }: Group, isOver: boolean): MatrixColumn {
  const open = steps.find(({ status }) => status === "open");
  const known = steps.flatMap(({ seconds }) => seconds ?? []);
  return {
    id,
    title,
    status: statusOf(steps),
    phase: open === undefined ? null : isOver ? "ended here" : phases[open.kind],
    attempt: Math.max(...steps.map(({ attempt }) => attempt)),
    seconds: known.length === 0 ? null : known.reduce((sum, one) => sum + one, 0),
  };
}

function statusOf(steps: readonly StepView[]): StepView["status"] {
  if (steps.every(({ status }) => status === "done")) return "done";
  return steps.every(({ status }) => status === "waiting") ? "waiting" : "open";
}

function cellsOf(site: StudySiteView, groups: readonly Group[]): MatrixCell[] {
  // A site that did not join, or dropped out, is excluded from later steps.
  let isOut = false;
  return groups.map((group) => {
    const cell = isOut ? nothing("left out") : cellOf(site, group);
    isOut ||= cell.state === "dropped" || cell.state === "refused" || cell.state === "left out";
    return cell;
  });
}

function cellOf(site: StudySiteView, { id, steps }: Group): MatrixCell {
  const bytes = steps.reduce((sum, { received }) => sum + (received[site.site] ?? 0), 0);
  if (steps.some(({ dropped }) => dropped.includes(site.site))) return { ...nothing("dropped"), bytes };
  const status = statusOf(steps);
  if (status === "waiting") return nothing("waiting");
  const isOut = site.state === "refused" || site.state === "left out";
  if (id === joinId && isOut) return nothing(site.state);
  if (status === "done") return { ...nothing(id === joinId ? "accepted" : "done"), bytes };
  if (!steps.some((step) => step.status === "open")) return { ...nothing("working"), bytes };
  const isUploading = site.state === "uploading" && site.expectedBytes > 0;
  return {
    state: site.state,
    fraction: isUploading ? Math.min(1, site.receivedBytes / site.expectedBytes) : null,
    workingSince: site.state === "working" ? site.workingSince : null,
    bytes: Math.max(bytes, site.receivedBytes),
  };
}

const nothing = (state: MatrixCell["state"]): MatrixCell => ({
  state,
  fraction: null,
  workingSince: null,
  bytes: 0,
});

/** All bytes received from a site. */
export function bytesOf(row: MatrixRow): number {
  return row.cells.reduce((sum, { bytes }) => sum + bytes, 0);
}
