import { expect, it } from "vitest";
import { type DoctorView, doctorViewSchema, isHealthy } from "./doctorView.js";

const view: DoctorView = {
  checkedAt: "2026-03-01T10:00:00.000Z",
  software: "0.1.0",
  subject: "site",
  name: "st-mary",
  aggregator: "aggregator.example.org:7443",
  checks: [
    { id: "dns", title: "Name", status: "ok", found: "192.0.2.7", remedy: null, forIt: null },
    { id: "tables:patients", title: "Table", status: "warn", found: "empty", remedy: "fill it", forIt: null },
  ],
};

it("takes what a doctor says, and several checks of one kind", () =>
  expect(doctorViewSchema.parse(structuredClone(view))).toEqual(view));

it.each([
  { id: "weather" },
  { id: "dns:" },
  { id: "dns:a b" },
  { status: "bad" },
  { found: "" },
  { colour: "red" },
])("refuses a check with %j", (change) => {
  const changed = { ...view, checks: [{ ...view.checks[0]!, ...change }] };
  expect(doctorViewSchema.safeParse(changed).success).toBe(false);
});

it("is healthy unless a check fails", () => {
  expect(isHealthy(view)).toBe(true);
  const skipped = { ...view.checks[0]!, status: "skipped" as const };
  expect(isHealthy({ ...view, checks: [skipped] })).toBe(true);
  expect(isHealthy({ ...view, checks: [...view.checks, { ...skipped, status: "fail" }] })).toBe(false);
});
