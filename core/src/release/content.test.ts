import { describe, expect, it } from "vitest";
import { parseReleaseContent, releaseDataBytes, releaseRowBytes } from "./content.js";

const number = (name: string) => ({ name, type: "number", description: "" });
const level = (name: string, levels = ["a", "b"]) => ({ name, type: "level", description: "", levels });

function contentWith(overrides: object): string {
  return JSON.stringify({
    format: "consilium-release/1",
    id: "x-0123456789",
    title: "t",
    description: "",
    license: null,
    creator: null,
    createdAt: "2026-01-01T00:00:00Z",
    access: "open",
    study: {
      id: "x-0123456789",
      name: "x",
      hash: "0".repeat(64),
      analysis: "pca",
      method: "m",
      variant: "paper",
    },
    privacyStatement: "",
    privacy: {
      verdict: "no privacy",
      epsilon: null,
      delta: null,
      neighbouringRelation: "none",
      unit: "nobody",
      proof: null,
      reasons: [],
      countersigned: { by: 3, of: 3 },
    },
    columns: [],
    rows: 0,
    model: {},
    notes: [],
    ...overrides,
  });
}

function faultOf(overrides: object): string {
  const parsed = parseReleaseContent(contentWith(overrides));
  if (parsed.ok) return "none";
  expect(parsed.error.code).toBe("DEPOSIT_INVALID");
  return parsed.error.message;
}

describe("a release's content", () => {
  it("may have no columns and no rows, or both", () => {
    expect(faultOf({})).toBe("none");
    expect(faultOf({ columns: [number("a"), level("b")], rows: 7 })).toBe("none");
    expect(faultOf({ rows: 1 })).toMatch(/a release with rows needs columns/);
  });

  it.each([
    ["unknown key", { more: 1 }, /more/],
    ["bad id", { id: "../x-0123456789" }, /id/],
    ["a level before a number", { columns: [level("b"), number("a")] }, /level columns come after/],
    ["names that differ in case only", { columns: [number("a"), number("A")] }, /letter case/],
    ["equal levels", { columns: [level("b", ["x", "x"])] }, /differ from each other/],
    ["a zero byte", { title: "a\0b" }, /title/],
    ["half a surrogate pair", { columns: [level("b", ["\ud800", "x"])] }, /columns\.0\.levels\.0/],
    ["a negative number of rows", { rows: -1 }, /rows/],
  ])("refuses %s", (_what, overrides, message) => {
    expect(faultOf(overrides)).toMatch(message);
  });

  it("refuses what is not JSON", () => {
    const parsed = parseReleaseContent("{");
    expect(parsed).toMatchObject({ ok: false, error: { code: "DEPOSIT_INVALID" } });
  });

  it("has rows of 8 bytes a number and 2 a level", () => {
    const parsed = parseReleaseContent(
      contentWith({ columns: [number("a"), number("c"), level("b")], rows: 3 }),
    );
    if (!parsed.ok) throw parsed.error;
    expect(releaseRowBytes(parsed.value.columns)).toBe(18);
    expect(releaseDataBytes(parsed.value)).toBe(54);
  });
});
