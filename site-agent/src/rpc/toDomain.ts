import type { ErrorCode } from "@consilium/core/errors";
import type { Sha256, SiteId, StageId, StudyId } from "@consilium/core/ids";
import type { SetupDelivery } from "@consilium/core/secure-sum/setup";
import {
  bytesOf,
  countOf,
  exactBytes,
  fieldFault,
  listOf,
  present,
  sha256Of,
  siteIdOf,
  stepIdOf,
  studyIdOf,
  textOf,
} from "@consilium/proto/fields";
import type { AggregatorFrame__Output } from "@consilium/proto/generated/consilium/v1/AggregatorFrame";
import type { Task__Output } from "@consilium/proto/generated/consilium/v1/Task";
import * as limits from "@consilium/proto/limits";

/** What the aggregator says on the control stream, checked field by field. Generated types stop here. */
export type AggregatorMessage =
  | {
      readonly kind: "welcome";
      readonly protocol: number;
      readonly software: string;
      readonly heartbeatMs: number;
    }
  | { readonly kind: "heartbeat" }
  | {
      readonly kind: "invitation";
      readonly studyId: StudyId;
      readonly studyText: string;
      readonly studyHash: Sha256;
    }
  | { readonly kind: "task"; readonly task: SiteTask }
  | {
      readonly kind: "studyEnded";
      readonly studyId: StudyId;
      readonly outcome: "released" | "failed" | "cancelled";
    }
  | { readonly kind: "fault"; readonly code: string; readonly message: string }
  | { readonly kind: "revocations"; readonly list: Uint8Array };

export interface SiteTask {
  readonly studyId: StudyId;
  readonly step: StageId;
  readonly attempt: number;
  readonly roster: readonly RosterEntry[];
  readonly deliveries: readonly (SetupDelivery & { readonly step: string })[];
  readonly kind: "exchange" | "sum" | "rows";
  readonly broadcasts: readonly BroadcastEntry[];
}

export interface RosterEntry {
  readonly site: SiteId;
  readonly chain: readonly Uint8Array[];
  readonly exchangeKey: Uint8Array;
  readonly signature: Uint8Array;
}

export interface BroadcastEntry {
  readonly stage: StageId;
  readonly name: string;
  readonly length: number;
  readonly sha256: Sha256;
}

const maxRoster = 1024;

/** @throws ConsiliumError FIELD_INVALID */
export function readAggregatorFrame(frame: AggregatorFrame__Output): AggregatorMessage {
  switch (frame.frame) {
    case "welcome": {
      const welcome = present(frame.welcome, "welcome");
      return {
        kind: "welcome",
        protocol: countOf(welcome.protocol, "welcome.protocol", 1_000_000),
        software: textOf(welcome.software, "welcome.software", limits.maxNameBytes),
        heartbeatMs: Math.max(500, countOf(welcome.heartbeatMs, "welcome.heartbeat_ms", 60_000)),
      };
    }
    case "heartbeat":
      return { kind: "heartbeat" };
    case "invitation": {
      const invitation = present(frame.invitation, "invitation");
      return {
        kind: "invitation",
        studyId: studyIdOf(invitation.studyId),
        studyText: textOf(invitation.studyText, "invitation.study_text", limits.maxStudyTextBytes),
        studyHash: sha256Of(invitation.studyHash, "invitation.study_hash"),
      };
    }
    case "task":
      return { kind: "task", task: readTask(present(frame.task, "task")) };
    case "studyEnded": {
      const ended = present(frame.studyEnded, "study_ended");
      const { outcome } = ended;
      if (outcome !== "released" && outcome !== "failed" && outcome !== "cancelled") {
        throw fieldFault("study_ended.outcome", "no known outcome");
      }
      return { kind: "studyEnded", studyId: studyIdOf(ended.studyId), outcome };
    }
    case "fault": {
      const fault = present(frame.fault, "fault");
      const code = textOf(fault.code, "fault.code", limits.maxCodeBytes);
      return {
        kind: "fault",
        code: code as ErrorCode,
        message: textOf(fault.message, "fault.message", 4_096),
      };
    }
    case "revocations": {
      const { list } = present(frame.revocations, "revocations");
      return {
        kind: "revocations",
        list: bytesOf(list, "revocations.list", { max: limits.maxRevocationsBytes }),
      };
    }
    default:
      throw fieldFault("frame", "no known kind of frame");
  }
}

function readTask(task: Task__Output): SiteTask {
  const kind = present(task.kind, "task.kind");
  const stage = kind === "exchange" ? null : present(task[kind], `task.${kind}`);
  return {
    studyId: studyIdOf(task.studyId),
    step: stepIdOf(task.step),
    attempt: countOf(task.attempt, "task.attempt", 1_000_000),
    roster: listOf(
      present(task.roster, "task.roster").members,
      "task.roster.members",
      maxRoster,
      (member) => ({
        site: siteIdOf(member.siteId),
        chain: listOf(member.chain, "task.roster.members.chain", limits.maxChainLength, (der) =>
          bytesOf(der, "task.roster.members.chain", { min: 1, max: limits.maxCertificateBytes }),
        ),
        exchangeKey: exactBytes(present(member.join, "join").exchangeKey, "join.exchange_key", 32),
        signature: exactBytes(present(member.join, "join").signature, "join.signature", 64),
      }),
    ),
    deliveries: listOf(task.deliveries, "task.deliveries", maxRoster, (delivery) => ({
      step: textOf(delivery.step, "task.deliveries.step", limits.maxNameBytes),
      from: siteIdOf(delivery.from),
      publicPart: bytesOf(delivery.publicPart, "task.deliveries.public_part", {
        max: limits.maxPublicPartBytes,
      }),
      signature: exactBytes(delivery.signature, "task.deliveries.signature", 64),
      sealed:
        delivery.sealed.length === 0
          ? null
          : bytesOf(delivery.sealed, "task.deliveries.sealed", { max: limits.maxSealedBytes }),
    })),
    kind,
    broadcasts:
      stage === null
        ? []
        : listOf(stage.broadcasts, "task.broadcasts", limits.maxBroadcastItems, (item) => ({
            stage: stepIdOf(item.stage),
            name: textOf(item.name, "task.broadcasts.name", limits.maxNameBytes),
            length: countOf(item.length, "task.broadcasts.length", limits.maxUploadBytes / 8),
            sha256: sha256Of(item.sha256, "task.broadcasts.sha256"),
          })),
  };
}
