import type { StepView, StudyView } from "@consilium/core/operator/views";

/** How far a running study is, and how long the rest may take. */
export interface Progress {
  /** Steps that are done, and all. */
  readonly done: number;
  readonly all: number;
  /** By the pace of this study's own steps; null while there is no pace to go by. */
  readonly secondsLeft: number | null;
}

/** So many steps must be done before their pace says anything. */
const paceSteps = 3;

/** Hospitals take days to join, or seconds: that is no pace of anything. */
const isTimed = ({ kind }: StepView) => kind !== "join";

export function progressOf({ steps }: Pick<StudyView, "steps">): Progress {
  const done = steps.filter(({ status }) => status === "done");
  const all = steps.length;
  const hasJoined = steps.every((step) => isTimed(step) || step.status === "done");
  const timed = done.filter((step) => isTimed(step) && step.seconds !== null);
  if (!hasJoined || timed.length < paceSteps || done.length === all)
    return { done: done.length, all, secondsLeft: null };
  const usual = meanSeconds(timed);
  const left = steps
    .filter(({ status }) => status !== "done")
    .map((step) => {
      const alike = timed.filter(({ kind }) => kind === step.kind);
      const whole = alike.length === 0 ? usual : meanSeconds(alike);
      return Math.max(0, whole - (step.seconds ?? 0));
    });
  return { done: done.length, all, secondsLeft: left.reduce((sum, one) => sum + one, 0) };
}

function meanSeconds(steps: readonly StepView[]): number {
  return steps.reduce((sum, { seconds }) => sum + (seconds ?? 0), 0) / steps.length;
}
