/** A hostile aggregator may sign whatever certificate it likes: what remains is what is computed and countersigned. */

import { accountFor } from "@consilium/core/release/accounting";
import { ok } from "@consilium/core/result";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import { generateSigningKey } from "@consilium/secure-sum/crypto/sign";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readCertificate } from "../../testing/readCertificate.js";
import { certificateBytes } from "../../testing/v2/certificate.js";
import {
  countersignaturesOf,
  identifyTestSite,
  provedPlan,
  testCertificate,
  testRun,
  testSites,
  testStudy,
} from "../../testing/v2/run.js";
import { checkStatement, type StageAttempt, statementOf, statementText } from "../../testing/v2/statement.js";
import { type Certificate, parseCertificate } from "./schema.js";
import { type StatementChecks, statementOfCertificate, verifyStatement } from "./statement.js";

/** Verified by no signature at all. */
const weakened: Pick<StatementChecks, "verifySignature"> = { verifySignature: () => true };

const sites = testSites(["a", "b", "c", "d", "e"]);
const all = sites.map((one) => one.site);
const plan = provedPlan();
const [first, second] = plan.stages.map((stage) => stage.id) as [never, never];
const attempts: StageAttempt[] = [
  { stage: first, attempt: 1, survivors: null },
  { stage: first, attempt: 2, survivors: all.slice(0, 4) },
  { stage: second, attempt: 1, survivors: all },
];
const soundStudy = {
  method: "dp-pca",
  variant: "sound",
  privacy: { epsilon: 1, delta: plan.claim.delta },
};
const document = testStudy(soundStudy);
const run = { ...testRun({ sites, plan, document }), attempts };
const certificate = readCertificate(testCertificate(run));
const checks = { identifySite: identifyTestSite(sites) };

/** What verification says of a certificate that the aggregator has signed as it is. */
function faultOf(given: Certificate, otherwise: Partial<StatementChecks> = {}): string {
  let bytes: Uint8Array;
  try {
    bytes = certificateBytes(given);
  } catch {
    return "RELEASE_CORRUPT no certificate";
  }
  const parsed = parseCertificate(bytes);
  if (!parsed.ok) return `${parsed.error.code} ${parsed.error.message}`;
  const verified = verifyStatement(parsed.value, { ...checks, ...otherwise });
  return verified.ok ? "none" : `${verified.error.code} ${verified.error.message}`;
}

/** The certificate that a hostile aggregator makes of another story, with the countersignatures that it has. */
function retold(overrides: Partial<typeof run>): Certificate {
  const { countersignatures, missing } = certificate;
  return { ...readCertificate(testCertificate({ ...run, ...overrides })), countersignatures, missing };
}

/** A certificate with the countersignatures of all sites under what it says. */
function signedAnew(given: Certificate): Certificate {
  const statement = statementText(statementOfCertificate(given));
  const countersignatures = countersignaturesOf(statement, run.studyId, sites);
  return {
    ...given,
    countersignatures: readCertificate(testCertificate(run, { countersignatures })).countersignatures,
  };
}

describe("a certificate", () => {
  it("is verified with its ε as recomputed", () => {
    const verified = verifyStatement(certificate, checks);
    expect(verified).toEqual(
      ok({
        epsilon: certificate.privacy.epsilon,
        rho: certificate.privacy.accounting.rho,
        lossEpsilon: null,
        attemptsGivenUp: 1,
        countersigned: { by: 5, of: 5, needed: 4 },
      }),
    );
    expect(certificate.privacy.epsilon).toBeGreaterThan(plan.claim.epsilon!);
  });

  it("needs the threshold of countersignatures, and says who is missing", () => {
    const signedBy = (count: number) => {
      const statement = statementText(statementOf(run));
      const countersignatures = countersignaturesOf(statement, run.studyId, sites.slice(0, count));
      return readCertificate(testCertificate(run, { countersignatures }));
    };
    expect(signedBy(4).missing).toEqual(["e"]);
    expect(faultOf(signedBy(4))).toBe("none");
    expect(faultOf(signedBy(3))).toMatch(/^COUNTERSIGNATURE_INVALID .* by 3 of 5 sites, 4 are needed/);
    expect(faultOf({ ...signedBy(4), missing: [] })).toMatch(/^RELEASE_CORRUPT .* missing/);
  });

  it("is found out at any single changed value, no matter who signs it", () => {
    /** What no site can know rests on the aggregator's word, and on its signature. */
    const ownWord = /^(issuedAt|software|privacy\.facts|files)(\.|$)/;
    let tried = 0;
    for (const path of leavesOf(certificate)) {
      const copy = structuredClone(certificate);
      alter(copy as never, path);
      const fault = faultOf(copy);
      if (ownWord.test(path.join("."))) continue;
      expect(fault, path.join(".")).toMatch(
        /^(RELEASE_CORRUPT|CERTIFICATE_EPSILON|COUNTERSIGNATURE_INVALID) /,
      );
      tried++;
    }
    expect(tried).toBeGreaterThan(120);
  });

  it("is found out at any two pieces put in from elsewhere", () => {
    const paths = leavesOf(certificate).filter((path) => path.at(-1) !== -1);
    const valueAt = (path: Path) => path.reduce<unknown>((at, name) => (at as never)[name], certificate);
    const index = fc.integer({ min: 0, max: paths.length - 1 });
    fc.assert(
      fc.property(index, index, (to, from) => {
        const [target, source] = [paths[to]!, paths[from]!];
        if (/^(issuedAt|software|privacy\.facts|files)/.test(target.join("."))) return;
        if (Object.is(valueAt(target), valueAt(source))) return;
        const copy = structuredClone(certificate);
        put(copy as never, target, valueAt(source));
        expect(faultOf(copy), target.join(".")).not.toBe("none");
      }),
      { numRuns: 400 },
    );
  });
});

describe("a hostile aggregator", () => {
  const lies: [string, Certificate][] = [
    ["conceals an attempt, so that ε is lower", retold({ attempts: attempts.slice(1) })],
    [
      "takes a survivor away",
      retold({ attempts: [...attempts.slice(0, 2), { ...attempts[2]!, survivors: all.slice(1) }] }),
    ],
    [
      "counts a site that had dropped",
      retold({ attempts: [attempts[0]!, { ...attempts[1]!, survivors: all }, attempts[2]!] }),
    ],
    ["names another roster hash", retold({ roster: { ...run.roster, hash: sha256("other") } })],
  ];

  it.each(lies)("%s: caught by countersignatures", (_what, lie) => {
    expect(faultOf(lie)).toMatch(/^COUNTERSIGNATURE_INVALID .*does not fit the statement/);
  });

  it.each(lies)("%s: accepted by the weakened twin", (_what, lie) => {
    expect(faultOf(lie, weakened)).toBe("none");
  });

  it.each(lies)("%s: no site that knows better signs it", (_what, lie) => {
    const event = (stage: string) => plan.stages.find((one) => one.id === stage)!.disclosure.event;
    const own = {
      ...run,
      site: all[0]!,
      attempts: attempts.map((one) => ({ ...one, event: event(one.stage) })),
      signedBefore: null,
    };
    const truth = checkStatement(statementText(statementOfCertificate(certificate)), own);
    expect(truth.ok).toBe(true);
    const asked = checkStatement(statementText(statementOfCertificate(lie)), own);
    expect(asked).toMatchObject({ ok: false, error: { code: "STATEMENT_INVALID" } });
  });

  it("cannot lower ε or put events of its own, even with every site's signature", () => {
    const tampered = (change: (privacy: Certificate["privacy"]) => void): Certificate => {
      const copy = structuredClone(certificate);
      change(copy.privacy);
      return signedAnew(copy);
    };
    expect(faultOf(tampered(() => {}))).toBe("none");
    const lower = tampered((privacy) => {
      privacy.epsilon = 0.5;
      privacy.accounting.epsilon = 0.5;
    });
    expect(faultOf(lower)).toMatch(/^CERTIFICATE_EPSILON .*says epsilon 0\.5, its events add up to/);
    const onlyShown = tampered((privacy) => {
      privacy.epsilon = plan.claim.epsilon;
    });
    expect(faultOf(onlyShown)).toMatch(/^CERTIFICATE_EPSILON .*privacy\.epsilon/);
    const justBelow = tampered((privacy) => {
      privacy.accounting.rho! *= 1 - 2 ** -29;
    });
    expect(faultOf(justBelow)).toMatch(/^CERTIFICATE_EPSILON .*rho/);
    const fewer = tampered((privacy) => void privacy.accounting.events.shift());
    expect(faultOf(fewer)).toMatch(/^RELEASE_CORRUPT .*accounting\.events/);
    const milder = tampered((privacy) => {
      const { event } = privacy.accounting.events[0]!;
      privacy.accounting.events[0]!.event = { ...event, shareVariance: 1e9 } as never;
    });
    expect(faultOf(milder)).toMatch(/^CERTIFICATE_EPSILON release\.unlike-attempt .*"first"/);
    const proved = tampered((privacy) => void privacy.reasons.push("because"));
    expect(faultOf(proved)).toMatch(/^RELEASE_CORRUPT .*privacy\.reasons/);
  });

  it("cannot state the ε of the stages that ran where noisy results decided which", () => {
    const [one, two] = plan.stages as [(typeof plan.stages)[number], (typeof plan.stages)[number]];
    const optional = { ...plan, stages: [one, { ...two, mayBeSkipped: true as const }] };
    const attempts = run.attempts.filter(({ stage }) => stage === one.id);
    const short = { ...run, plan: optional, attempts };
    const foundIn = (change: (privacy: Certificate["privacy"]) => void): string => {
      const copy = structuredClone(readCertificate(testCertificate(short)));
      change(copy.privacy);
      return faultOf(signedAnew(copy));
    };
    expect(foundIn(() => {})).toBe("none");
    const realised = accountFor(
      attempts.map(() => one.disclosure.event),
      plan.claim.delta,
    );
    // As certificates were made before.
    expect(
      foundIn((privacy) => {
        delete privacy.accounting.skipped;
        Object.assign(privacy.accounting, realised);
        privacy.epsilon = realised.epsilon;
      }),
    ).toMatch(/^CERTIFICATE_EPSILON .*that of the stages that ran.*release the study anew/);
    expect(
      foundIn((privacy) => {
        privacy.accounting.skipped![0]!.stage = one.id;
      }),
    ).toMatch(/^CERTIFICATE_EPSILON .*accounting\.skipped/);
  });

  it("cannot put sites of its own in place of the hospitals", () => {
    const minted = testSites(["a", "b", "c", "d", "e"], () => generateSigningKey());
    const story = { ...run, sites: minted, roster: { ...run.roster, members: minted } };
    const forged = readCertificate(testCertificate(story));
    expect(faultOf(forged)).toMatch(/^RELEASE_CORRUPT .*site a: its certificate is not accepted/);
    // The control: with an authority that certified those, nothing is wrong with it.
    expect(verifyStatement(forged, { ...checks, identifySite: identifyTestSite(minted) }).ok).toBe(true);
  });

  it("cannot use a hospital's certificate for another's name, role or key", () => {
    const identified = (
      change: Partial<{ id: string; role: string; federation: string; signingKey: Uint8Array }>,
    ) =>
      verifyStatement(certificate, {
        ...checks,
        identifySite: (chain, at) => {
          const found = checks.identifySite(chain, at);
          return found.ok ? ok({ ...found.value, ...change }) : found;
        },
      });
    const changes = [
      { id: "z" },
      { role: "aggregator" },
      { federation: "other" },
      { signingKey: generateSigningKey().publicKey },
    ];
    for (const change of changes) expect(identified(change).ok).toBe(false);
    expect(identified({}).ok).toBe(true);
  });

  it("cannot pass off another study", () => {
    const other = testStudy({ ...soundStudy, name: "other" });
    const swapped = { ...certificate, study: { ...certificate.study, text: other.text, hash: other.hash } };
    expect(faultOf(swapped)).toMatch(/^RELEASE_CORRUPT .*study\.name/);
    const invited = testStudy({ ...soundStudy, participation: { sites: ["a", "b", "c", "z"] } });
    const uninvited = readCertificate(testCertificate({ ...run, document: invited }));
    expect(faultOf(uninvited)).toMatch(/^RELEASE_CORRUPT .*site d was not invited/);
  });
});

describe("a paper variant", () => {
  const paper = testRun();
  const paperChecks = { identifySite: identifyTestSite(paper.sites) };

  it("keeps the authors' claim beside an accounting without a bound", () => {
    const whole = readCertificate(testCertificate(paper));
    expect(whole.privacy).toMatchObject({
      epsilon: 1,
      delta: 0.01,
      accounting: { epsilon: null, rho: null },
    });
    expect(verifyStatement(whole, paperChecks)).toMatchObject({ ok: true, value: { epsilon: null } });
  });

  it("needs every site: dealt masks leave nobody out", () => {
    const shrunk = paper.attempts.map((one) => ({ ...one, survivors: one.survivors!.slice(1) }));
    expect(() => testCertificate({ ...paper, attempts: shrunk })).toThrow(/2 survivors, 3 are the least/);
    const statement = statementText(statementOf(paper));
    const two = countersignaturesOf(statement, paper.studyId, paper.sites.slice(0, 2));
    const verified = verifyStatement(
      readCertificate(testCertificate(paper, { countersignatures: two })),
      paperChecks,
    );
    expect(verified).toMatchObject({ ok: false, error: { code: "COUNTERSIGNATURE_INVALID" } });
  });

  it("of no privacy says so", () => {
    const none = testRun({ document: testStudy({ privacy: "none" }) });
    const whole = readCertificate(testCertificate(none));
    expect(whole.privacy).toMatchObject({ verdict: "no privacy", epsilon: null, delta: null });
    expect(verifyStatement(whole, { identifySite: identifyTestSite(none.sites) }).ok).toBe(true);
  });
});

type Path = (string | number)[];

/** Every value, and for every list of at least one element its end, as -1. */
function leavesOf(value: unknown, path: Path = []): Path[] {
  if (Array.isArray(value)) {
    const inner = value.flatMap((item, index) => leavesOf(item, [...path, index]));
    return value.length === 0 ? inner : [...inner, [...path, -1]];
  }
  if (typeof value === "object" && value !== null) {
    return Object.entries(value).flatMap(([name, item]) => leavesOf(item, [...path, name]));
  }
  return [path];
}

function put(root: Record<string, unknown>, path: Path, value: unknown): void {
  const parent = path.slice(0, -1).reduce<unknown>((at, name) => (at as never)[name], root);
  (parent as Record<string | number, unknown>)[path.at(-1)!] = value;
}

function alter(root: Record<string, unknown>, path: Path): void {
  const parent = path.slice(0, -1).reduce<unknown>((at, name) => (at as never)[name], root);
  const last = path.at(-1)!;
  if (last === -1) {
    (parent as unknown[]).pop();
    return;
  }
  const value = (parent as Record<string | number, unknown>)[last];
  put(root, path, otherThan(value));
}

function otherThan(value: unknown): unknown {
  if (typeof value === "number") return value === 1 ? 2 : value + 1;
  if (typeof value === "boolean") return !value;
  if (value === null) return 1;
  const text = value as string;
  if (/^[0-9a-f]{64}$/.test(text)) return sha256(text);
  if (text.endsWith("==")) {
    const bytes = Buffer.from(text, "base64");
    bytes[0]! ^= 1;
    return bytes.toString("base64");
  }
  return text.endsWith("q") ? `${text.slice(0, -1)}r` : `${text.slice(0, -1)}q`;
}
