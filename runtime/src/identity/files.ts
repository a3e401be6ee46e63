import type { KeyObject } from "node:crypto";
import { access, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { ConsiliumError } from "@consilium/core/errors";
import type { Sha256, SiteId } from "@consilium/core/ids";
import { err, ok, type Result } from "@consilium/core/result";
import { pathOf } from "@consilium/core/said";
import { fault } from "../fault.js";
import { renameDurable } from "../store/durableFile.js";
import { clockSkewMs, keyMatchesChain } from "./certificates.js";
import type { Role } from "./names.js";
import { verifyPeer } from "./verify.js";
import { ed25519Raw, pemChainToDer, privateKeyFromPem, privateKeyToPem } from "./x509.js";

/**
 * An identity folder holds `signing-key.pem`, `tls-key.pem`, `chain.pem` (leaf, issuing, root) and `root.pem`.
 *
 * A new TLS key stays in `tls-key.next.pem` until its certificate arrives: first the chain is replaced, then the key
 * renamed. A crash between the two is repaired on loading: the key that matches the chain is the key.
 */
export const fileNames = {
  signingKey: "signing-key.pem",
  tlsKey: "tls-key.pem",
  nextTlsKey: "tls-key.next.pem",
  chain: "chain.pem",
  root: "root.pem",
} as const;

/** A process's complete identity. Key objects do not show their bytes when logged. */
export interface Identity {
  readonly federation: string;
  readonly role: Role;
  readonly id: SiteId;
  /** Private, P-256, as PEM: what TLS wants. */
  readonly tlsKeyPem: string;
  /** Leaf, issuing and root certificate. */
  readonly chainPem: string;
  readonly rootPem: string;
  /** Private, Ed25519: signs protocol messages, stays over renewals. */
  readonly signingKey: KeyObject;
  /** 32 bytes. */
  readonly signingPublicKey: Uint8Array;
  /** SHA-256 of `signingPublicKey`. */
  readonly fingerprint: Sha256;
  /** Milliseconds since 1970. */
  readonly notAfter: number;
  /** Milliseconds since 1970: half of the certificate's life, when it is to be renewed. */
  readonly renewAtMs: number;
}

export async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/**
 * The identity of these parts, checked as any peer will.
 * @returns the identity, or CERTIFICATE_INVALID if the chain is not for these keys or does not hold
 */
export function assemble(
  parts: { chainPem: string; rootPem: string; tlsKey: KeyObject; signingKey: KeyObject },
  now: number,
): Result<Identity, ConsiliumError> {
  let chain: Buffer[];
  try {
    chain = pemChainToDer(parts.chainPem);
    if (!keyMatchesChain(parts.tlsKey, parts.chainPem))
      return err(fault("CERTIFICATE_INVALID", "certificate.other-tls-key", {}));
  } catch {
    return err(fault("CERTIFICATE_INVALID", "certificate.not-pem", {}));
  }
  const verified = verifyPeer(chain, { rootPem: parts.rootPem, now, purpose: "client" });
  if (!verified.ok) return verified;
  const { federation, role, id, signingKey, fingerprint, notBefore, notAfter } = verified.value;
  const signingPublicKey = ed25519Raw(parts.signingKey);
  if (!Buffer.from(signingKey).equals(signingPublicKey))
    return err(fault("CERTIFICATE_INVALID", "certificate.other-signing-key", {}));
  return ok({
    federation,
    role,
    id,
    tlsKeyPem: privateKeyToPem(parts.tlsKey),
    chainPem: parts.chainPem,
    rootPem: parts.rootPem,
    signingKey: parts.signingKey,
    signingPublicKey,
    fingerprint,
    notAfter,
    renewAtMs: halfLife(notBefore, notAfter),
  });
}

/** Half way from when a certificate was made, which is later than its `notBefore`, to its end. */
function halfLife(notBefore: number, notAfter: number): number {
  const madeAt = Math.min(notBefore + clockSkewMs, notAfter);
  return madeAt + (notAfter - madeAt) / 2;
}

/**
 * Loads an identity and checks it as any peer will.
 * @param now - milliseconds since 1970
 * @returns the identity, STATE_MISSING if there is none, or CERTIFICATE_INVALID if it is damaged or has expired
 */
export async function loadIdentity(folder: string, now: number): Promise<Result<Identity, ConsiliumError>> {
  const path = (name: string) => join(folder, name);
  if (!(await exists(path(fileNames.chain)))) {
    return err(fault("STATE_MISSING", "identity.none", { folder: pathOf(folder) }));
  }
  const read = async (name: string) => readFile(path(name), "utf8");
  try {
    const [chainPem, rootPem] = [await read(fileNames.chain), await read(fileNames.root)];
    const signingKey = privateKeyFromPem(await read(fileNames.signingKey));
    if (await exists(path(fileNames.nextTlsKey))) {
      const next = privateKeyFromPem(await read(fileNames.nextTlsKey));
      if (keyMatchesChain(next, chainPem))
        await renameDurable(path(fileNames.nextTlsKey), path(fileNames.tlsKey));
    }
    const tlsKey = privateKeyFromPem(await read(fileNames.tlsKey));
    return assemble({ chainPem, rootPem, tlsKey, signingKey }, now);
  } catch (cause) {
    return err(fault("CERTIFICATE_INVALID", "identity.damaged", { folder: pathOf(folder) }, { cause }));
  }
}

/** The identity's place below a state folder. */
export function identityFolder(stateFolder: string): string {
  return join(stateFolder, "identity");
}
