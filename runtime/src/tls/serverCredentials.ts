import type { SecureContextOptions } from "node:tls";
import { ServerCredentials } from "@grpc/grpc-js";
import { minimumTlsVersion } from "./policy.js";

/** What a server shows, and the root of its federation. */
interface ServerIdentity {
  readonly tlsKeyPem: string;
  /** Leaf, issuing and root certificate: an enrolling site looks for the root by its pinned fingerprint. */
  readonly chainPem: string;
  readonly rootPem: string;
}

/**
 * Without `ca`: OpenSSL's judgement of a client's certificate is not used, `peerOf` judges the whole chain. With it,
 * Node 24.21's server gives of a chain that OpenSSL accepts the leaf alone, so that every member would be refused.
 */
function contextOptions(identity: ServerIdentity): SecureContextOptions {
  return {
    key: identity.tlsKeyPem,
    cert: identity.chainPem,
    minVersion: minimumTlsVersion,
  };
}

/**
 * Credentials of a gRPC server that asks each client for a certificate but lets the handshake pass without a valid
 * one, because a site that enrols has none yet. **Every other method must call `peerOf`.**
 *
 * `replace` puts a renewed certificate in place without a restart: connections that come afterwards see it,
 * the others continue with theirs.
 */
export class MutualTlsServerCredentials extends ServerCredentials {
  constructor(identity: ServerIdentity) {
    super({ requestCert: true, rejectUnauthorized: false }, contextOptions(identity));
  }

  replace(identity: ServerIdentity): void {
    this.updateSecureContextOptions(contextOptions(identity));
  }

  override _equals(other: ServerCredentials): boolean {
    return this === other;
  }
}
