import { describe, expect, it } from "vitest";
import { plainWords, type Released } from "./plainWords.js";

const study = { id: "a", name: "a", hash: "", analysis: "describe", method: "describe", variant: "sound" };
const column = { name: "a", type: "number" as const, description: "a" };
const attempt = { stage: "counts", attempt: 0, kind: "sum" as const, survivors: ["a"], dropped: [] };
const released = (
  certificate: Partial<Released["certificate"]>,
  others: Partial<Pick<Released, "study" | "columns">> = {},
): Released => ({
  study,
  columns: [],
  ...others,
  certificate: {
    verdict: "proved",
    unit: "one patient",
    attempts: [attempt],
    ...certificate,
  },
});

describe("plain words of a release", () => {
  it("say whom a proven release protects, by its unit", () => {
    expect(plainWords(released({})).what).toMatch(/^Every single patient/);
    expect(plainWords(released({ unit: "one record of one site" })).what).toMatch(/several records .* less/);
  });

  it("say that hospitals add the noise, and what was made of the sums", () => {
    expect(plainWords(released({})).how).toMatch(
      /Each hospital added .* No central party .* computed from these sums alone\.$/,
    );
    const rows = { study: { ...study, analysis: "pca" }, columns: [column] };
    expect(plainWords(released({}, rows)).how).toMatch(/made up .* none is a patient's\.$/);
    const curves = { study: { ...study, analysis: "survival" }, columns: [column] };
    expect(plainWords(released({}, curves)).how).toMatch(/sums alone\.$/);
  });

  it("promise nothing where nothing is proven, and say what the aggregator saw", () => {
    const claimed = plainWords(
      released({
        verdict: "claimed by the authors, not verified",
        attempts: [attempt, { ...attempt, kind: "rows" }],
      }),
    );
    expect(claimed.from).toContain("The aggregator saw reduced rows");
    const none = plainWords(released({ verdict: "no privacy" }));
    expect([none.what, none.from, none.how]).toEqual([
      expect.stringContaining("Nothing"),
      expect.stringContaining("only sums over hospitals"),
      expect.stringContaining("No noise"),
    ]);
  });
});
