import type { StepView } from "@consilium/core/operator/views";
import { expect, it } from "vitest";
import { timesOf } from "./ComparePage";

const step = (id: string, seconds: number | null, kind: StepView["kind"] = "sum"): StepView => ({
  id,
  kind,
  stage: kind === "sum" ? id : null,
  attempt: 1,
  status: "done",
  dropped: [],
  received: {},
  seconds,
});

it("compares parts by their names, whichever of the two has them", () => {
  const first = { steps: [step("join", 5, "join"), step("tables", 2), step("publish", null, "deposit")] };
  const second = { steps: [step("join", 7, "join"), step("pairs", 3), step("publish", 1, "deposit")] };
  expect(timesOf([first, second])).toEqual([
    { title: "Decision", sides: [5, 7] },
    { title: "tables", sides: [2, null] },
    { title: "Publish", sides: [null, 1] },
    { title: "pairs", sides: [null, 3] },
  ]);
});
