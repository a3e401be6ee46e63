import { ConsiliumError } from "@consilium/core/errors";
import type { Sha256 } from "@consilium/core/ids";
import { err, ok, type Result } from "@consilium/core/result";
import { nameOf } from "@consilium/core/said";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import { fault } from "../fault.js";
import type { Role } from "../identity/names.js";
import { type PeerIdentity, verifyPeer } from "../identity/verify.js";
import { derToPem } from "../identity/x509.js";
import { interceptedFault, isOfFederation } from "../network/intercepted.js";
import { shakeHands } from "../network/presented.js";
import type { WebProxy } from "../network/proxy.js";
import { stepMs } from "../network/routeFault.js";
import { openRoute } from "../network/tunnel.js";
import { type Address, formatAddress } from "./address.js";

/** Connects, trusting nothing yet, and returns what the server presents. */
async function presentedBy(
  address: Address,
  options: { readonly proxy: WebProxy | null; readonly timeoutMs: number },
): Promise<readonly Buffer[]> {
  const route = await openRoute(address, options);
  // Nothing is sent before the chain has been checked against the pinned fingerprint below.
  const { socket, chain } = await shakeHands(route, address, { timeoutMs: options.timeoutMs });
  socket.destroy();
  return chain;
}

/**
 * For enrolment: finds, in the chain that a server presents, the root whose fingerprint the invitation pins, and
 * checks that the server's own certificate comes from it. No application byte is sent.
 *
 * @param options.proxy - through which to go; null for the direct way
 * @param options.timeoutMs - for each step of connecting and for the handshake; 10 s by default
 * @returns the root to trust from now on, or UNREACHABLE, PROXY_FAILED, TLS_INTERCEPTED, AUTHORITY_MISMATCH,
 *   CERTIFICATE_INVALID, NOT_PERMITTED
 */
export async function fetchChain(
  address: Address,
  options: {
    readonly rootFingerprint: Sha256;
    readonly serverRole: Role;
    readonly now: number;
    readonly proxy?: WebProxy | null;
    readonly timeoutMs?: number;
  },
): Promise<Result<{ rootPem: string; server: PeerIdentity }, ConsiliumError>> {
  let chain: readonly Buffer[];
  try {
    chain = await presentedBy(address, {
      proxy: options.proxy ?? null,
      timeoutMs: options.timeoutMs ?? stepMs,
    });
  } catch (thrown) {
    if (thrown instanceof ConsiliumError) return err(thrown);
    throw thrown;
  }
  return pinnedRoot(chain, address, options);
}

/** As `fetchChain`, of a chain that was presented. */
export function pinnedRoot(
  chain: readonly Buffer[],
  address: Address,
  options: { readonly rootFingerprint: Sha256; readonly serverRole: Role; readonly now: number },
): Result<{ rootPem: string; server: PeerIdentity }, ConsiliumError> {
  const root = chain.find((der) => sha256(der) === options.rootFingerprint);
  if (!root) {
    if (!isOfFederation(chain)) return err(interceptedFault(address, chain));
    const where = formatAddress(address);
    return err(
      fault("AUTHORITY_MISMATCH", "authority.other", { address: nameOf(where) }, "authority.check-address"),
    );
  }
  const rootPem = derToPem(root);
  const { now, serverRole: role } = options;
  const server = verifyPeer(chain, { rootPem, now, role, purpose: "server" });
  return server.ok ? ok({ rootPem, server: server.value }) : server;
}
