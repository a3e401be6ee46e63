import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { ConsiliumError } from "@consilium/core/errors";
import { err, ok, type Result } from "@consilium/core/result";
import { pathOf } from "@consilium/core/said";
import { fault } from "../fault.js";
import { makePrivateFolder, writeFileDurable } from "../store/durableFile.js";
import type { Authority, Issuer } from "./authority.js";
import { keyMatchesChain, rootFingerprint } from "./certificates.js";
import { exists, fileNames } from "./files.js";
import { readAuthorityUri } from "./names.js";
import { pemToDer, privateKeyFromPem, privateKeyToPem, uriNames, x509 } from "./x509.js";

/** Writes a new root key and certificate: `root-key.pem` and `root.pem`. Refuses to replace one. */
export async function saveAuthority(folder: string, authority: Authority): Promise<void> {
  await makePrivateFolder(folder);
  if (await exists(join(folder, "root-key.pem"))) {
    throw fault("CONFIG_INVALID", "authority.exists", { folder: pathOf(folder) }, "authority.other-folder");
  }
  await writeFileDurable(join(folder, fileNames.root), authority.certificatePem);
  await writeFileDurable(join(folder, "root-key.pem"), privateKeyToPem(authority.privateKey), {
    mode: 0o600,
  });
}

export async function loadAuthority(folder: string): Promise<Result<Authority, ConsiliumError>> {
  if (!(await exists(join(folder, "root-key.pem")))) {
    return err(fault("STATE_MISSING", "authority.no-root-key", { folder: pathOf(folder) }));
  }
  const certificatePem = await readFile(join(folder, fileNames.root), "utf8");
  const privateKey = privateKeyFromPem(await readFile(join(folder, "root-key.pem"), "utf8"));
  const federation = readAuthorityUri(uriNames(new x509.X509Certificate(pemToDer(certificatePem))), "root");
  if (federation === undefined || !keyMatchesChain(privateKey, certificatePem)) {
    return err(fault("CERTIFICATE_INVALID", "authority.root-mismatch", { folder: pathOf(folder) }));
  }
  return ok({ federation, privateKey, certificatePem, fingerprint: rootFingerprint(certificatePem) });
}

/** Writes `issuer.pem` (issuing key and certificate in one) and `root.pem`. */
export async function saveIssuer(folder: string, issuer: Issuer): Promise<void> {
  await makePrivateFolder(folder);
  await writeFileDurable(join(folder, fileNames.root), issuer.rootPem);
  // Both in one file, so that key and certificate can never be of two different issuers.
  const content = privateKeyToPem(issuer.privateKey) + issuer.certificatePem;
  await writeFileDurable(join(folder, "issuer.pem"), content, { mode: 0o600 });
}

export async function loadIssuer(folder: string): Promise<Result<Issuer, ConsiliumError>> {
  const path = join(folder, "issuer.pem");
  if (!(await exists(path)))
    return err(fault("STATE_MISSING", "authority.no-issuing-key", { folder: pathOf(folder) }));
  const content = await readFile(path, "utf8");
  const start = content.indexOf("-----BEGIN CERTIFICATE-----");
  const certificatePem = content.slice(start);
  const federation = readAuthorityUri(uriNames(new x509.X509Certificate(pemToDer(certificatePem))), "issuer");
  const privateKey = privateKeyFromPem(content.slice(0, start));
  if (federation === undefined || !keyMatchesChain(privateKey, certificatePem)) {
    return err(fault("CERTIFICATE_INVALID", "authority.issuing-mismatch", { folder: pathOf(folder) }));
  }
  return ok({
    federation,
    privateKey,
    certificatePem,
    rootPem: await readFile(join(folder, fileNames.root), "utf8"),
  });
}
