import { X509Certificate } from "node:crypto";
import type { Sha256 } from "@consilium/core/ids";
import type { Federation } from "@consilium/core/release/statement";
import { sha256 } from "@consilium/secure-sum/crypto/hash";

/** What statements call the federation: its name, and the SHA-256 of its root's public key (SubjectPublicKeyInfo, DER). */
export function statedFederation(of: { readonly federation: string; readonly rootPem: string }): Federation {
  return { name: of.federation, root: rootKeyHash(of.rootPem) };
}

export function rootKeyHash(rootPem: string): Sha256 {
  return sha256(new X509Certificate(rootPem).publicKey.export({ format: "der", type: "spki" }));
}
