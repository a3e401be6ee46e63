import { ConsiliumError } from "@consilium/core/errors";
import * as limits from "@consilium/core/limits";
import type { SiteFrame, SiteFrame__Output } from "@consilium/proto/generated/consilium/v1/SiteFrame";
import type { UploadHeader } from "@consilium/proto/generated/consilium/v1/UploadHeader";
import type { UploadRequest__Output } from "@consilium/proto/generated/consilium/v1/UploadRequest";
import { Federation } from "@consilium/proto/load";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readSiteFrame, readUploadHeader, readVersions } from "./toDomain.js";

const { Attend, SendVector } = Federation.service;

/** As it arrives: encoded and decoded by the real codec, defaults and all. */
const decoded = (frame: SiteFrame) =>
  Attend.requestDeserialize(Attend.requestSerialize(frame)) as SiteFrame__Output;
const decodedHeader = (header: UploadHeader) =>
  (
    SendVector.requestDeserialize(
      SendVector.requestSerialize({ part: "header", header }),
    ) as UploadRequest__Output
  ).header!;

function codeFrom(read: () => unknown): string {
  try {
    read();
    return "accepted";
  } catch (error) {
    return error instanceof ConsiliumError ? error.code : `foreign error ${String(error)}`;
  }
}
const codeOf = (frame: SiteFrame) => codeFrom(() => readSiteFrame(decoded(frame)));

const studyId = "x-0123456789";
const bytes = (count: number) => Buffer.alloc(count, 1);
const long = "x".repeat(limits.maxNameBytes + 1);

const versions = { lowest: 1, highest: 1, software: "0.1.0" };
const hello = { versions, tables: [], nowMs: 5, instance: bytes(16) };
const speaks = { plan: versions, statement: versions, editions: {} };
const editionsOf = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`m${i}`, 1]));
const join = { exchangeKey: bytes(1216), signature: bytes(64) };
const post = { studyId, step: "deal", attempt: 1, publicPart: bytes(32), signature: bytes(64) };
const envelope = { to: "hospital-a", sealed: bytes(60) };
const small = bytes(40);
const ofContent = (content: Buffer) => ({
  studyId,
  step: "moments",
  attempt: 1,
  totalBytes: content.length,
  content,
  sha256: Buffer.from(sha256(content), "hex"),
  transcriptSignature: bytes(64),
});
const vector = ofContent(small);
const fault = { studyId, step: "deal", attempt: 1, code: "TABLE_CHANGED" };
const keys = { maskKey: bytes(1216), sealKey: bytes(32), signature: bytes(64) };
const shares = {
  selfMaskCommitment: bytes(32),
  ciphertexts: bytes(16),
  signature: bytes(64),
  envelopes: [envelope],
};
const revealed = { of: "hospital-a", selfMask: true, share: bytes(32) };
const sumPost = { studyId, step: "moments", attempt: 1 };
const ledgerHead = { head: "{}", signature: bytes(64) };
const countersignature = {
  studyId,
  signature: bytes(64),
  ledgerHead,
  ledgerEntries: [bytes(32)],
  software: "0.1.0",
};
const question = { studyId, questionId: "0a".repeat(16), text: "Why?\n<b>Now</b>" };
const column = { name: "c", type: "DOUBLE" };

describe("a site's frame", () => {
  it.each<[string, SiteFrame]>([
    ["hello", { frame: "hello", hello: { ...hello, tables: [{ name: "visits", columns: [column] }] } }],
    ["heartbeat", { frame: "heartbeat", heartbeat: { sequence: 7, nowMs: 5 } }],
    ["decision", { frame: "decision", decision: { studyId, decision: "join", join } }],
    [
      "decision",
      { frame: "decision", decision: { studyId, decision: "refusalCode", refusalCode: "PREFLIGHT_FAILED" } },
    ],
    [
      "awaitingApproval",
      { frame: "decision", decision: { studyId, decision: "awaitingApproval", awaitingApproval: true } },
    ],
    ["exchangePost", { frame: "exchangePost", exchangePost: { ...post, envelopes: [envelope] } }],
    ["vector", { frame: "vector", vector }],
    ["vector", { frame: "vector", vector: ofContent(bytes(limits.maxInlineVectorBytes)) }],
    ["stepFault", { frame: "stepFault", stepFault: fault }],
    ["sumPost", { frame: "sumPost", sumPost: { ...sumPost, post: "keys", keys } }],
    ["countersignature", { frame: "countersignature", countersignature }],
    ["endReceipt", { frame: "endReceipt", endReceipt: { studyId } }],
    ["question", { frame: "question", question }],
    ["question", { frame: "question", question: { ...question, text: "x".repeat(4_096) } }],
  ])("is read: %s", (kind, frame) => {
    expect(readSiteFrame(decoded(frame))).toMatchObject({ kind });
  });

  it("is read of a hello with what its software speaks, and of one that does not say", () => {
    const said = {
      plan: { lowest: 3, highest: 4 },
      statement: { lowest: 2, highest: 2 },
      editions: { counts: 2 },
    };
    const frame = (change: object): SiteFrame => ({ frame: "hello", hello: { ...hello, ...change } });
    expect(readSiteFrame(decoded(frame({ speaks: said })))).toMatchObject({ speaks: said });
    expect(readSiteFrame(decoded(frame({})))).toMatchObject({ speaks: null });
  });

  it("is read of a hello with what a hospital's people wrote of a table and its policy", () => {
    const admits = {
      analyses: ["pca"],
      variants: ["sound"],
      maxEpsilon: 0.5,
      maxDelta: 0,
      minimumSites: 3,
      tolerateColluding: 1,
      perHospital: false,
      requires: ["purpose"],
    };
    const columns = [
      { ...column, unit: "%", bounds: { min: 3, max: 18 }, levels: [] },
      { name: "sex", type: "any", unit: "", bounds: null, levels: ["f", "m"] },
    ];
    const tables = [{ name: "visits", columns, budget: { epsilon: 2.5, delta: 1e-6 } }];
    const frame = (change: object): SiteFrame => ({ frame: "hello", hello: { ...hello, ...change } });
    const [visits] = tables;
    expect(readSiteFrame(decoded(frame({ tables, admits })))).toMatchObject({
      admits: { ...admits, maxDelta: null },
      tables: [
        {
          name: "visits",
          columns: [
            { ...column, unit: "%", bounds: { min: 3, max: 18 } },
            { name: "sex", type: "any", levels: ["f", "m"] },
          ],
          budget: visits!.budget,
        },
      ],
    });
    const plain = readSiteFrame(decoded(frame({ tables: [{ name: "visits", columns: [column] }] })));
    expect(plain).toMatchObject({ admits: null });
    expect((plain as Extract<typeof plain, { kind: "hello" }>).tables).toStrictEqual([
      { name: "visits", columns: [column], budget: null },
    ]);
    const faults: object[] = [
      { tables: [{ name: "t", columns: [{ ...column, unit: long }] }] },
      { tables: [{ name: "t", columns: [{ ...column, bounds: { min: Number.NaN, max: 1 } }] }] },
      {
        tables: [{ name: "t", columns: [{ ...column, bounds: { min: 1, max: Number.POSITIVE_INFINITY } }] }],
      },
      { tables: [{ name: "t", columns: [{ ...column, levels: [long] }] }] },
      { tables: [{ name: "t", columns: [{ ...column, levels: Array(limits.maxLevels + 1).fill("a") }] }] },
      { tables: [{ name: "t", columns: [], budget: { epsilon: -1, delta: 1e-6 } }] },
      { admits: { ...admits, analyses: [long] } },
      { admits: { ...admits, requires: Array(limits.maxAdmitted + 1).fill("purpose") } },
      { admits: { ...admits, minimumSites: limits.maxSites + 1 } },
      { admits: { ...admits, maxEpsilon: Number.NaN } },
    ];
    for (const fault of faults)
      expect(() => readSiteFrame(decoded(frame(fault))), JSON.stringify(fault)).toThrow(
        expect.objectContaining({ code: "FIELD_INVALID" }),
      );
  });

  it.each([
    ["another id", { questionId: "0A".repeat(16) }],
    ["a short id", { questionId: "0a" }],
    ["no text", { text: "" }],
    ["a terminal's control characters", { text: "a\u001b[2J" }],
    ["a character that turns what follows", { text: "a\u202eb" }],
    ["too long a text", { text: "x".repeat(4_097) }],
  ])("is refused: a question with %s", (_, change) => {
    expect(() => readSiteFrame(decoded({ frame: "question", question: { ...question, ...change } }))).toThrow(
      /question/,
    );
  });

  it("keeps whether a refusal may be published", () => {
    const refusal = { studyId, decision: "refusalCode", refusalCode: "POLICY_EPSILON" } as const;
    for (const mayPublish of [true, false]) {
      const read = readSiteFrame(decoded({ frame: "decision", decision: { ...refusal, mayPublish } }));
      expect(read).toMatchObject({ decision: { joined: false, code: "POLICY_EPSILON", mayPublish } });
    }
  });

  it("keeps what it says", () => {
    expect(
      readSiteFrame(decoded({ frame: "exchangePost", exchangePost: { ...post, envelopes: [envelope] } })),
    ).toEqual({
      kind: "exchangePost",
      ...post,
      envelopes: [envelope],
    });
    expect(readSiteFrame(decoded({ frame: "stepFault", stepFault: fault }))).toEqual({
      kind: "stepFault",
      ...fault,
    });
  });

  it("keeps what is posted in a sum", () => {
    const read = (part: object) => {
      const message = readSiteFrame(decoded({ frame: "sumPost", sumPost: { ...sumPost, ...part } }));
      return message.kind === "sumPost" ? message.post : message.kind;
    };
    expect(read({ post: "keys", keys })).toEqual({ kind: "keys", keys });
    expect(read({ post: "shares", shares })).toEqual({ kind: "shares", shares });
    expect(read({ post: "survivorsSignature", survivorsSignature: bytes(64) })).toEqual({
      kind: "survivors",
      signature: bytes(64),
    });
    const unmask = { shares: [{ of: "hospital-a", secret: "self-mask", share: bytes(32) }] };
    expect(read({ post: "unmask", unmask: { shares: [revealed] } })).toEqual({
      kind: "unmask",
      unmask,
      nextShares: null,
    });
    expect(read({ post: "unmask", unmask: { shares: [revealed], nextShares: shares } })).toEqual({
      kind: "unmask",
      unmask,
      nextShares: shares,
    });
  });

  it("keeps a countersignature, and hashes in hexadecimal", () => {
    expect(readSiteFrame(decoded({ frame: "countersignature", countersignature }))).toEqual({
      kind: "countersignature",
      ...countersignature,
      ledgerEntries: ["01".repeat(32)],
      software: "0.1.0",
    });
  });

  it("takes the largest post of a study of 200 sites as one message", () => {
    const sites = Array.from({ length: 200 }, (_, i) => `a-hospital-with-quite-a-long-name-${1000 + i}`);
    const wide = { ...shares, envelopes: sites.map((to) => ({ to, sealed: bytes(200) })) };
    const post = { shares: sites.map((of) => ({ ...revealed, of })), nextShares: wide };
    const frame: SiteFrame = { frame: "sumPost", sumPost: { ...sumPost, post: "unmask", unmask: post } };
    expect(Attend.requestSerialize(frame).length).toBeLessThan(limits.maxMessageBytes / 4);
    expect(codeOf(frame)).toBe("accepted");
  });

  it.each<[string, SiteFrame]>([
    ["a post of nothing", { frame: "sumPost", sumPost }],
    [
      "a mask key too short",
      { frame: "sumPost", sumPost: { ...sumPost, post: "keys", keys: { ...keys, maskKey: bytes(31) } } },
    ],
    [
      "a commitment too long",
      {
        frame: "sumPost",
        sumPost: { ...sumPost, post: "shares", shares: { ...shares, selfMaskCommitment: bytes(33) } },
      },
    ],
    [
      "too many shares",
      {
        frame: "sumPost",
        sumPost: {
          ...sumPost,
          post: "unmask",
          unmask: { shares: Array(limits.maxSites + 1).fill(revealed) },
        },
      },
    ],
    [
      "a share too short",
      {
        frame: "sumPost",
        sumPost: { ...sumPost, post: "unmask", unmask: { shares: [{ ...revealed, share: bytes(1) }] } },
      },
    ],
    [
      "a signature on survivors too short",
      {
        frame: "sumPost",
        sumPost: { ...sumPost, post: "survivorsSignature", survivorsSignature: bytes(63) },
      },
    ],
    [
      "a countersignature without a ledger's head",
      { frame: "countersignature", countersignature: { ...countersignature, ledgerHead: null } },
    ],
    [
      "too many ledger entries",
      {
        frame: "countersignature",
        countersignature: {
          ...countersignature,
          ledgerEntries: Array(limits.maxLedgerEntries + 1).fill(bytes(32)),
        },
      },
    ],
    ["no kind", {}],
    ["a hello without versions", { frame: "hello", hello: { ...hello, versions: null } }],
    [
      "too long a version",
      { frame: "hello", hello: { ...hello, versions: { lowest: 1, highest: 1, software: long } } },
    ],
    [
      "an absurd version",
      { frame: "hello", hello: { ...hello, versions: { lowest: 1, highest: 2_000_000 } } },
    ],
    [
      "too many tables",
      { frame: "hello", hello: { ...hello, tables: Array(limits.maxTables + 1).fill({ name: "t" }) } },
    ],
    ["too long a table's name", { frame: "hello", hello: { ...hello, tables: [{ name: long }] } }],
    [
      "too many columns",
      {
        frame: "hello",
        hello: { ...hello, tables: [{ name: "t", columns: Array(limits.maxColumnsPerTable + 1).fill({}) }] },
      },
    ],
    ["a clock beyond all integers", { frame: "hello", hello: { ...hello, nowMs: "18446744073709551615" } }],
    ["no plan's formats", { frame: "hello", hello: { ...hello, speaks: { ...speaks, plan: null } } }],
    [
      "an absurd format",
      {
        frame: "hello",
        hello: { ...hello, speaks: { ...speaks, statement: { lowest: 1, highest: 2_000_000 } } },
      },
    ],
    [
      "an edition before the first",
      { frame: "hello", hello: { ...hello, speaks: { ...speaks, editions: { counts: 0 } } } },
    ],
    [
      "an absurd edition",
      {
        frame: "hello",
        hello: { ...hello, speaks: { ...speaks, editions: { counts: limits.maxEdition + 1 } } },
      },
    ],
    [
      "too long a method",
      { frame: "hello", hello: { ...hello, speaks: { ...speaks, editions: { [long]: 1 } } } },
    ],
    [
      "too many methods",
      {
        frame: "hello",
        hello: { ...hello, speaks: { ...speaks, editions: editionsOf(limits.maxSpokenMethods + 1) } },
      },
    ],
    ["no instance", { frame: "hello", hello: { ...hello, instance: bytes(0) } }],
    ["too long an instance", { frame: "hello", hello: { ...hello, instance: bytes(17) } }],
    [
      "a heartbeat's clock beyond all integers",
      { frame: "heartbeat", heartbeat: { sequence: 1, nowMs: "18446744073709551615" } },
    ],
    ["an invalid study's id", { frame: "decision", decision: { studyId: "../x", decision: "join", join } }],
    ["a decision for nothing", { frame: "decision", decision: { studyId: "", decision: "join", join } }],
    ["neither joining nor refusing", { frame: "decision", decision: { studyId } }],
    [
      "not awaiting approval, as a decision",
      { frame: "decision", decision: { studyId, decision: "awaitingApproval", awaitingApproval: false } },
    ],
    [
      "a key too short",
      {
        frame: "decision",
        decision: { studyId, decision: "join", join: { ...join, exchangeKey: bytes(31) } },
      },
    ],
    [
      "a signature too long",
      { frame: "decision", decision: { studyId, decision: "join", join: { ...join, signature: bytes(65) } } },
    ],
    [
      "a refusal by no known code",
      { frame: "decision", decision: { studyId, decision: "refusalCode", refusalCode: "SECRET 1.5" } },
    ],
    [
      "a refusal by an object's own word",
      { frame: "decision", decision: { studyId, decision: "refusalCode", refusalCode: "constructor" } },
    ],
    ["an invalid step", { frame: "exchangePost", exchangePost: { ...post, step: "DEAL" } }],
    ["an attempt too high", { frame: "exchangePost", exchangePost: { ...post, attempt: 1_000_001 } }],
    [
      "a public part too large",
      { frame: "exchangePost", exchangePost: { ...post, publicPart: bytes(limits.maxPublicPartBytes + 1) } },
    ],
    ["no signature", { frame: "exchangePost", exchangePost: { ...post, signature: bytes(0) } }],
    [
      "too many envelopes",
      { frame: "exchangePost", exchangePost: { ...post, envelopes: Array(1025).fill(envelope) } },
    ],
    [
      "an envelope to nobody",
      { frame: "exchangePost", exchangePost: { ...post, envelopes: [{ ...envelope, to: "" }] } },
    ],
    [
      "an empty envelope",
      { frame: "exchangePost", exchangePost: { ...post, envelopes: [{ ...envelope, sealed: bytes(0) }] } },
    ],
    [
      "an envelope too large",
      {
        frame: "exchangePost",
        exchangePost: { ...post, envelopes: [{ ...envelope, sealed: bytes(limits.maxSealedBytes + 1) }] },
      },
    ],
    ["a vector of another length", { frame: "vector", vector: { ...vector, totalBytes: small.length + 1 } }],
    ["a vector of another hash", { frame: "vector", vector: { ...vector, sha256: bytes(32) } }],
    [
      "a vector that has a stream of its own",
      { frame: "vector", vector: ofContent(bytes(limits.maxInlineVectorBytes + 1)) },
    ],
    ["a fault by no known code", { frame: "stepFault", stepFault: { ...fault, code: long } }],
    ["a receipt for nothing", { frame: "endReceipt", endReceipt: { studyId: "" } }],
  ])("is refused: %s", (_, frame) => {
    expect(codeOf(frame)).toBe("FIELD_INVALID");
  });

  it("never throws anything foreign, whatever bytes come", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (raw) => {
        let frame: SiteFrame__Output;
        try {
          frame = Attend.requestDeserialize(Buffer.from(raw)) as SiteFrame__Output;
        } catch {
          return; // gRPC refuses what is no message at all.
        }
        expect(["accepted", "FIELD_INVALID"]).toContain(codeFrom(() => readSiteFrame(frame)));
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("an upload's header", () => {
  const header = { studyId, step: "moments", attempt: 1, totalBytes: 80, sha256: bytes(32) };

  it("is read with its hash in hexadecimal", () => {
    const plain = { transcriptSignature: null, nextKeys: null, ledgerHead: null };
    expect(readUploadHeader(decodedHeader(header))).toEqual({ ...header, ...plain, sha256: "01".repeat(32) });
  });

  it("keeps what rides with a masked vector", () => {
    const riding = { transcriptSignature: bytes(64), nextKeys: keys, ledgerHead };
    expect(readUploadHeader(decodedHeader({ ...header, ...riding }))).toMatchObject(riding);
  });

  it.each([
    ["an invalid study's id", { studyId: "x" }],
    ["an invalid step", { step: "a b" }],
    ["an attempt too high", { attempt: 4_000_000_000 }],
    ["too many bytes", { totalBytes: limits.maxUploadBytes + 1 }],
    ["a hash too short", { sha256: bytes(31) }],
    ["a transcript signature too short", { transcriptSignature: bytes(63) }],
    ["keys too short", { nextKeys: { ...keys, sealKey: bytes(31) } }],
    ["a ledger's head too large", { ledgerHead: { ...ledgerHead, head: "x".repeat(20_000) } }],
  ])("is refused: %s", (_, change) => {
    expect(codeFrom(() => readUploadHeader(decodedHeader({ ...header, ...change })))).toBe("FIELD_INVALID");
  });
});

it("needs a range of versions", () => {
  expect(readVersions({ lowest: 1, highest: 3, software: "x" })).toEqual({
    lowest: 1,
    highest: 3,
    software: "x",
  });
  expect(codeFrom(() => readVersions(null))).toBe("FIELD_INVALID");
});
