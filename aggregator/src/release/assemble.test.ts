import { certificateBytes, privacyInShort } from "@consilium/core/release/certificate";
import { statementText } from "@consilium/core/release/statement";
import { unwrap } from "@consilium/core/result";
import {
  countersignaturesOf,
  identifyTestSite,
  testRun,
  testSites,
  testStudy,
} from "@consilium/core/testing/release/statement";
import { parseCertificate } from "@consilium/release/v2/schema";
import { statementOfCertificate, verifyStatement } from "@consilium/release/v2/statement";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import { describe, expect, it } from "vitest";
import type { FinishedStudy } from "../rounds/runContext.js";
import { certificateOf, releaseContent } from "./assemble.js";
import { statementOfStudy } from "./countersigned.js";

const sites = testSites(["a", "b", "c", "d", "e"]);
const all = sites.map((one) => one.site);
const document = testStudy({
  method: "dp-pca",
  variant: "sound",
  privacy: { epsilon: 1, delta: 1e-3 },
  participation: { minimumSites: 4 },
  release: { title: "Two columns" },
});
const run = testRun({ document, sites });
const { plan, studyId } = run;
const [{ stage }] = run.attempts as [(typeof run.attempts)[number]];
const attempts = [
  { stage, attempt: 1, survivors: null },
  { stage, attempt: 2, survivors: all.slice(1) },
];
const federation = "test-federation";
const roster = {
  studyId,
  studyHash: document.hash,
  hash: run.roster.hash,
  members: sites.map(({ site, signingKey }) => ({ site, signingKey, exchangeKey: new Uint8Array(32) })),
};
const record = { id: studyId } as FinishedStudy["record"];
const statement = statementOfStudy({ federation, record, document, plan, roster, attempts });

const finished: FinishedStudy = {
  record,
  document,
  plan,
  roster,
  missing: [],
  result: { table: null, model: { k: 1 }, facts: { radius: 1 }, notes: [], finding: null, rowsUsed: null },
  finishedAt: Date.parse("2026-01-02T03:04:05Z"),
  countersigned: {
    attempts,
    countersignatures: countersignaturesOf(statement, studyId, sites.slice(1)).reverse(),
    chains: new Map(sites.map((one) => [one.site, [Buffer.from(one.site), one.signingKey]])),
  },
};
const files = [{ name: "model.json", bytes: 3, sha256: sha256("{}\n") }];
const certificate = certificateOf(finished, { federation, software: { consilium: "0.1.0" }, files });

describe("a finished study", () => {
  it("becomes a certificate that verifies, with the statement that the sites were asked for", () => {
    const read = unwrap(parseCertificate(certificateBytes(certificate)));
    expect(statementText(statementOfCertificate(read))).toBe(statement);
    const verified = verifyStatement(read, { identifySite: identifyTestSite(sites) });
    expect(verified).toMatchObject({
      ok: true,
      value: { attemptsGivenUp: 1, countersigned: { by: 4, of: 5, needed: 4 } },
    });
    expect(certificate.missing).toEqual(["a"]);
    expect(certificate.sites.attempts.map((one) => one.dropped)).toEqual([null, ["a"]]);
    expect(certificate.privacy.facts).toEqual({ radius: 1 });
    expect(certificate.issuedAt).toBe("2026-01-02T03:04:05.000Z");
  });

  it("tells readers the ε of every attempt, not the one that was asked for", () => {
    const content = releaseContent(finished, federation);
    expect(content.privacy).toEqual(privacyInShort(certificate));
    expect(content.privacy.epsilon).toBeGreaterThan(1.3);
    expect(content.privacyStatement).toMatch(/^Proven: epsilon 1\.\d+, delta 0\.001\. It protects one /);
    expect(content.title).toBe("Two columns");
  });

  it("names all hospitals whose own figures it shows among the certificate's facts, and three in the release's note", () => {
    const ward = {
      name: "ward",
      type: "categorical",
      levels: all.map(String),
      missing: "reject-row",
    } as const;
    const study = { ...document.study, features: [ward] };
    const shown = { ...finished, document: { ...document, study } };
    const { privacy } = certificateOf(shown, { federation, software: {}, files });
    expect(privacy.facts.perHospital).toBe("a, b, c, d, e");
    expect(releaseContent(shown, federation).notes).toEqual([
      expect.stringMatching(/^plan\.per-hospital .*"hospitals":\["a","b","c"\],.*"more":2/),
    ]);
  });

  it("is not certified for sites that it has no certificate of", () => {
    const chains = new Map([...finished.countersigned.chains].slice(1));
    const without = { ...finished, countersigned: { ...finished.countersigned, chains } };
    expect(() => certificateOf(without, { federation, software: {}, files })).toThrow(/site a has no/);
  });
});
