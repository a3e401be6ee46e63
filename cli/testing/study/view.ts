import type { StepView, StudySiteView, StudyView } from "@consilium/core/operator/views";

/** A running study of three sites for tests of what is shown. Not part of the command. */
export function exampleView(changes: Partial<StudyView> = {}): StudyView {
  return {
    id: "wdbc-pca-1f2e3d4c5b",
    name: "wdbc-pca",
    analysis: "pca",
    method: "elfed-pca",
    variant: "paper",
    status: "running",
    createdAt: "2026-01-02T03:04:05.000Z",
    endedAt: null,
    sites: 3,
    waiting: null,
    releaseUrl: null,
    verdict: "claimed by the authors, not verified",
    hash: "0".repeat(64),
    study: {},
    steps: [
      exampleStep("join", "join", { status: "done", seconds: 2 }),
      exampleStep("covariance", "sum", { status: "open", stage: "covariance" }),
      exampleStep("deposit", "deposit"),
    ],
    deadlineAt: "2026-01-02T03:14:05.000Z",
    atDeadline: "the study fails and names the missing sites",
    siteStates: [exampleSite("st-mary"), exampleSite("st-john"), exampleSite("riverside")],
    claim: {
      verdict: "claimed by the authors, not verified",
      epsilon: 1,
      delta: 1e-5,
      neighbouringRelation: "as the authors",
      unit: "one record of one site",
      proof: null,
      reasons: [],
    },
    seconds: 12,
    rows: null,
    failure: null,
    release: null,
    ...changes,
  };
}

export function exampleStep(id: string, kind: StepView["kind"], changes: Partial<StepView> = {}): StepView {
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

export function exampleSite(site: string, changes: Partial<StudySiteView> = {}): StudySiteView {
  return {
    site,
    presence: "online",
    state: "working",
    workingSince: null,
    receivedBytes: 1860,
    expectedBytes: 3720,
    code: null,
    mayPublishRefusal: false,
    ...changes,
  };
}
