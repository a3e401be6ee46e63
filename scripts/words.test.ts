import { describe, expect, it } from "vitest";
import { allowed, bannedPhrases, phrasesIn, wordFaults } from "./words.js";

describe("plain words", () => {
  it("are used everywhere", () => {
    expect(wordFaults()).toEqual([]);
  });

  it.each(bannedPhrases)("bans: $example", ({ example, pattern, instead }) => {
    expect(example.search(pattern)).toBeGreaterThanOrEqual(0);
    expect(instead).not.toBe("");
    expect(phrasesIn(`const message = "${example.toUpperCase()}";`).length).toBeGreaterThan(0);
  });

  it("are missed over the lines of a comment too, with the line", () => {
    expect(phrasesIn("/**\n * The study goes\n * on without it.\n */")).toMatchObject([
      { line: 2, found: "goes on" },
    ]);
    expect(phrasesIn("// it is spent for\n// ever")).toMatchObject([{ line: 1, found: "for ever" }]);
  });

  it.each([
    "the study continues without the site",
    "malformed message from the aggregator",
    "SHA-256 mismatch: expected ab, got cd",
    "what-leaves/audit.ts, ongoing, category of categories",
    "has nothing, and nobody reads it",
  ])("allow: %s", (text) => {
    expect(phrasesIn(text)).toEqual([]);
  });

  it("are refused in one file and allowed in another that gives a reason", () => {
    const text = "it goes on";
    const places = wordFaults([
      { path: "docs/x.md", text },
      { path: "scripts/words.ts", text },
    ]).map(({ place }) => place);
    expect(places).toContain("docs/x.md:1");
    expect(places).not.toContain("scripts/words.ts:1");
    for (const { reason } of allowed) expect(reason.length).toBeGreaterThan(20);
  });

  it("keep no allowance that nothing needs", () => {
    expect(wordFaults([]).filter(({ what }) => what.startsWith("nothing needs"))).toHaveLength(
      allowed.length,
    );
  });
});
