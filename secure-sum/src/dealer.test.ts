import { describe, expect, it } from "vitest";
import vectors from "../vectors/v2/dealt-masks.json" with { type: "json" };
import { addDealtMask, dealerOf, type MaskSecret } from "./dealer.js";
import type { Sha256, SiteId, StageId, StudyId } from "./ids.js";
import type { Roster } from "./roster.js";
import { stageSeed } from "./sharedSeed.js";

const unhex = (text: string) => new Uint8Array(Buffer.from(text, "hex"));
const seeds = new Map(Object.entries(vectors.seeds).map(([site, seed]) => [site as SiteId, unhex(seed)]));
const roster: Roster = {
  studyId: "vectors-0123456789" as StudyId,
  studyHash: "a".repeat(64) as Sha256,
  members: vectors.sites.map((site) => ({
    site: site as SiteId,
    signingKey: new Uint8Array(32),
    exchangeKey: new Uint8Array(32),
  })),
  hash: vectors.rosterHash as Sha256,
};

describe.each(vectors.cases)("vectors of version 2: $stage after $broadcastsHash", (given) => {
  const place = {
    roster,
    stage: given.stage as StageId,
    attempt: given.attempt,
    broadcastsHash: given.broadcastsHash as Sha256,
  };

  it("masks as the vectors say, at the dealer and at the others", () => {
    expect(dealerOf(roster)).toBe(vectors.dealer);
    for (const [site, expected] of Object.entries(given.masks)) {
      const secret: MaskSecret =
        site === vectors.dealer
          ? { role: "dealer", seeds }
          : { role: "receiver", seed: seeds.get(site as SiteId)! };
      const mask = new BigUint64Array(expected.length);
      addDealtMask(mask, secret, place);
      expect([...mask].map(String)).toEqual(expected);
    }
  });

  it("derives the stage's seed as the vectors say", () => {
    const seed = stageSeed(unhex(vectors.sharedSeed), place);
    expect(Buffer.from(seed).toString("hex")).toBe(given.stageSeed);
  });
});
