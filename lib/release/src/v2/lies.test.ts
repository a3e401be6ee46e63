/**
 * An aggregator and all sites that lie together sign what they like. What format 2 states of itself is held against itself all the same.
 * Each lie is told in a certificate that verifies without it, and signed anew by every site.
 */
import { utf8Of } from "@consilium/core/bytes";
import { canonicalJson } from "@consilium/core/canonicalJson";
import type { PrivacyEvent } from "@consilium/core/privacy/events";
import { accountFor } from "@consilium/core/release/accounting";
import { unwrap } from "@consilium/core/result";
import type { StudyDocument } from "@consilium/core/study/study";
import { studyDocument } from "@consilium/core/study/study";
import { parseStudy } from "@consilium/methods/testing/studies";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import { describe, expect, it } from "vitest";
import { readCertificate } from "../../testing/readCertificate.js";
import {
  countersignaturesOf,
  identifyTestSite,
  testCertificate,
  testRun,
  testSites,
  testStudy,
} from "../../testing/v2/run.js";
import { type Certificate, parseCertificate } from "./schema.js";
import { statementOfCertificate, verifyStatement } from "./statement.js";

const sites = testSites(["a", "b", "c", "d", "e"]);
const sound = (overrides: Record<string, unknown> = {}) =>
  testStudy({
    method: "dp-pca",
    variant: "sound",
    privacy: { epsilon: 1, delta: 1e-5 },
    participation: { minimumSites: 4 },
    ...overrides,
  });
const treesOf = (privacy: object) =>
  studyDocument(
    unwrap(
      parseStudy({
        name: "sample",
        analysis: "boosted-trees",
        table: "sample",
        features: ["age", "pressure"].map((name) => ({ name, type: "numeric", min: 0, max: 100 })),
        label: { name: "sick", levels: ["no", "yes"] },
        privacy,
        participation: { minimumSites: 4, maxRowsPerSite: 1000 },
        parameters: { trees: 2, depth: 1 },
      }),
    ),
  );

/** Numbers and lists may be written to. */
type Open<T> = T extends string ? T : T extends object ? { -readonly [K in keyof T]: Open<T[K]> } : T;
type Told = Open<Certificate>;

const made = (document: StudyDocument) => readCertificate(testCertificate(testRun({ document, sites })));
const honest = {
  pca: made(sound()),
  trees: made(treesOf({ epsilon: 1, delta: 1e-5 })),
  /** It shows its exact ε. */
  ownRho: made(treesOf({ epsilon: 1, delta: 1e-5, rho: 0.0352 })),
  rows: made(sound({ patient: { column: "patient", maxRows: 3, weighting: "rows" } })),
  paper: made(testStudy()),
  none: made(sound({ privacy: "none" })),
};
type Form = keyof typeof honest;

/** The bytes of a certificate with a lie in it that all sites have signed. */
function told(form: Form, lie: (certificate: Told) => void): string {
  const copy = structuredClone(honest[form]) as Told;
  lie(copy);
  const statement = canonicalJson(statementOfCertificate(copy as Certificate));
  const signed = countersignaturesOf(statement, copy.study.id, sites);
  const signatures = readCertificate(
    testCertificate(testRun({ sites }), { countersignatures: signed }),
  ).countersignatures;
  return canonicalJson({ ...copy, countersignatures: signatures });
}

function faultOf(text: string): string {
  const parsed = parseCertificate(utf8Of(text));
  if (!parsed.ok) return `${parsed.error.code} ${parsed.error.message}`;
  const verified = verifyStatement(parsed.value, { identifySite: identifyTestSite(sites) });
  return verified.ok ? "none" : `${verified.error.code} ${verified.error.message}`;
}

/** Another event for every attempt at a stage, with what is said of the stage and all figures as follow from it. */
function retold(certificate: Told, change: (event: Open<Record<string, unknown>>) => void, stage = 0): void {
  const { privacy } = certificate;
  const disclosure = privacy.disclosures[stage]!;
  for (const one of privacy.accounting.events) {
    if (one.stage !== disclosure.stage) continue;
    const outer = one.event as unknown as Record<string, unknown>;
    change((outer.kind === "group" ? outer.event : outer) as Record<string, unknown>);
    const { shareVariance, noiseShares } = (outer.kind === "group" ? outer.event : outer) as {
      shareVariance: number;
      noiseShares: number;
    };
    disclosure.noise = {
      shareVariance,
      noiseShares,
      guaranteedStdDev: Math.sqrt(Math.abs(shareVariance * noiseShares)) * (1 - 1e-12),
    };
  }
  refigured(certificate);
}

/** ε and ρ as the events now have them. */
function refigured({ privacy }: Told): void {
  const { accounting } = privacy;
  const all = [...accounting.events, ...(accounting.skipped ?? [])];
  const events = all.map(({ event }) => event as PrivacyEvent);
  try {
    Object.assign(accounting, accountFor(events, accounting.delta));
  } catch {
    // Of an event that none has ever accounted for the figures stay.
  }
  privacy.epsilon = accounting.epsilon;
  for (const disclosure of privacy.disclosures) disclosure.cost = null;
  delete accounting.lossDistribution;
}

const lies: readonly [name: string, form: Form, lie: (certificate: Told) => void, fault: RegExp][] = [
  [
    "a lower ε",
    "pca",
    ({ privacy }) => {
      privacy.accounting.epsilon! /= 2;
      privacy.epsilon! /= 2;
    },
    /^CERTIFICATE_EPSILON .*says epsilon/,
  ],
  [
    "a lower ε in the headline alone",
    "pca",
    ({ privacy }) => {
      privacy.epsilon! /= 2;
    },
    /^CERTIFICATE_EPSILON/,
  ],
  [
    "a lower ρ",
    "pca",
    ({ privacy }) => {
      privacy.accounting.rho! /= 2;
    },
    /^CERTIFICATE_EPSILON .*says rho/,
  ],
  [
    "no ε at all",
    "pca",
    ({ privacy }) => {
      privacy.accounting.epsilon = null;
    },
    /^CERTIFICATE_EPSILON/,
  ],
  [
    "a lower ε of one stage",
    "pca",
    ({ privacy }) => {
      privacy.disclosures[0]!.cost!.epsilon /= 2;
    },
    /^CERTIFICATE_EPSILON release\.below-events/,
  ],
  [
    "more shares of noise than T - t",
    "pca",
    (all) =>
      retold(all, (event) => {
        event.noiseShares = 4;
      }),
    /^CERTIFICATE_EPSILON release\.more-shares/,
  ],
  [
    "fewer sites that may add shares than there are",
    "pca",
    (all) =>
      retold(all, (event) => {
        event.sites = 4;
      }),
    /^CERTIFICATE_EPSILON release\.more-shares/,
  ],
  [
    "too few survivors",
    "pca",
    ({ sites: { attempts } }) => {
      attempts[0]!.dropped = attempts[0]!.survivors!.splice(3);
    },
    /^RELEASE_CORRUPT .*3 survivors, 4 are the least/,
  ],
  [
    "a lower threshold",
    "pca",
    ({ sites: { attempts, ...all }, sites: whole }) => {
      whole.threshold = all.threshold - 1;
      attempts[0]!.dropped = attempts[0]!.survivors!.splice(3);
    },
    /^RELEASE_CORRUPT .*sites\.threshold/,
  ],
  [
    "another minimumSites",
    "pca",
    (all) => {
      all.sites.minimumSites = 3;
    },
    /^RELEASE_CORRUPT release\.unlike-text .*sites\.minimumSites/,
  ],
  [
    "nobody who colludes",
    "pca",
    (all) => {
      all.sites.tolerateColluding = 0;
    },
    /^RELEASE_CORRUPT release\.unlike-text .*sites\.tolerateColluding/,
  ],
  [
    "a missing stage",
    "trees",
    (all) => {
      all.privacy.accounting.events.pop();
      all.sites.attempts.pop();
      refigured(all);
    },
    /^CERTIFICATE_EPSILON .*these count too/,
  ],
  [
    "no stage at all",
    "pca",
    ({ privacy, sites: all }) => {
      privacy.disclosures.pop();
      privacy.accounting.events.pop();
      all.attempts.pop();
      Object.assign(privacy.accounting, { epsilon: 0, rho: 0 });
      privacy.epsilon = 0;
    },
    /^RELEASE_CORRUPT /,
  ],
  [
    "a stage that was skipped and not given up",
    "pca",
    (all) => {
      all.sites.attempts[0]!.survivors = null;
      all.sites.attempts[0]!.dropped = null;
    },
    /^RELEASE_CORRUPT .*no attempt that succeeded/,
  ],
  [
    "a proof without noise",
    "pca",
    (all) => {
      all.privacy.accounting.events[0]!.event = { kind: "no-bound", reason: "none" };
      all.privacy.disclosures[0]!.noise = null;
    },
    /^CERTIFICATE_EPSILON .*called proved and has no bound/,
  ],
  [
    "a proof of a published method",
    "paper",
    ({ privacy }) => {
      privacy.verdict = "proved";
      privacy.reasons = [];
      privacy.proof = "docs/METHODS.md";
    },
    /^RELEASE_CORRUPT release\.unlike-text .*privacy\.verdict/,
  ],
  [
    "a claim below the study's ε",
    "paper",
    ({ privacy }) => {
      privacy.epsilon = 0.1;
    },
    /^CERTIFICATE_EPSILON .*should be 1/,
  ],
  [
    "a claim where the study asks for no privacy",
    "none",
    ({ privacy }) => {
      privacy.verdict = "claimed by the authors, not verified";
      privacy.epsilon = 1;
    },
    /^RELEASE_CORRUPT release\.unlike-text .*privacy\.verdict/,
  ],
  [
    "another δ",
    "pca",
    ({ privacy }) => {
      privacy.delta = 1e-9;
      privacy.accounting.delta = 1e-9;
    },
    /^RELEASE_CORRUPT release\.unlike-text .*privacy\.delta/,
  ],
  [
    "a proof with reasons against it",
    "pca",
    ({ privacy }) => void privacy.reasons.push("x"),
    /^RELEASE_CORRUPT release\.unlike-rest/,
  ],
  [
    "fewer rows of a patient than the study takes",
    "rows",
    (all) => {
      (all.privacy.accounting.events[0]!.event as { records: number }).records = 2;
      refigured(all);
    },
    /^RELEASE_CORRUPT release\.unlike-text/,
  ],
  [
    "patients as if they were rows",
    "rows",
    (all) => {
      const { event } = all.privacy.accounting.events[0]! as unknown as { event: { event: never } };
      all.privacy.accounting.events[0]!.event = event.event;
      refigured(all);
    },
    /^RELEASE_CORRUPT release\.unlike-text/,
  ],
  [
    "another event for an attempt than for the next",
    "pca",
    (all) => {
      const [attempt] = all.sites.attempts;
      const [first] = all.privacy.accounting.events;
      all.sites.attempts.unshift({ ...attempt!, survivors: null, dropped: null });
      attempt!.attempt = 2;
      const quieter = { ...first!, event: { ...first!.event, shareVariance: 1e40 } as never };
      all.privacy.accounting.events.unshift(quieter);
      first!.attempt = 2;
      refigured(all);
    },
    /^CERTIFICATE_EPSILON release\.unlike-attempt/,
  ],
  [
    "more noise than there is",
    "pca",
    ({ privacy }) => {
      privacy.disclosures[0]!.noise!.guaranteedStdDev *= 2;
    },
    /^RELEASE_CORRUPT release\.unlike-rest .*guaranteedStdDev/,
  ],
  [
    "other entries",
    "pca",
    ({ privacy }) => void privacy.disclosures[0]!.entries!++,
    /^RELEASE_CORRUPT release\.unlike-rest .*entries/,
  ],
  [
    "a sum that is called rows",
    "pca",
    ({ sites: all }) => {
      all.attempts[0]!.kind = "rows";
    },
    /^RELEASE_CORRUPT release\.unlike-rest .*kind/,
  ],
  [
    "a smaller exact ε",
    "trees",
    ({ privacy }) => {
      privacy.accounting.lossDistribution!.epsilon -= 1e-6;
    },
    /^CERTIFICATE_EPSILON .*compose to/,
  ],
  [
    "an exact ε of fewer entries",
    "trees",
    ({ privacy }) => void privacy.accounting.lossDistribution!.entries.pop(),
    /^CERTIFICATE_EPSILON .*other entries/,
  ],
  [
    "the exact ε in place of the other, which the study does not ask for",
    "trees",
    ({ privacy }) => {
      privacy.epsilon = privacy.accounting.lossDistribution!.epsilon;
    },
    /^CERTIFICATE_EPSILON .*privacy\.epsilon/,
  ],
  ...(
    [
      ["Δ² below 0", { l2SensitivitySquared: -1 }],
      ["a fraction as Δ²", { l2SensitivitySquared: 1.5 }],
      ["Δ² of 0", { l2SensitivitySquared: 0 }],
      ["a share of noise below what is proven", { shareVariance: 0.1 }],
      ["a negative variance", { shareVariance: -1e30 }],
      ["weight 0", { groups: [{ entries: 6, weight: 0 }] }],
      ["a weight that no entry has", { groups: [{ entries: 6, weight: 3 }] }],
      ["no entries", { groups: [] }],
      ["2^53 entries", { groups: [{ entries: 2 ** 53, weight: 1 }] }],
      ["2^53 sites", { sites: 2 ** 53 }],
      ["2^53 - 1 sites", { sites: 2 ** 53 - 1 }],
      ["no share of noise", { noiseShares: 0 }],
      ["half a share of noise", { noiseShares: 2.5 }],
      ["an unknown number beside the known ones", { more: 1 }],
    ] as const
  ).map(
    ([name, change]) =>
      [
        name,
        "pca",
        (all: Told) => retold(all, (event) => void Object.assign(event, change)),
        /^RELEASE_CORRUPT /,
      ] as [string, Form, (certificate: Told) => void, RegExp],
  ),
  [
    "a negative sensitivity",
    "pca",
    ({ privacy }) => {
      privacy.disclosures[0]!.sensitivity = -1;
    },
    /^RELEASE_CORRUPT/,
  ],
  [
    "a negative ρ",
    "pca",
    ({ privacy }) => {
      privacy.accounting.rho = -1;
    },
    /^RELEASE_CORRUPT/,
  ],
  [
    "a negative number of the first attempt",
    "pca",
    (all) => {
      all.sites.attempts[0]!.attempt = -1;
    },
    /^RELEASE_CORRUPT/,
  ],
];

describe("all who could sign sign a certificate", () => {
  it.each(Object.keys(honest) as Form[])("without a lie (%s): it verifies", (form) => {
    expect(faultOf(told(form, () => {}))).toBe("none");
  });

  it.each(lies)("with %s: it is refused", (_name, form, lie, fault) => {
    expect(faultOf(told(form, () => {}))).toBe("none");
    expect(faultOf(told(form, lie))).toMatch(fault);
  });

  it("with a higher ε: it verifies, for what is proven stays true", () => {
    const higher = told("pca", ({ privacy }) => {
      privacy.accounting.epsilon! *= 2;
      privacy.epsilon! *= 2;
    });
    expect(faultOf(higher)).toBe("none");
  });
});

describe("a certificate's text", () => {
  const text = told("pca", () => {});
  it.each([
    ["a key twice", text.replace('"federation":', '"federation":"other","federation":')],
    ["a key twice, alike", text.replace('"federation":"test-federation",', (one) => one + one)],
    ["a number beyond all doubles", text.replace(/"rho":[^,}]+/, '"rho":1e400')],
    ["a number in another spelling", text.replace('"delta":0.00001', '"delta":1e-5')],
    ["white space", text.replace(",", ", ")],
    ["a byte-order mark", `\ufeff${text}`],
    ["something behind it", `${text} `],
    [
      "keys in another order",
      text.replace(
        /^\{("countersignatures":.*?),"federation":"test-federation"/,
        '{"federation":"test-federation",$1',
      ),
    ],
    ["half of a surrogate pair", text.replace('"unit":"', '"unit":"\\ud800')],
    ["a key of the language", text.replace('"federation":', '"__proto__":1,"federation":')],
    ["lists within lists, without end", `${"[".repeat(200_000)}${"]".repeat(200_000)}`],
  ])("with %s is refused", (_name, changed) => {
    expect(changed).not.toBe(text);
    expect(faultOf(changed)).toMatch(/^RELEASE_CORRUPT /);
  });

  it("is refused over a study's text that holds such", () => {
    const of = (studyText: string) =>
      told("pca", ({ study }) => {
        study.text = studyText;
        study.hash = sha256(studyText);
      });
    const own = honest.pca.study.text;
    expect(faultOf(of(own))).toBe("none");
    for (const changed of [
      own.replace('"minimumSites":4', '"minimumSites":4,"minimumSites":4'),
      own.replace('"minimumSites":4', '"minimumSites":-4'),
      own.replace('"minimumSites":4,', ""),
      own.replace('"epsilon":1', '"epsilon":1e400'),
      own.replace("{", "{ "),
      `${"[".repeat(100_000)}${"]".repeat(100_000)}`,
      "null",
    ])
      expect(faultOf(of(changed)), changed.slice(0, 40)).toMatch(/^RELEASE_CORRUPT .*the study's text/);
  });
});

/** What would keep a verifier busy for longer than anybody waits; each of these tests ends. */
describe("a certificate that is as large as it may be", () => {
  const many = (count: number, change: (all: Told, index: number) => void) =>
    told("pca", (all) => {
      const { privacy } = all;
      const [disclosure, [charged], [attempt]] = [
        privacy.disclosures[0]!,
        privacy.accounting.events,
        all.sites.attempts,
      ];
      Object.assign(privacy, { disclosures: [] });
      Object.assign(privacy.accounting, { events: [] });
      Object.assign(all.sites, { attempts: [] });
      for (let index = 0; index < count; index++) {
        const stage = `s${index}` as never;
        privacy.disclosures.push({ ...structuredClone(disclosure), stage, cost: null });
        privacy.accounting.events.push({ ...structuredClone(charged!), stage });
        all.sites.attempts.push({ ...structuredClone(attempt!), stage });
        change(all, index);
      }
      Object.assign(privacy.accounting, { epsilon: 1e300, rho: 1e300 });
      privacy.epsilon = 1e300;
    });

  it("is verified with a thousand stages, each of another noise of 1,024 sites", () => {
    const text = many(1000, ({ privacy }, index) => {
      const event = privacy.accounting.events[index]!.event as unknown as Record<string, number>;
      event.shareVariance = event.shareVariance! + index * 1e12;
      event.sites = 1024;
      const { shareVariance, noiseShares } = event as { shareVariance: number; noiseShares: number };
      privacy.disclosures[index]!.noise = { shareVariance, noiseShares, guaranteedStdDev: 1 };
    });
    expect(faultOf(text)).toBe("none");
  });

  it("is refused with one stage more", () => {
    expect(faultOf(many(1001, () => {}))).toMatch(/^RELEASE_CORRUPT /);
  });

  it("states an exact ε that is not computed anew, and may not show it, where that would take long", () => {
    const entriesOf = (kinds: number, count: number, noiseShares: number, isHeadline: boolean) =>
      told("ownRho", ({ privacy }) => {
        const { entries, epsilon } = privacy.accounting.lossDistribution!;
        const [first] = entries;
        for (let kind = 0; kind < kinds; kind++)
          entries.push({ shift: { ...first!.shift, most: kind + 1, noiseShares }, count });
        privacy.epsilon = isHeadline ? epsilon : privacy.accounting.epsilon;
      });
    const { noiseShares } = honest.ownRho.privacy.accounting.lossDistribution!.entries[0]!.shift;
    for (const [kinds, count] of [
      [900, 1],
      [1, 2 ** 40],
    ] as const) {
      expect(faultOf(entriesOf(kinds, count, noiseShares, false))).toBe("none");
      expect(faultOf(entriesOf(kinds, count, noiseShares, true))).toMatch(
        /^CERTIFICATE_EPSILON release\.too-many-entries/,
      );
    }
    expect(faultOf(entriesOf(1, 1, 2 ** 53 - 1, false))).toMatch(/^RELEASE_CORRUPT /);
  });
});
