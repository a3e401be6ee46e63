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
