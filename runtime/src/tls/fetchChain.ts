import { isIP } from "node:net";
import { connect, type TLSSocket } from "node:tls";
import { sha256 } from "@consilium/core/crypto/hash";
import { ConsiliumError } from "@consilium/core/errors";
import type { Sha256 } from "@consilium/core/ids";
import { err, ok, type Result } from "@consilium/core/result";
import type { Role } from "../identity/names.js";
import { type PeerIdentity, verifyPeer } from "../identity/verify.js";
import { derToPem } from "../identity/x509.js";
import { type Address, formatAddress } from "./address.js";
import { presentedChain } from "./chain.js";
import { minimumTlsVersion } from "./policy.js";

/** Connects, trusting nothing yet, and returns what the server presents. */
function presentedBy(address: Address, timeoutMs: number): Promise<Buffer[]> {
  return new Promise((resolve, reject) => {
    const socket: TLSSocket = connect({
      host: address.host,
      port: address.port,
      ...(isIP(address.host) === 0 && { servername: address.host }),
      ALPNProtocols: ["h2"],
      minVersion: minimumTlsVersion,
      // Nothing is sent before the chain has been checked against the pinned fingerprint below.
      rejectUnauthorized: false,
    });
    const timer = setTimeout(() => socket.destroy(new Error("timeout")), timeoutMs);
    socket.once("secureConnect", () => {
      resolve(presentedChain(socket.getPeerCertificate(true)));
      socket.destroy();
    });
    socket.once("error", reject);
    socket.once("close", () => {
      clearTimeout(timer);
      reject(new Error("closed"));
    });
  });
}

/**
 * For enrolment: finds, in the chain that a server presents, the root whose fingerprint the invitation pins, and
 * checks that the server's own certificate comes from it. No application byte is sent.
 *
 * @param options.timeoutMs - for connecting and the handshake; 10 s by default
 * @returns the root to trust from now on, or UNREACHABLE, AUTHORITY_MISMATCH, CERTIFICATE_INVALID, NOT_PERMITTED
 */
export async function fetchChain(
  address: Address,
  options: {
    readonly rootFingerprint: Sha256;
    readonly serverRole: Role;
    readonly now: number;
    readonly timeoutMs?: number;
  },
): Promise<Result<{ rootPem: string; server: PeerIdentity }, ConsiliumError>> {
  const where = formatAddress(address);
  let chain: Buffer[];
  try {
    chain = await presentedBy(address, options.timeoutMs ?? 10_000);
  } catch (cause) {
    return err(
      new ConsiliumError("UNREACHABLE", `${where} does not answer with TLS 1.3 (${reasonOf(cause)})`, {
        cause,
      }),
    );
  }
  const root = chain.find((der) => sha256(der) === options.rootFingerprint);
  if (!root) {
    return err(
      new ConsiliumError("AUTHORITY_MISMATCH", `${where} presents no certificate of the pinned authority`),
    );
  }
  const rootPem = derToPem(root);
  const { now, serverRole: role } = options;
  const server = verifyPeer(chain, { rootPem, now, role, purpose: "server" });
  return server.ok ? ok({ rootPem, server: server.value }) : server;
}

/** A system error's code, such as ECONNREFUSED, which holds nothing private. */
function reasonOf(cause: unknown): string {
  if (cause instanceof Error && "code" in cause && typeof cause.code === "string") return cause.code;
  return cause instanceof Error && cause.message === "timeout" ? "timeout" : "closed";
}
