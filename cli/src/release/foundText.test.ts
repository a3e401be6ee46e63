import { finding } from "@consilium/core/release/finding";
import { expect, it } from "vitest";
import { plainStyle } from "../terminal/style.js";
import { foundText } from "./foundText.js";

it("says what a release found before how private it is", () => {
  const text = foundText(
    {
      id: "vitals-0123456789",
      title: "Vital signs",
      createdAt: "2026-01-01T01:00:00.000Z",
      study: {
        id: "s",
        name: "v",
        hash: "0".repeat(64),
        analysis: "pca",
        method: "dp-pca",
        variant: "sound",
      },
      finding: finding("share", false, "finding.no-components", { rows: 12, needed: 900 }),
      counted: [{ of: "used", name: null, value: 12.3, low: 0, high: 80.2, unit: "patients" }],
      privacyStatement: "Proven: epsilon 1.",
    },
    plainStyle,
  );
  expect(text).toContain("  finding  (inconclusive) Too imprecise to interpret: components stand out");
  expect(text).toContain("  counted  Patients used: 12 (95% noise interval 0 to 80)");
  expect(text.indexOf("finding")).toBeLessThan(text.indexOf("privacy"));
});
