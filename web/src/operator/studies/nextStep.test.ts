import type { StudySiteView, StudyView } from "@consilium/core/operator/views";
import { describe, expect, it } from "vitest";
import { askedSums, nextStep } from "./nextStep";

const site = (name: string, changes: Partial<StudySiteView>): StudySiteView => ({
  site: name,
  presence: "online",
  state: "done",
  workingSince: null,
  receivedBytes: 0,
  expectedBytes: 0,
  code: null,
  mayPublishRefusal: false,
  ...changes,
});
const step = (kind: StudyView["steps"][number]["kind"], status: "waiting" | "open" | "done") => ({
  id: kind,
  kind,
  stage: null,
  attempt: 1,
  seconds: null,
  dropped: [],
  received: {},
  status,
});
const failure = { code: "ROSTER_TOO_SMALL", message: "too few", remedy: "invite more sites" } as const;

describe("what to do about a failed study", () => {
  it("is a corrected copy where sites refused it, with each site's reason", () => {
    const next = nextStep({
      failure,
      steps: [step("join", "open")],
      siteStates: [site("county", { state: "refused", code: "COLUMN_MISSING" }), site("village", {})],
    });
    expect(next).toMatchObject({ kind: "correct", sites: [{ site: "county", code: "COLUMN_MISSING" }] });
    expect(next!.sites[0]!.remedy).not.toBe("");
  });

  it("is its own remedy where sites only did not answer, or it had begun", () => {
    const silent = nextStep({
      failure,
      steps: [step("join", "open")],
      siteStates: [site("county", { state: "invited" })],
    });
    expect(silent).toMatchObject({ kind: "resume", title: "Invite more sites.", sites: [] });
    const begun = nextStep({
      failure: { ...failure, code: "PHASE_DEADLINE" },
      steps: [step("join", "done"), step("sum", "open")],
      siteStates: [site("county", { state: "refused", code: "POLICY_SITES" })],
    });
    expect(begun).toMatchObject({ kind: "resume", sites: [{ site: "county" }] });
  });

  it("is nothing where nothing failed", () =>
    expect(nextStep({ failure: null, steps: [], siteStates: [] })).toBeNull());
});

it("counts what sites may have been charged for", () =>
  expect(
    askedSums({
      steps: [step("join", "done"), step("sum", "done"), step("sum", "open"), step("rows", "waiting")],
    }),
  ).toEqual({ asked: 2, all: 3 }));
