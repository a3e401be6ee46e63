/** What the processes of a bare stream say to each other. */
import type { ServiceDefinition } from "@grpc/grpc-js";

export const wordBytes = 8;

/** Every word of every sender: sums of it wrap around. */
export const addend = 0xfedc_ba98_7654_3210n;

const bytesAsTheyAre = (value: Buffer): Buffer => value;

export const service = {
  upload: {
    path: "/bench.BareStream/Upload",
    requestStream: true,
    responseStream: false,
    requestSerialize: bytesAsTheyAre,
    requestDeserialize: bytesAsTheyAre,
    responseSerialize: bytesAsTheyAre,
    responseDeserialize: bytesAsTheyAre,
  },
} satisfies ServiceDefinition;

export interface BareStreamIdentity {
  readonly tlsKeyPem: string;
  readonly chainPem: string;
  readonly rootPem: string;
}

export type ToServer =
  | { readonly kind: "listen"; readonly identity: BareStreamIdentity }
  | { readonly kind: "expect"; readonly sites: number; readonly bytes: number };
export type FromServer =
  | { readonly kind: "listening"; readonly port: number }
  | { readonly kind: "ready" }
  /** All uploads are added: the first and the last word. */
  | { readonly kind: "sum"; readonly first: string; readonly last: string };

export type ToClient =
  | { readonly kind: "connect"; readonly identity: BareStreamIdentity; readonly port: number }
  | { readonly kind: "prepare"; readonly bytes: number }
  | { readonly kind: "go" };
export type FromClient = { readonly kind: "ready" };
