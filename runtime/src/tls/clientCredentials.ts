import { createSecureContext, type PeerCertificate } from "node:tls";
import { ChannelCredentials } from "@grpc/grpc-js";
import type { Role } from "../identity/names.js";
import type { RevocationList } from "../identity/revocations.js";
import { verifyPeer } from "../identity/verify.js";
import { presentedChain } from "./chain.js";
import { minimumTlsVersion } from "./policy.js";

/**
 * Channel credentials that present a certificate, if there is one, and accept only a server whose certificate
 * names the expected role in this federation. Its host name is not compared: the role under the pinned root says
 * more, and addresses change on the way through proxies and forwarded ports.
 *
 * A renewed certificate needs new credentials and a new channel; the old channel goes on until it is closed.
 *
 * @param options.identity - absent only to enrol
 * @param options.rootPem - the pinned root
 */
export function clientCredentials(options: {
  readonly identity?: { readonly tlsKeyPem: string; readonly chainPem: string } | undefined;
  readonly rootPem: string;
  readonly serverRole: Role;
  readonly now?: () => number;
  readonly revocations?: () => RevocationList | undefined;
}): ChannelCredentials {
  const { identity, rootPem, serverRole } = options;
  const context = createSecureContext({
    ca: rootPem,
    minVersion: minimumTlsVersion,
    ...(identity && { key: identity.tlsKeyPem, cert: identity.chainPem }),
  });
  return ChannelCredentials.createFromSecureContext(context, {
    checkServerIdentity(_host: string, certificate: PeerCertificate): Error | undefined {
      const verified = verifyPeer(presentedChain(certificate), {
        rootPem,
        now: options.now?.() ?? Date.now(),
        revocations: options.revocations?.(),
        role: serverRole,
        purpose: "server",
      });
      return verified.ok ? undefined : verified.error;
    },
  });
}
