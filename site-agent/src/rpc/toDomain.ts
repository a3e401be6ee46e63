import type { ErrorCode } from "@consilium/core/errors";
import {
  parseStageId,
  parseStudyId,
  type Sha256,
  type SiteId,
  type StageId,
  type StudyId,
} from "@consilium/core/ids";
import * as limits from "@consilium/core/limits";
import { assertNever } from "@consilium/core/result";
import type { BroadcastItem } from "@consilium/core/study/broadcast";
import {
  bytesOf,
  countOf,
  exactBytes,
  fieldFault,
  listOf,
  personTextOf,
  present,
  questionIdOf,
  sha256Of,
  siteIdOf,
  stepIdOf,
  studyIdOf,
  textOf,
} from "@consilium/proto/fields";
import type { AggregatorFrame__Output } from "@consilium/proto/generated/consilium/v1/AggregatorFrame";
import type { BroadcastItem__Output } from "@consilium/proto/generated/consilium/v1/BroadcastItem";
import type { LedgerHead__Output } from "@consilium/proto/generated/consilium/v1/LedgerHead";
import type { Task__Output } from "@consilium/proto/generated/consilium/v1/Task";
import { rosterOf } from "@consilium/proto/roster";
import { deliveredOf, proofsOf, signaturesOf, siteKeysOf } from "@consilium/proto/secureSum";
import { exchangeKeyBytes } from "@consilium/secure-sum/crypto/exchange";
import type {
  AdvertisedKeys,
  DeliveredShares,
  SurvivorProof,
  SurvivorsSignature,
} from "@consilium/secure-sum/messages";
import type { SetupDelivery } from "@consilium/secure-sum/setup";

/** What the aggregator says on the control stream, checked field by field. Generated types stop here. */
export type AggregatorMessage =
  | {
      readonly kind: "welcome";
      readonly protocol: number;
      readonly software: string;
      readonly heartbeatMs: number;
      readonly ledgerHead: WireLedgerHead | null;
    }
  | { readonly kind: "heartbeat" }
  | {
      readonly kind: "invitation";
      readonly studyId: StudyId;
      readonly studyText: string;
      readonly studyHash: Sha256;
      /** Facts of the aggregator's plan, canonical JSON. */
      readonly plan: string;
      /** Until when the aggregator waits for a decision. */
      readonly deadlineInMs: number;
    }
  | { readonly kind: "task"; readonly task: SiteTask }
  | {
      readonly kind: "studyEnded";
      readonly studyId: StudyId;
      readonly outcome: "released" | "failed" | "cancelled";
      readonly code: string;
    }
  | {
      readonly kind: "answer";
      readonly studyId: StudyId;
      readonly questionId: string;
      /** Null: the question is stored and not answered yet. */
      readonly text: string | null;
    }
  | {
      readonly kind: "fault";
      readonly code: string;
      readonly message: string;
      /** The study whose message was refused alone; null where the stream ends. */
      readonly studyId: StudyId | null;
    }
  | {
      readonly kind: "revocations";
      readonly list: Uint8Array;
      readonly confirmation: Uint8Array;
    };

/** What a site is asked to do for a study. */
export type SiteTask = TaskPlace & TaskWork;
type TaskKind = TaskWork["kind"];
export type TaskOf<K extends TaskKind> = TaskPlace & Extract<TaskWork, { kind: K }>;

export interface TaskPlace {
  readonly studyId: StudyId;
  readonly step: StageId;
  readonly attempt: number;
  /** Null when it came with an earlier task. */
  readonly roster: readonly RosterEntry[] | null;
  /** Of the plan on the roster, as the aggregator has it; null from one that does not tell. */
  readonly planHash: Sha256;
  /** Of the exchange steps. */
  readonly deliveries: readonly (SetupDelivery & { readonly step: string })[];
}

type TaskWork =
  | { readonly kind: "exchange" }
  | {
      readonly kind: "sum";
      readonly broadcasts: readonly BroadcastEntry[];
      readonly shares: readonly DeliveredShares[];
    }
  /** Of a stage without masks: reduced rows, or tags with counts, as the plan says. */
  | { readonly kind: "rows"; readonly broadcasts: readonly BroadcastEntry[] }
  | { readonly kind: "sumKeys" }
  | { readonly kind: "sumShares"; readonly keys: readonly AdvertisedKeys[] }
  | {
      readonly kind: "sumSurvivors";
      readonly survivors: readonly SurvivorProof[];
      readonly nextKeys: readonly AdvertisedKeys[];
    }
  | {
      readonly kind: "sumUnmask";
      readonly survivors: readonly SurvivorProof[];
      readonly signatures: readonly SurvivorsSignature[];
      readonly nextKeys: readonly AdvertisedKeys[];
    }
  | { readonly kind: "countersign"; readonly statement: string };

/** A ledger's head as it travels: canonical JSON, and the site's signature on it. */
export interface WireLedgerHead {
  readonly head: string;
  readonly signature: Uint8Array;
}

export interface RosterEntry {
  readonly site: SiteId;
  readonly chain: readonly Uint8Array[];
  readonly exchangeKey: Uint8Array;
  readonly signature: Uint8Array;
}

export interface BroadcastEntry extends BroadcastItem {
  /** As they travel; null where they are to be fetched. */
  readonly values: Uint8Array | null;
}

/** @throws ConsiliumError FIELD_INVALID */
export function readAggregatorFrame(frame: AggregatorFrame__Output): AggregatorMessage {
  switch (frame.frame) {
    case "welcome": {
      const welcome = present(frame.welcome, "welcome");
      return {
        kind: "welcome",
        protocol: countOf(welcome.protocol, "welcome.protocol", limits.maxProtocolVersion),
        software: textOf(welcome.software, "welcome.software", limits.maxNameBytes),
        heartbeatMs: Math.max(
          500,
          countOf(welcome.heartbeatMs, "welcome.heartbeat_ms", limits.maxHeartbeatMs),
        ),
        ledgerHead: readLedgerHead(welcome.ledgerHead),
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
        plan: textOf(invitation.plan, "invitation.plan", limits.maxPlanBytes),
        deadlineInMs: countOf(invitation.deadlineInMs, "invitation.deadline_in_ms", limits.maxJoinMs),
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
      const code = textOf(ended.code, "study_ended.code", limits.maxCodeBytes);
      return { kind: "studyEnded", studyId: studyIdOf(ended.studyId), outcome, code };
    }
    case "answer": {
      const { studyId, questionId, text } = present(frame.answer, "answer");
      return {
        kind: "answer",
        studyId: studyIdOf(studyId),
        questionId: questionIdOf(questionId, "answer.question_id"),
        text: text === "" ? null : personTextOf(text, "answer.text", limits.maxPersonTextBytes),
      };
    }
    case "fault": {
      const fault = present(frame.fault, "fault");
      const code = textOf(fault.code, "fault.code", limits.maxCodeBytes);
      return {
        kind: "fault",
        code: code as ErrorCode,
        message: textOf(fault.message, "fault.message", limits.maxFaultTextBytes),
        studyId: fault.studyId === "" ? null : studyIdOf(fault.studyId),
      };
    }
    case "revocations": {
      const { list, confirmation } = present(frame.revocations, "revocations");
      return {
        kind: "revocations",
        list: bytesOf(list, "revocations.list", { max: limits.maxRevocationsBytes }),
        confirmation: bytesOf(confirmation, "revocations.confirmation", { max: limits.maxConfirmationBytes }),
      };
    }
    default:
      throw fieldFault("frame", "no known kind of frame");
  }
}

/** What is known of a message that cannot be taken. */
export interface RefusedMessage {
  readonly kind: "invitation" | "task" | "studyEnded" | "answer" | "fault";
  readonly studyId: StudyId | null;
  /** The step of a task. */
  readonly place: { readonly step: StageId; readonly attempt: number } | null;
}

/**
 * What a message is about that cannot be taken, so that it is refused alone. Null: who is who, or what the stream is, rests
 * on this message, and the stream ends with it.
 */
export function refusedMessage(frame: AggregatorFrame__Output): RefusedMessage | null {
  const { frame: kind } = frame;
  switch (kind) {
    case "invitation":
    case "studyEnded":
    case "answer":
    case "fault":
      return { kind, studyId: studyIn(frame[kind]), place: null };
    case "task":
      return { kind, studyId: studyIn(frame.task), place: placeIn(frame.task) };
    case "welcome":
    case "heartbeat":
    case "revocations":
    case undefined:
      return null;
    default:
      return assertNever(kind);
  }
}

function placeIn(task: Task__Output | null | undefined): RefusedMessage["place"] {
  const step = parseStageId(task?.step);
  const attempt = task?.attempt ?? 0;
  return step.ok && attempt <= limits.maxAttempt ? { step: step.value, attempt } : null;
}

function studyIn(part: { readonly studyId: string } | null | undefined): StudyId | null {
  const study = parseStudyId(part?.studyId);
  return study.ok ? study.value : null;
}

function readRoster(bytes: Buffer): RosterEntry[] {
  return listOf(rosterOf(bytes).members, "task.roster.members", limits.maxSites, (member) => ({
    site: siteIdOf(member.siteId),
    chain: listOf(member.chain, "task.roster.members.chain", limits.maxChainLength, (der) =>
      bytesOf(der, "task.roster.members.chain", { min: 1, max: limits.maxCertificateBytes }),
    ),
    exchangeKey: exactBytes(present(member.join, "join").exchangeKey, "join.exchange_key", exchangeKeyBytes),
    signature: exactBytes(present(member.join, "join").signature, "join.signature", 64),
  }));
}

function readTask(task: Task__Output): SiteTask {
  return {
    studyId: studyIdOf(task.studyId),
    step: stepIdOf(task.step),
    attempt: countOf(task.attempt, "task.attempt", limits.maxAttempt),
    roster: task.roster.length === 0 ? null : readRoster(task.roster),
    planHash: sha256Of(task.planHash, "task.plan_hash"),
    deliveries: listOf(task.deliveries, "task.deliveries", limits.maxSites, (delivery) => ({
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
    ...readWork(task),
  };
}

function readWork(task: Task__Output): TaskWork {
  const kind = present(task.kind, "task.kind");
  switch (kind) {
    case "exchange":
    case "sumKeys":
      return { kind };
    case "sum": {
      const work = present(task.sum, "task.sum");
      return {
        kind,
        broadcasts: readBroadcasts(work.broadcasts),
        shares: deliveredOf(work.shares, "task.sum.shares"),
      };
    }
    case "rows":
      return { kind, broadcasts: readBroadcasts(present(task.rows, "task.rows").broadcasts) };
    case "sumShares":
      return {
        kind,
        keys: siteKeysOf(present(task.sumShares, "task.sum_shares").keys, "task.sum_shares.keys"),
      };
    case "sumSurvivors": {
      const work = present(task.sumSurvivors, "task.sum_survivors");
      return {
        kind,
        survivors: proofsOf(work.survivors, "task.sum_survivors.survivors"),
        nextKeys: siteKeysOf(work.nextKeys, "task.sum_survivors.next_keys"),
      };
    }
    case "sumUnmask": {
      const work = present(task.sumUnmask, "task.sum_unmask");
      return {
        kind,
        survivors: proofsOf(work.survivors, "task.sum_unmask.survivors"),
        signatures: signaturesOf(work.signatures, "task.sum_unmask.signatures"),
        nextKeys: siteKeysOf(work.nextKeys, "task.sum_unmask.next_keys"),
      };
    }
    case "countersign": {
      const { statement } = present(task.countersign, "task.countersign");
      return { kind, statement: textOf(statement, "task.countersign.statement", limits.maxStatementBytes) };
    }
    default:
      throw fieldFault("task.kind", "no known kind of task");
  }
}

function readBroadcasts(items: readonly BroadcastItem__Output[]): BroadcastEntry[] {
  return listOf(items, "task.broadcasts", limits.maxBroadcastItems, (item) => ({
    stage: stepIdOf(item.stage),
    name: textOf(item.name, "task.broadcasts.name", limits.maxNameBytes),
    length: countOf(item.length, "task.broadcasts.length", limits.maxBroadcastBytes / 8),
    sha256: sha256Of(item.sha256, "task.broadcasts.sha256"),
    values:
      item.values.length === 0 ? null : exactBytes(item.values, "task.broadcasts.values", 8 * item.length),
  }));
}

/** The newest head of this site's ledger that the aggregator shows; whether it is one, the ledger judges. */
function readLedgerHead(head: LedgerHead__Output | null): WireLedgerHead | null {
  if (head === null) return null;
  return {
    head: textOf(head.head, "ledger_head.head", limits.maxLedgerHeadBytes),
    signature: exactBytes(head.signature, "ledger_head.signature", 64),
  };
}
