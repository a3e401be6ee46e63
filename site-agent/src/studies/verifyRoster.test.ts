import { randomBytes } from "node:crypto";
import { ConsiliumError } from "@consilium/core/errors";
import type { Sha256, SiteId, StudyId } from "@consilium/core/ids";
import { unwrap } from "@consilium/core/result";
import { english } from "@consilium/runtime/http/spoken";
import { issueRevocations } from "@consilium/runtime/identity/issueRevocations";
import { signingKeyFingerprint } from "@consilium/runtime/identity/names";
import { verifyRevocations } from "@consilium/runtime/identity/revocations";
import { ed25519Raw, pemChainToDer } from "@consilium/runtime/identity/x509";
import {
  type TestFederation,
  type TestLeaf,
  testFederation,
} from "@consilium/runtime/testing/identity/federation";
import { ExchangeKey, generateExchangeKey } from "@consilium/secure-sum/crypto/exchange";
import { signMessage } from "@consilium/secure-sum/crypto/sign";
import { joinMessage } from "@consilium/secure-sum/roster";
import { beforeAll, describe, expect, it } from "vitest";
import type { RosterEntry } from "../rpc/toDomain.js";
import { type RosterView, verifyRoster } from "./verifyRoster.js";

const study = { id: "x-0123456789" as StudyId, hash: "a".repeat(64) as Sha256, minimumSites: 3 };
const random = { bytes: (count: number) => new Uint8Array(randomBytes(count)) };
const at = Date.now();

let federation: TestFederation;
let entries: RosterEntry[];
let view: RosterView;

function entryOf(leaf: TestLeaf, site: string, of: { id: StudyId; hash: Sha256 } = study): RosterEntry {
  const exchangeKey = new ExchangeKey(generateExchangeKey(random)).publicKey;
  const message = joinMessage(of.id, of.hash, site as SiteId, exchangeKey);
  return {
    site: site as SiteId,
    chain: pemChainToDer(leaf.chainPem).slice(0, 2),
    exchangeKey,
    signature: signMessage(leaf.signingKey, message),
  };
}

beforeAll(async () => {
  federation = await testFederation("harbour", at);
  const leaves = await Promise.all(["a", "b", "c", "d"].map((site) => federation.leaf("site", site)));
  entries = leaves.map((leaf, i) => entryOf(leaf, "abcd"[i]!));
  view = {
    study,
    self: {
      site: "b" as SiteId,
      signingKey: ed25519Raw(leaves[1]!.signingKey),
      exchangeKey: entries[1]!.exchangeKey,
    },
    rootPem: federation.root.certificatePem,
    revocations: undefined,
    at,
    shownBefore: null,
    members: {},
    invited: undefined,
    trustedLeast: 3,
    masking: "pairwise",
  };
});

function outcome(shown: readonly RosterEntry[], change: Partial<RosterView> = {}): string {
  try {
    return verifyRoster(shown, { ...view, ...change })
      .members.map(({ site }) => site)
      .join("");
  } catch (error) {
    return error instanceof ConsiliumError
      ? `${error.code}: ${english(error.message)}`
      : `foreign error ${String(error)}`;
  }
}
const without = (site: string) => entries.filter((entry) => entry.site !== site);
const withEntry = (entry: RosterEntry) => entries.map((one) => (one.site === entry.site ? entry : one));

describe("a roster", () => {
  it("of certified sites that signed their keys is taken, this one among them", () => {
    expect(outcome(entries)).toBe("abcd");
    expect(outcome(without("d"))).toBe("abc");
    const { hash } = verifyRoster(entries, view);
    expect(outcome(entries, { shownBefore: hash })).toBe("abcd");
    expect(outcome(without("d"), { shownBefore: hash })).toMatch(
      /^ROSTER_INVALID: .*not the one shown before/,
    );
  });

  it("is too small below the study's minimum", () => {
    expect(outcome(entries.slice(0, 2))).toMatch(/^ROSTER_TOO_SMALL/);
    expect(outcome(entries, { study: { ...study, minimumSites: 5 } })).toMatch(/^ROSTER_TOO_SMALL/);
    expect(outcome([])).toMatch(/^ROSTER_TOO_SMALL/);
  });

  it("holds each site once, in order, and this one with both its keys", async () => {
    expect(outcome([...entries].reverse())).toMatch(/^ROSTER_INVALID/);
    expect(outcome([...entries, entries[3]!])).toMatch(/^ROSTER_INVALID/);
    expect(outcome(without("b"))).toMatch(/does not hold this site/);
    // Minted under this site's name by anyone who holds the issuing key.
    const minted = await federation.leaf("site", "b");
    expect(outcome(withEntry(entryOf(minted, "b")))).toMatch(/does not hold this site with its own keys/);
    const self = { ...view.self, exchangeKey: new Uint8Array(32).fill(9) };
    expect(outcome(entries, { self })).toMatch(/does not hold this site with its own keys/);
  });

  it("has certificates of this federation's sites, in their names, valid then and not expelled", async () => {
    const stranger = await (await testFederation("harbour", at)).leaf("site", "c");
    expect(outcome(withEntry(entryOf(stranger, "c")))).toMatch(
      /^ROSTER_INVALID: .*site c .*CERTIFICATE_INVALID/,
    );
    const publisher = await federation.leaf("publisher", "c");
    expect(outcome(withEntry(entryOf(publisher, "c")))).toMatch(/site c .*NOT_PERMITTED/);
    const other = await federation.leaf("site", "e");
    expect(outcome(withEntry(entryOf(other, "c")))).toMatch(/site c names another site/);
    expect(outcome(withEntry({ ...entries[2]!, chain: [] }))).toMatch(/CERTIFICATE_MISSING/);
    expect(outcome(entries, { at: at + 2 * 86_400_000 })).toMatch(/CERTIFICATE_INVALID.*expired/);
    const rootPem = federation.root.certificatePem;
    const list = issueRevocations(federation.root, undefined, [
      {
        siteId: "a" as SiteId,
        signingKeyFingerprint: signingKeyFingerprint(verifyRoster(entries, view).members[0]!.signingKey),
        reason: "",
        revokedAt: at,
      },
    ]);
    const revocations = unwrap(verifyRevocations(list, { rootPem, knownSequence: 0 }));
    expect(outcome(entries, { revocations })).toMatch(/site a .*SITE_EXPELLED/);
  });

  it("has keys that were signed for this very study", async () => {
    const leaf = await federation.leaf("site", "c");
    const elsewhere = { id: "y-0123456789" as StudyId, hash: study.hash };
    expect(outcome(withEntry(entryOf(leaf, "c", elsewhere)))).toMatch(
      /site c: the exchange key is not signed/,
    );
    expect(outcome(withEntry({ ...entries[2]!, exchangeKey: entries[3]!.exchangeKey }))).toMatch(
      /not signed/,
    );
    const lowOrder = new Uint8Array(32);
    const signature = signMessage(
      leaf.signingKey,
      joinMessage(study.id, study.hash, "c" as SiteId, lowOrder),
    );
    expect(outcome(withEntry({ ...entryOf(leaf, "c"), exchangeKey: lowOrder, signature }))).toMatch(
      /cannot|invalid exchange key/,
    );
  });

  it("holds nobody whom the study does not invite", () => {
    const invited = ["a", "b", "c", "d", "e"] as SiteId[];
    expect(outcome(entries, { invited })).toBe("abcd");
    expect(outcome(entries, { invited: invited.slice(0, 3) })).toBe(
      `ROSTER_INVALID: study ${study.id}: site d was not invited`,
    );
  });

  it("holds enough pinned members, where the hospital pins any", async () => {
    const keys = verifyRoster(entries, view).members.map(({ signingKey }) =>
      signingKeyFingerprint(signingKey),
    );
    const [a, b, c, d] = keys as [Sha256, Sha256, Sha256, Sha256];
    expect(verifyRoster(entries, view)).toMatchObject({ distrusted: 0 });
    const two = verifyRoster(entries, { ...view, members: { a, "St. Clare": c } });
    expect(two.distrusted).toBe(1);
    expect("abcd".split("").filter((site) => two.isTrusted(site as SiteId))).toEqual(["a", "b", "c"]);
    expect(outcome(entries, { members: { c } })).toBe(
      `ROSTER_UNPINNED: study ${study.id}: 2 of the 4 sites are this hospital itself or pinned by it, 3 are the minimum`,
    );
    expect(outcome(entries, { members: { a, c }, trustedLeast: 4 })).toMatch(
      /^ROSTER_UNPINNED: .* 3 of the 4 sites .*, 4 are the minimum/,
    );
    // Anyone who deals the masks knows them all.
    expect(outcome(entries, { members: { a, c }, masking: "dealer" })).toMatch(
      /^ROSTER_UNPINNED: .*one site deals all masks, and this hospital has not pinned 1 of the 4 sites/,
    );
    expect(outcome(entries, { members: { a, c, d }, masking: "dealer" })).toBe("abcd");
    expect(outcome(entries, { masking: "dealer" })).toBe("abcd");
    // Its own key need not be pinned, and pinning it changes nothing.
    expect(outcome(entries, { members: { b, c } })).toMatch(/^ROSTER_UNPINNED: .* 2 of the 4/);
    expect(outcome(entries, { members: { c, d } })).toBe("abcd");
    // Minted under the name of a pinned member by anyone who holds the issuing key: another key, so another site.
    const minted = withEntry(entryOf(await federation.leaf("site", "d"), "d"));
    expect(outcome(minted)).toBe("abcd");
    expect(outcome(minted, { members: { c, d } })).toMatch(/^ROSTER_UNPINNED/);
  });
});
