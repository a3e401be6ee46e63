import { ConsiliumError } from "@consilium/core/errors";
import * as limits from "@consilium/core/limits";
import type {
  AggregatorFrame,
  AggregatorFrame__Output,
} from "@consilium/proto/generated/consilium/v1/AggregatorFrame";
import type { Task } from "@consilium/proto/generated/consilium/v1/Task";
import { Federation } from "@consilium/proto/load";
import { rosterBytes } from "@consilium/proto/roster";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readAggregatorFrame } from "./toDomain.js";

const { Attend } = Federation.service;

/** As it arrives: encoded and decoded by the real codec, defaults and all. */
const decoded = (frame: AggregatorFrame) =>
  Attend.responseDeserialize(Attend.responseSerialize(frame)) as AggregatorFrame__Output;

function codeFrom(read: () => unknown): string {
  try {
    read();
    return "accepted";
  } catch (error) {
    return error instanceof ConsiliumError ? error.code : `foreign error ${String(error)}`;
  }
}

const studyId = "x-0123456789";
const answer = { studyId, questionId: "0a".repeat(16), text: "<b>Twelve</b>\nbins." };
const bytes = (count: number) => Buffer.alloc(count, 1);
const long = "x".repeat(limits.maxNameBytes + 1);
const invitation = {
  studyId,
  studyText: "{}",
  studyHash: bytes(32),
  plan: "{}",
  deadlineInMs: 1_000,
};
const member = {
  siteId: "hospital-a",
  chain: [bytes(700), bytes(700)],
  join: { exchangeKey: bytes(1216), signature: bytes(64) },
};
const delivery = {
  step: "deal",
  from: "hospital-a",
  publicPart: bytes(32),
  signature: bytes(64),
  sealed: bytes(60),
};
const item = { stage: "covariance", name: "mean", length: 4, sha256: bytes(32) };
const base: Task = {
  studyId,
  step: "covariance",
  attempt: 1,
  planHash: bytes(32),
  deadlineInMs: 1_000,
  roster: rosterBytes({ members: [member] }),
  deliveries: [],
};
const sum = (change: Task = {}, broadcasts: object[] = [item]): AggregatorFrame => ({
  frame: "task",
  task: { ...base, kind: "sum", sum: { broadcasts }, ...change },
});
const withMember = (change: object) => sum({ roster: rosterBytes({ members: [{ ...member, ...change }] }) });
const withDelivery = (change: object) => sum({ deliveries: [{ ...delivery, ...change }] });
const withItem = (change: object) => sum({}, [{ ...item, ...change }]);
const welcome = { protocol: 4, software: "0.1.0", federation: "harbour", heartbeatMs: 5_000 };

describe("the aggregator's frame", () => {
  it("is read: a task with all that belongs to it", () => {
    const read = readAggregatorFrame(decoded(sum({ deliveries: [delivery] })));
    expect(read).toEqual({
      kind: "task",
      task: {
        studyId,
        step: "covariance",
        attempt: 1,
        roster: [
          {
            site: "hospital-a",
            chain: member.chain,
            exchangeKey: bytes(1216),
            signature: bytes(64),
          },
        ],
        planHash: "01".repeat(32),
        deliveries: [delivery],
        kind: "sum",
        shares: [],
        broadcasts: [{ ...item, sha256: "01".repeat(32), values: null }],
      },
    });
    const exchange = readAggregatorFrame(
      decoded({ frame: "task", task: { ...base, kind: "exchange", exchange: {} } }),
    );
    expect(exchange).toMatchObject({ kind: "task", task: { kind: "exchange" } });
    const empty = readAggregatorFrame(decoded(withDelivery({ sealed: bytes(0) })));
    expect(empty).toMatchObject({ task: { deliveries: [{ sealed: null }] } });
  });

  it.each<[string, AggregatorFrame]>([
    ["welcome", { frame: "welcome", welcome }],
    ["heartbeat", { frame: "heartbeat", heartbeat: { sequence: 1 } }],
    ["invitation", { frame: "invitation", invitation }],
    ["studyEnded", { frame: "studyEnded", studyEnded: { studyId, outcome: "failed", code: "" } }],
    ["fault", { frame: "fault", fault: { code: "SITE_EXPELLED", message: "gone" } }],
    ["revocations", { frame: "revocations", revocations: { list: bytes(100) } }],
    ["answer", { frame: "answer", answer }],
    ["answer", { frame: "answer", answer: { ...answer, text: "" } }],
  ])("is read: %s", (kind, frame) => {
    expect(readAggregatorFrame(decoded(frame))).toMatchObject({ kind });
  });

  it("does not let the aggregator set too quick a heartbeat", () => {
    const read = readAggregatorFrame(decoded({ frame: "welcome", welcome: { ...welcome, heartbeatMs: 1 } }));
    expect(read).toMatchObject({ heartbeatMs: 500 });
  });

  it.each<[string, AggregatorFrame]>([
    ["no kind", {}],
    ["an answer to no question", { frame: "answer", answer: { ...answer, questionId: "../x" } }],
    ["an answer that moves a cursor", { frame: "answer", answer: { ...answer, text: "a\u001b[2J" } }],
    ["an answer that is too long", { frame: "answer", answer: { ...answer, text: "x".repeat(4_097) } }],
    ["too slow a heartbeat", { frame: "welcome", welcome: { ...welcome, heartbeatMs: 60_001 } }],
    ["too long a version", { frame: "welcome", welcome: { ...welcome, software: long } }],
    ["an invalid id", { frame: "invitation", invitation: { ...invitation, studyId: "../x" } }],
    ["a task without the plan's hash", sum({ planHash: bytes(0) })],
    ["a hash too short", { frame: "invitation", invitation: { ...invitation, studyHash: bytes(31) } }],
    [
      "a text too long",
      {
        frame: "invitation",
        invitation: { ...invitation, studyText: "x".repeat(limits.maxStudyTextBytes + 1) },
      },
    ],
    ["a task of no kind", { frame: "task", task: base }],
    ["an invalid step", sum({ step: "Covariance" })],
    ["a step too long", sum({ step: "x".repeat(41) })],
    ["an attempt too high", sum({ attempt: 1_000_001 })],
    ["a roster too long", sum({ roster: rosterBytes({ members: Array(1025).fill(member) }) })],
    ["a roster that is no message", sum({ roster: bytes(7) })],
    ["an invalid site", withMember({ siteId: "Hospital A" })],
    ["a chain too long", withMember({ chain: Array(limits.maxChainLength + 1).fill(bytes(10)) })],
    ["an empty certificate", withMember({ chain: [bytes(0)] })],
    ["a certificate too large", withMember({ chain: [bytes(limits.maxCertificateBytes + 1)] })],
    ["a member that did not join", withMember({ join: null })],
    ["a member's key too short", withMember({ join: { exchangeKey: bytes(32), signature: bytes(64) } })],
    [
      "a member's signature too short",
      withMember({ join: { exchangeKey: bytes(1216), signature: bytes(63) } }),
    ],
    ["too many deliveries", sum({ deliveries: Array(1025).fill(delivery) })],
    ["a delivery from nobody", withDelivery({ from: "" })],
    ["a delivery of too long a step", withDelivery({ step: long })],
    ["a public part too large", withDelivery({ publicPart: bytes(limits.maxPublicPartBytes + 1) })],
    ["a signature too long", withDelivery({ signature: bytes(65) })],
    ["a sealed part too large", withDelivery({ sealed: bytes(limits.maxSealedBytes + 1) })],
    ["too many broadcasts", sum({}, Array(limits.maxBroadcastItems + 1).fill({}))],
    ["a broadcast of no stage", withItem({ stage: "" })],
    ["a broadcast's name too long", withItem({ name: long })],
    ["a broadcast too long", withItem({ length: limits.maxBroadcastBytes / 8 + 1 })],
    ["a broadcast's hash too short", withItem({ sha256: bytes(20) })],
    ["an invalid end", { frame: "studyEnded", studyEnded: { studyId, outcome: "burnt", code: "" } }],
    ["a fault's code too long", { frame: "fault", fault: { code: long, message: "" } }],
    ["a fault too long", { frame: "fault", fault: { code: "INTERNAL", message: "x".repeat(4_097) } }],
    [
      "a list too long",
      { frame: "revocations", revocations: { list: bytes(limits.maxRevocationsBytes + 1) } },
    ],
  ])("is refused: %s", (_, frame) => {
    expect(codeFrom(() => readAggregatorFrame(decoded(frame)))).toBe("FIELD_INVALID");
  });

  it("never throws anything foreign, whatever bytes come", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (raw) => {
        let frame: AggregatorFrame__Output;
        try {
          frame = Attend.responseDeserialize(Buffer.from(raw)) as AggregatorFrame__Output;
        } catch {
          return; // gRPC refuses what is no message at all.
        }
        expect(["accepted", "FIELD_INVALID"]).toContain(codeFrom(() => readAggregatorFrame(frame)));
      }),
      { numRuns: 2_000 },
    );
  });
});
