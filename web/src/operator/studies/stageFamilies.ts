import type { StepView } from "@consilium/core/operator/views";
import { said, t } from "../../shared/language";

/** Steps that belong together, in the order in which they run. */
export interface StepGroup {
  readonly id: string;
  readonly title: string;
  /** `tree` of tree 1 to 10; null where the group repeats nothing. */
  readonly family: string | null;
  /** Its parts: one a stage, or a step outside of stages. */
  readonly parts: readonly StepPart[];
}

export interface StepPart {
  readonly id: string;
  /** Of `tree-3-level-1` it is 3; null where the name has no number. */
  readonly number: number | null;
  readonly steps: readonly StepView[];
}

const titles: Readonly<Record<string, string>> = said({
  join: "Decision",
  exchange: "Set-up",
  countersign: "Countersign",
  deposit: "Publish",
});

/** Methods name repeated stages `<what>-<number>`, and their parts `<what>-<number>-<part>`. */
const numbered = /^([a-z]+(?:-[a-z]+)*)-(\d+)(?:-|$)/;

/** Groups as a method repeats them: ten trees of two stages each are one group. */
export function stepGroups(steps: readonly StepView[]): StepGroup[] {
  const groups: { id: string; title: string; family: string | null; parts: StepPart[] }[] = [];
  for (const part of partsOf(steps)) {
    const family = numbered.exec(part.id)?.[1] ?? null;
    const last = groups.at(-1);
    if (last !== undefined && family !== null && last.family === family) last.parts.push(part);
    else groups.push({ id: part.id, title: "", family, parts: [part] });
  }
  return groups.map((group) => ({ ...group, title: titleOf(group) }));
}

/** Steps of one stage form one part; so do steps of one kind outside of stages. */
function partsOf(steps: readonly StepView[]): StepPart[] {
  const parts: { id: string; number: number | null; steps: StepView[] }[] = [];
  for (const step of steps) {
    const id = step.stage ?? step.kind;
    const last = parts.at(-1);
    if (last?.id === id) last.steps.push(step);
    else {
      const number = numbered.exec(id)?.[2];
      parts.push({ id, number: number === undefined ? null : Number(number), steps: [step] });
    }
  }
  return parts;
}

function titleOf({ id, family, parts }: Omit<StepGroup, "title">): string {
  const [first] = parts;
  if (family === null || parts.length === 1)
    return first!.steps[0]!.stage ?? titles[id] ?? first!.steps[0]!.id;
  const from = first!.number;
  const to = parts.at(-1)!.number;
  return from === to ? `${family} ${from}` : `${family} ${from} … ${to}`;
}

export function statusOf(steps: readonly StepView[]): StepView["status"] {
  if (steps.every(({ status }) => status === "done")) return "done";
  return steps.every(({ status }) => status === "waiting") ? "waiting" : "open";
}

/** Seconds of all steps that have begun; null where none has. */
export function secondsOf(steps: readonly StepView[]): number | null {
  const known = steps.flatMap(({ seconds }) => seconds ?? []);
  return known.length === 0 ? null : known.reduce((sum, one) => sum + one, 0);
}

/** `tree 4 of 10`: where a group that repeats has come to; null before it begins and once it is done. */
export function placeIn({ family, parts }: StepGroup): string | null {
  const at = parts.findIndex(({ steps }) => statusOf(steps) !== "done");
  const current = parts[at];
  const hasBegun = parts.some(({ steps }) => statusOf(steps) !== "waiting");
  if (family === null || parts.length === 1 || current === undefined || !hasBegun) return null;
  return t("{family} {number} of {last}", {
    family,
    number: String(current.number),
    last: String(parts.at(-1)!.number),
  });
}
