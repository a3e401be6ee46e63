import { describe, expect, it } from "vitest";
import { runSum, siteName, testPlace, testSites } from "../testing/sum.js";
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
});
