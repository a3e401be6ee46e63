import { X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { ConsiliumError } from "@consilium/core/errors";
import type { Result } from "@consilium/core/result";
import { fileNames, type Identity, loadIdentity } from "./files.js";

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
  return loadIdentity(folder, span === null ? now : within(span, now));
}

/** The time within a certificate's life that is nearest to `now`. */
export function within({ notBefore, notAfter }: CertificateSpan, now: number): number {
  return Math.min(Math.max(now, notBefore), notAfter);
}

/** When the certificate in an identity folder is valid; null where it cannot be read: loading says why. */
export async function certificateSpan(folder: string): Promise<CertificateSpan | null> {
  try {
    return spanOf(await readFile(join(folder, fileNames.chain), "utf8"));
  } catch {
    return null;
  }
}

/** @throws for what is no certificate */
export function spanOf(certificate: string | Uint8Array): CertificateSpan {
  const { validFrom, validTo } = new X509Certificate(certificate);
  return { notBefore: Date.parse(validFrom), notAfter: Date.parse(validTo) };
}

/** Milliseconds since 1970. */
export interface CertificateSpan {
  readonly notBefore: number;
  readonly notAfter: number;
}
