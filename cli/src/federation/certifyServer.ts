import { createPublicKey } from "node:crypto";
import { isIP } from "node:net";
import { parseSiteId } from "@consilium/core/ids";
import { unwrap } from "@consilium/core/result";
import { type Issuer, issueLeaf } from "@consilium/runtime/identity/authority";
import type { Identity } from "@consilium/runtime/identity/files";
import { completeIdentity, prepareKeys } from "@consilium/runtime/identity/newIdentity";
import { rawPublicKey } from "@consilium/secure-sum/crypto/sign";

export type ServerRole = "aggregator" | "publisher";

/** Server certificates last until the issuing certificate expires, 5 years; only sites renew automatically. */
const serverLifetimeMs = 5 * 365.25 * 86_400_000;

/**
 * Certifies a server for its identity's keys, which are created if missing.
 * @param identity - the existing folder of the identity
 * @param server.hosts - names and IP addresses of the certificate
 */
export async function certifyServer(
  identity: string,
  server: { readonly role: ServerRole; readonly hosts: readonly string[] },
  by: { readonly issuer: Issuer; readonly now: number },
): Promise<Identity> {
  const { role, hosts } = server;
  const { tlsKey, signingKey } = await prepareKeys(identity);
  const chainPem = await issueLeaf(by.issuer, {
    federation: by.issuer.federation,
    role,
    id: unwrap(parseSiteId(role)),
    tlsPublicKey: createPublicKey(tlsKey),
    signingKey: rawPublicKey(signingKey),
    dnsNames: hosts.filter((host) => isIP(host) === 0),
    ipAddresses: hosts.filter((host) => isIP(host) !== 0),
    lifetimeMs: serverLifetimeMs,
    now: by.now,
  });
  return unwrap(await completeIdentity(identity, { chainPem, rootPem: by.issuer.rootPem, now: by.now }));
}
