import { createPublicKey } from "node:crypto";
import { isIP } from "node:net";
import { parseSiteId } from "@consilium/core/ids";
import { unwrap } from "@consilium/core/result";
import { type Issuer, issueLeaf } from "@consilium/runtime/identity/authority";
import { completeIdentity, type Identity, prepareKeys } from "@consilium/runtime/identity/files";
import { rawPublicKey } from "@consilium/secure-sum/crypto/sign";

export type ServerRole = "aggregator" | "publisher";

/** Servers are certified until the issuing certificate's own end, 5 years; only sites renew by themselves. */
const serverLifetimeMs = 5 * 365.25 * 86_400_000;

/**
 * Certifies a server for the keys of its identity, which are made where there are none.
 * @param identity - the folder of the identity, which is there
 * @param server.hosts - names and IP addresses that the certificate holds for
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
