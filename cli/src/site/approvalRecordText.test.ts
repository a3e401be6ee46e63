import { createHash } from "node:crypto";
import type { ApprovalRecordsView } from "@consilium/core/hospital/approvalRecords";
import { explainedStudyView } from "@consilium/core/hospital/explainedStudy";
import { studyFactsSchema } from "@consilium/core/hospital/studyFacts";
import { unwrap } from "@consilium/core/result";
import { studyDocument } from "@consilium/core/study/study";
import { parseStudy } from "@consilium/methods/testing/studies";
import { allMethods } from "@consilium/methods-paper/all";
import { english } from "@consilium/runtime/http/spoken";
import { describe, expect, it } from "vitest";
import { plainStyle } from "../terminal/style.js";
import { checkedRecords, recordsText } from "./approvalRecordText.js";
import { reworded } from "./reworded.js";

const study = "vitals-0123456789";
const hash = "a".repeat(64);
const shown = {
  studyHash: hash,
  planHash: hash,
  policyHash: null,
  tableHash: hash,
  language: "de",
  software: "0.1.0+0123456789ab",
  texts: ["Kosten\u001b[2J", "So viel."],
};
const record = {
  format: "consilium-approval/1",
  study,
  by: "bob",
  inPlaceOf: "ada",
  at: Date.UTC(2026, 0, 2, 3, 4),
  decision: "joined",
  software: "0.1.0+0123456789ab",
  terms: { study: hash, plan: hash, policy: null, table: hash, content: null },
  plan: "{}",
  policy: null,
  table: "[]",
  facts: {},
  shown,
};
const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const text = JSON.stringify(record);
const view = (over: object = {}): ApprovalRecordsView => ({
  study,
  records: [{ text, entry: { sequence: 7, record: sha256(text) }, ...over }],
  missing: [],
});
const printed = (of: ReturnType<typeof view>) => recordsText(of, checkedRecords(of), [], plainStyle);

describe("a record of an approval", () => {
  it("is printed with who, when and what was shown, and the entry that holds it", () => {
    const out = printed(view());
    expect(out).toContain("bob in place of ada, 2026-01-02 03:04 UTC: approval; the hospital takes part");
    expect(out).toContain(`verified: SHA-256 ${sha256(text)}, ledger entry 7`);
    expect(out).toContain("shown in German, as 0.1.0+0123456789ab reports it:\n    Kosten");
    expect(out).not.toContain("\u001b");
    const without = JSON.stringify({ ...record, shown: null });
    expect(printed(view({ text: without }))).toContain("nothing was shown, as far as the agent was told");
  });

  it("is printed of a denial with its reason, and of a join that nobody was asked about", () => {
    const of = (over: object) => {
      const text = JSON.stringify({ ...record, ...over });
      return printed(view({ text, entry: { sequence: 7, record: sha256(text) } }));
    };
    const denied = of({ decision: "refused", inPlaceOf: null, reason: "no ethics vote" });
    expect(denied).toContain("bob, 2026-01-02 03:04 UTC: denial; the hospital does not take part");
    expect(denied).toContain("reason: no ethics vote");
    expect(denied).toContain("shown in German");
    const alone = of({ decision: "automatic", by: null, inPlaceOf: null, shown: null });
    expect(alone).toContain("the policy, 2026-01-02 03:04 UTC: joined without a person");
    expect(alone).toContain("nothing was shown: nobody was asked");
    expect(alone).toContain("verified");
  });

  it.each([
    ["it was changed: its SHA-256 is not that of ledger entry 7", { text: text.replace("bob", "eve") }],
    ["it was changed", { text: "{" }],
    ["the ledger has no entry of it", { entry: null }],
    ["this version cannot read it", { text: "{}", entry: { sequence: 7, record: sha256("{}") } }],
  ])("does not stand for an approval where %s", (fault, over) => {
    expect(checkedRecords(view(over))[0]!.fault).toContain(fault);
    expect(printed(view(over))).toContain(`not verified: ${fault}`);
  });

  it("is missed where the ledger has an entry of one that is not there", () => {
    const of = { study, records: [], missing: [{ sequence: 9, record: hash }] };
    expect(printed(of)).toContain(`A record is missing: ledger entry 9 has its SHA-256 ${hash}`);
  });

  it("is said anew from its facts, and shown where this version words it otherwise", () => {
    const { text: given, hash: itsHash } = studyDocument(
      unwrap(
        parseStudy({
          name: "vitals",
          table: "visits",
          analysis: "pca",
          method: "dp-pca",
          variant: "sound",
          parameters: { components: 1 },
          privacy: { epsilon: 1, delta: 1e-6 },
          participation: { maxRowsPerSite: 1000, minimumSites: 3, tolerateColluding: 1 },
          features: ["age", "bmi"].map((name) => ({ name, type: "numeric", min: 0, max: 120 })),
        }),
      ),
    );
    const at = "2026-01-02T03:04:00.000Z";
    const facts = {
      id: study,
      name: "vitals",
      status: "waiting for approval",
      words: "it waits",
      joined: false,
      table: "visits",
      analysis: "pca",
      method: "dp-pca",
      variant: "sound",
      stated: null,
      firstSeenAt: at,
      endedAt: null,
      approveUntil: at,
      joinUntil: at,
      firstApproval: null,
      decidedAt: null,
      decidedBy: null,
      code: null,
      reason: null,
      hash: itsHash,
      text: given,
      terms: { studyHash: hash, planHash: hash, policyHash: null, tableHash: hash },
      verdict: { allowed: true, code: null, message: null },
      decision: { outcome: "person", rule: "approval", code: null, words: "a person decides" },
      approvals: 1,
      changedSince: [],
      questions: [],
      budget: null,
      population: null,
      chargedUnit: null,
      spent: null,
      maxEpsilon: 3,
      pinned: 0,
      isCharged: false,
      found: null,
    };
    const { explanation } = explainedStudyView(studyFactsSchema.parse(facts), allMethods);
    const texts = explanation.flatMap(({ title, paragraphs }) => [title, ...paragraphs.map(english)]);
    const [{ record: read }] = checkedRecords(view()) as [ReturnType<typeof checkedRecords>[number]];
    const anew = (more: object) =>
      reworded({ ...read!, facts, shown: { ...read!.shown!, language: "en", ...more } }, allMethods);
    // As a terminal breaks lines.
    const broken = texts.map((one) => one.replaceAll(" ", "\n   "));
    expect(anew({ texts: broken })).toMatchObject({ fault: null, uncompared: 0, otherwise: [] });
    const cost = texts.find((one) => one.startsWith("Epsilon 1 at delta"))!;
    const other = texts.map((one) => one.replace("Epsilon 1 at", "Epsilon 0.1 at"));
    const { otherwise } = anew({ texts: other });
    expect(otherwise).toEqual([{ section: "Privacy cost", text: cost }]);
    // Of this section the page has a table.
    const sent = explanation.find(({ title }) => title === "Data sent from this hospital")!.paragraphs;
    const page = anew({ texts: texts.filter((one) => !sent.map(english).includes(one)) });
    expect(page).toMatchObject({ uncompared: sent.length, otherwise: [] });
    const german = anew({ language: "de", texts: ["nichts davon"] });
    expect(german.otherwise.map(({ text: one }) => one).join()).toMatch(/Epsilon|Versuche/);
    expect(german.uncompared).toBeGreaterThan(0);
  });

  it("is said anew only where its facts are some that this version knows, and something was shown", () => {
    const [{ record: read }] = checkedRecords(view()) as [ReturnType<typeof checkedRecords>[number]];
    expect(reworded(read!, allMethods).fault).toBe("its facts are those of another version");
    expect(reworded({ ...read!, shown: null }, allMethods).fault).toBe("nothing was shown");
  });
});
