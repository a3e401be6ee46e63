/** Sites of a test federation that countersign. Not part of any process. */

import type { SiteId } from "@consilium/core/ids";
import type { Federation } from "@consilium/core/release/statement";
import { type TestSite, testSites } from "@consilium/core/testing/release/statement";
import { rawPublicKey } from "@consilium/secure-sum/crypto/sign";
import { statedFederation } from "../../src/identity/rootKey.js";
import { pemChainToDer } from "../../src/identity/x509.js";
import type { TestFederation } from "../identity/federation.js";

export interface TestHospitals {
  readonly federation: Federation;
  readonly sites: readonly TestSite[];
  readonly chains: ReadonlyMap<SiteId, readonly Uint8Array[]>;
}

/** @param now - when they enrol, milliseconds since 1970; the federation's own time unless given */
export async function testHospitals(
  federation: TestFederation,
  options: { names?: readonly string[]; now?: number; lifetimeMs?: number } = {},
): Promise<TestHospitals> {
  const { names = ["north", "south", "west"], ...validity } = options;
  const leaves = new Map(
    await Promise.all(
      names.map(async (name) => [name, await federation.leaf("site", name, validity)] as const),
    ),
  );
  const sites = testSites(names, (name) => {
    const privateKey = leaves.get(name)!.signingKey;
    return { privateKey, publicKey: rawPublicKey(privateKey) };
  });
  const chains = sites.map(({ site }) => [site, pemChainToDer(leaves.get(site)!.chainPem)] as const);
  const { root } = federation;
  const stated = statedFederation({ federation: root.federation, rootPem: root.certificatePem });
  return { federation: stated, sites, chains: new Map(chains) };
}
