import { randomBytes } from "node:crypto";
import type { SiteId, StageId, StudyId } from "@consilium/core/ids";
import type { StageAttempt } from "@consilium/core/release/attempts";
import { ok, unwrap } from "@consilium/core/result";
import { documentOnRoster } from "@consilium/core/study/onRoster";
import { planStudy } from "@consilium/core/study/plan";
import { planHash } from "@consilium/core/study/planFacts";
import { type StudyDocument, studyDocument } from "@consilium/core/study/study";
import { parseStudy } from "@consilium/methods/testing/studies";
import { allMethods } from "@consilium/methods-paper/all";
import { ed25519Raw, pemChainToDer } from "@consilium/runtime/identity/x509";
import { createLogger } from "@consilium/runtime/log";
import { testFederation } from "@consilium/runtime/testing/identity/federation";
import { ExchangeKey, generateExchangeKey } from "@consilium/secure-sum/crypto/exchange";
import { signMessage } from "@consilium/secure-sum/crypto/sign";
import { joinMessage } from "@consilium/secure-sum/roster";
import { beforeAll, describe, expect, it } from "vitest";
import type { RosterEntry } from "../rpc/toDomain.js";
import { Participant } from "./participant.js";

const random = { bytes: (count: number) => new Uint8Array(randomBytes(count)) };
const id = "trees-0123456789" as StudyId;
const at = Date.now();
const self = "hospital-0000" as SiteId;

let federation: Awaited<ReturnType<typeof testFederation>>;
let leaves: { readonly site: SiteId; readonly leaf: Awaited<ReturnType<typeof federation.leaf>> }[];

beforeAll(async () => {
  federation = await testFederation("harbour", at);
  const sites = Array.from({ length: 400 }, (_, n) => `hospital-${String(n).padStart(4, "0")}` as SiteId);
  leaves = await Promise.all(
    sites.map(async (site) => ({ site, leaf: await federation.leaf("site", site, { now: at }) })),
  );
});

const trees = (count: number) =>
  studyDocument(
    unwrap(
      parseStudy({
        name: "trees",
        table: "records",
        analysis: "boosted-trees",
        method: "dp-histboost",
        variant: "sound",
        features: Array.from({ length: 10 }, (_, n) => ({ name: `x${n}`, type: "numeric", min: 0, max: 1 })),
        label: { name: "outcome", levels: ["no", "yes"] },
        parameters: { trees: count },
        privacy: { epsilon: 1, delta: 1e-6 },
        participation: { minimumSites: 4, maxRowsPerSite: 10_000 },
      }),
    ),
  );

/** An agent that has joined the study and is asked for its first stage's keys, or a further attempt's. */
async function asked(
  document: StudyDocument,
  sites: number,
  attempt = 1,
  committed: readonly Pick<StageAttempt, "stage" | "attempt">[] = [],
) {
  const { text, hash } = document;
  const keys = generateExchangeKey(random);
  const own = new ExchangeKey(keys);
  const sized = documentOnRoster(unwrap(allMethods.read(text, hash)), sites);
  const roster = leaves.slice(0, sites).map(({ site, leaf }): RosterEntry => {
    const exchangeKey =
      site === self ? own.publicKey : new ExchangeKey(generateExchangeKey(random)).publicKey;
    const signature = signMessage(leaf.signingKey, joinMessage(id, hash, site, exchangeKey));
    return { site, chain: pemChainToDer(leaf.chainPem).slice(0, 2), exchangeKey, signature };
  });
  const { leaf } = leaves[0]!;
  const record = {
    id,
    text,
    hash,
    status: "joined",
    roster: null,
    rosterHash: null,
    planHash: null,
    planText: null,
    rosterFixedAt: null,
    exchangeKey: own.publicKey,
    exchangeSecret: new Uint8Array(),
    localCode: null,
    endedAt: null,
  };
  const seen = { reserved: 0, unanswered: 0, codes: [] as string[], reasons: [] as string[] };
  const participant = new Participant({
    records: {
      study: () => record,
      fixRoster: () => undefined,
      fixPlan: () => undefined,
      saveBroadcasts: () => undefined,
      dropSumsBefore: () => undefined,
      newestAttempt: () => 0,
      sumPost: () => null,
      setLocalReason: (_: StudyId, { text: reason }: { text: string }) => void seen.reasons.push(reason),
      noteUnanswered: () => void seen.unanswered++,
      transaction: (work: () => unknown) => work(),
    },
    methods: {
      load: async () => allMethods.read(text, hash),
      read: () => allMethods.read(text, hash),
    },
    charges: {
      demandCurrent: () => undefined,
      committed: () => committed,
      reserveRunning: () => undefined,
      reserveAttempt: () => {
        seen.reserved++;
        throw new Error("far enough");
      },
    },
    door: {
      stepFault: (_study: StudyId, _step: string, _attempt: number, code: string) => {
        seen.codes.push(code);
        return { logged: () => ({}) };
      },
    },
    policy: { read: () => ok({ members: {} }) },
    identity: () => ({
      federation: "harbour",
      id: self,
      signingKey: leaf.signingKey,
      signingPublicKey: ed25519Raw(leaf.signingKey),
      rootPem: federation.root.certificatePem,
    }),
    sealed: { open: () => keys },
    revocations: () => undefined,
    demandExpelledList: () => undefined,
    disk: { demand: () => undefined, failure: (thrown: unknown) => thrown },
    stateFolder: "/nowhere",
    random,
    now: () => at,
    log: createLogger({ service: "test", level: "silent" }),
    send: () => undefined,
  } as never);
  participant.handle({
    kind: "task",
    task: {
      kind: "sumKeys",
      studyId: id,
      step: "tree-1-level-1" as StageId,
      attempt,
      roster,
      planHash: planHash(sized.study, planStudy(sized.study)),
    } as never,
  });
  await participant.idle();
  return seen;
}

describe("a site that is shown a roster on which the study could have no certificate", () => {
  it.each([
    [199, 250],
    [150, 400],
  ])("refuses a study of %i trees with %i sites before anything is reserved", async (count, sites) => {
    const { reserved, codes, reasons } = await asked(trees(count), sites);
    expect(reserved).toBe(0);
    expect(codes).toEqual(["STUDY_INVALID"]);
    expect(reasons.join()).toContain("study.statement-too-large");
  });

  it("takes part where it could", async () => {
    const { reserved, codes } = await asked(trees(199), 4);
    expect(reserved).toBe(1);
    expect(codes).toEqual(["INTERNAL"]);
  });
});

describe("a site that is asked for a further attempt", () => {
  const stage = "tree-1-level-1" as StageId;
  const given = (count: number) => Array.from({ length: count }, (_, n) => ({ stage, attempt: n + 1 }));

  it("refuses it before it is reserved where the certificate has no room for it", async () => {
    const document = trees(10);
    expect(await asked(document, 4, 11, given(10))).toMatchObject({ reserved: 1 });
    const { reserved, codes, reasons } = await asked(document, 4, 21, given(20));
    expect(reserved).toBe(0);
    expect(codes).toEqual(["STUDY_INVALID"]);
    expect(reasons.join()).toMatch(/study\.too-many-attempts/);
  });
});
