import { generateKeyPairSync, type KeyObject, X509Certificate } from "node:crypto";
import { access, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { ConsiliumError } from "@consilium/core/errors";
import type { Sha256, SiteId } from "@consilium/core/ids";
import { err, ok, type Result } from "@consilium/core/result";
import { fsyncFolder, makePrivateFolder, renameDurable, writeFileDurable } from "../store/durableFile.js";
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

async function loadOrCreateKey(path: string, create: () => KeyObject): Promise<KeyObject> {
  if (await exists(path)) return privateKeyFromPem(await readFile(path, "utf8"));
  const key = create();
  await writeFileDurable(path, privateKeyToPem(key), { mode: 0o600 });
  return key;
}

/**
 * The two private keys to request a certificate with, durable before they are used: the signing key that is
 * there or a new one, and a new TLS key. Called again before `completeIdentity`, it gives the same two, so that
 * an enrolment or renewal whose answer was lost can be repeated with the same request.
 */
export async function prepareKeys(folder: string): Promise<{ tlsKey: KeyObject; signingKey: KeyObject }> {
  await makePrivateFolder(folder);
  const signingKey = await loadOrCreateKey(
    join(folder, fileNames.signingKey),
    () => generateKeyPairSync("ed25519").privateKey,
  );
  const tlsKey = await loadOrCreateKey(
    join(folder, fileNames.nextTlsKey),
    () => generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey,
  );
  return { tlsKey, signingKey };
}

/**
 * Puts the certificate that answers the request of `prepareKeys` in place and loads the identity.
 * @param issued.rootPem - the root that was pinned, not one that came with the answer
 * @returns the identity, or CERTIFICATE_INVALID with nothing changed if the chain is not for these keys
 */
export async function completeIdentity(
  folder: string,
  issued: { chainPem: string; rootPem: string; now: number },
): Promise<Result<Identity, ConsiliumError>> {
  const nextKeyPath = join(folder, fileNames.nextTlsKey);
  const nextKey = privateKeyFromPem(await readFile(nextKeyPath, "utf8"));
  const signingKey = privateKeyFromPem(await readFile(join(folder, fileNames.signingKey), "utf8"));
  const parts = { chainPem: issued.chainPem, rootPem: issued.rootPem, tlsKey: nextKey, signingKey };
  const identity = assemble(parts, issued.now);
  if (!identity.ok) return identity;
  await writeFileDurable(join(folder, fileNames.root), issued.rootPem);
  await writeFileDurable(join(folder, fileNames.chain), issued.chainPem);
  await renameDurable(nextKeyPath, join(folder, fileNames.tlsKey));
  return identity;
}

function assemble(
  parts: { chainPem: string; rootPem: string; tlsKey: KeyObject; signingKey: KeyObject },
  now: number,
): Result<Identity, ConsiliumError> {
  const invalid = (what: string) => err(new ConsiliumError("CERTIFICATE_INVALID", what));
  let chain: Buffer[];
  try {
    chain = pemChainToDer(parts.chainPem);
    if (!keyMatchesChain(parts.tlsKey, parts.chainPem))
      return invalid("the certificate is for another TLS key");
  } catch {
    return invalid("the certificate chain is not PEM");
  }
  const verified = verifyPeer(chain, { rootPem: parts.rootPem, now, purpose: "client" });
  if (!verified.ok) return verified;
  const { federation, role, id, signingKey, fingerprint, notBefore, notAfter } = verified.value;
  const signingPublicKey = ed25519Raw(parts.signingKey);
  if (!Buffer.from(signingKey).equals(signingPublicKey))
    return invalid("the certificate is for another signing key");
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
    return err(new ConsiliumError("STATE_MISSING", `no identity in ${folder}`));
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
    return err(
      new ConsiliumError("CERTIFICATE_INVALID", `the identity in ${folder} is incomplete or damaged`, {
        cause,
      }),
    );
  }
}

/**
 * Loads an identity whose certificate may have expired: its keys are still good for the next one.
 * @param now - milliseconds since 1970
 * @returns as `loadIdentity` does at the time within the certificate's life that is nearest to `now`
 */
export async function loadIdentityWhenever(
  folder: string,
  now: number,
): Promise<Result<Identity, ConsiliumError>> {
  const span = await certificateSpan(folder);
  return loadIdentity(folder, span === null ? now : Math.min(Math.max(now, span.notBefore), span.notAfter));
}

/** When the certificate in an identity folder is valid; null where it cannot be read: loading says why. */
export async function certificateSpan(folder: string): Promise<CertificateSpan | null> {
  try {
    const { validFrom, validTo } = new X509Certificate(await readFile(join(folder, fileNames.chain), "utf8"));
    return { notBefore: Date.parse(validFrom), notAfter: Date.parse(validTo) };
  } catch {
    return null;
  }
}

/** Milliseconds since 1970. */
export interface CertificateSpan {
  readonly notBefore: number;
  readonly notAfter: number;
}

/** Throws away a TLS key that waits for its certificate, so that the next request is made with a fresh one. */
export async function discardPreparedTlsKey(folder: string): Promise<void> {
  await rm(join(folder, fileNames.nextTlsKey), { force: true });
  await fsyncFolder(folder);
}

/** The identity's place below a state folder. */
export function identityFolder(stateFolder: string): string {
  return join(stateFolder, "identity");
}
