import { createHash, verify, X509Certificate } from "node:crypto";
import { createReadStream } from "node:fs";
import { open, readdir } from "node:fs/promises";
import { join } from "node:path";
import type { ConsiliumError } from "@consilium/core/errors";
import { signatureFileMaxBytes } from "@consilium/core/release/signature";
import type { ReleaseSigner } from "@consilium/core/release/signer";
import { err, ok, type Result } from "@consilium/core/result";
import { nameOf, pathOf } from "@consilium/core/said";
import {
  certificateFile,
  releaseFileName,
  releaseFolders,
  signatureFile,
  timestampFile,
} from "@consilium/release/certificate";
import { type CertifiedSite, type VerifiedRelease, verifyRelease } from "@consilium/release/verify";
import { fault } from "../fault.js";
import { rootKeyHash } from "../identity/rootKey.js";
import { verifyPeer } from "../identity/verify.js";
import { hashFile } from "./hashFile.js";
import { certificateMaxBytes } from "./limits.js";

/**
 * Verifies a signer's chain of certificates under a trusted root, at the time of signing.
 * @param atMs - milliseconds since 1970
 */
export function identifySigner(
  rootPem: string,
): (chainDer: readonly Uint8Array[], atMs: number) => Result<ReleaseSigner, ConsiliumError> {
  return (chainDer, atMs) =>
    verifyPeer(chainDer, { rootPem, now: atMs, role: "aggregator", purpose: "client" });
}

/**
 * Verifies a countersigning site's chain under a trusted root. It must have been valid at some time up to `issuedAtMs`: it
 * may have ended while the study ran, and the signing key that it names stays over renewals.
 * @param issuedAtMs - milliseconds since 1970
 */
export function identifySite(
  rootPem: string,
): (chainDer: readonly Uint8Array[], issuedAtMs: number) => Result<CertifiedSite, ConsiliumError> {
  return (chainDer, issuedAtMs) => {
    const now = Math.min(issuedAtMs, endOf(chainDer) ?? issuedAtMs);
    return verifyPeer(chainDer, { rootPem, now, role: "site", purpose: "client" });
  };
}

/** When the first of the certificates ends; undefined where one is malformed, which is for `verifyPeer` to say. */
function endOf(chainDer: readonly Uint8Array[]): number | undefined {
  try {
    return Math.min(...chainDer.map((der) => Date.parse(new X509Certificate(der).validTo)));
  } catch {
    return undefined;
  }
}

/** What a verifier needs of a root certificate. */
export const checksUnder = (rootPem: string) => ({
  rootKey: rootKeyHash(rootPem),
  identify: identifySigner(rootPem),
  identifySite: identifySite(rootPem),
});

/** Whether the root's key signed bytes: ECDSA with SHA-256, DER. */
export function isSignedByRoot(rootPem: string, bytes: Uint8Array, signature: Uint8Array): boolean {
  return verify("sha256", bytes, new X509Certificate(rootPem).publicKey, signature);
}

function newHash() {
  const hash = createHash("sha256");
  return { update: (bytes: Uint8Array) => void hash.update(bytes), digest: () => hash.digest("hex") };
}

/** Files of a folder that its certificate does not list. */
const besides: readonly string[] = [certificateFile, signatureFile, timestampFile];

/**
 * Verifies a release in a folder, offline: nothing but the folder and the root certificate is read. The root never
 * comes from the release itself.
 * @param options.rootPem - the federation's root certificate, from a source that the reader trusts
 * @returns what was verified, RELEASE_UNKNOWN if there is no such folder, RELEASE_CORRUPT naming the file that is
 *   missing, extra or changed, or CERTIFICATE_EPSILON or COUNTERSIGNATURE_INVALID
 */
export async function verifyReleaseFolder(
  folder: string,
  options: { readonly rootPem: string },
): Promise<Result<VerifiedRelease, ConsiliumError>> {
  const listing = await listFolder(folder);
  if (!listing.ok) return listing;
  const certificate = await readSmallFile(folder, certificateFile, certificateMaxBytes);
  if (!certificate.ok) return certificate;
  const signature = await readSmallFile(folder, signatureFile, signatureFileMaxBytes);
  if (!signature.ok) return signature;
  return verifyRelease({
    certificate: certificate.value,
    signature: signature.value,
    present: listing.value.filter((name) => !besides.includes(name)),
    digest: (name) => hashFile(join(folder, name)),
    open: (name) => createReadStream(join(folder, name), { highWaterMark: 1 << 20 }),
    newHash,
    ...checksUnder(options.rootPem),
  });
}

async function listFolder(folder: string): Promise<Result<string[], ConsiliumError>> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === "ENOENT" || cause.code === "ENOTDIR") return undefined;
    throw cause;
  });
  if (entries === undefined) {
    return err(
      fault("RELEASE_UNKNOWN", "release.no-folder", { folder: pathOf(folder) }, "release.check-path"),
    );
  }
  const names: string[] = [];
  for (const entry of entries) {
    if (releaseFolders.includes(entry.name) && entry.isDirectory()) {
      const inside = await readdir(join(folder, entry.name), { withFileTypes: true });
      // An empty folder is no file of the release either.
      if (inside.length === 0) return foreign(entry.name);
      for (const one of inside) {
        const name = `${entry.name}/${one.name}`;
        if (!one.isFile() || !releaseFileName.test(name)) return foreign(name);
        names.push(name);
      }
    } else if (entry.isFile() && releaseFileName.test(entry.name)) {
      names.push(entry.name);
    } else return foreign(entry.name);
  }
  return ok(names.sort());
}

function foreign(name: string): Result<string[], ConsiliumError> {
  const shown = name.slice(0, 100).replace(/[^\x20-\x7e]/g, "?");
  return err(fault("RELEASE_CORRUPT", "release.foreign-file", { file: nameOf(shown) }));
}

async function readSmallFile(
  folder: string,
  name: string,
  maxBytes: number,
): Promise<Result<Uint8Array, ConsiliumError>> {
  const read = await smallFileIn(folder, name, maxBytes);
  if (!read.ok) return read;
  return read.value === null
    ? err(fault("RELEASE_CORRUPT", "release.file-missing", { file: nameOf(name) }))
    : ok(read.value);
}

/**
 * A file in a release's folder.
 * @returns null where there is none; RELEASE_CORRUPT for one that exceeds `maxBytes`
 */
export async function smallFileIn(
  folder: string,
  name: string,
  maxBytes: number,
): Promise<Result<Uint8Array | null, ConsiliumError>> {
  const handle = await open(join(folder, name), "r").catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === "ENOENT") return undefined;
    throw cause;
  });
  if (handle === undefined) return ok(null);
  try {
    const { size } = await handle.stat();
    if (size > maxBytes) {
      return err(fault("RELEASE_CORRUPT", "release.file-too-long", { file: nameOf(name), max: maxBytes }));
    }
    return ok(new Uint8Array(await handle.readFile()));
  } finally {
    await handle.close();
  }
}
