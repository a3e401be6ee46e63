import { isIP, type Socket } from "node:net";
import { connect, type SecureContext, type TLSSocket } from "node:tls";
import { type Address, formatAddress } from "../tls/address.js";
import { presentedChain } from "../tls/chain.js";
import { minimumTlsVersion } from "../tls/policy.js";
import { inWords, RouteFault, reasonOf } from "./routeFault.js";

export interface Presented {
  readonly socket: TLSSocket;
  /** DER, leaf first. Nothing of it has been checked. */
  readonly chain: readonly Buffer[];
  /** Whether OpenSSL accepts the chain by the context's authorities; the host's name is not compared. */
  readonly isAuthorised: boolean;
  /** What the two sides agreed to speak: `h2`, or null. */
  readonly protocol: string | null;
}

/**
 * Performs a TLS handshake without trusting the peer: the caller must check the presented chain before sending data.
 * @param options.context - with the client's certificate, if it has one
 * @param options.protocols - to offer (ALPN); HTTP/2 by default
 * @param options.oldest - only to see who it is that speaks no TLS 1.3: nothing may be sent over it
 * @throws RouteFault of stage tls; the socket is destroyed then
 */
export function shakeHands(
  socket: Socket,
  address: Address,
  options: { context?: SecureContext; timeoutMs: number; protocols?: readonly string[]; oldest?: "TLSv1.2" },
): Promise<Presented> {
  return new Promise((resolve, reject) => {
    const protocols = options.protocols ?? ["h2"];
    const tls = connect({
      socket,
      // RFC 6066 forbids an IP address as TLS server name.
      ...(isIP(address.host) === 0 && { servername: address.host }),
      ...(protocols.length > 0 && { ALPNProtocols: [...protocols] }),
      ...(options.context === undefined
        ? { minVersion: options.oldest ?? minimumTlsVersion }
        : { secureContext: options.context }),
      rejectUnauthorized: false,
      checkServerIdentity: () => undefined,
    });
    const timer = setTimeout(() => tls.destroy(new Error("timeout")), options.timeoutMs);
    const failed = (cause: unknown) => {
      clearTimeout(timer);
      socket.destroy();
      const reason = reasonOf(cause);
      const message = `${formatAddress(address)} does not answer with TLS 1.3: ${inWords(reason)}`;
      reject(new RouteFault("tls", message, { reason, cause }));
    };
    tls.once("error", failed);
    tls.once("close", failed);
    tls.once("secureConnect", () => {
      clearTimeout(timer);
      tls.off("error", failed);
      tls.off("close", failed);
      // Anyone who takes the socket over listens for itself; until then its failure must not end the process.
      tls.on("error", () => undefined);
      const chain = presentedChain(tls.getPeerCertificate(true));
      resolve({ socket: tls, chain, isAuthorised: tls.authorized, protocol: tls.alpnProtocol || null });
    });
  });
}
