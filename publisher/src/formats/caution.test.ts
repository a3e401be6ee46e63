import type { ReleaseSummary, ReleaseView } from "@consilium/core/release/views";
import { describe, expect, it } from "vitest";
import { sampleTrees } from "../../testing/formats/predictors.js";
import { sampleContent } from "../../testing/release.js";
import { listPage, releasePage } from "../api/page.js";
import { dictionary } from "./dictionary.js";
import { readme } from "./readme.js";

const url = "https://example.org/releases/x/";
const caution = "Noise explains this result: no tree has a split.";
const content = sampleContent();

describe("a release whose noise explains everything", () => {
  it("says so in its README, on its page and in the list, before what it says of privacy", () => {
    const text = readme({ ...content, caution }, [], url);
    expect(text.indexOf(caution)).toBeGreaterThan(0);
    expect(text.indexOf(caution)).toBeLessThan(text.indexOf("**Privacy.**"));
    expect(readme(content, [], url)).not.toContain("Caution");
    const view = {
      content: { ...content, caution },
      url,
      files: [],
      snippets: [],
      supersedes: [],
    } as unknown as ReleaseView;
    expect(releasePage(view).body).toContain(caution);
    const summary = { ...content, columns: 0, verdict: "proved", url, caution } as unknown as ReleaseSummary;
    expect(listPage([summary], 1).body).toContain(caution);
    expect(listPage([{ ...summary, caution: undefined } as never], 1).body).not.toContain("Caution");
  });
});

describe("a dictionary with a model", () => {
  const withModel = (calibration: { intercept: number; slope: number } | null) =>
    dictionary({ ...content, predictor: sampleTrees("logistic", { calibration }) }, [], url);

  it("says where each probability comes from, and how it was calibrated", () => {
    const calibrated = withModel({ intercept: -0.25, slope: 1.5 });
    expect(calibrated).toMatch(/evaluation\\?\.md\\?#probabilities/);
    expect(calibrated).toContain("log-odds = -0.25 + 1.5 ×");
    expect(withModel(null)).toContain("Nothing was measured on held-out rows");
  });

  it("says what the release holds in place of a number of rows that is 0", () => {
    expect(readme({ ...content, columns: [], rows: 0 }, [], url)).toContain("| Holds | a model, no rows |");
  });
});
