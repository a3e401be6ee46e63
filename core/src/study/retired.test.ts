import { expect, it } from "vitest";
import { demandUnretired, type Retired, retired, retiredName, retirementOf } from "./retired.js";

const plan = { edition: 2, format: "consilium-plan/3", accounting: ["zcdp/1", "pld/1"] as const };

it("is an edition of one method, a plan's format or a formula", () => {
  const why = "its noise was too small";
  const entries: [Retired, string, boolean][] = [
    [{ method: "dp-ka", edition: 2, why }, "dp-ka, edition 2", true],
    [{ method: "dp-ka", edition: 1, why }, "dp-ka, edition 1", false],
    [{ method: "counts", edition: 2, why }, "counts, edition 2", false],
    [{ format: "consilium-plan/3", why }, "consilium-plan/3", true],
    [{ format: "consilium-plan/2", why }, "consilium-plan/2", false],
    [{ accounting: "pld/1", why }, "pld/1", true],
    [{ accounting: "pld/2", why }, "pld/2", false],
  ];
  for (const [entry, name, falls] of entries) {
    expect(retirementOf("dp-ka", plan, [entry]), name).toBe(falls ? entry : null);
    expect(retiredName(entry)).toBe(name);
  }
});

it("is nothing yet", () => {
  expect(retirementOf("dp-ka", plan, retired)).toBeNull();
});

it("is refused by its name, with why", () => {
  const entry = { method: "dp-ka", edition: 2, why: "its noise was too small" };
  expect(() => demandUnretired("dp-ka", plan, [entry])).toThrow(
    "dp-ka, edition 2 is retired: its noise was too small",
  );
  expect(() => demandUnretired("dp-ka", { ...plan, edition: 1 }, [entry])).not.toThrow();
});
