import { sha256 } from "@consilium/core/crypto/hash";
import type { ErrorCode } from "@consilium/core/errors";
import type { Sha256, StageId, StudyId } from "@consilium/core/ids";
import type { SetupPost } from "@consilium/core/secure-sum/setup";
import { sha256Bytes } from "@consilium/proto/fields";
import type { SiteFrame } from "@consilium/proto/generated/consilium/v1/SiteFrame";
import type { TableSchema } from "@consilium/proto/generated/consilium/v1/TableSchema";
import { protocolVersions } from "@consilium/proto/limits";
import type { SiteRecords } from "../studies/records.js";

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
  readonly studyId: StudyId;
  readonly step: StageId;
  readonly attempt: number;
  readonly path: string;
  readonly bytes: number;
  readonly sha256: Sha256;

  constructor(
    key: typeof door,
    upload: {
      readonly method: "sum" | "rows";
      readonly studyId: StudyId;
      readonly step: StageId;
      readonly attempt: number;
      readonly path: string;
      readonly bytes: number;
      readonly sha256: Sha256;
    },
  ) {
    if (key !== door) throw new TypeError("only the outbox makes outbound uploads");
    this.method = upload.method;
    this.studyId = upload.studyId;
    this.step = upload.step;
    this.attempt = upload.attempt;
    this.path = upload.path;
    this.bytes = upload.bytes;
    this.sha256 = upload.sha256;
  }
}

export type SiteDecision =
  | { readonly joined: true; readonly exchangeKey: Uint8Array; readonly signature: Uint8Array }
  | { readonly joined: false; readonly code: ErrorCode };

export class Outbox {
  readonly #records: SiteRecords;
  readonly #now: () => number;

  constructor(records: SiteRecords, now: () => number) {
    this.#records = records;
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

  /** How far the work on a step is, from 0 to 1. */
  progress(studyId: StudyId, step: StageId, fraction: number): OutboundMessage {
    return this.#control({ frame: "progress", progress: { studyId, step, fraction } });
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

  /** A masked vector, or reduced rows. */
  upload(
    method: "sum" | "rows",
    answer: {
      readonly studyId: StudyId;
      readonly step: StageId;
      readonly attempt: number;
      readonly path: string;
      readonly bytes: number;
      readonly sha256: Sha256;
    },
  ): OutboundUpload {
    this.#records.recordEgress({
      at: this.#now(),
      study: answer.studyId,
      step: answer.step,
      what: method === "sum" ? "masked vector" : "reduced rows",
      bytes: answer.bytes,
      sha256: answer.sha256,
    });
    return new OutboundUpload(door, { method, ...answer });
  }

  #control(frame: SiteFrame): OutboundMessage {
    return new OutboundMessage(door, frame);
  }

  #log(study: StudyId, step: string, what: string, bytes: Uint8Array): void {
    this.#records.recordEgress({
      at: this.#now(),
      study,
      step,
      what,
      bytes: bytes.length,
      sha256: sha256(bytes),
    });
  }
}

/** For the header of an upload. */
export function headerOf(upload: OutboundUpload) {
  return {
    studyId: upload.studyId,
    step: upload.step,
    attempt: upload.attempt,
    totalBytes: upload.bytes,
    sha256: sha256Bytes(upload.sha256),
  };
}
