import type { Disclosure } from "./plan.js";

interface Disclosing {
  readonly id: string;
  readonly disclosure: Pick<
    Disclosure,
    "what" | "form" | "learns" | "mechanism" | "normBound" | "sensitivity"
  >;
}

/**
 * Stages that disclose the same in the same words, together: a method that grows ten trees is read as one tree's stages,
 * ten times.
 * @returns groups in the order of their first stages, each with its stages' numbers from 1
 */
export function groupedStages<S extends Disclosing>(
  stages: readonly S[],
): { readonly stages: readonly S[]; readonly numbers: readonly number[] }[] {
  const groups = new Map<string, { stages: S[]; numbers: number[] }>();
  stages.forEach((stage, index) => {
    const { what, form, learns, mechanism, normBound, sensitivity } = stage.disclosure;
    const key = JSON.stringify([what, form, learns, mechanism, normBound, sensitivity]);
    const group = groups.get(key) ?? { stages: [], numbers: [] };
    group.stages.push(stage);
    group.numbers.push(index + 1);
    groups.set(key, group);
  });
  return [...groups.values()];
}

/** A group's stages by name: its first and its last, with how many there are. */
export function groupName(stages: readonly { readonly id: string }[]): string {
  const first = stages[0]!.id;
  return stages.length === 1 ? first : `${first} … ${stages.at(-1)!.id} (${stages.length} stages)`;
}

/** Numbers as people write them: 3, 1-2, or 1, 6, 11 … 46. */
export function numberList(numbers: readonly number[]): string {
  const [first, second] = numbers;
  const last = numbers.at(-1)!;
  if (second === undefined) return String(first);
  if (last - first! === numbers.length - 1) return `${first}-${last}`;
  return numbers.length <= 3 ? numbers.join(", ") : `${first}, ${second} … ${last}`;
}
