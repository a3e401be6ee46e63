import type { EntryView } from "@consilium/core/hospital/ledgerViews";
import { expect, it } from "vitest";
import { groupText } from "./groupText.js";

const entry = (kind: EntryView["kind"], stages: string[], epsilon: number | null = null): EntryView => ({
  sequence: 1,
  at: "2026-03-04T12:00:00Z",
  kind,
  populations: ["default"],
  study: "s",
  stages,
  hash: "",
  cost: kind === "release" ? null : { epsilon, delta: 1e-6, unit: "row", claimedEpsilon: null },
});
const reserve = entry("reserve", ["a 1", "b 1"], 2);
const said = (entries: EntryView[]) => groupText(entries)?.replaceAll("\u00a0", " ");
const release = entry("release", []);

it("is what a study reserved while it runs, and what it was charged once that is known", () => {
  const [a, b] = [entry("commit", ["a 1"], 1.3), entry("commit", ["b 1"], 1.3)];
  const reserved = "reserved: ε 2 per row at δ 1e-6";
  expect(said([])).toBeUndefined();
  expect(said([reserve])).toBe(reserved);
  expect(said([a, reserve])).toBe(reserved);
  expect(said([b, a, reserve])).toBe("charged: ε 2 per row at δ 1e-6");
  expect(said([release, reserve])).toBe("nothing charged");
  expect(said([release, a, reserve])).toBe("charged: ε 1.3 per row at δ 1e-6");
});

it("names the ε that the study states first, where the budget has another δ", () => {
  const entries = [entry("commit", ["a 1"], 2), entry("reserve", ["a 1"], 2)];
  const text = (delta: number) => groupText(entries, { epsilon: 1.8, delta })?.replaceAll("\u00a0", " ");
  expect(text(1e-5)).toBe("charged: ε 1.8 at the study's δ 1e-5; of the budget ε 2 per row at δ 1e-6");
  expect(text(1e-6)).toBe("charged: ε 2 per row at δ 1e-6");
  const claimed = { epsilon: null, delta: 1e-6, unit: "row" as const, claimedEpsilon: 0.5 };
  const unproved = entries.map((one) => ({ ...one, cost: claimed }));
  expect(groupText(unproved, { epsilon: 1, delta: 1e-5 })).toBe(
    "charged: no proven bound (claimed: ε 1 at δ 1e-5)",
  );
});

it("counts stages where no entry has their cost together, and has no number without a bound", () => {
  const again = entry("reserve", ["b 2"], 1.3);
  const spent = ["a 1", "b 1", "b 2"].map((stage) => entry("commit", [stage], 1.3));
  expect(said([...spent, again, reserve])).toBe("charged: 3 of 3 reserved stages");
  expect(said([release, ...spent.slice(1), again, reserve])).toBe("charged: 2 of 3 reserved stages");
  expect(said([entry("commit", ["a 1"]), entry("reserve", ["a 1"])])).toBe("charged: no proven bound");
});
