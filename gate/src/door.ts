import { sha256 } from "@consilium/secure-sum/crypto/hash";
import type { Sha256, StageId, StudyId } from "@consilium/secure-sum/ids";
import type { KeysPost, SharesPost, UnmaskPost } from "@consilium/secure-sum/messages";
import type { SetupPost } from "@consilium/secure-sum/setup";
import type { ControlFrame, DecisionFrame, FetchFrame, LedgerHead, SumFrame, UploadFrame } from "./frames.js";

import { outwardCode, recordsCode } from "./leavingCodes.js";

/**
 * The one door out. The connection sends nothing but what this file made, and can take hold of none of it without its line in
 * the egress log: that is written when a message is taken or before, ahead of its first byte, each time it is sent. What is made here
 * is made of public facts, keys and signatures, and of answers that the ledger has charged.
 */
const door = Symbol("door");

/** What can only be had by writing its line in the egress log. */
abstract class Outbound<Frame> {
  readonly #frame: Frame;
  readonly #log: () => void;
  #isLogged = false;

  constructor(key: typeof door, frame: Frame, log: () => void) {
    if (key !== door) throw new TypeError("only the door makes what is sent");
    this.#frame = frame;
    this.#log = log;
  }

  /** Writes the line ahead of `take`, in the transaction that stores what is sent. */
  logged(): this {
    this.#log();
    this.#isLogged = true;
    return this;
  }

  /** The frame, to be sent once. Logs it. */
  take(): Frame {
    if (!this.#isLogged) this.#log();
    this.#isLogged = false;
    return this.#frame;
  }
}

/** A frame of the control stream. */
export class OutboundMessage extends Outbound<ControlFrame> {}

export class OutboundFetch extends Outbound<FetchFrame> {}

/** A stored answer that is uploaded in chunks: `take` gives its header, to be sent before the content or what is left of it. */
export class OutboundUpload extends Outbound<UploadFrame> {
  readonly method: "sum" | "rows";
  readonly path: string;
  readonly bytes: number;
  readonly content: Uint8Array | null;

  constructor(
    key: typeof door,
    frame: UploadFrame,
    log: () => void,
    { method, path, bytes, content }: StoredAnswer & Pick<OutboundUpload, "method">,
  ) {
    super(key, frame, log);
    this.method = method;
    this.path = path;
    this.bytes = bytes;
    this.content = content ?? null;
  }
}

/** An answer as it lies in the state folder. */
export interface StoredAnswer {
  readonly studyId: StudyId;
  readonly step: StageId;
  readonly attempt: number;
  readonly path: string;
  readonly bytes: number;
  readonly sha256: Sha256;
  /** Of a small vector, which has no file. */
  readonly content?: Uint8Array | null;
}

interface MaskedVector extends StoredAnswer {
  /** Null under dealt masks. */
  readonly transcriptSignature: Uint8Array | null;
  /** Keys for the plan's next sum. */
  readonly nextKeys: KeysPost | null;
}

/** What the ledger has charged for an answer. */
export interface Charged {
  /** The sequence number of the entry that spends it. */
  readonly entry: number;
  /** The ledger's head with that entry in it. */
  readonly head: LedgerHead;
}

/** What a site posts of a secure sum on the control stream. */
export type SumMessage =
  | { readonly kind: "keys"; readonly keys: KeysPost }
  | { readonly kind: "shares"; readonly shares: SharesPost }
  | { readonly kind: "survivors"; readonly signature: Uint8Array }
  | { readonly kind: "unmask"; readonly unmask: UnmaskPost; readonly nextShares: SharesPost | null };

export type SiteDecision =
  | { readonly joined: true; readonly exchangeKey: Uint8Array; readonly signature: Uint8Array }
  | { readonly joined: false; readonly code: string; readonly mayPublish: boolean };

/** Kinds of messages that a site sends, as its egress log names them. */
export type EgressKind =
  | RoutineKind
  | "upload header"
  | "head of the ledger"
  | "keys for the next sum"
  | "sealed shares for the next sum"
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
  | "question to the operator"
  | "refusal"
  | "fault"
  | "countersignature";

/** Kinds that are sent again and again, with a content of their own each time. */
const routineKinds = [
  "greeting",
  "heartbeat",
  "certificate request",
  "connection check",
  "end receipt",
  "request for a broadcast",
] as const;
type RoutineKind = (typeof routineKinds)[number];

/** One sending. */
export interface Egress {
  readonly at: number;
  /** Null for what is sent whether or not there is a study. */
  readonly study: StudyId | null;
  readonly step: string;
  readonly what: EgressKind;
  readonly whom: string;
  readonly bytes: number;
  readonly sha256: Sha256;
  /** The ledger's entry that charges for it; null for what reveals nothing of records. */
  readonly charge: number | null;
  readonly isRoutine: boolean;
}

/** What is said of a sending; the rest follows from its bytes. */
interface Line {
  readonly study: StudyId | null;
  readonly step?: string;
  readonly what: EgressKind;
  readonly whom?: string;
}

/** A part of a frame with a line of its own beside the frame's, so that it can be found by what it is. */
interface Rider extends Pick<Line, "what" | "whom"> {
  readonly bytes: Uint8Array;
}

export interface DoorContext {
  /** Writes the egress log, durably, before it returns. */
  readonly log: (entry: Egress) => void;
  /** @throws unless the ledger has spent what the answer costs, if only in the caller's transaction */
  readonly charged: (study: StudyId, step: StageId, attempt: number) => Charged;
  /** What gRPC sends for a frame, for the log. */
  readonly bytesOf: (frame: ControlFrame | { readonly header: UploadFrame } | FetchFrame) => Uint8Array;
  readonly now: () => number;
}

export class Door {
  readonly #context: DoorContext;

  constructor(context: DoorContext) {
    this.#context = context;
  }

  /** Versions, the clock, and of the tables what a study may name; no data. `instance`: of this process, 16 random bytes. */
  hello(of: Omit<Extract<ControlFrame, { frame: "hello" }>["hello"], "nowMs">): OutboundMessage {
    const hello = { ...of, nowMs: this.#context.now() };
    return this.#control({ study: null, what: "greeting" }, { frame: "hello", hello });
  }

  heartbeat(sequence: number): OutboundMessage {
    const heartbeat = { sequence, nowMs: this.#context.now() };
    return this.#control({ study: null, what: "heartbeat" }, { frame: "heartbeat", heartbeat });
  }

  /** Logs a request for a certificate, which code that other processes have too makes, and which carries public keys alone. */
  certificateRequest(message: Uint8Array): void {
    this.#log({ study: null, what: "certificate request" }, message);
  }

  /** That this site knows of a study's end. @param isKnown - whether the study was ever offered here */
  endReceipt(studyId: StudyId, isKnown: boolean): OutboundMessage {
    const line = { study: isKnown ? studyId : null, what: "end receipt" } as const;
    return this.#control(line, { frame: "endReceipt", endReceipt: { studyId } });
  }

  /** That a step cannot be answered: a code, and never the reason. */
  stepFault(studyId: StudyId, step: StageId, attempt: number, code: string): OutboundMessage {
    const line = { study: studyId, step, what: "fault" } as const;
    const stepFault = { studyId, step, attempt, code: outwardCode(code) };
    return this.#control(line, { frame: "stepFault", stepFault });
  }

  /** @param isKept - whether this site keeps a record of the study, to which the line of the log belongs */
  decision(studyId: StudyId, decision: SiteDecision, isKept = true): OutboundMessage {
    if (decision.joined) {
      const { exchangeKey, signature } = decision;
      const join = { exchangeKey, signature };
      return this.#decision("joining key", studyId, { studyId, decision: "join", join });
    }
    const refusalCode = outwardCode(decision.code);
    const study = isKept ? studyId : null;
    const mayPublish = decision.mayPublish && refusalCode !== recordsCode;
    return this.#decision("refusal", study, { studyId, decision: "refusalCode", refusalCode, mayPublish });
  }

  /** That the policy allows a study and a person has yet to decide. */
  awaitingApproval(studyId: StudyId): OutboundMessage {
    const decision = { studyId, decision: "awaitingApproval", awaitingApproval: true } as const;
    return this.#decision("awaiting approval", studyId, decision);
  }

  /** What a person at this hospital typed for the operator. */
  question(studyId: StudyId, questionId: string, text: string): OutboundMessage {
    const question = { studyId, questionId, text };
    return this.#control(
      { study: studyId, what: "question to the operator" },
      { frame: "question", question },
    );
  }

  #decision(what: EgressKind, study: StudyId | null, decision: DecisionFrame): OutboundMessage {
    return this.#control({ study, step: "join", what }, { frame: "decision", decision });
  }

  /** Commitments and sealed messages to other sites. */
  exchangePost(studyId: StudyId, step: StageId, attempt: number, post: SetupPost): OutboundMessage {
    const line = { study: studyId, step, what: "sealed exchange", whom: throughTheAggregator } as const;
    const exchangePost = { studyId, step, attempt, ...sealedPart(post) };
    return this.#control(line, { frame: "exchangePost", exchangePost });
  }

  /** Keys, shares and signatures of one attempt at a secure sum; never both kinds of share for one site. */
  sumPost(studyId: StudyId, step: StageId, attempt: number, message: SumMessage): OutboundMessage {
    const line = { study: studyId, step, what: sumWords[message.kind], whom: throughTheAggregator };
    const sumPost = { studyId, step, attempt, ...sumPart(message) };
    const next = message.kind === "unmask" ? message.nextShares : null;
    return this.#control(line, { frame: "sumPost", sumPost }, next === null ? [] : [sharesRider(next)]);
  }

  /** A request for a broadcast of a study. */
  fetch(studyId: StudyId, hash: Sha256): OutboundFetch {
    const request = { studyId, sha256: hashBytes(hash), offset: 0 };
    const line = { study: studyId, what: "request for a broadcast" } as const;
    return new OutboundFetch(door, request, () => this.#log(line, this.#context.bytesOf(request)));
  }

  /** A masked vector: uniformly random to anyone who sees it alone. @throws unless it was charged */
  maskedVector({ transcriptSignature, nextKeys, ...vector }: MaskedVector): OutboundUpload {
    return this.#upload("sum", vector, "masked vector", { transcriptSignature, nextKeys });
  }

  /**
   * How many rows are alike, under tags that only the sites can read: of the published form of a method alone.
   * @throws unless it was charged
   */
  tagCounts(tags: StoredAnswer): OutboundUpload {
    return this.#upload("rows", tags, "tags with counts");
  }

  /** Reduced rows, of the published form of a method alone. @throws unless it was charged */
  reducedRows(rows: StoredAnswer): OutboundUpload {
    return this.#upload("rows", rows, "reduced rows");
  }

  /** That this site agrees with what the certificate will say of the study. */
  countersignature(
    studyId: StudyId,
    signed: {
      readonly signature: Uint8Array;
      readonly ledgerHead: LedgerHead;
      readonly ledgerEntries: readonly Sha256[];
      readonly software: string;
    },
  ): OutboundMessage {
    const whom = "the aggregator, and everybody who reads the release";
    const line = { study: studyId, step: "countersign", what: "countersignature", whom } as const;
    const ledgerEntries = signed.ledgerEntries.map(hashBytes);
    const countersignature = { studyId, ...signed, ledgerEntries };
    const head = { ...headRider(signed.ledgerHead), whom };
    return this.#control(line, { frame: "countersignature", countersignature }, [head]);
  }

  #control(line: Line, frame: ControlFrame, riders: readonly Rider[] = []): OutboundMessage {
    return new OutboundMessage(door, frame, () => this.#log(line, this.#context.bytesOf(frame), riders));
  }

  #upload(
    method: "sum" | "rows",
    answer: StoredAnswer,
    what: EgressKind,
    seal: Pick<MaskedVector, "transcriptSignature" | "nextKeys"> | null = null,
  ): OutboundUpload {
    const { studyId, step, attempt, bytes, sha256: hash } = answer;
    const { entry, head } = this.#context.charged(studyId, step, attempt);
    const line = { study: studyId, step };
    const nextKeys = seal?.nextKeys ?? null;
    const header: UploadFrame = {
      studyId,
      step,
      attempt,
      totalBytes: bytes,
      sha256: hashBytes(hash),
      transcriptSignature: seal?.transcriptSignature ?? new Uint8Array(),
      nextKeys,
      ledgerHead: head,
    };
    const riders = [headRider(head), ...(nextKeys === null ? [] : [keysRider(nextKeys)])];
    let isTaken = false;
    const log = () => {
      if (!isTaken) this.#write({ ...line, what }, { bytes, sha256: hash, charge: entry });
      isTaken = true;
      this.#log({ ...line, what: "upload header" }, this.#context.bytesOf({ header }), riders);
    };
    return new OutboundUpload(door, header, log, { ...answer, method });
  }

  #log(line: Line, content: Uint8Array, riders: readonly Rider[] = []): void {
    this.#write(line, { bytes: content.length, sha256: sha256(content), charge: null });
    for (const { bytes, what, whom } of riders)
      this.#log({ study: line.study, step: line.step, what, whom }, bytes);
  }

  #write(
    { study, step = "", what, whom = "the aggregator" }: Line,
    sent: Pick<Egress, "bytes" | "sha256" | "charge">,
  ) {
    const isRoutine = (routineKinds as readonly string[]).includes(what);
    this.#context.log({ at: this.#context.now(), study, step, what, whom, isRoutine, ...sent });
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

function sumPart(message: SumMessage): SumFrame {
  switch (message.kind) {
    case "keys":
      return { post: "keys", keys: message.keys };
    case "shares":
      return { post: "shares", shares: sealedPart(message.shares) };
    case "survivors":
      return { post: "survivorsSignature", survivorsSignature: message.signature };
    case "unmask": {
      const shares = message.unmask.shares.map(({ of, secret, share }) => ({
        of,
        share,
        selfMask: secret === "self-mask",
      }));
      const { nextShares } = message;
      return {
        post: "unmask",
        unmask: { shares, nextShares: nextShares === null ? null : sealedPart(nextShares) },
      };
    }
  }
}

const sealedPart = <Post extends SetupPost | SharesPost>(post: Post) => ({
  ...post,
  envelopes: [...post.envelopes],
});
const keysRider = ({ maskKey, sealKey, signature }: KeysPost): Rider => ({
  what: "keys for the next sum",
  whom: throughTheAggregator,
  bytes: Buffer.concat([maskKey, sealKey, signature]),
});
const sharesRider = ({ envelopes, ...post }: SharesPost): Rider => ({
  what: "sealed shares for the next sum",
  whom: throughTheAggregator,
  bytes: Buffer.concat([...Object.values(post), ...envelopes.map(({ sealed }) => sealed)]),
});
/** A head by itself: its text, then its signature. */
const headRider = ({ head, signature }: LedgerHead): Rider => ({
  what: "head of the ledger",
  bytes: Buffer.concat([Buffer.from(head), signature]),
});
const hashBytes = (hash: Sha256) => Buffer.from(hash, "hex");
