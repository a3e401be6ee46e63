/** Releases of format 3 made by hand, from docs/FORMAT.md rather than from a study: whatever they say is signed by everybody. */
import { createHash } from "node:crypto";
import { base64Of } from "@consilium/core/bytes";
import { canonicalJson } from "@consilium/core/canonicalJson";
import { signStatement } from "@consilium/core/release/countersignature";
import { signatureFileBytes, signatureHeader, signedBytes } from "@consilium/core/release/signature";
import { epsilonAt, rhoOf } from "@consilium/gate/cost";
import { eventOf } from "@consilium/release/v3/terms";
import { rootKeyHash } from "@consilium/runtime/identity/rootKey";
import { pemChainToDer } from "@consilium/runtime/identity/x509";
import { testFederation } from "@consilium/runtime/testing/identity/federation";
import { testHospitals } from "@consilium/runtime/testing/release/hospitals";
import { signMessage } from "@consilium/secure-sum/crypto/sign";
import type { Sha256, StudyId } from "@consilium/secure-sum/ids";

/** JSON that a test changes at will. */
// biome-ignore lint/suspicious/noExplicitAny: a hostile value has no type
export type Loose = any;

export const began = Date.parse("2026-01-01T00:00:00Z");
export const hash = (data: string | Uint8Array) => createHash("sha256").update(data).digest("hex") as Sha256;

export const federation = await testFederation("test-federation", began);
export const rootPem = federation.root.certificatePem;
export const hospitals = await testHospitals(federation, { names: ["east", "north", "south", "west"] });
export const aggregator = await federation.leaf("aggregator", "aggregator");

export const release = "sample-0123456789";
export const text = (): Loose => ({
  name: "sample",
  analysis: "describe",
  method: "counts",
  variant: "sound",
  privacy: { epsilon: 4, delta: 1e-5 },
  participation: { minimumSites: 3, tolerateColluding: 1, sites: hospitals.sites.map(({ site }) => site) },
  release: { access: "open", sums: false },
});

const noise = (shareVariance: number): Loose => ({ shareVariance, sites: 8, shares: 2 });
const sum = (id: string, query: Loose, shareVariance: number): Loose => {
  return { id, broadcasts: [], kind: "sum", ringBits: 32, query, scale: 1, noise: noise(shareVariance) };
};
const histogram = (cells: number, more: Loose): Loose => ({
  kind: "histogram",
  cells,
  touches: 2,
  channels: [{ min: 0, max: 256 }],
  ...more,
});

export const plan = (): Loose => ({
  format: "consilium-plan/3",
  edition: 1,
  accounting: ["zcdp/1"],
  maxAttempts: 20,
  masking: "pairwise",
  setup: ["keys"],
  unit: { kind: "record" },
  delta: 1e-5,
  stages: [
    sum("counts", histogram(5, { channels: [{ min: -1, max: 3 }], cellLimit: 4 }), 60),
    {
      ...sum(
        "sections",
        histogram(12, {
          sections: [
            { cells: 8, max: 1, root: { run: 4, exponent: 8 } },
            { cells: 4, max: 256 },
          ],
        }),
        4e6,
      ),
      broadcasts: [{ name: "edges", length: 4 }],
    },
    sum("vector", { kind: "vector", parts: 2, length: 3, limit: 1000 }, 9e4),
    { ...sum("gram", { kind: "gram", parts: 1, order: 3, limit: 64 }, 5e4), scale: 2 },
    sum("product", { kind: "product", rows: 2, columns: 3, limit: 64 }, 5e4),
    {
      ...sum(
        "blocks",
        {
          kind: "blocks",
          blocks: 4,
          parts: 2,
          deal: "lot",
          maxRows: 10,
          answer: { kind: "groups", max: 5, groups: [{ entries: 4, taken: 1 }] },
        },
        900,
      ),
      mayBeSkipped: true,
    },
    sum(
      "answers",
      {
        kind: "blocks",
        blocks: 4,
        parts: 1,
        deal: "record",
        counts: { cells: 3, touches: 1 },
        answer: { kind: "length", entries: 6, limit: 12 },
      },
      900,
    ),
  ],
});

/** What a release is made of. Texts are made from the values last, unless they are given. */
export interface Made {
  text: Loose;
  plan: Loose;
  statement: Loose;
  certificate: Loose;
  /** In place of canonical JSON of what stands above. */
  raw: { text?: string; statement?: string; certificate?: string; jws?: Uint8Array };
}

export const resultOf = (more: Loose = {}): string =>
  canonicalJson({ format: "consilium-result/1", columns: [], rows: null, ...more });

export function made(): Made {
  const body = plan();
  return {
    text: text(),
    plan: body,
    statement: {
      format: "consilium-statement/2",
      federation: { name: "test-federation", root: rootKeyHash(rootPem) },
      roster: hospitals.sites.map(({ site, signingKey }) => ({
        id: site,
        signingKeyFingerprint: hash(signingKey),
      })),
      rosterHash: hash("roster"),
      attempts: body.stages
        .filter(({ id }: Loose) => id !== "blocks")
        .map(({ id }: Loose) => ({ stage: id, attempt: 1, dropped: id === "gram" ? ["south"] : [] })),
      result: hash(resultOf()),
      broadcasts: hash("broadcasts"),
    },
    certificate: {
      format: "consilium-certificate/3",
      release,
      issuedAt: "2026-01-01T01:00:00.000Z",
      missing: [],
      shown: { zcdp: null, exact: null },
      files: [{ name: "result.json", bytes: resultOf().length, sha256: hash(resultOf()) }],
      renderings: [],
    },
    raw: {},
  };
}

/** ρ and ε of what is made, where its plan has any; more than any elsewhere. */
export function figuresOf({ plan: body, statement }: Made): { rho: number; epsilon: number } {
  try {
    const times = (id: string) => statement.attempts.filter(({ stage }: Loose) => stage === id).length;
    const rho = body.stages.reduce(
      (total: number, stage: Loose) =>
        total + rhoOf(eventOf(stage, body.unit)) * Math.max(1, times(stage.id)),
      0,
    );
    const figures = { rho, epsilon: epsilonAt(rho, body.delta) };
    if (Object.values(figures).every(Number.isFinite)) return figures;
  } catch {
    // No plan, which both verifiers are to find out.
  }
  return { rho: 1e300, epsilon: 1e300 };
}

const chainOf = (ders: readonly Uint8Array[]) => ders.slice(0, 2).map(base64Of);

/** Signs by every hospital, and by the aggregator. */
export function sign(of: Made, signer = aggregator): { certificate: Uint8Array; signature: Uint8Array } {
  const studyText = of.raw.text ?? canonicalJson(of.text);
  const statement =
    of.raw.statement ??
    canonicalJson({ study: { id: release, hash: hash(studyText) }, plan: of.plan, ...of.statement });
  const hashed = hash(`consilium statement v2\n${statement}`);
  const countersignatures = hospitals.sites.map(({ site, privateKey }, index) => {
    const said = {
      site,
      ledgerHead: { sequence: 10 + index, hash: hash(`head of ${site}`) },
      ledgerEntries: [hash(`entry of ${site}`)],
      software: "0.1.0+abc",
    };
    const signature = signStatement(privateKey, { ...said, studyId: release as StudyId, statement: hashed });
    return { ...said, signature: base64Of(signature) };
  });
  const chains = Object.fromEntries([...hospitals.chains].map(([site, chain]) => [site, chainOf(chain)]));
  const whole = { text: studyText, statement, countersignatures, chains, ...of.certificate };
  const certificate = new TextEncoder().encode(of.raw.certificate ?? canonicalJson(whole));
  const header = signatureHeader(pemChainToDer(signer.chainPem).slice(0, 2));
  const signature = signMessage(signer.signingKey, signedBytes(header, certificate));
  return { certificate, signature: of.raw.jws ?? signatureFileBytes(header, signature) };
}
