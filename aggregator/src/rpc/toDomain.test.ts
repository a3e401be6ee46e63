import { ConsiliumError } from "@consilium/core/errors";
import type { SiteFrame, SiteFrame__Output } from "@consilium/proto/generated/consilium/v1/SiteFrame";
import type { UploadHeader } from "@consilium/proto/generated/consilium/v1/UploadHeader";
import type { UploadRequest__Output } from "@consilium/proto/generated/consilium/v1/UploadRequest";
import * as limits from "@consilium/proto/limits";
import { Federation } from "@consilium/proto/load";
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
const long = "x".repeat(300);

const hello = { versions: { lowest: 1, highest: 1, software: "0.1.0" }, tables: [], nowMs: 5 };
const join = { exchangeKey: bytes(32), signature: bytes(64) };
const post = { studyId, step: "deal", attempt: 1, publicPart: bytes(32), signature: bytes(64) };
const envelope = { to: "hospital-a", sealed: bytes(60) };
const progress = { studyId, step: "deal", fraction: 0.5 };
const fault = { studyId, step: "deal", attempt: 1, code: "TABLE_CHANGED" };
const column = { name: "c", type: "DOUBLE" };

describe("a site's frame", () => {
  it.each<[string, SiteFrame]>([
    ["hello", { frame: "hello", hello: { ...hello, tables: [{ name: "visits", columns: [column] }] } }],
    ["heartbeat", { frame: "heartbeat", heartbeat: { sequence: 7 } }],
    ["decision", { frame: "decision", decision: { studyId, decision: "join", join } }],
    [
      "decision",
      { frame: "decision", decision: { studyId, decision: "refusalCode", refusalCode: "PREFLIGHT_FAILED" } },
    ],
    ["exchangePost", { frame: "exchangePost", exchangePost: { ...post, envelopes: [envelope] } }],
    ["progress", { frame: "progress", progress }],
    ["stepFault", { frame: "stepFault", stepFault: fault }],
    ["endReceipt", { frame: "endReceipt", endReceipt: { studyId } }],
  ])("is read: %s", (kind, frame) => {
    expect(readSiteFrame(decoded(frame))).toMatchObject({ kind });
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

  it.each<[string, SiteFrame]>([
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
    [
      "a study's id that is none",
      { frame: "decision", decision: { studyId: "../x", decision: "join", join } },
    ],
    ["a decision for nothing", { frame: "decision", decision: { studyId: "", decision: "join", join } }],
    ["neither joining nor refusing", { frame: "decision", decision: { studyId } }],
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
    ["a step that is none", { frame: "exchangePost", exchangePost: { ...post, step: "DEAL" } }],
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
    ["progress of more than all", { frame: "progress", progress: { ...progress, fraction: 1.01 } }],
    ["progress of less than nothing", { frame: "progress", progress: { ...progress, fraction: -1e-9 } }],
    ["progress that is no number", { frame: "progress", progress: { ...progress, fraction: Number.NaN } }],
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
    expect(readUploadHeader(decodedHeader(header))).toEqual({ ...header, sha256: "01".repeat(32) });
  });

  it.each([
    ["a study's id that is none", { studyId: "x" }],
    ["a step that is none", { step: "a b" }],
    ["an attempt too high", { attempt: 4_000_000_000 }],
    ["too many bytes", { totalBytes: limits.maxUploadBytes + 1 }],
    ["a hash too short", { sha256: bytes(31) }],
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
