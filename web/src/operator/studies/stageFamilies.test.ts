import type { StepView } from "@consilium/core/operator/views";
import { describe, expect, it } from "vitest";
import { placeIn, secondsOf, stepGroups } from "./stageFamilies";

const step = (id: string, changes: Partial<StepView> = {}): StepView => ({
  id,
  kind: "sum",
  stage: id,
  attempt: 1,
  status: "waiting",
  seconds: null,
  dropped: [],
  received: {},
  ...changes,
});
const done = { status: "done", seconds: 2 } as const;
const trees = (count: number, changes: (tree: number) => Partial<StepView> = () => ({})) =>
  Array.from({ length: count }, (_, index) => [
    step(`tree-${index + 1}-level-1`, changes(index + 1)),
    step(`tree-${index + 1}-leaves`, changes(index + 1)),
  ]).flat();
const titlesOf = (steps: readonly StepView[]) => stepGroups(steps).map(({ title }) => title);

describe("the groups of a study's steps", () => {
  it("are those that its method repeats", () => {
    const steps = [
      step("join", { kind: "join", stage: null }),
      ...trees(10),
      step("evaluation"),
      step("publish", { kind: "deposit", stage: null }),
    ];
    expect(titlesOf(steps)).toEqual(["Decision", "tree 1 … 10", "evaluation", "Publish"]);
  });

  it("are apart where another stage comes between", () =>
    expect(titlesOf(["start", "level-1", "level-2", "squares", "level-3"].map((id) => step(id)))).toEqual([
      "start",
      "level 1 … 2",
      "squares",
      "level-3",
    ]));

  it("keep the phases of one stage in one part", () => {
    const phases = ["keys", "shares", "sum", "unmask"].map((kind) =>
      step(`level-1-${kind}`, { kind: kind as StepView["kind"], stage: "level-1" }),
    );
    const [group] = stepGroups([...phases, step("level-2")]);
    expect(group).toMatchObject({ title: "level 1 … 2" });
    expect(group!.parts.map(({ id, steps }) => [id, steps.length])).toEqual([
      ["level-1", 4],
      ["level-2", 1],
    ]);
  });

  it("say where they have come to, and what they took", () => {
    const [running] = stepGroups(trees(10, (tree) => (tree < 4 ? done : {})));
    expect(placeIn(running!)).toBe("tree 4 of 10");
    expect(secondsOf(running!.parts.flatMap(({ steps }) => steps))).toBe(12);
    expect(placeIn(stepGroups(trees(10))[0]!)).toBeNull();
    expect(placeIn(stepGroups(trees(10, () => done))[0]!)).toBeNull();
    expect(placeIn(stepGroups([step("evaluation", { status: "open" })])[0]!)).toBeNull();
  });
});
