import type { StepView, StudySiteView } from "@consilium/core/operator/views";
import { describe, expect, it } from "vitest";
import { bytesOf, matrixOf } from "./matrix";

function step(id: string, kind: StepView["kind"], changes: Partial<StepView> = {}): StepView {
  return {
    id,
    kind,
    stage: null,
    attempt: 1,
    status: "waiting",
    seconds: null,
    dropped: [],
    received: {},
    ...changes,
  };
}

function site(name: string, changes: Partial<StudySiteView> = {}): StudySiteView {
  return {
    site: name,
    presence: "online",
    state: "done",
    workingSince: null,
    receivedBytes: 0,
    expectedBytes: 0,
    code: null,
    mayPublishRefusal: false,
    ...changes,
  };
}

const done = { status: "done", seconds: 1 } as const;
const moments = (changes: readonly Partial<StepView>[] = []): StepView[] =>
  (["keys", "shares", "sum", "unmask"] as const).map((kind, index) =>
    step(`moments-${kind}`, kind, { stage: "moments", ...changes[index] }),
  );
const statesOf = (matrix: ReturnType<typeof matrixOf>) =>
  matrix.rows.map(({ cells }) => cells.map(({ state }) => state).join(" | "));

describe("matrixOf", () => {
  it("groups the phases of a sum in one column, and keeps publishing separate", () => {
    const matrix = matrixOf({
      endedAt: null,
      steps: [
        step("join", "join", done),
        ...moments(),
        step("countersign", "countersign"),
        step("publish", "deposit"),
      ],
      siteStates: [site("a")],
    });
    expect(matrix.columns.map(({ title, status }) => `${title} ${status}`)).toEqual([
      "Decision done",
      "moments waiting",
      "Countersign waiting",
    ]);
    expect(matrix.closing).toMatchObject({ title: "Publish", status: "waiting" });
  });

  it("shows each site's activity and upload in the open step", () => {
    const sum = { status: "open", seconds: 2, received: { a: 800 } } as const;
    const matrix = matrixOf({
      endedAt: null,
      steps: [step("join", "join", done), ...moments([done, done, sum])],
      siteStates: [site("a"), site("b", { state: "uploading", receivedBytes: 400, expectedBytes: 800 })],
    });
    expect(matrix.columns[1]).toMatchObject({ status: "open", phase: "masked vectors", seconds: 4 });
    expect(matrix.rows[0]?.cells[1]).toEqual({
      state: "done",
      fraction: null,
      workingSince: null,
      bytes: 800,
    });
    expect(matrix.rows[1]?.cells[1]).toEqual({
      state: "uploading",
      fraction: 0.5,
      workingSince: null,
      bytes: 400,
    });
    expect(matrix.rows.map(bytesOf)).toEqual([800, 400]);
  });

  it("excludes a site from everything after it refused", () => {
    const matrix = matrixOf({
      endedAt: null,
      steps: [step("join", "join", done), ...moments([done])],
      siteStates: [site("a"), site("b", { state: "refused" })],
    });
    expect(statesOf(matrix)).toEqual(["accepted | working", "refused | left out"]);
  });

  it("shows where a site dropped out, and excludes it from later steps", () => {
    const matrix = matrixOf({
      endedAt: null,
      steps: [
        step("join", "join", done),
        ...moments([done, done, { ...done, dropped: ["b"] }, done]),
        step("subspace", "sum", { stage: "subspace", status: "open" }),
      ],
      siteStates: [site("a", { state: "working" }), site("b", { state: "dropped" })],
    });
    expect(statesOf(matrix)).toEqual(["accepted | done | working", "accepted | dropped | left out"]);
  });

  it("shows where an ended study stopped", () => {
    const steps = [step("join", "join", { status: "open" }), ...moments()];
    const { columns } = matrixOf({ steps, siteStates: [site("a")], endedAt: "2026-01-02T03:04:05.000Z" });
    expect(columns[0]?.phase).toBe("ended here");
  });

  it("shows the attempt", () => {
    const { columns } = matrixOf({ steps: moments([{}, {}, { attempt: 3 }]), siteStates: [], endedAt: null });
    expect(columns[0]?.attempt).toBe(3);
  });
});
