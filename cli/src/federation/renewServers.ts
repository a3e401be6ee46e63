import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { ConsiliumError } from "@consilium/core/errors";
import { unwrap } from "@consilium/core/result";
import { type Authority, type Issuer, issueIssuer } from "@consilium/runtime/identity/authority";
import { loadAuthority, loadIssuer, saveIssuer } from "@consilium/runtime/identity/authorityFiles";
import type { Identity } from "@consilium/runtime/identity/files";
import { discardPreparedTlsKey } from "@consilium/runtime/identity/newIdentity";
import { pemToDer, x509 } from "@consilium/runtime/identity/x509";
import { makePrivateFolder } from "@consilium/runtime/store/durableFile";
import { certifyServer, type ServerRole } from "./certifyServer.js";

/**
 * A new TLS key and certificate for a server created by `init`: for the same signing key, and the same hosts unless
 * others are given. In a folder without an identity, given hosts create one with a new signing key. A running process
 * keeps its old certificate until it is restarted.
 * @param folder - the server's state folder
 */
export async function renewServer(
  folder: string,
  role: ServerRole,
  by: { readonly issuer: Issuer; readonly hosts: readonly string[] | null; readonly now: number },
): Promise<Identity> {
  const identity = join(folder, "identity");
  const hosts = by.hosts ?? (await certifiedHosts(identity));
  await makePrivateFolder(identity);
  // A pending key belongs to an interrupted renewal: its certificate was never used.
  await discardPreparedTlsKey(identity);
  return certifyServer(identity, { role, hosts }, by);
}

/**
 * A new issuing key, certified by the root, in the aggregator's folder. Certificates of the old key stay valid until
 * they expire.
 * @throws ConsiliumError AUTHORITY_MISMATCH if the authority is another federation's
 */
export async function renewIssuer(aggregator: string, authority: string, now: number): Promise<Issuer> {
  const root = unwrap(await loadAuthority(authority));
  await issuerUnder(root, aggregator, authority);
  const issuer = await issueIssuer(root, { now });
  await saveIssuer(join(aggregator, "issuing"), issuer);
  return issuer;
}

/**
 * The issuing key in an aggregator's folder.
 * @param authority - the folder of `root`, for the message
 * @throws ConsiliumError AUTHORITY_MISMATCH unless the root certified it
 */
export async function issuerUnder(root: Authority, aggregator: string, authority: string): Promise<Issuer> {
  const present = unwrap(await loadIssuer(join(aggregator, "issuing")));
  if (present.rootPem.trim() !== root.certificatePem.trim()) {
    throw new ConsiliumError(
      "AUTHORITY_MISMATCH",
      `${authority} is not the authority of federation ${present.federation} in ${aggregator}`,
      { remedy: "give that federation's authority folder with --authority" },
    );
  }
  return present;
}

/** The names and addresses in a server's current certificate, which may have expired. */
async function certifiedHosts(identity: string): Promise<string[]> {
  const path = join(identity, "chain.pem");
  const chain = await readFile(path, "utf8").catch((cause: unknown) => {
    throw new ConsiliumError("STATE_MISSING", `no certificate in ${identity}`, { cause });
  });
  const names = new x509.X509Certificate(pemToDer(chain)).getExtension(x509.SubjectAlternativeNameExtension);
  return (names?.names.items ?? [])
    .filter(({ type }) => type === "dns" || type === "ip")
    .map(({ value }) => value);
}
