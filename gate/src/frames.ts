import type { KeysPost } from "@consilium/secure-sum/messages";

/**
 * What a site says, field by field, as `proto/consilium/v1/federation.proto` has it: types alone. Whatever a frame holds beyond
 * these, the encoder leaves out.
 */
export type ControlFrame =
  | {
      frame: "hello";
      hello: {
        versions: Versions;
        speaks: Speaks;
        tables: TableNames[];
        admits?: Admits;
        nowMs: number;
        instance: Uint8Array;
      };
    }
  | { frame: "heartbeat"; heartbeat: { sequence: number; nowMs: number } }
  | { frame: "endReceipt"; endReceipt: { studyId: string } }
  | { frame: "stepFault"; stepFault: Place & { code: string } }
  | { frame: "decision"; decision: DecisionFrame }
  | { frame: "question"; question: { studyId: string; questionId: string; text: string } }
  | {
      frame: "exchangePost";
      exchangePost: Place & Pick<Shares, "signature" | "envelopes"> & { publicPart: Uint8Array };
    }
  | { frame: "sumPost"; sumPost: Place & SumFrame }
  | { frame: "countersignature"; countersignature: { studyId: string } & CountersignatureFrame };

/** Of tables, what the hospital has declared of them; beside names and types what its people wrote, under `announce: described` alone. */
export interface TableNames {
  name: string;
  columns: {
    name: string;
    type: string;
    unit?: string;
    bounds?: Bounds | null;
    levels?: string[];
  }[];
  /** Left when what is committed is spent. */
  budget?: { readonly epsilon: number; readonly delta: number } | null;
}

export interface Bounds {
  readonly min: number;
  readonly max: number;
}

/** Of a policy, what it lets studies ask; a cap of 0 is none. Under `announce: described` alone. */
export interface Admits {
  readonly analyses: string[];
  readonly variants: string[];
  readonly maxEpsilon: number;
  readonly maxDelta: number;
  readonly minimumSites: number;
  readonly tolerateColluding: number;
  readonly perHospital: boolean;
  readonly requires: string[];
}

export interface LedgerHead {
  readonly head: string;
  readonly signature: Uint8Array;
}

export type SumFrame =
  | { post: "keys"; keys: KeysPost }
  | { post: "shares"; shares: Shares }
  | { post: "survivorsSignature"; survivorsSignature: Uint8Array }
  | {
      post: "unmask";
      unmask: { shares: { of: string; selfMask: boolean; share: Uint8Array }[]; nextShares: Shares | null };
    };

/** The beginning of an upload. */
export interface UploadFrame extends Place {
  totalBytes: number;
  sha256: Uint8Array;
  transcriptSignature: Uint8Array;
  nextKeys: KeysPost | null;
  ledgerHead: LedgerHead;
}

export interface FetchFrame {
  studyId: string;
  sha256: Uint8Array;
  offset: number;
}

interface Place {
  studyId: string;
  step: string;
  attempt: number;
}

export interface Versions {
  readonly lowest: number;
  readonly highest: number;
  readonly software: string;
}

/** Of the software: formats, and methods by their newest editions. */
export interface Speaks {
  readonly plan: { readonly lowest: number; readonly highest: number };
  readonly statement: { readonly lowest: number; readonly highest: number };
  readonly editions: Readonly<Record<string, number>>;
}

export type DecisionFrame = { studyId: string } & (
  | { decision: "refusalCode"; refusalCode: string; mayPublish: boolean }
  | { decision: "join"; join: { exchangeKey: Uint8Array; signature: Uint8Array } }
  | { decision: "awaitingApproval"; awaitingApproval: true }
);

interface Shares {
  selfMaskCommitment: Uint8Array;
  ciphertexts: Uint8Array;
  signature: Uint8Array;
  envelopes: { to: string; sealed: Uint8Array }[];
}

interface CountersignatureFrame {
  signature: Uint8Array;
  ledgerHead: LedgerHead;
  ledgerEntries: Uint8Array[];
  software: string;
}
