import { readSaid } from "@consilium/core/readSaid";
import { certificateBytes } from "@consilium/core/release/certificate";
import { parseReleaseContent } from "@consilium/core/release/content";
import { countedTexts } from "@consilium/core/release/countedText";
import { resultText } from "@consilium/core/release/result";
import { statementOf, statementText } from "@consilium/core/release/statement";
import { unwrap } from "@consilium/core/result";
import { documentOnRoster } from "@consilium/core/study/onRoster";
import {
  countersignaturesOf,
  identifyTestSite,
  testRun,
  testSites,
  testStudy,
} from "@consilium/core/testing/release/statement";
import { readCertificate } from "@consilium/release/v3/schema";
import { verifyStatement } from "@consilium/release/v3/statement";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import { sayEnglish } from "@consilium/words/english";
import { describe, expect, it } from "vitest";
import type { FinishedStudy } from "../rounds/runContext.js";
import { certificateOf, releaseContent, resultHash } from "./assemble.js";
import { publicRefusals } from "./refusals.js";

const sites = testSites(["a", "b", "c", "d", "e"]);
const all = sites.map((one) => one.site);
const document = documentOnRoster(
  testStudy({
    method: "dp-pca",
    variant: "sound",
    privacy: { epsilon: 1, delta: 1e-3 },
    participation: { minimumSites: 4 },
    release: { title: "Two columns" },
  }),
  sites.length,
);
const run = testRun({ document, sites });
const { plan, studyId } = run;
const [{ stage }] = run.attempts as [(typeof run.attempts)[number]];
const attempts = [
  { stage, attempt: 1, survivors: null },
  { stage, attempt: 2, survivors: all.slice(1) },
];
const roster = {
  studyId,
  studyHash: document.hash,
  hash: run.roster.hash,
  members: sites.map(({ site, signingKey }) => ({ site, signingKey, exchangeKey: new Uint8Array(32) })),
};
const record = { id: studyId } as FinishedStudy["record"];
const computed = {
  record,
  document,
  roster,
  software: "0.1.0",
  missing: [],
  published: null,
  result: { table: null, model: { k: 1 }, facts: { radius: 1 }, notes: [], finding: null, rowsUsed: null },
};
const statement = statementOf({ ...run, attempts, result: await resultHash(computed) });
const text = statementText(statement);

const finished: FinishedStudy = {
  ...computed,
  plan,
  refusals: [],
  finishedAt: Date.parse("2026-01-02T03:04:05Z"),
  countersigned: {
    statement,
    countersignatures: countersignaturesOf(text, studyId, sites.slice(1)).reverse(),
    chains: new Map(sites.map((one) => [one.site, [Buffer.from(one.site), one.signingKey]])),
  },
};
const files = [
  { name: "result.json", bytes: 3, sha256: statement.result },
  { name: "model.json", bytes: 3, sha256: sha256("{}\n") },
];
const certificate = certificateOf(finished, files);

describe("a finished study", () => {
  it("becomes a certificate that verifies, with the statement that the sites were asked for", () => {
    const read = unwrap(readCertificate(certificateBytes(certificate)));
    expect(read.statement).toBe(text);
    const verified = verifyStatement(read, { identifySite: identifyTestSite(sites) });
    expect(verified).toMatchObject({
      ok: true,
      value: { attemptsGivenUp: 1, countersigned: { by: 4, of: 5, needed: 4 } },
    });
    expect(certificate.missing).toEqual(["a"]);
    expect(read.stated.attempts.map((one) => one.dropped)).toEqual([null, ["a"]]);
    expect([read.files, read.renderings].map((list) => list.map(({ name }) => name))).toEqual([
      ["result.json"],
      ["model.json"],
    ]);
    expect(certificate.issuedAt).toBe("2026-01-02T03:04:05.000Z");
  });

  it("tells readers the ε of every attempt, not the one that was asked for", () => {
    const content = releaseContent(finished);
    expect(content.privacy.epsilon).toBe(certificate.shown.zcdp!.epsilon);
    expect(content.privacy.epsilon).toBeGreaterThan(1.3);
    expect(content.privacyStatement).toMatch(/^Proven: epsilon 1\.\d+, delta 0\.001\. It protects one /);
    expect(content.title).toBe("Two columns");
  });

  it("says why hospitals did not take part, which no site has signed", () => {
    const refusals = [{ code: "POLICY_EPSILON", hospitals: 2 }];
    const content = unwrap(parseReleaseContent(JSON.stringify(releaseContent({ ...finished, refusals }))));
    expect(content.refusals).toEqual(refusals);
    expect(sha256(resultText(content, null))).toBe(statement.result);
    expect(countedTexts(content).flow.map((line) => sayEnglish(readSaid(line)!))).toEqual([
      "Reasons for not taking part, reported by the aggregator and signed by no hospital: POLICY_EPSILON (2 hospitals)",
    ]);
    expect(releaseContent(finished)).not.toHaveProperty("refusals");
    const refused = (refusalCode: "POLICY_EPSILON" | "TABLE_UNKNOWN", mayPublishRefusal: boolean) =>
      ({ decision: "refused", refusalCode, mayPublishRefusal }) as const;
    expect(
      publicRefusals([
        refused("TABLE_UNKNOWN", false),
        refused("POLICY_EPSILON", true),
        refused("POLICY_EPSILON", true),
        { decision: "joined", refusalCode: null, mayPublishRefusal: true },
      ]),
    ).toEqual(refusals);
  });

  it("has the result that the sites signed, no matter who writes its file", () => {
    const content = unwrap(parseReleaseContent(JSON.stringify(releaseContent(finished))));
    expect(sha256(resultText(content, null))).toBe(statement.result);
    expect(JSON.parse(resultText(content, null))).toEqual({
      format: "consilium-result/1",
      software: { consilium: "0.1.0" },
      model: { k: 1 },
      facts: { radius: 1 },
      columns: [],
      notes: [],
      rows: null,
    });
  });

  it("names all hospitals whose own figures it shows among the result's facts, and three in the release's note", () => {
    const ward = {
      name: "ward",
      type: "categorical",
      levels: all.map(String),
      missing: "reject-row",
    } as const;
    const study = { ...document.study, features: [ward] };
    const content = releaseContent({ ...finished, document: { ...document, study } });
    expect(content.facts?.perHospital).toBe("a, b, c, d, e");
    expect(content.notes).toEqual([
      expect.stringMatching(/^plan\.per-hospital .*"hospitals":\["a","b","c"\],.*"more":2/),
    ]);
  });

  it("is not certified for sites that it has no certificate of", () => {
    const chains = new Map([...finished.countersigned.chains].slice(1));
    const without = { ...finished, countersigned: { ...finished.countersigned, chains } };
    expect(() => certificateOf(without, files)).toThrow(/site a has no/);
  });
});
