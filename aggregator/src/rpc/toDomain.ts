import { hexOf } from "@consilium/core/bytes";
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
import type { AdmitsView, SiteTableView } from "@consilium/core/operator/tableViews";
import { softwarePattern } from "@consilium/core/release/countersignature";
import { describedTable, numberOf } from "@consilium/proto/described";
import {
  bytesOf,
  codeOf,
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
import type { Admits__Output } from "@consilium/proto/generated/consilium/v1/Admits";
import type { FormatRange__Output } from "@consilium/proto/generated/consilium/v1/FormatRange";
import type { LedgerHead__Output } from "@consilium/proto/generated/consilium/v1/LedgerHead";
import type { SiteFrame__Output } from "@consilium/proto/generated/consilium/v1/SiteFrame";
import type { Speaks__Output } from "@consilium/proto/generated/consilium/v1/Speaks";
import type { SumPost__Output } from "@consilium/proto/generated/consilium/v1/SumPost";
import type { UploadHeader__Output } from "@consilium/proto/generated/consilium/v1/UploadHeader";
import type { VersionRange__Output } from "@consilium/proto/generated/consilium/v1/VersionRange";
import { keysOf } from "@consilium/proto/secureSum";
import { revealedOf, sharesOf } from "@consilium/proto/secureSumAggregator";
import { exchangeKeyBytes } from "@consilium/secure-sum/crypto/exchange";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import type { KeysPost, SharesPost, UnmaskPost } from "@consilium/secure-sum/messages";
import type { WireLedgerHead } from "../roster/ledgerHeads.js";
import type { Speaks } from "../roster/spoken.js";

/** A site's validated messages on its control stream. Generated types stop here. */
export type SiteMessage =
  | {
      readonly kind: "hello";
      readonly versions: Versions;
      /** Null from software that does not say. */
      readonly speaks: Speaks | null;
      /** Null from a hospital that does not say. */
      readonly admits: AdmitsView | null;
      readonly tables: readonly SiteTableView[];
      readonly nowMs: number;
      /** Of the agent's process, hexadecimal. */
      readonly instance: string;
    }
  | { readonly kind: "heartbeat"; readonly sequence: number; readonly nowMs: number }
  | { readonly kind: "decision"; readonly studyId: StudyId; readonly decision: SiteDecision }
  | { readonly kind: "awaitingApproval"; readonly studyId: StudyId }
  | {
      readonly kind: "exchangePost";
      readonly studyId: StudyId;
      readonly step: StageId;
      readonly attempt: number;
      readonly publicPart: Uint8Array;
      readonly signature: Uint8Array;
      readonly envelopes: readonly { readonly to: SiteId; readonly sealed: Uint8Array }[];
    }
  | {
      readonly kind: "vector";
      readonly studyId: StudyId;
      readonly upload: Upload;
      readonly content: Uint8Array;
    }
  | {
      readonly kind: "stepFault";
      readonly studyId: StudyId;
      readonly step: StageId;
      readonly attempt: number;
      readonly code: ErrorCode;
    }
  | {
      readonly kind: "sumPost";
      readonly studyId: StudyId;
      /** The stage; the post's kind gives the phase of its sum. */
      readonly step: StageId;
      readonly attempt: number;
      readonly post: SitePost;
    }
  | {
      readonly kind: "countersignature";
      readonly studyId: StudyId;
      readonly signature: Uint8Array;
      readonly ledgerHead: WireLedgerHead;
      readonly ledgerEntries: readonly Sha256[];
      readonly software: string;
    }
  | {
      readonly kind: "question";
      readonly studyId: StudyId;
      readonly questionId: string;
      readonly text: string;
    }
  | { readonly kind: "endReceipt"; readonly studyId: StudyId };

/** A site's post in a secure sum. */
export type SitePost =
  | { readonly kind: "keys"; readonly keys: KeysPost }
  | { readonly kind: "shares"; readonly shares: SharesPost }
  | { readonly kind: "survivors"; readonly signature: Uint8Array }
  | {
      readonly kind: "unmask";
      readonly unmask: UnmaskPost;
      /** For the plan's next sum; null without piggybacked messages. */
      readonly nextShares: SharesPost | null;
    };

export type SiteDecision =
  | { readonly joined: true; readonly exchangeKey: Uint8Array; readonly signature: Uint8Array }
  | { readonly joined: false; readonly code: ErrorCode; readonly mayPublish: boolean };

export interface Versions {
  readonly lowest: number;
  readonly highest: number;
  readonly software: string;
}

export interface Upload {
  readonly studyId: StudyId;
  readonly step: StageId;
  readonly attempt: number;
  readonly totalBytes: number;
  readonly sha256: Sha256;
  /** On the transcript that the site saw; null but for a masked vector under pairwise masks. */
  readonly transcriptSignature: Uint8Array | null;
  /** For the plan's next sum; null without piggybacked messages. */
  readonly nextKeys: KeysPost | null;
  readonly ledgerHead: WireLedgerHead | null;
}

/** What is known of a message that cannot be taken, and that is about one study. */
export interface RefusedMessage {
  readonly kind: Exclude<SiteFrame__Output["frame"], "hello" | "heartbeat" | undefined>;
  readonly studyId: StudyId | null;
  /** The step that it answers. */
  readonly place: { readonly step: StageId; readonly attempt: number } | null;
}

/** Null for a message on which the stream rests, which ends with it. */
export function refusedMessage(frame: SiteFrame__Output): RefusedMessage | null {
  const { frame: kind } = frame;
  if (kind === undefined || kind === "hello" || kind === "heartbeat") return null;
  const part = frame[kind];
  const study = parseStudyId(part?.studyId);
  const isStep = part !== null && part !== undefined && "step" in part;
  const step = isStep ? parseStageId(part.step) : null;
  return {
    kind,
    studyId: study.ok ? study.value : null,
    place: isStep && step?.ok ? { step: step.value, attempt: part.attempt } : null,
  };
}

export function readVersions(range: VersionRange__Output | null): Versions {
  const versions = present(range, "versions");
  return {
    lowest: countOf(versions.lowest, "versions.lowest", limits.maxProtocolVersion),
    highest: countOf(versions.highest, "versions.highest", limits.maxProtocolVersion),
    software: textOf(versions.software, "versions.software", limits.maxNameBytes),
  };
}

function readSpeaks({ plan, statement, editions }: Speaks__Output): Speaks {
  const span = (range: FormatRange__Output | null, at: string) => {
    const { lowest, highest } = present(range, at);
    return {
      lowest: countOf(lowest, `${at}.lowest`, limits.maxProtocolVersion),
      highest: countOf(highest, `${at}.highest`, limits.maxProtocolVersion),
    };
  };
  const at = "speaks.editions";
  const newest = listOf(Object.entries(editions), at, limits.maxSpokenMethods, ([method, edition]) => {
    if (edition < 1) throw fieldFault(at, "no edition");
    return [textOf(method, at, limits.maxNameBytes), countOf(edition, at, limits.maxEdition)] as const;
  });
  return {
    plan: span(plan, "speaks.plan"),
    statement: span(statement, "speaks.statement"),
    editions: Object.fromEntries(newest),
  };
}

function readAdmits(admits: Admits__Output): AdmitsView {
  const at = "hello.admits";
  const names = (all: readonly string[]) =>
    listOf(all, at, limits.maxAdmitted, (name) => textOf(name, at, limits.maxNameBytes));
  const cap = (value: number) => (value === 0 ? null : numberOf(value, at, 0));
  return {
    analyses: names(admits.analyses),
    variants: names(admits.variants),
    maxEpsilon: cap(admits.maxEpsilon),
    maxDelta: cap(admits.maxDelta),
    minimumSites: countOf(admits.minimumSites, at, limits.maxSites),
    tolerateColluding: countOf(admits.tolerateColluding, at, limits.maxSites),
    perHospital: admits.perHospital,
    requires: names(admits.requires),
  };
}

/** @throws ConsiliumError FIELD_INVALID */
export function readSiteFrame(frame: SiteFrame__Output): SiteMessage {
  switch (frame.frame) {
    case "hello": {
      const hello = present(frame.hello, "hello");
      const tables = listOf(hello.tables, "hello.tables", limits.maxTables, describedTable);
      return {
        kind: "hello",
        versions: readVersions(hello.versions),
        speaks: hello.speaks === null ? null : readSpeaks(hello.speaks),
        admits: hello.admits === null ? null : readAdmits(hello.admits),
        tables,
        nowMs: countOf(hello.nowMs, "hello.now_ms"),
        instance: hexOf(exactBytes(hello.instance, "hello.instance", limits.instanceBytes)),
      };
    }
    case "heartbeat": {
      const { sequence, nowMs } = present(frame.heartbeat, "heartbeat");
      return {
        kind: "heartbeat",
        sequence: countOf(sequence, "heartbeat.sequence"),
        nowMs: countOf(nowMs, "heartbeat.now_ms"),
      };
    }
    case "decision": {
      const message = present(frame.decision, "decision");
      const studyId = studyIdOf(message.studyId);
      if (message.decision === "join") {
        const join = present(message.join, "decision.join");
        const exchangeKey = exactBytes(join.exchangeKey, "decision.join.exchange_key", exchangeKeyBytes);
        const signature = exactBytes(join.signature, "decision.join.signature", 64);
        return { kind: "decision", studyId, decision: { joined: true, exchangeKey, signature } };
      }
      if (message.decision === "awaitingApproval") {
        if (message.awaitingApproval !== true) throw fieldFault("decision.awaiting_approval", "not true");
        return { kind: "awaitingApproval", studyId };
      }
      const code = codeOf(message.refusalCode ?? "", "decision.refusal_code");
      return { kind: "decision", studyId, decision: { joined: false, code, mayPublish: message.mayPublish } };
    }
    case "question": {
      const { studyId, questionId, text } = present(frame.question, "question");
      return {
        kind: "question",
        studyId: studyIdOf(studyId),
        questionId: questionIdOf(questionId, "question.question_id"),
        text: personTextOf(text, "question.text", limits.maxPersonTextBytes),
      };
    }
    case "exchangePost": {
      const post = present(frame.exchangePost, "exchange_post");
      return {
        kind: "exchangePost",
        studyId: studyIdOf(post.studyId),
        step: stepIdOf(post.step),
        attempt: countOf(post.attempt, "exchange_post.attempt", limits.maxAttempt),
        publicPart: bytesOf(post.publicPart, "exchange_post.public_part", { max: limits.maxPublicPartBytes }),
        signature: exactBytes(post.signature, "exchange_post.signature", 64),
        envelopes: listOf(post.envelopes, "exchange_post.envelopes", limits.maxSites, (envelope) => ({
          to: siteIdOf(envelope.to),
          sealed: bytesOf(envelope.sealed, "exchange_post.envelopes.sealed", {
            min: 1,
            max: limits.maxSealedBytes,
          }),
        })),
      };
    }
    case "vector": {
      const header = present(frame.vector, "vector");
      const upload = readUploadHeader(header);
      const content = bytesOf(header.content, "vector.content", { max: limits.maxInlineVectorBytes });
      exactBytes(content, "vector.content", upload.totalBytes);
      if (sha256(content) !== upload.sha256) throw fieldFault("vector.content", "does not have its SHA-256");
      return { kind: "vector", studyId: upload.studyId, upload, content };
    }
    case "stepFault": {
      const fault = present(frame.stepFault, "step_fault");
      return {
        kind: "stepFault",
        studyId: studyIdOf(fault.studyId),
        step: stepIdOf(fault.step),
        attempt: countOf(fault.attempt, "step_fault.attempt", limits.maxAttempt),
        code: codeOf(fault.code, "step_fault.code"),
      };
    }
    case "sumPost": {
      const message = present(frame.sumPost, "sum_post");
      return {
        kind: "sumPost",
        studyId: studyIdOf(message.studyId),
        step: stepIdOf(message.step),
        attempt: countOf(message.attempt, "sum_post.attempt", limits.maxAttempt),
        post: readSumPost(message),
      };
    }
    case "countersignature": {
      const message = present(frame.countersignature, "countersignature");
      return {
        kind: "countersignature",
        studyId: studyIdOf(message.studyId),
        signature: exactBytes(message.signature, "countersignature.signature", 64),
        ledgerHead: present(readLedgerHead(message.ledgerHead), "countersignature.ledger_head"),
        ledgerEntries: listOf(
          message.ledgerEntries,
          "countersignature.ledger_entries",
          limits.maxLedgerEntries,
          (hash) => sha256Of(hash, "countersignature.ledger_entries"),
        ),
        software: softwareOf(message.software),
      };
    }
    case "endReceipt":
      return {
        kind: "endReceipt",
        studyId: studyIdOf(present(frame.endReceipt, "end_receipt").studyId),
      };
    default:
      throw fieldFault("frame", "unknown kind of frame");
  }
}

function softwareOf(software: string): string {
  if (softwarePattern.test(software)) return software;
  throw fieldFault("countersignature.software", "not a version");
}

function readSumPost(message: SumPost__Output): SitePost {
  switch (message.post) {
    case "keys":
      return { kind: "keys", keys: keysOf(message.keys, "sum_post.keys") };
    case "shares":
      return { kind: "shares", shares: sharesOf(message.shares, "sum_post.shares") };
    case "survivorsSignature":
      return {
        kind: "survivors",
        signature: exactBytes(
          present(message.survivorsSignature, "sum_post.survivors_signature"),
          "sum_post.survivors_signature",
          64,
        ),
      };
    case "unmask": {
      const unmask = present(message.unmask, "sum_post.unmask");
      return {
        kind: "unmask",
        unmask: { shares: revealedOf(unmask.shares, "sum_post.unmask.shares") },
        nextShares:
          unmask.nextShares == null ? null : sharesOf(unmask.nextShares, "sum_post.unmask.next_shares"),
      };
    }
    default:
      throw fieldFault("sum_post.post", "unknown kind of post");
  }
}

function readLedgerHead(head: LedgerHead__Output | null): WireLedgerHead | null {
  if (head === null) return null;
  return {
    head: textOf(head.head, "ledger_head.head", limits.maxLedgerHeadBytes),
    signature: exactBytes(head.signature, "ledger_head.signature", 64),
  };
}

/** @throws ConsiliumError FIELD_INVALID or MESSAGE_TOO_LARGE */
export function readUploadHeader(header: UploadHeader__Output): Upload {
  return {
    studyId: studyIdOf(header.studyId),
    step: stepIdOf(header.step),
    attempt: countOf(header.attempt, "header.attempt", limits.maxAttempt),
    totalBytes: countOf(header.totalBytes, "header.total_bytes", limits.maxUploadBytes),
    sha256: sha256Of(header.sha256, "header.sha256"),
    transcriptSignature:
      header.transcriptSignature.length === 0
        ? null
        : exactBytes(header.transcriptSignature, "header.transcript_signature", 64),
    nextKeys: header.nextKeys === null ? null : keysOf(header.nextKeys, "header.next_keys"),
    ledgerHead: readLedgerHead(header.ledgerHead),
  };
}
