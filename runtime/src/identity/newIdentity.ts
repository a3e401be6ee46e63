import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import type { ConsiliumError } from "@consilium/core/errors";
import type { Result } from "@consilium/core/result";
import { fsyncFolder, makePrivateFolder, renameDurable, writeFileDurable } from "../store/durableFile.js";
import { assemble, exists, fileNames, type Identity } from "./files.js";
import { privateKeyFromPem, privateKeyToPem } from "./x509.js";

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

async function loadOrCreateKey(path: string, create: () => KeyObject): Promise<KeyObject> {
  if (await exists(path)) return privateKeyFromPem(await readFile(path, "utf8"));
  const key = create();
  await writeFileDurable(path, privateKeyToPem(key), { mode: 0o600 });
  return key;
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

/** Throws away a TLS key that waits for its certificate, so that the next request is made with a fresh one. */
export async function discardPreparedTlsKey(folder: string): Promise<void> {
  await rm(join(folder, fileNames.nextTlsKey), { force: true });
  await fsyncFolder(folder);
}
