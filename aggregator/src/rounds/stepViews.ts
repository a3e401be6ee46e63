import type { StageId } from "@consilium/core/ids";
import type { StepView } from "@consilium/core/operator/views";
import type { Plan, StagePlan } from "@consilium/core/study/plan";
import type { StepRecord, StudyRecord, StudyRecords, WholeUpload } from "./records.js";

interface Planned {
  readonly id: string;
  readonly kind: StepView["kind"];
  readonly stage: StageId | null;
  /** Shown from the start; other steps once they exist. */
  readonly isPlanned: boolean;
  /** For an optional stage: hidden once a later step exists. */
  readonly mayBeSkipped?: boolean;
}

/** What a running study's views have shown of steps that are done: nothing changes them, and they are not read again. */
export class StepHistory {
  /** Of these many steps, the first that were opened, the newest attempt at each. */
  count = 0;
  readonly done = new Map<string, StepView>();

  /** @param steps - as they were opened, from the one after those that are known @param views - of all steps */
  learn(steps: readonly StepRecord[], views: readonly StepView[]): void {
    const open = steps.findIndex(({ doneAt }) => doneAt === null);
    const done = open === -1 ? steps : steps.slice(0, open);
    this.count += done.length;
    const byId = new Map(views.map((view) => [view.id, view]));
    for (const { step, attempt } of done) {
      const view = byId.get(step);
      if (view?.attempt === attempt) this.done.set(step, view);
    }
  }
}

/**
 * A study's steps, including pending ones, each with its newest attempt.
 * @param now - for a running study; null for an ended one
 * @param history - of the views before
 */
export function stepViews(
  record: StudyRecord,
  plan: Plan,
  records: StudyRecords,
  now: number | null,
  history = new StepHistory(),
): StepView[] {
  const newest = new Map<string, StepRecord>();
  const steps = records.steps(record.id, history.count);
  for (const step of steps) {
    if (step.attempt >= (newest.get(step.step)?.attempt ?? 0)) newest.set(step.step, step);
  }
  const dropouts = records.attempts.dropouts(record.id);
  const received = receivedBytes(
    history.count === 0
      ? records.wholeUploads(record.id, null)
      : [...newest.values()]
          .filter(({ kind }) => withUploads.has(kind))
          .flatMap(({ step }) => records.wholeUploads(record.id, step)),
  );
  const planned = plannedOf(plan);
  const reached = planned.findLastIndex(({ id }) => newest.has(id) || history.done.has(id));
  const views = planned.flatMap(({ id, kind, stage, isPlanned, mayBeSkipped }, position): StepView[] => {
    const step = newest.get(id);
    const isSkipped = mayBeSkipped && position < reached;
    const known = history.done.get(id);
    if (step === undefined && known !== undefined) return [known];
    if (step === undefined)
      return isPlanned && !isSkipped
        ? [{ id, kind, stage, attempt: 1, status: "waiting", seconds: null, dropped: [], received: {} }]
        : [];
    const end = step.doneAt ?? now ?? record.endedAt ?? step.openedAt;
    return [
      {
        id,
        kind,
        stage,
        attempt: step.attempt,
        status: step.doneAt === null ? "open" : "done",
        seconds: (end - step.openedAt) / 1000,
        dropped: dropouts
          .filter((one) => one.step === id && one.attempt === step.attempt)
          .map((one) => one.site),
        received: received.get(placeOf(id, step.attempt)) ?? {},
      },
    ];
  });
  history.learn(steps, views);
  return views;
}

const withUploads: ReadonlySet<StepView["kind"]> = new Set(["sum", "rows", "tags"]);

const placeOf = (step: string, attempt: number) => `${step} ${attempt}`;

/** Bytes by site, of each attempt at a step. */
function receivedBytes(uploads: readonly WholeUpload[]): Map<string, Record<string, number>> {
  const byPlace = new Map<string, Record<string, number>>();
  for (const { step, attempt, site, bytes } of uploads) {
    const place = placeOf(step, attempt);
    const bySite = byPlace.get(place) ?? {};
    bySite[site] = bytes;
    byPlace.set(place, bySite);
  }
  return byPlace;
}

const plannedByPlan = new WeakMap<Plan, readonly Planned[]>();

function plannedOf(plan: Plan): readonly Planned[] {
  const planned = plannedByPlan.get(plan) ?? plannedSteps(plan);
  plannedByPlan.set(plan, planned);
  return planned;
}

function plannedSteps(plan: Plan): Planned[] {
  const step = (id: string, kind: StepView["kind"]): Planned => ({ id, kind, stage: null, isPlanned: true });
  const first = plan.stages.find((stage) => stage.kind === "sum");
  return [
    step("join", "join"),
    ...plan.setup.map((id) => step(id, "exchange")),
    ...plan.stages.flatMap((stage) =>
      plan.masking === "pairwise" && stage.kind === "sum"
        ? phasesOf(stage, stage === first)
        : [{ ...aboutStage(stage), id: stage.id, kind: stage.kind, isPlanned: true }],
    ),
    step("countersign", "countersign"),
    step("publish", "deposit"),
  ];
}

function aboutStage({ id, mayBeSkipped }: StagePlan): Pick<Planned, "stage" | "mayBeSkipped"> {
  return { stage: id, mayBeSkipped: mayBeSkipped ?? false };
}

/** Keys and shares of later sums are piggybacked on the previous sum; survivors are signed when a site drops out. */
function phasesOf(stage: StagePlan, isFirst: boolean): Planned[] {
  const phase = (suffix: string, kind: StepView["kind"], isPlanned: boolean): Planned => ({
    ...aboutStage(stage),
    id: `${stage.id}${suffix}`,
    kind,
    isPlanned,
  });
  return [
    phase("-keys", "keys", isFirst),
    phase("-shares", "shares", isFirst),
    phase("", "sum", true),
    phase("-survivors", "survivors", false),
    phase("-unmask", "unmask", true),
  ];
}
