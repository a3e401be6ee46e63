import { describe, expect, it } from "vitest";
import { runSum, siteName, testPlace, testSites } from "../testing/sum.js";
import { SecretBytes } from "./crypto/secretBytes.js";
import type { Sha256 } from "./ids.js";
import { restoreSetup, type SetupState, storeSetup } from "./setup.js";
import { restoreSiteSum, type SiteSumState, storeSiteSum } from "./site.js";

describe("a site's state", () => {
  it("is the same after it was stored, in every phase, secrets included", () => {
    const place = testPlace({ sites: 4 });
    const sites = testSites(place);
    const seen = new Map<string, SiteSumState>();
    const note = (state: SiteSumState) => {
      seen.set(state.phase, state);
      const bytes = storeSiteSum(state);
      const again = restoreSiteSum(bytes);
      expect(again).toEqual(state);
      // `toEqual` cannot look into secrets; their stored form can.
      expect(Buffer.from(storeSiteSum(again)).equals(bytes)).toBe(true);
    };
    for (const site of sites) {
      const { step, advertise } = site;
      site.advertise = () => {
        const event = advertise.call(site);
        note(site.state!);
        return event;
      };
      site.step = (message) => {
        const result = step.call(site, message);
        note(site.state!);
        return result;
      };
    }
    runSum(place, { sites, fates: new Map([[siteName(3), "masked"]]) });
    sites[0]!.step({ kind: "survivors", survivors: [] });
    expect([...seen.keys()].sort()).toEqual([
      "aborted",
      "advertised",
      "agreed",
      "answered",
      "masked",
      "shared",
    ]);
    const text = JSON.stringify([...seen.values()]);
    expect(text).toContain("[secret]");
    for (const phase of ["answered", "aborted"]) {
      const stored = Buffer.from(storeSiteSum(seen.get(phase)!)).toString();
      expect(stored).not.toContain("sealPrivate");
      expect(stored).not.toContain("Shares");
    }
  });

  it("has the form that running studies are stored in", () => {
    const secret = new SecretBytes(Uint8Array.of(1, 2));
    const site = siteName(0);
    const keys = [{ site, maskKey: Uint8Array.of(3), sealKey: Uint8Array.of(4), encapsulated: secret }];
    const shared: SiteSumState = {
      phase: "shared",
      maskSecret: secret,
      sealPrivate: secret,
      selfMaskSeed: secret,
      ownShares: secret,
      keysHash: "ab" as Sha256,
      keys,
    };
    const [hidden, site0] = ['{"$secret":"0102"}', '"site":"site-000"'];
    expect(Buffer.from(storeSiteSum(shared)).toString()).toBe(
      `{"phase":"shared","maskSecret":${hidden},"sealPrivate":${hidden},"selfMaskSeed":${hidden},` +
        `"ownShares":${hidden},"keysHash":"ab","keys":[{${site0},"maskKey":{"$bytes":"03"},` +
        `"sealKey":{"$bytes":"04"},"encapsulated":${hidden}}]}`,
    );
    const setup: SetupState = {
      phase: "revealed",
      share: Uint8Array.of(5),
      commitments: new Map([[site, Uint8Array.of(6)]]),
      mask: { role: "dealer", seeds: new Map([[site, Uint8Array.of(7)]]) },
    };
    const text =
      '{"phase":"revealed","share":{"$bytes":"05"},"commitments":{"$map":[["site-000",{"$bytes":"06"}]]},' +
      '"mask":{"role":"dealer","seeds":{"$map":[["site-000",{"$bytes":"07"}]]}}}';
    expect(Buffer.from(storeSetup(setup)).toString()).toBe(text);
    expect(restoreSetup(Buffer.from(text))).toEqual(setup);
  });
});
