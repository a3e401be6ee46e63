import { TLSSocket } from "node:tls";
import type { ConsiliumError } from "@consilium/core/errors";
import type { Result } from "@consilium/core/result";
import { fault } from "../fault.js";
import type { Role } from "../identity/names.js";
import type { RevocationList } from "../identity/revoked.js";
import { type PeerIdentity, verifyPeer } from "../identity/verify.js";
import { presentedChain } from "./chain.js";

/** What a server judges its callers by; functions, because the list and the clock move on while it runs. */
export interface PeerTrust {
  readonly rootPem: string;
  readonly now: () => number;
  readonly revocations: () => RevocationList | undefined;
}

/** Any of grpc-js's four kinds of server call. */
export interface ServerCall {
  getPeer(): string;
}

/**
 * Who makes this call, checked now: to be the first thing in every method but Enroll. A connection outlives its
 * certificate and its owner's membership, so each call is checked anew (about 0.02 ms).
 *
 * @param options.role - whom the method is for
 * @returns the peer, or CERTIFICATE_MISSING, CERTIFICATE_INVALID, SITE_EXPELLED, NOT_PERMITTED
 */
export function peerOf(
  call: ServerCall,
  trust: PeerTrust,
  options: { role?: Role } = {},
): Result<PeerIdentity, ConsiliumError> {
  return verifyPeer(peerChain(call), {
    rootPem: trust.rootPem,
    now: trust.now(),
    revocations: trust.revocations(),
    role: options.role,
    purpose: "client",
  });
}

/** The DER of the certificates that the caller presented, leaf first; empty without one. Nothing is checked. */
export function peerChain(call: ServerCall): readonly Uint8Array[] {
  return chainOf(socketOf(call));
}

/** Whether the other end of a connection holds a certificate of the federation now, of whatever role. */
export function isMember(socket: TLSSocket, trust: PeerTrust): boolean {
  return verifyPeer(chainOf(socket), {
    rootPem: trust.rootPem,
    now: trust.now(),
    revocations: trust.revocations(),
    purpose: "client",
  }).ok;
}

function chainOf(socket: TLSSocket): readonly Uint8Array[] {
  let chain = presented.get(socket);
  if (chain === undefined) {
    chain = presentedChain(socket.getPeerCertificate(true));
    presented.set(socket, chain);
  }
  return chain;
}

/**
 * What was presented when a connection was made is what it has to its end: TLS 1.3 has no renegotiation, and no
 * certificate is asked for later. Node takes a millisecond to tell it, and uploads are authorised chunk by chunk.
 */
const presented = new WeakMap<TLSSocket, readonly Uint8Array[]>();

/** The private parts of grpc-js 1.14.7's server calls that lead to the socket. */
interface CallInternals {
  readonly call?: CallInternals;
  readonly nextCall?: CallInternals;
  readonly stream?: { readonly session?: { readonly socket?: unknown } };
}

/**
 * The TLS socket under a call. grpc-js's own `getAuthContext()` cannot serve: it hides every certificate that
 * OpenSSL did not accept, so that a missing one and a foreign one look alike, and gives the leaf without the
 * issuing certificate that it needs to be checked.
 */
function socketOf(call: ServerCall): TLSSocket {
  let inner = (call as unknown as CallInternals).call;
  while (inner?.nextCall) inner = inner.nextCall;
  const stream = inner?.stream;
  if (!stream) {
    throw fault("INTERNAL", "grpc.other-version", {});
  }
  const socket = stream.session?.socket;
  if (!(socket instanceof TLSSocket)) {
    throw fault("CERTIFICATE_MISSING", "peer.no-tls", {});
  }
  return socket;
}
