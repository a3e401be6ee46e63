import {
  egressEntry,
  notJoined,
  studyFacts,
  testStudy,
} from "@consilium/site-agent/testing/dataProtection/facts";
import { dataProtectionDocument } from "@consilium/site-console/dataProtection/document";
import { dataProtectionMarkdown } from "@consilium/site-console/dataProtection/markdown";
import { bullets, inline, plain } from "@consilium/site-console/dataProtection/markdownText";
import { threeDigitsDown, threeDigitsUp } from "@consilium/site-console/dataProtection/plainText";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { siteFacts } from "./facts.js";

const text = (...given: Parameters<typeof siteFacts>) =>
  dataProtectionMarkdown(dataProtectionDocument(siteFacts(...given)));

describe("the document's text", () => {
  it("has a section for each part of Art. 30, and boxes for what the officer adds", () => {
    const made = text({ studies: [studyFacts(testStudy())] });
    expect([...made.matchAll(/^## (\d)\./gm)].map(([, number]) => number)).toEqual([..."123456789"]);
    for (const letter of "abcdefg") expect(made).toMatch(new RegExp(`^## .*\\(${letter}\\)`, "m"));
    expect(made.slice(made.indexOf("## 9.")).match(/^- \[ \] /gm)!.length).toBeGreaterThan(10);
  });

  it("shows what a study disclosed if it ran here, and what it would if it waits", () => {
    const study = testStudy();
    expect(text({ studies: [studyFacts(study)], egress: [egressEntry()] })).toContain(
      "What it discloses, stage by stage:",
    );
    const waiting = { ...notJoined, status: "waiting for approval" } as const;
    expect(text({ studies: [studyFacts(study, waiting, {})] })).toContain(
      "What it would disclose, stage by stage:",
    );
    const refused = text({
      studies: [studyFacts(study, { ...notJoined, status: "refused", localCode: "POLICY_EPSILON" })],
    });
    expect(refused).toContain("It did not run here");
    expect(refused).toContain("refused by a rule (POLICY_EPSILON): the study costs more epsilon");
    expect(refused).not.toContain("stage by stage");
  });

  it("lists the first columns of a very wide table", () => {
    const columns = Array.from({ length: 1_000 }, (_, i) => ({ name: `gene${i}`, type: "number" }));
    const made = text({ descriptions: [{ name: "visits", columns }] as never });
    expect(made).toContain("gene199 ");
    expect(made).not.toContain("gene200 ");
    expect(made).toContain("and 800 more columns");
  });

  it("stays text whatever a study's text holds", () => {
    const lines = (written: string) => {
      const release = {
        title: `t${written}`.slice(0, 200),
        description: written,
        creator: written.slice(0, 200),
      };
      return text({
        studies: [
          studyFacts(
            testStudy({ release, request: { purpose: `p${written}` } }),
            {},
            { decision: "approved", decidedBy: written },
          ),
        ],
      }).split("\n");
    };
    const shape = (line: string) =>
      `${/^(?:#+ |- \[ \] |- |\| )?/.exec(line)![0]}${line.replaceAll("\\|", "").split("|").length}`;
    const before = lines("x").map(shape);
    const nasty = fc.oneof(
      fc.string({ minLength: 1, maxLength: 60 }),
      fc.string({
        minLength: 1,
        maxLength: 60,
        unit: fc.constantFrom(..."|#-*_`[]()<>\\\n\r\u2028\u202e1. "),
      }),
    );
    fc.assert(
      fc.property(nasty, (written) => {
        const after = lines(written);
        expect(after.map(shape)).toEqual(before);
        expect(after.join("")).not.toMatch(/[\r\u2028\u202e]/);
      }),
      { numRuns: 50 },
    );
  });
});

describe("text in Markdown", () => {
  it.each([
    ["a|b", "a\\|b"],
    ["<script>", "\\<script\\>"],
    ["[x](http://y)", "\\[x\\](http://y)"],
    ["patient_id", "patient_id"],
    ["_so_ *it* `is`", "\\_so\\_ \\*it\\* \\`is\\`"],
    ["&amp;", "\\&amp;"],
    ["a\nb\u001b[2J", "a b \\[2J"],
  ])("%j is %j", (written, shown) => expect(inline(written)).toBe(shown));

  it.each([
    ["# no heading", "\\# no heading"],
    ["- no list", "\\- no list"],
    ["12. no list", "12\\. no list"],
    ["---", "\\---"],
    ["12 rows", "12 rows"],
  ])("begins no block: %j", (written, shown) => {
    expect(plain(written)).toBe(shown);
    expect(bullets([written])).toBe(`- ${shown}`);
  });
});

describe("numbers", () => {
  const positive = fc.double({ min: 1e-9, max: 1e6, noNaN: true });

  it("are rounded against the hospital, to three digits", () => {
    fc.assert(
      fc.property(positive, (value) => {
        const [up, down] = [Number(threeDigitsUp(value)), Number(threeDigitsDown(value))];
        expect(up).toBeGreaterThanOrEqual(value * (1 - 1e-12));
        expect(down).toBeLessThanOrEqual(value * (1 + 1e-12));
        expect(up - down).toBeLessThanOrEqual(value * 0.0101);
      }),
    );
    expect([threeDigitsUp(0), threeDigitsDown(2.8701), threeDigitsUp(1.1201), threeDigitsUp(0.5)]).toEqual([
      "0",
      "2.87",
      "1.13",
      "0.5",
    ]);
  });
});
