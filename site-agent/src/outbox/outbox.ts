import { sha256 } from "@consilium/core/crypto/hash";
import type { ErrorCode } from "@consilium/core/errors";
import type { Sha256, StageId, StudyId } from "@consilium/core/ids";
import { assertNever } from "@consilium/core/result";
import type { KeysPost, SharesPost, UnmaskPost } from "@consilium/core/secure-sum/messages";
import type { SetupPost } from "@consilium/core/secure-sum/setup";
import { sha256Bytes } from "@consilium/proto/fields";
import type { SiteFrame } from "@consilium/proto/generated/consilium/v1/SiteFrame";
import type { SumPost } from "@consilium/proto/generated/consilium/v1/SumPost";
import type { TableSchema } from "@consilium/proto/generated/consilium/v1/TableSchema";
import type { UploadHeader } from "@consilium/proto/generated/consilium/v1/UploadHeader";
import { protocolVersions } from "@consilium/proto/limits";
import { keysToWire, revealedToWire, sharesToWire } from "@consilium/proto/secureSum";
import type { WireLedgerHead } from "../rpc/toDomain.js";
import type { ChargeNote } from "../studies/charges.js";

/**
 * The one door out. `rpc/connection.ts` sends nothing but an OutboundMessage, and only this file can make one; what
 * answers a study is written into the egress log before it can leave. A reviewer who has read this file has seen
 * everything that ever goes out.
 */
const door = Symbol("outbox");

/** A frame of the control stream. */
export class OutboundMessage {
  readonly frame: SiteFrame;

  constructor(key: typeof door, frame: SiteFrame) {
    if (key !== door) throw new TypeError("only the outbox makes outbound messages");
    this.frame = frame;
  }
}

/** A stored answer that is uploaded in chunks. */
export class OutboundUpload {
  readonly method: "sum" | "rows";
  readonly path: string;
  readonly bytes: number;
  readonly content: Uint8Array | null;
  readonly header: UploadHeader;

  constructor(key: typeof door, method: "sum" | "rows", answer: StoredAnswer, header: UploadHeader) {
    if (key !== door) throw new TypeError("only the outbox makes outbound uploads");
    this.method = method;
    this.path = answer.path;
    this.bytes = answer.bytes;
    this.content = answer.content ?? null;
    this.header = header;
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

/** Every kind of thing that leaves for a study, as the egress log names it. */
export type EgressKind =
  | "masked vector"
  | "reduced rows"
  | "tags with counts"
  | "keys of a secure sum"
  | "sealed shares of a secure sum"
  | "signature on the survivors of a secure sum"
  | "shares that open a sum"
  | "sealed exchange"
  | "joining key"
  | "awaiting approval"
  | "refusal"
  | "fault"
  | "countersignature";

/** One thing that leaves this hospital for a study. */
export interface Egress {
  readonly at: number;
  readonly study: StudyId;
  readonly step: string;
  readonly what: EgressKind;
  readonly whom: string;
  readonly bytes: number;
  readonly sha256: Sha256;
  /** What the ledger charged for it; null for what reveals nothing of records. */
  readonly charge: ChargeNote | null;
}

export class Outbox {
  readonly #record: (entry: Egress) => void;
  readonly #now: () => number;

  /** @param record - writes the egress log, durably, before it returns */
  constructor(record: (entry: Egress) => void, now: () => number) {
    this.#record = record;
    this.#now = now;
  }

  /** Versions, the clock and the tables' columns; no data. */
  hello(software: string, tables: readonly TableSchema[]): OutboundMessage {
    return this.#control({
      frame: "hello",
      hello: { versions: { ...protocolVersions, software }, tables: [...tables], nowMs: this.#now() },
    });
  }

  heartbeat(sequence: number): OutboundMessage {
    return this.#control({ frame: "heartbeat", heartbeat: { sequence } });
  }

  /** That this site knows of a study's end. */
  endReceipt(studyId: StudyId): OutboundMessage {
    return this.#control({ frame: "endReceipt", endReceipt: { studyId } });
  }

  /** That the work on a step has begun: the same whatever the table is. */
  working(studyId: StudyId, step: StageId): OutboundMessage {
    return this.#control({ frame: "working", working: { studyId, step } });
  }

  /** That a step cannot be answered: a code, and never the reason. */
  stepFault(studyId: StudyId, step: StageId, attempt: number, code: ErrorCode): OutboundMessage {
    this.#log(studyId, step, "fault", Buffer.from(code));
    return this.#control({ frame: "stepFault", stepFault: { studyId, step, attempt, code } });
  }

  decision(studyId: StudyId, decision: SiteDecision): OutboundMessage {
    if (!decision.joined) {
      this.#log(studyId, "join", "refusal", Buffer.from(decision.code));
      return this.#control({
        frame: "decision",
        decision: { studyId, decision: "refusalCode", refusalCode: decision.code },
      });
    }
    const join = {
      exchangeKey: Buffer.from(decision.exchangeKey),
      signature: Buffer.from(decision.signature),
    };
    this.#log(studyId, "join", "joining key", join.exchangeKey);
    return this.#control({ frame: "decision", decision: { studyId, decision: "join", join } });
  }

  /** That the policy allows a study and a person has yet to decide. */
  awaitingApproval(studyId: StudyId): OutboundMessage {
    this.#log(studyId, "join", "awaiting approval", new Uint8Array());
    return this.#control({
      frame: "decision",
      decision: { studyId, decision: "awaitingApproval", awaitingApproval: true },
    });
  }

  /** Commitments and sealed messages to other sites. */
  exchangePost(studyId: StudyId, step: StageId, attempt: number, post: SetupPost): OutboundMessage {
    const envelopes = post.envelopes.map((e) => ({ to: e.to as string, sealed: Buffer.from(e.sealed) }));
    this.#log(
      studyId,
      step,
      "sealed exchange",
      Buffer.concat([post.publicPart, ...envelopes.map((e) => e.sealed)]),
    );
    return this.#control({
      frame: "exchangePost",
      exchangePost: {
        studyId,
        step,
        attempt,
        publicPart: Buffer.from(post.publicPart),
        signature: Buffer.from(post.signature),
        envelopes,
      },
    });
  }

  /** Keys, shares and signatures of one attempt at a secure sum; never both kinds of share for one site. */
  sumPost(studyId: StudyId, step: StageId, attempt: number, message: SumMessage): OutboundMessage {
    const post = wirePost(message);
    this.#log(
      studyId,
      step,
      sumWords[message.kind],
      Buffer.from(JSON.stringify(post)),
      "the aggregator and, sealed, the other sites",
    );
    return this.#control({ frame: "sumPost", sumPost: { studyId, step, attempt, ...post } });
  }

  /** A masked vector: uniformly random to whoever sees it alone. */
  maskedVector(vector: MaskedVector): OutboundUpload {
    this.#logAnswer(vector, "masked vector");
    return new OutboundUpload(door, "sum", vector, {
      ...headerOf(vector),
      transcriptSignature: Buffer.from(vector.transcriptSignature ?? new Uint8Array()),
      nextKeys: vector.nextKeys === null ? null : keysToWire(vector.nextKeys),
    });
  }

  /** How many rows are alike, under tags that only the sites can read: of the published form of a method alone. */
  tagCounts(tags: StoredAnswer): OutboundUpload {
    this.#logAnswer(tags, "tags with counts");
    return new OutboundUpload(door, "rows", tags, headerOf(tags));
  }

  /** Reduced rows, of the published form of a method alone. */
  reducedRows(rows: StoredAnswer): OutboundUpload {
    this.#logAnswer(rows, "reduced rows");
    return new OutboundUpload(door, "rows", rows, headerOf(rows));
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
    this.#log(
      studyId,
      "countersign",
      "countersignature",
      signed.signature,
      "the aggregator, and everybody who reads the release",
    );
    return this.#control({
      frame: "countersignature",
      countersignature: {
        studyId,
        signature: Buffer.from(signed.signature),
        ledgerHead: headToWire(signed.ledgerHead),
        ledgerEntries: signed.ledgerEntries.map(sha256Bytes),
      },
    });
  }

  #control(frame: SiteFrame): OutboundMessage {
    return new OutboundMessage(door, frame);
  }

  #logAnswer(answer: StoredAnswer, what: EgressKind): void {
    this.#record({
      at: this.#now(),
      study: answer.studyId,
      step: answer.step,
      what,
      whom: "the aggregator",
      bytes: answer.bytes,
      sha256: answer.sha256,
      charge: answer.charge,
    });
  }

  #log(study: StudyId, step: string, what: EgressKind, bytes: Uint8Array, whom = "the aggregator"): void {
    this.#record({
      at: this.#now(),
      study,
      step,
      what,
      whom,
      bytes: bytes.length,
      sha256: sha256(bytes),
      charge: null,
    });
  }
}

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

function headerOf(answer: StoredAnswer): UploadHeader {
  return {
    studyId: answer.studyId,
    step: answer.step,
    attempt: answer.attempt,
    totalBytes: answer.bytes,
    sha256: sha256Bytes(answer.sha256),
    ledgerHead: headToWire(answer.charge.head),
  };
}
