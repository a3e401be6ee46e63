import { finding } from "@consilium/core/release/finding";
import type { ReleaseSummary, ReleaseView } from "@consilium/core/release/views";
import { saidText } from "@consilium/core/said";
import { describe, expect, it } from "vitest";
import { sampleTrees } from "../../testing/formats/predictors.js";
import { sampleContent } from "../../testing/release.js";
import { listPage, releasePage } from "../api/page.js";
import { datapackage, readDatapackage } from "./datapackage.js";
import { dictionary } from "./dictionary.js";
import { figureSvg } from "./figureSvg.js";
import { readme } from "./readme.js";

const url = "https://example.org/releases/x/";
const content = sampleContent();
const found = finding("share", false, "finding.noise", {});
const counted = [{ of: "used" as const, name: null, value: 4908.2, low: 4801, high: 5015, unit: "rows" }];
const sentence = "Nothing was found: the noise is as large as the number of records.";

describe("a finding", () => {
  it("is said in README, page and list, before what is said of privacy", () => {
    const text = readme({ ...content, finding: found, counted }, [], url);
    expect(text).toContain(`**Finding (inconclusive).** ${sentence}`);
    expect(text).toContain("- Rows used: 4,910 (95% noise interval 4,800 to 5,020)");
    expect(text.indexOf(sentence)).toBeLessThan(text.indexOf("**Privacy.**"));
    const view = {
      content: { ...content, finding: { ...found, isClear: true }, counted },
      url,
      files: [],
      snippets: [],
      supersedes: [],
    } as unknown as ReleaseView;
    expect(releasePage(view).body).toContain(`<strong>Finding.</strong> ${sentence}`);
    expect(releasePage(view).body).toContain("Rows used: 4,910");
    const summary = {
      ...content,
      columns: 0,
      verdict: "proved",
      url,
      finding: found,
    } as unknown as ReleaseSummary;
    expect(listPage([summary], { total: 1, hasMembers: false }).body).toContain(sentence);
    expect(readme(content, [], url)).not.toContain("Finding");
  });

  it("says in README and page why hospitals did not take part, as the aggregator's word", () => {
    const refusals = [{ code: "POLICY_EPSILON", hospitals: 1 }];
    const said =
      "Reasons for not taking part, reported by the aggregator and signed by no hospital: POLICY_EPSILON (1 hospital)";
    expect(readme({ ...content, refusals }, [], url).replaceAll("\\", "")).toContain(`- ${said}`);
    const view = { content: { ...content, refusals }, url, files: [], snippets: [], supersedes: [] };
    expect(releasePage(view as unknown as ReleaseView).body).toContain(`<li>${said}</li>`);
    const kept = readDatapackage(JSON.stringify(datapackage({ ...content, refusals }, [], url)));
    expect(kept.ok && kept.value.description.refusals).toEqual(refusals);
    expect(readme(content, [], url)).not.toContain("signed by no hospital");
  });

  it("is what a release of an earlier version says under `caution`", () => {
    const older = datapackage(content, [], url) as { consilium: object };
    const caution = "Noise explains this result: no tree has a split.";
    const read = readDatapackage(JSON.stringify({ ...older, consilium: { ...older.consilium, caution } }));
    expect(read.ok && read.value.description.finding).toEqual({ text: caution, isClear: false, by: null });
  });
});

it("says in a figure what a term's estimate is for as in the finding", () => {
  const label = saidText({ code: "finding.term", params: { term: "age", step: 1, unit: "years" } });
  const svg = figureSvg({
    kind: "bars",
    name: "coefficients",
    title: "Factors",
    valueLabel: "log-odds",
    bars: [{ label, value: 0.1, low: 0, high: 0.2 }],
  });
  expect(svg).toContain(">age (per year)<");
  expect(svg).not.toContain("finding.term");
});

it("says on an axis of which unit a share is as people do", () => {
  const axis = (unit: string | null) =>
    figureSvg({
      kind: "curves",
      name: "column-1",
      title: "age",
      xLabel: "age",
      yLabel: saidText({ code: "finding.share-per", params: { unit } }),
      series: [{ label: "share", style: "line", points: [{ x: 0, y: 0.1, low: null, high: null }] }],
    });
  expect(axis("years")).toContain("share of the records with a value, per year<");
  expect(axis("mmol/l")).toContain("share of the records with a value, per mmol/l<");
  expect(axis("tablets")).toContain("share of the records with a value, per unit (tablets)<");
  expect(axis(null)).toContain("share of the records with a value, per unit<");
});

describe("a dictionary with a model", () => {
  const withModel = (calibration: { intercept: number; slope: number } | null) =>
    dictionary({ ...content, predictor: sampleTrees("logistic", { calibration }) }, [], url);

  it("says where each probability comes from, and how it was calibrated", () => {
    const calibrated = withModel({ intercept: -0.25, slope: 1.5 });
    expect(calibrated).toMatch(/evaluation\\?\.md\\?#probabilities/);
    expect(calibrated).toContain("log-odds = -0.25 + 1.5 ×");
    expect(withModel(null)).toContain("They are not calibrated to held-out rows");
  });

  it("says what the release holds in place of a number of rows that is 0", () => {
    expect(readme({ ...content, columns: [], rows: 0 }, [], url)).toContain("| Holds | a model, no rows |");
  });
});
