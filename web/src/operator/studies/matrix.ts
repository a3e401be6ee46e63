import type { SiteStepState, StepView, StudySiteView, StudyView } from "@consilium/core/operator/views";
import { said, t } from "../../shared/language";
import { placeIn, type StepGroup, secondsOf, statusOf, stepGroups } from "./stageFamilies";

/** One part of a study, as a column: joining, setup, the stages that a method repeats together, and the end. */
export interface MatrixColumn {
  readonly id: string;
  readonly title: string;
  readonly status: StepView["status"];
  /** Of a group that repeats: `tree 4 of 10`. */
  readonly place: string | null;
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
  /** Bytes received of its vectors or rows. */
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

/** The state of each site in each part of a study. */
export function matrixOf({ steps, siteStates, endedAt }: ShownStudy): Matrix {
  const groups = stepGroups(steps);
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

export const phases: Readonly<Record<StepView["kind"], string>> = said({
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
});

const stepsOf = ({ parts }: StepGroup): StepView[] => parts.flatMap(({ steps }) => steps);

function columnOf(group: StepGroup, isOver: boolean): MatrixColumn {
  const steps = stepsOf(group);
  const open = steps.find(({ status }) => status === "open");
  return {
    id: group.id,
    title: group.title,
    status: statusOf(steps),
    place: placeIn(group),
    phase: open === undefined ? null : isOver ? t("ended here") : phases[open.kind],
    attempt: Math.max(...steps.map(({ attempt }) => attempt)),
    seconds: secondsOf(steps),
  };
}

function cellsOf(site: StudySiteView, groups: readonly StepGroup[]): MatrixCell[] {
  // A site that did not join, or dropped out, is excluded from later steps.
  let isOut = false;
  return groups.map((group) => {
    const cell = isOut ? nothing("left out") : cellOf(site, group);
    isOut ||= cell.state === "dropped" || cell.state === "refused" || cell.state === "left out";
    return cell;
  });
}

function cellOf(site: StudySiteView, group: StepGroup): MatrixCell {
  const steps = stepsOf(group);
  const bytes = steps.reduce((sum, { received }) => sum + (received[site.site] ?? 0), 0);
  if (steps.some(({ dropped }) => dropped.includes(site.site))) return { ...nothing("dropped"), bytes };
  const status = statusOf(steps);
  if (status === "waiting") return nothing("waiting");
  const isOut = site.state === "refused" || site.state === "left out";
  const isJoin = group.id === joinId;
  if (isJoin && isOut) return nothing(site.state);
  if (status === "done") return { ...nothing(isJoin ? "accepted" : "done"), bytes };
  if (!steps.some((step) => step.status === "open")) return { ...nothing("working"), bytes };
  const isUploading = site.state === "uploading" && site.expectedBytes > 0;
  const isCounted = steps.some((step) => step.status === "open" && site.site in step.received);
  return {
    state: site.state,
    fraction: isUploading ? Math.min(1, site.receivedBytes / site.expectedBytes) : null,
    workingSince: site.state === "working" ? site.workingSince : null,
    bytes: bytes + (isCounted ? 0 : site.receivedBytes),
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
