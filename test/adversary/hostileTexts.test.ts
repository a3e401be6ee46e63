import { ledgerPosition } from "@consilium/aggregator/roster/ledgerHeads";
import { utf8Of } from "@consilium/core/bytes";
import { canonicalJson } from "@consilium/core/canonicalJson";
import { ConsiliumError } from "@consilium/core/errors";
import { certificateBytes } from "@consilium/core/release/certificate";
import { readHeader, signatureHeader } from "@consilium/core/release/signature";
import {
  checkStatement,
  type OwnRecords,
  statementOf,
  statementText,
} from "@consilium/core/release/statement";
import { signedWithdrawal, verifyWithdrawal } from "@consilium/core/release/withdrawal";
import { ok, type Result } from "@consilium/core/result";
import { hostileTexts } from "@consilium/core/testing/hostileTexts";
import { provedPlan, testCertificate, testRun, testSites } from "@consilium/core/testing/release/statement";
import { allMethods } from "@consilium/methods-paper/all";
import { readCertificate } from "@consilium/release/v3/schema";
import { confirmRevocations } from "@consilium/runtime/identity/confirmRevocations";
import { issueRevocations } from "@consilium/runtime/identity/issueRevocations";
import { verifyRevocations } from "@consilium/runtime/identity/revocations";
import { verifyConfirmation } from "@consilium/runtime/identity/revocationsConfirmation";
import { signedLines } from "@consilium/runtime/identity/signedLines";
import { testFederation } from "@consilium/runtime/testing/identity/federation";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import { readEntry } from "@consilium/site-agent/ledger/entry";
import { readExport } from "@consilium/site-agent/ledger/exported";
import { exportText } from "@consilium/site-agent/ledger/exportText";
import { parseHead } from "@consilium/site-agent/ledger/head";
import { spend, testLedger } from "@consilium/site-agent/testing/ledger/ledger";
import { describe, expect, it } from "vitest";

/** A reader of one canonical text; hashes and signatures are made right for whatever it is given. */
interface Reader {
  readonly name: string;
  readonly text: string;
  readonly read: (text: string) => Result<unknown, unknown>;
}

const federation = await testFederation();
const now = Date.now();
const rootPem = federation.root.certificatePem;
const run = testRun({ plan: provedPlan(), sites: testSites(["a", "b", "c", "d", "e"]) });
const { document, plan } = run;
const own: OwnRecords = {
  ...run,
  site: run.sites[0]!.site,
  attempts: run.attempts.map((one, at) => ({ ...one, event: plan.stages[at]!.disclosure.event })),
  signedBefore: null,
};
const certificate = new TextDecoder().decode(certificateBytes(testCertificate(run)));

const identify = () =>
  ok({ federation: "test-federation", role: "aggregator", id: "main", signingKey: new Uint8Array(32) });
const chain = [Uint8Array.of(1), Uint8Array.of(2)];
const header = signatureHeader(chain);
const withdrawal = canonicalJson({
  format: "consilium-withdrawal/1",
  federation: "test-federation",
  release: "sample-0123456789",
  certificateSha256: "a".repeat(64),
  status: "withdrawn",
  reason: "a reason of 7 words",
  issuedAt: "2026-01-02T03:04:05.000Z",
  supersededBy: null,
});
const withdrawalParts = Buffer.from(signedWithdrawal(JSON.parse(withdrawal), chain, () => new Uint8Array(64)))
  .toString()
  .split(".");

const { ledger } = testLedger();
spend(ledger, "study-1", 1);
const entry = ledger.entries().at(-1)!;
const head = ledger.anchor();
const exported = exportText({ entries: ledger.entries(), head });

const list = issueRevocations(federation.root, undefined, []);
const firstLine = (bytes: Uint8Array) => Buffer.from(bytes).toString().split("\n")[0]!;

const asResult = (work: () => unknown): Result<unknown, unknown> => {
  try {
    return ok(work());
  } catch (thrown) {
    if (thrown instanceof ConsiliumError) return { ok: false, error: thrown };
    throw thrown;
  }
};
const lineAt = (at: number) => (text: string) => readExport(exported.split("\n").with(at, text).join("\n"));

const readers: readonly Reader[] = [
  { name: "a study's text", text: document.text, read: (text) => allMethods.read(text, sha256(text)) },
  { name: "a statement", text: statementText(statementOf(run)), read: (text) => checkStatement(text, own) },
  { name: "a certificate", text: certificate, read: (text) => readCertificate(utf8Of(text)) },
  {
    name: "a signature's header",
    text: Buffer.from(header, "base64url").toString(),
    read: (text) => {
      const found = readHeader(Buffer.from(text).toString("base64url"));
      return found === undefined ? { ok: false, error: null } : ok(found);
    },
  },
  {
    name: "a withdrawal",
    text: withdrawal,
    read: (text) =>
      verifyWithdrawal(utf8Of(withdrawalParts.with(1, Buffer.from(text).toString("base64url")).join(".")), {
        identify,
        of: null,
        verifySignature: () => true,
      }),
  },
  {
    name: "an entry of a ledger",
    text: entry.text,
    read: (text) =>
      readEntry({
        sequence: entry.entry.sequence,
        text,
        hash: sha256("consilium ledger entry v1\n", text),
        signature: entry.signature,
      }),
  },
  { name: "the head of a ledger", text: head.head, read: (text) => parseHead({ head: text }) },
  {
    name: "what a head opens",
    text: head.opening!,
    read: (text) => {
      const totals = sha256("consilium ledger totals v1\n", text);
      return parseHead({ head: canonicalJson({ ...JSON.parse(head.head), totals }), opening: text });
    },
  },
  {
    name: "the head of a site's ledger, at the aggregator",
    text: head.head,
    read: (text) => asResult(() => ledgerPosition({ head: text })),
  },
  { name: "a line of a ledger's export", text: exported.split("\n")[1]!, read: lineAt(1) },
  {
    name: "the last line of a ledger's export",
    text: exported.split("\n").at(-2)!,
    read: lineAt(exported.split("\n").length - 2),
  },
  {
    name: "the list of expelled sites",
    text: firstLine(list),
    read: (text) =>
      verifyRevocations(signedLines(Buffer.from(text), federation.root.privateKey), {
        rootPem,
        knownSequence: 0,
      }),
  },
  {
    name: "the confirmation of that list",
    text: firstLine(confirmRevocations(federation.issuer, { bytes: list, sequence: 1 }, now)),
    read: (text) =>
      verifyConfirmation(
        signedLines(Buffer.from(text), federation.issuer.privateKey),
        { bytes: list, sequence: 1 },
        { rootPem, now },
      ),
  },
];

describe.each(readers)("$name", ({ text, read }) => {
  it("is read in its one spelling", () => {
    expect(read(text)).toMatchObject({ ok: true });
  });

  it("is refused in any other, and beside what two programs may read differently", () => {
    const all = hostileTexts(text);
    expect(all.length).toBeGreaterThan(15);
    const accepted = all.filter((one) => read(one.text).ok).map(({ name }) => name);
    expect(accepted).toEqual([]);
  });
});
