import type { StepView } from "@consilium/core/operator/views";
import { describe, expect, it } from "vitest";
import { exampleSite, exampleStep, exampleView } from "../../testing/study/view.js";
import { visibleLength } from "../terminal/layout.js";
import { plainStyle } from "../terminal/style.js";
import {
  cancelledText,
  changeLines,
  deadlineText,
  endText,
  foldedSteps,
  liveLines,
  resumedText,
  stepTitle,
  studyDetails,
  studyTable,
} from "./studyText.js";

const now = Date.parse("2026-01-02T03:11:00.500Z");
const size = { columns: 100, rows: 40 };
const context = { now, trouble: null, size, style: plainStyle };

describe("the live picture", () => {
  it("shows status, the open step with its countdown and its end, and a line per site", () => {
    const lines = liveLines(exampleView(), context);
    expect(lines).toEqual([
      "wdbc-pca-1f2e3d4c5b  running  6m56s",
      "  ##########--------------------  1 of 3 steps",
      "  [2/3] covariance: sites send masked vectors; only their sum is revealed",
      "  3m5s left; then the study fails and names the missing sites",
      "",
      "  riverside  online    working       ##########----------  50%  1.8 KiB of 3.6 KiB",
      "  st-john    online    working       ##########----------  50%  1.8 KiB of 3.6 KiB",
      "  st-mary    online    working       ##########----------  50%  1.8 KiB of 3.6 KiB",
    ]);
  });

  it("says of a refusal that its code may be published, where the hospital lets it", () => {
    const code = "POLICY_EPSILON";
    const states = (mayPublishRefusal: boolean) =>
      liveLines(
        exampleView({ siteStates: [exampleSite("a", { state: "refused", code, mayPublishRefusal })] }),
        context,
      ).join("\n");
    expect(states(true)).toContain("refused [POLICY_EPSILON, may be published]");
    expect(states(false)).toContain("refused [POLICY_EPSILON]");
  });

  it("puts the sites that need somebody first", () => {
    const view = exampleView({
      siteStates: [
        exampleSite("a", { state: "done" }),
        exampleSite("b"),
        exampleSite("c", { presence: "gone" }),
        exampleSite("d", { state: "failed", code: "TABLE_CHANGED" }),
        exampleSite("e", { state: "awaiting approval" }),
      ],
    });
    const order = liveLines(view, context)
      .slice(5)
      .map((line) => line.trim().split(" ")[0]);
    expect(order).toEqual(["d", "c", "e", "b", "a"]);
  });

  it("keeps the bars in line when a site waits for a person", () => {
    const siteStates = [exampleSite("a", { state: "awaiting approval" }), exampleSite("b")];
    const lines = liveLines(exampleView({ siteStates }), context).slice(5);
    expect(lines[0]).toContain("awaiting approval");
    expect(new Set(lines.map((line) => line.indexOf("##"))).size).toBe(1);
  });

  it("never draws more lines or columns than the terminal has", () => {
    const siteStates = Array.from({ length: 200 }, (_, index) =>
      exampleSite(`a-hospital-with-quite-a-long-name-${index}`),
    );
    for (const [columns, rows] of [
      [80, 24],
      [40, 10],
      [20, 8],
    ] as const) {
      const lines = liveLines(exampleView({ siteStates }), {
        ...context,
        trouble: "the aggregator does not answer",
        size: { columns, rows },
      });
      expect(lines.length).toBeLessThan(rows);
      expect(Math.max(...lines.map(visibleLength))).toBeLessThanOrEqual(columns);
      expect(lines.at(-1)).toMatch(/and \d+ more/);
    }
  });

  it("breaks a long deadline over lines rather than cutting what will happen", () => {
    const atDeadline = "the study fails and lists the missing sites; it can be resumed when they are back";
    const lines = liveLines(exampleView({ atDeadline }), { ...context, size: { columns: 60, rows: 24 } });
    expect(lines.join(" ").replace(/\s+/g, " ")).toContain(atDeadline);
    expect(Math.max(...lines.map(visibleLength))).toBeLessThanOrEqual(60);
  });

  it("says that a deadline has passed rather than counting below zero", () => {
    expect(deadlineText(exampleView({ atDeadline: null }), now + 3_600_000)).toBe("the deadline has passed");
    expect(deadlineText(exampleView({ deadlineAt: null }), now)).toBeNull();
  });
});

describe("a secure sum", () => {
  const phase = (suffix: string, kind: StepView["kind"], changes: Partial<StepView> = {}) =>
    exampleStep(`moments${suffix}`, kind, { stage: "moments", ...changes });

  it("has its phases in plain words, and further attempts by their number", () => {
    expect(
      [
        phase("-keys", "keys"),
        phase("-shares", "shares"),
        phase("", "sum"),
        phase("-survivors", "survivors"),
        phase("-unmask", "unmask", { attempt: 2 }),
        exampleStep("countersign", "countersign"),
      ].map(stepTitle),
    ).toEqual([
      "moments: keys",
      "moments: shares",
      "moments",
      "moments: survivors",
      "moments: unmasking (attempt 2)",
      "countersign",
    ]);
  });

  it("says once whom it continues without, and shows it afterwards", () => {
    const open = exampleView({ steps: [phase("", "sum", { status: "open" })] });
    const done = exampleView({
      steps: [phase("", "sum", { status: "done", seconds: 20, dropped: ["riverside", "st-john"] })],
    });
    expect(changeLines(open, done, now)).toEqual([
      "step moments continues without riverside, st-john",
      "step 1/1 moments done after 20.0s",
    ]);
    expect(changeLines(done, done, now)).toEqual([]);
    expect(studyDetails(done, now, plainStyle)).toMatch(/STEP .*WITHOUT\n *moments .*riverside, st-john/);
    expect(studyDetails(open, now, plainStyle)).not.toContain("WITHOUT");
  });

  it("shows a further attempt as a step of its own", () => {
    const first = exampleView({ steps: [phase("-keys", "keys", { status: "done", seconds: 1 })] });
    const second = exampleView({
      steps: [phase("-keys", "keys", { status: "open", attempt: 2 })],
      deadlineAt: null,
    });
    expect(changeLines(first, second, now)).toEqual(["step 1/1 moments: keys (attempt 2) open"]);
  });
});

describe("lines for a log", () => {
  it("say everything once and then only what changed", () => {
    const before = exampleView();
    expect(changeLines(null, before, now)).toEqual([
      "wdbc-pca-1f2e3d4c5b running",
      "step 1/3 join done after 2.0s",
      "step 2/3 covariance open (3m5s left; then the study fails and names the missing sites)",
      "site st-mary is online",
      "site st-mary working",
      "site st-john is online",
      "site st-john working",
      "site riverside is online",
      "site riverside working",
    ]);
    expect(changeLines(before, before, now)).toEqual([]);
    // What happens at the deadline is said again only when it is something else.
    const steps = exampleView().steps.map((step, index): StepView => {
      if (index === 1) return { ...step, status: "done", seconds: 61.2 };
      return index === 2 ? { ...step, status: "open" } : step;
    });
    expect(changeLines(before, exampleView({ steps }), now)).toEqual([
      "step 2/3 covariance done after 1m1s",
      "step 3/3 deposit open (3m5s left)",
    ]);
    const after = exampleView({
      siteStates: [
        exampleSite("st-mary", { presence: "gone" }),
        exampleSite("st-john", { state: "failed", code: "TABLE_CHANGED" }),
        exampleSite("riverside", { receivedBytes: 3000 }),
      ],
    });
    expect(changeLines(before, after, now)).toEqual([
      "site st-mary is offline",
      "site st-john failed [TABLE_CHANGED]",
    ]);
  });

  it("cannot be forged by a site's name", () => {
    const view = exampleView({ siteStates: [exampleSite("x\n03:11:00 wdbc released")] });
    expect(changeLines(null, view, now).every((line) => !line.includes("\n"))).toBe(true);
  });
});

describe("the end", () => {
  it("tells an analyst where the release is", () => {
    const text = endText(
      exampleView({
        status: "released",
        release: { id: "wdbc-pca-1f2e3d4c5b", url: "http://127.0.0.1:7081/releases/wdbc-pca-1f2e3d4c5b/" },
      }),
      plainStyle,
    );
    expect(text).toContain("Released after 12.0s.");
    expect(text).toContain("http://127.0.0.1:7081/releases/wdbc-pca-1f2e3d4c5b/");
  });

  it("gives a failure's code, reason and remedy", () => {
    const failure = {
      code: "PHASE_DEADLINE",
      message: "covariance: st-mary missing",
      remedy: "bring it back",
    } as const;
    expect(endText(exampleView({ status: "failed", failure }), plainStyle)).toBe(
      "failed after 12.0s.\n[PHASE_DEADLINE] covariance: st-mary missing. Bring it back.",
    );
  });
});

describe("what was done to a study", () => {
  it("says what a cancellation does and does not undo", () =>
    expect(cancelledText(exampleView({ status: "running" }), plainStyle)).toBe(
      "wdbc-pca-1f2e3d4c5b  cancelled after 12.0s.\nData sent by its sites are discarded, and nothing is released. " +
        "Data already sent stay charged to each site's budget.",
    ));

  it("says where a resumed study continues, until when, and how to follow it", () => {
    const text = resumedText(exampleView(), now, plainStyle);
    expect(text).toContain("Continuing at step covariance; earlier results are kept.");
    expect(text).toContain("Deadline: 3m5s left; then the study fails and names the missing sites");
    expect(text).toContain("consilium study watch wdbc-pca-1f2e3d4c5b");
    const done = exampleView({ deadlineAt: null, steps: [exampleStep("join", "join", { status: "done" })] });
    expect(resumedText(done, now, plainStyle)).not.toContain("step");
  });
});

describe("tables of studies", () => {
  it("list and show", () => {
    expect(studyTable([exampleView()], plainStyle)).toContain("wdbc-pca-1f2e3d4c5b  running");
    const details = studyDetails(exampleView(), now, plainStyle);
    expect(details).toContain("epsilon 1, delta 0.00001: claimed by the authors, not verified");
    expect(details).toContain("3m5s left");
  });
});

describe("a study that ended before its first sum", () => {
  const early = (status: "failed" | "running") =>
    studyDetails(
      exampleView({
        status,
        steps: [exampleStep("join", "join", { status: "open" }), exampleStep("covariance", "sum")],
      }),
      now,
      plainStyle,
    );

  it("cost nothing, and nothing of it waits", () => {
    expect(early("failed")).toMatch(/planned, and nothing was\s+charged/);
    expect(early("failed")).toMatch(/join +join +stopped[\s\S]*not run/);
    expect(early("running")).not.toContain("charged");
    expect(early("running")).toMatch(/open[\s\S]*waiting/);
  });
});

describe("a study that waits for room on a disk", () => {
  const waiting = {
    code: "DISK_FULL",
    message: "/var/lib/consilium/aggregator: 3 MiB are free; 64 MiB are kept in reserve",
    remedy: "free space there",
  } as const;
  const before = exampleView({ siteStates: [] });
  const full = { ...before, deadlineAt: null, atDeadline: null, waiting };
  const said = `waits: [DISK_FULL] ${waiting.message}. Free space there.`;

  it("says so wherever it is shown, with what to do", () => {
    const wide = { ...context, size: { columns: 200, rows: 40 } };
    expect(liveLines(full, wide)).toContain(`  ${said}`);
    expect(studyDetails(full, now, plainStyle)).toContain("[DISK_FULL] /var/lib/consilium/aggregator: 3 MiB");
    expect(studyTable([full], plainStyle)).toContain("running [DISK_FULL]");
    for (const text of [liveLines(before, context).join("\n"), studyTable([before], plainStyle)])
      expect(text).not.toContain("DISK_FULL");
  });

  it("says once that it waits, and that it continues", () => {
    expect(changeLines(before, full, now)).toEqual([`${full.id} ${said}`]);
    const less = { ...full, waiting: { ...waiting, message: "2 MiB are free" } };
    expect(changeLines(full, less, now)).toEqual([]);
    expect(changeLines(less, before, now)).toEqual([`${full.id} continues`]);
  });
});

describe("the steps of a long study", () => {
  it("are folded where nothing happened, with dropouts and what is open in sight", () => {
    const step = (n: number, more: Partial<StepView>): StepView => ({
      ...exampleStep(`s${n}`, "sum", {}),
      ...more,
    });
    const done = Array.from({ length: 12 }, (_, n) => step(n, { status: "done" }));
    const waiting = Array.from({ length: 12 }, (_, n) => step(20 + n, { status: "waiting" }));
    const dropped = step(12, { status: "done", dropped: ["st-john"] });
    const open = step(13, { status: "open" });
    expect(foldedSteps([...done, dropped, open, ...waiting])).toEqual([
      done[0],
      { status: "done", folded: 10 },
      done[11],
      dropped,
      open,
      waiting[0],
      { status: "waiting", folded: 10 },
      waiting[11],
    ]);
    expect(foldedSteps(waiting)).toEqual(waiting);
  });
});
