import type { DoctorCheck, DoctorView } from "@consilium/core/hospital/doctorView";
import { describe, expect, it } from "vitest";
import { doctorSummary, letterToIt } from "./doctorText.js";

const check = (change: Partial<DoctorCheck>): DoctorCheck => ({
  id: "tcp",
  title: "Port",
  status: "ok",
  found: "It answers.",
  remedy: null,
  forIt: null,
  ...change,
});
const view = (...checks: DoctorCheck[]): DoctorView => ({
  checkedAt: "2026-05-06T00:00:00Z",
  software: "1.0.0",
  subject: "site",
  name: "st-mary",
  aggregator: "a.example:7443",
  checks,
});

describe("what the doctor found", () => {
  it("passes, passes with warnings, or fails", () => {
    expect(doctorSummary(view(check({}), check({ status: "skipped" })))).toMatchObject({ tone: "ok" });
    expect(doctorSummary(view(check({ status: "warn" }))).title).toContain("with 1 warning");
    const failed = view(check({ status: "warn" }), check({ status: "fail" }), check({ status: "fail" }));
    expect(doctorSummary(failed)).toEqual({ tone: "bad", title: "Port fails, and 1 other check after it." });
  });

  it("is one text for the network team, or null", () => {
    expect(letterToIt(view(check({})))).toBeNull();
    const letter = letterToIt(
      view(check({ forIt: "Allow TCP 7443." }), check({ title: "Clock", forIt: "Set it." })),
    );
    expect(letter).toMatch(/^Consilium site agent st-mary.*\n\nPort\nAllow TCP 7443\.\n\nClock\nSet it\.\n$/);
  });
});
