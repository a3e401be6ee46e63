import type { ErrorCode } from "@consilium/core/errors";
import type { EgressKind } from "@consilium/core/hospital/egressKinds";
import type { Sha256, StageId, StudyId } from "@consilium/core/ids";
import { assertNever } from "@consilium/core/result";
import { sha256Bytes } from "@consilium/proto/fields";
import { fetchRequestBytes, siteFrameBytes, uploadHeaderBytes } from "@consilium/proto/frames";
import type { FetchRequest } from "@consilium/proto/generated/consilium/v1/FetchRequest";
import type { SiteFrame } from "@consilium/proto/generated/consilium/v1/SiteFrame";
import type { SumPost } from "@consilium/proto/generated/consilium/v1/SumPost";
import type { TableSchema } from "@consilium/proto/generated/consilium/v1/TableSchema";
import type { UploadHeader } from "@consilium/proto/generated/consilium/v1/UploadHeader";
import { protocolVersions } from "@consilium/proto/limits";
import { keysToWire, revealedToWire, sharesToWire } from "@consilium/proto/secureSum";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import type { KeysPost, SharesPost, UnmaskPost } from "@consilium/secure-sum/messages";
import type { SetupPost } from "@consilium/secure-sum/setup";
import type { WireLedgerHead } from "../rpc/toDomain.js";
import type { ChargeNote } from "../studies/charges.js";
import type { EgressRecord } from "./egressLog.js";

/**
 * The one door out. `rpc/connection.ts` sends nothing but what this file made, and can take hold of none of it without
 * its line in the egress log: that is written when a message is taken, before its first byte is sent, each time it is
 * sent. A reviewer who has read this file has seen everything that is ever sent.
 */
const door = Symbol("outbox");

/** A frame of the control stream. */
export class OutboundMessage {
  readonly #frame: SiteFrame;
  readonly #log: () => void;

  constructor(key: typeof door, frame: SiteFrame, log: () => void) {
    if (key !== door) throw new TypeError("only the outbox makes outbound messages");
    this.#frame = frame;
    this.#log = log;
  }

  /** The frame, to be sent once. Logs it. */
  take(): SiteFrame {
    this.#log();
    return this.#frame;
  }
}

/** A request for a broadcast. */
export class OutboundFetch {
  readonly studyId: StudyId;
  readonly sha256: Sha256;
  readonly #request: FetchRequest;
  readonly #log: () => void;

  constructor(key: typeof door, studyId: StudyId, hash: Sha256, log: (request: FetchRequest) => void) {
    if (key !== door) throw new TypeError("only the outbox makes outbound requests");
    this.studyId = studyId;
    this.sha256 = hash;
    this.#request = { studyId, sha256: sha256Bytes(hash), offset: 0 };
    this.#log = () => log(this.#request);
  }

  /** The request, to be sent once. Logs it. */
  take(): FetchRequest {
    this.#log();
    return this.#request;
  }
}

/** A stored answer that is uploaded in chunks. */
export class OutboundUpload {
  readonly method: "sum" | "rows";
  readonly path: string;
  readonly bytes: number;
  readonly content: Uint8Array | null;
  readonly #header: UploadHeader;
  readonly #log: (isFirst: boolean) => void;
  #isTaken = false;

  constructor(
    key: typeof door,
    method: "sum" | "rows",
    answer: StoredAnswer,
    header: UploadHeader,
    log: (isFirst: boolean) => void,
  ) {
    if (key !== door) throw new TypeError("only the outbox makes outbound uploads");
    this.method = method;
    this.path = answer.path;
    this.bytes = answer.bytes;
    this.content = answer.content ?? null;
    this.#header = header;
    this.#log = log;
  }

  /** The header, to be sent once, before the content or what is left of it. Logs both. */
  take(): UploadHeader {
    this.#log(!this.#isTaken);
    this.#isTaken = true;
    return this.#header;
  }
}

/** An answer as it lies in the state folder, with what the ledger has charged for it. */
export interface StoredAnswer {
  readonly studyId: StudyId;
  readonly step: StageId;
  readonly attempt: number;
  readonly path: string;
  readonly bytes: number;
  readonly sha256: Sha256;
  /** What the file holds, where it is still at hand. */
  readonly content?: Uint8Array;
  readonly charge: ChargeNote;
}

interface MaskedVector extends StoredAnswer {
  /** Null under dealt masks. */
  readonly transcriptSignature: Uint8Array | null;
  /** Keys for the plan's next sum. */
  readonly nextKeys: KeysPost | null;
}

/** What a site posts of a secure sum on the control stream. */
type SumMessage =
  | { readonly kind: "keys"; readonly keys: KeysPost }
  | { readonly kind: "shares"; readonly shares: SharesPost }
  | { readonly kind: "survivors"; readonly signature: Uint8Array }
  | { readonly kind: "unmask"; readonly unmask: UnmaskPost; readonly nextShares: SharesPost | null };

export type SiteDecision =
  | { readonly joined: true; readonly exchangeKey: Uint8Array; readonly signature: Uint8Array }
  | { readonly joined: false; readonly code: ErrorCode };

/** Kinds that are sent again and again, with a content of their own each time. */
const routineKinds: ReadonlySet<EgressKind> = new Set<EgressKind>([
  "greeting",
  "heartbeat",
  "certificate request",
  "connection check",
  "work begun",
  "end receipt",
  "request for a broadcast",
]);

/** One sending. */
export interface Egress extends Omit<EgressRecord, "what" | "charge"> {
  readonly what: EgressKind;
  /** What the ledger charged for it; null for what reveals nothing of records. */
  readonly charge: ChargeNote | null;
}

/** What is said of a sending; the rest follows from its bytes. */
interface Line {
  readonly study: StudyId | null;
  readonly step?: string;
  readonly what: EgressKind;
  readonly whom?: string;
}

export class Outbox {
  readonly #write: (entry: Egress) => void;
  readonly #now: () => number;

  /** @param write - writes the egress log, durably, before it returns */
  constructor(write: (entry: Egress) => void, now: () => number) {
    this.#write = write;
    this.#now = now;
  }

  /** Versions, the clock, and of the tables what a study may name; no data. */
  hello(software: string, tables: readonly TableSchema[]): OutboundMessage {
    return this.#control(
      { study: null, what: "greeting" },
      {
        frame: "hello",
        hello: { versions: { ...protocolVersions, software }, tables: [...tables], nowMs: this.#now() },
      },
    );
  }

  heartbeat(sequence: number): OutboundMessage {
    return this.#control({ study: null, what: "heartbeat" }, { frame: "heartbeat", heartbeat: { sequence } });
  }

  /**
   * Logs a message that the code shared with other processes makes: a request for a certificate, which carries public
   * keys alone, or the doctor's check, which carries versions.
   */
  shared(what: "certificate request" | "connection check", message: Uint8Array): void {
    this.#log({ study: null, what }, message);
  }

  /** That this site knows of a study's end. @param isKnown - whether the study was ever offered here */
  endReceipt(studyId: StudyId, isKnown: boolean): OutboundMessage {
    return this.#control(
      { study: isKnown ? studyId : null, what: "end receipt" },
      { frame: "endReceipt", endReceipt: { studyId } },
    );
  }

  /** That the work on a step has begun: the same whatever the table is. */
  working(studyId: StudyId, step: StageId): OutboundMessage {
    return this.#control(
      { study: studyId, step, what: "work begun" },
      { frame: "working", working: { studyId, step } },
    );
  }

  /** That a step cannot be answered: a code, and never the reason. */
  stepFault(studyId: StudyId, step: StageId, attempt: number, code: ErrorCode): OutboundMessage {
    return this.#control(
      { study: studyId, step, what: "fault" },
      { frame: "stepFault", stepFault: { studyId, step, attempt, code } },
    );
  }

  /** @param isKept - whether this site keeps a record of the study, to which the line of the log belongs */
  decision(studyId: StudyId, decision: SiteDecision, isKept = true): OutboundMessage {
    if (!decision.joined) {
      return this.#control(
        { study: isKept ? studyId : null, step: "join", what: "refusal" },
        {
          frame: "decision",
          decision: { studyId, decision: "refusalCode", refusalCode: decision.code },
        },
      );
    }
    const join = {
      exchangeKey: Buffer.from(decision.exchangeKey),
      signature: Buffer.from(decision.signature),
    };
    return this.#control(
      { study: studyId, step: "join", what: "joining key" },
      { frame: "decision", decision: { studyId, decision: "join", join } },
    );
  }

  /** That the policy allows a study and a person has yet to decide. */
  awaitingApproval(studyId: StudyId): OutboundMessage {
    return this.#control(
      { study: studyId, step: "join", what: "awaiting approval" },
      {
        frame: "decision",
        decision: { studyId, decision: "awaitingApproval", awaitingApproval: true },
      },
    );
  }

  /** Commitments and sealed messages to other sites. */
  exchangePost(studyId: StudyId, step: StageId, attempt: number, post: SetupPost): OutboundMessage {
    const envelopes = post.envelopes.map((e) => ({ to: e.to as string, sealed: Buffer.from(e.sealed) }));
    return this.#control(
      { study: studyId, step, what: "sealed exchange", whom: throughTheAggregator },
      {
        frame: "exchangePost",
        exchangePost: {
          studyId,
          step,
          attempt,
          publicPart: Buffer.from(post.publicPart),
          signature: Buffer.from(post.signature),
          envelopes,
        },
      },
    );
  }

  /** Keys, shares and signatures of one attempt at a secure sum; never both kinds of share for one site. */
  sumPost(studyId: StudyId, step: StageId, attempt: number, message: SumMessage): OutboundMessage {
    const line = { study: studyId, step, whom: throughTheAggregator };
    const frame: SiteFrame = {
      frame: "sumPost",
      sumPost: { studyId, step, attempt, ...wirePost(message) },
    };
    return new OutboundMessage(door, frame, () => {
      this.#log({ ...line, what: sumWords[message.kind] }, siteFrameBytes(frame));
      if (message.kind !== "unmask" || message.nextShares === null) return;
      const { selfMaskCommitment, signature, envelopes } = message.nextShares;
      const shares = Buffer.concat([selfMaskCommitment, signature, ...envelopes.map(({ sealed }) => sealed)]);
      this.#log({ ...line, what: "sealed shares for the next sum" }, shares);
    });
  }

  /** A request for a broadcast of a study. */
  fetch(studyId: StudyId, hash: Sha256): OutboundFetch {
    return new OutboundFetch(door, studyId, hash, (request) =>
      this.#log({ study: studyId, what: "request for a broadcast" }, fetchRequestBytes(request)),
    );
  }

  /** A masked vector: uniformly random to anyone who sees it alone. */
  maskedVector(vector: MaskedVector): OutboundUpload {
    return this.#upload("sum", vector, "masked vector", vector);
  }

  /** How many rows are alike, under tags that only the sites can read: of the published form of a method alone. */
  tagCounts(tags: StoredAnswer): OutboundUpload {
    return this.#upload("rows", tags, "tags with counts");
  }

  /** Reduced rows, of the published form of a method alone. */
  reducedRows(rows: StoredAnswer): OutboundUpload {
    return this.#upload("rows", rows, "reduced rows");
  }

  /** That this site agrees with what the certificate will say of the study. */
  countersignature(
    studyId: StudyId,
    signed: {
      readonly signature: Uint8Array;
      readonly ledgerHead: WireLedgerHead;
      readonly ledgerEntries: readonly Sha256[];
    },
  ): OutboundMessage {
    const whom = "the aggregator, and everybody who reads the release";
    const line = { study: studyId, step: "countersign", whom } as const;
    const frame: SiteFrame = {
      frame: "countersignature",
      countersignature: {
        studyId,
        signature: Buffer.from(signed.signature),
        ledgerHead: headToWire(signed.ledgerHead),
        ledgerEntries: signed.ledgerEntries.map(sha256Bytes),
      },
    };
    return new OutboundMessage(door, frame, () => {
      this.#log({ ...line, what: "countersignature" }, siteFrameBytes(frame));
      this.#log({ ...line, what: "head of the ledger" }, headBytes(signed.ledgerHead));
    });
  }

  #control(line: Line, frame: SiteFrame): OutboundMessage {
    return new OutboundMessage(door, frame, () => this.#log(line, siteFrameBytes(frame)));
  }

  /** The header's riders have lines of their own beside the header's, so that they can be found by what they are. */
  #upload(
    method: "sum" | "rows",
    answer: StoredAnswer,
    what: EgressKind,
    riders: Pick<MaskedVector, "transcriptSignature" | "nextKeys"> | null = null,
  ): OutboundUpload {
    const { studyId, step, attempt, bytes, charge } = answer;
    const line = { study: studyId, step };
    const nextKeys = riders?.nextKeys ?? null;
    const header: UploadHeader = {
      studyId,
      step,
      attempt,
      totalBytes: bytes,
      sha256: sha256Bytes(answer.sha256),
      transcriptSignature: Buffer.from(riders?.transcriptSignature ?? new Uint8Array()),
      nextKeys: nextKeys === null ? null : keysToWire(nextKeys),
      ledgerHead: headToWire(charge.head),
    };
    return new OutboundUpload(door, method, answer, header, (isFirst) => {
      if (isFirst) this.#record({ ...line, what }, { bytes, sha256: answer.sha256, charge });
      this.#log({ ...line, what: "upload header" }, uploadHeaderBytes(header));
      this.#log({ ...line, what: "head of the ledger" }, headBytes(charge.head));
      if (nextKeys === null) return;
      const keys = Buffer.concat([nextKeys.maskKey, nextKeys.sealKey, nextKeys.signature]);
      this.#log({ ...line, what: "keys for the next sum", whom: throughTheAggregator }, keys);
    });
  }

  #log(line: Line, bytes: Uint8Array): void {
    this.#record(line, { bytes: bytes.length, sha256: sha256(bytes), charge: null });
  }

  #record(line: Line, sent: Pick<Egress, "bytes" | "sha256" | "charge">): void {
    this.#write({
      at: this.#now(),
      study: line.study,
      step: line.step ?? "",
      what: line.what,
      whom: line.whom ?? "the aggregator",
      isRoutine: routineKinds.has(line.what),
      ...sent,
    });
  }
}

/** Sealed messages and public keys reach the other sites of a study by way of the aggregator. */
const throughTheAggregator = "the aggregator and, through it, the other sites";

const sumWords: Record<SumMessage["kind"], EgressKind> = {
  keys: "keys of a secure sum",
  shares: "sealed shares of a secure sum",
  survivors: "signature on the survivors of a secure sum",
  unmask: "shares that open a sum",
};

function wirePost(
  message: SumMessage,
): Pick<SumPost, "post" | "keys" | "shares" | "survivorsSignature" | "unmask"> {
  switch (message.kind) {
    case "keys":
      return { post: "keys", keys: keysToWire(message.keys) };
    case "shares":
      return { post: "shares", shares: sharesToWire(message.shares) };
    case "survivors":
      return { post: "survivorsSignature", survivorsSignature: Buffer.from(message.signature) };
    case "unmask":
      return {
        post: "unmask",
        unmask: {
          shares: revealedToWire(message.unmask.shares),
          nextShares: message.nextShares === null ? null : sharesToWire(message.nextShares),
        },
      };
    default:
      return assertNever(message);
  }
}

function headToWire(head: WireLedgerHead) {
  return { head: head.head, signature: Buffer.from(head.signature) };
}

/** A head by itself, as the log hashes it: its text, then its signature. */
function headBytes(head: WireLedgerHead): Uint8Array {
  return Buffer.concat([Buffer.from(head.head), head.signature]);
}
