import { randomBytes } from "node:crypto";
import type { SiteId, StudyId } from "@consilium/core/ids";
import { readSaid } from "@consilium/core/readSaid";
import { unwrap } from "@consilium/core/result";
import type { Retired } from "@consilium/core/study/retired";
import { studyDocument } from "@consilium/core/study/study";
import { inEnglish } from "@consilium/core/testing/inEnglish";
import { parseStudy } from "@consilium/methods/testing/studies";
import { allMethods } from "@consilium/methods-paper/all";
import type { AggregatorFrame } from "@consilium/proto/generated/consilium/v1/AggregatorFrame";
import { english } from "@consilium/runtime/http/spoken";
import { createLogger } from "@consilium/runtime/log";
import { openTestStore } from "@consilium/runtime/testing/store/store";
import { ExchangeKey, generateExchangeKey } from "@consilium/secure-sum/crypto/exchange";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import { generateSigningKey, signMessage } from "@consilium/secure-sum/crypto/sign";
import { joinMessage, type Roster } from "@consilium/secure-sum/roster";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { smallStudy } from "../../testing/operator-api/study.js";
import { Presence, type SiteSession } from "../roster/presence.js";
import { migrations } from "../store/schema.js";
import { OpenStudy } from "./openStudy.js";
import { StudyRecords } from "./records.js";
import { Recruitment } from "./recruitment.js";
import { StudyPlans } from "./studyPlans.js";

const random = { bytes: (count: number) => new Uint8Array(randomBytes(count)) };
const id = "small-0123456789" as StudyId;
const siteIds = ["a-one", "b-two", "c-three", "d-four", "e-five"] as SiteId[];
const began = 1_000_000;
const day = 86_400_000;

beforeEach(() => {
  vi.useFakeTimers({ now: began });
});
afterEach(() => vi.useRealTimers());

const small = { ...smallStudy, participation: { ...smallStudy.participation, joinDeadline: "1d" } };

/** A study that waits for its sites to join; usually five, of which it needs three. */
function inviting(raw: unknown = small, invited: readonly SiteId[] = siteIds) {
  const expelled = new Set<SiteId>();
  const store = openTestStore(migrations);
  const records = new StudyRecords(store);
  const document = studyDocument(unwrap(parseStudy(raw)));
  const { text, hash } = document;
  records.create({ id, name: "small", text, hash, software: "test", createdAt: began, sites: invited });
  const sent = new Map<SiteId, AggregatorFrame[]>(invited.map((site) => [site, []]));
  const keys = invited.map((site) => ({ site, identity: generateSigningKey() }));
  const sessions = new Map<SiteId, SiteSession>();

  /** One process over the store. */
  const open = (retired: readonly Retired[] = []) => {
    const presence = new Presence(() => Date.now());
    for (const { site, identity } of keys) {
      const send = (frame: AggregatorFrame) => void sent.get(site)!.push(frame);
      const session = {
        site,
        chain: [],
        signingKey: identity.publicKey,
        instance: "a",
        send,
        close: () => undefined,
      };
      sessions.set(site, session);
      presence.connect(session);
    }
    const study = new OpenStudy(records.study(id)!, {
      records,
      plans: new StudyPlans(allMethods, retired),
      federation: { name: "test-federation", root: sha256("root") },
      presence,
      random,
      now: () => Date.now(),
      isExpelled: (key: Uint8Array) =>
        keys.some(
          ({ site, identity }) => Buffer.compare(identity.publicKey, key) === 0 && expelled.has(site),
        ),
      isSiteExpelled: (site: SiteId) => expelled.has(site),
      stateFolder: "/nowhere",
      disk: { demand: () => undefined },
      log: createLogger({ service: "test", level: "silent" }),
    } as never);
    const recruitment = new Recruitment(study);
    const outcome = { roster: null as Roster | null, error: null as Error | null };
    recruitment.roster().then(
      (roster) => {
        outcome.roster = roster;
      },
      (error) => {
        outcome.error = error;
      },
    );
    return { study, recruitment, outcome };
  };
  const first = open();
  const join = (...sites: SiteId[]) => {
    for (const site of sites) {
      const { identity } = keys.find((one) => one.site === site)!;
      const exchangeKey = new ExchangeKey(generateExchangeKey(random)).publicKey;
      const signature = signMessage(identity.privateKey, joinMessage(id, hash, site, exchangeKey));
      const decision = { joined: true as const, exchangeKey, signature };
      first.recruitment.decided(sessions.get(site)!, { kind: "decision", studyId: id, decision });
    }
  };
  const refuse = (...sites: SiteId[]) => {
    for (const site of sites) {
      const decision = { joined: false as const, code: "REFUSED_BY_SITE" as const, mayPublish: false };
      first.recruitment.decided(sessions.get(site)!, { kind: "decision", studyId: id, decision });
    }
  };
  const invitations = (site: SiteId) =>
    sent.get(site)!.flatMap((frame) => (frame.invitation == null ? [] : [frame.invitation.deadlineInMs]));
  return { ...first, open, join, refuse, expelled, records, invitations, sent };
}

const settled = () => vi.advanceTimersByTimeAsync(0);

describe("a study that proceeds before its deadline", () => {
  it("has the sites that have joined on its roster, and no other", async () => {
    const { recruitment, outcome, join, records } = inviting();
    join("a-one" as SiteId, "c-three" as SiteId, "e-five" as SiteId);
    await settled();
    expect(outcome.roster).toBeNull();
    recruitment.proceed();
    await settled();
    expect(outcome.roster?.members.map(({ site }) => site)).toEqual(["a-one", "c-three", "e-five"]);
    // A site that decides later is ignored.
    join("b-two" as SiteId);
    expect(records.participants(id).filter((one) => one.onRoster)).toHaveLength(3);
    expect(inEnglish(() => recruitment.proceed())).toThrow(/sites are fixed already/);
  });

  it("never has fewer than the minimum that every site has approved, and keeps waiting", async () => {
    const { recruitment, outcome, join } = inviting();
    join("a-one" as SiteId, "c-three" as SiteId);
    expect(inEnglish(() => recruitment.proceed())).toThrow(/2 of at least 3 sites have joined/);
    await settled();
    expect([outcome.roster, outcome.error]).toEqual([null, null]);
    join("d-four" as SiteId);
    recruitment.proceed();
    await settled();
    expect(outcome.roster?.members).toHaveLength(3);
  });
});

describe("a deadline to join that is moved", () => {
  it("holds for the sites that have not decided, who are told", async () => {
    const { recruitment, study, outcome, join, invitations } = inviting();
    join("a-one" as SiteId);
    recruitment.extend(began + 3 * day);
    expect(invitations("a-one" as SiteId)).toEqual([day]);
    expect(invitations("b-two" as SiteId)).toEqual([day, 3 * day]);
    expect(study.open?.deadlineAt).toBe(began + 3 * day);
    await vi.advanceTimersByTimeAsync(2 * day);
    expect(outcome.error).toBeNull();
    await vi.advanceTimersByTimeAsync(day);
    expect(english(outcome.error!.message)).toContain("1 of at least 3 sites joined before the deadline");
  });

  it("holds after a restart too", async () => {
    const { recruitment, open } = inviting();
    recruitment.extend(began + 3 * day);
    await vi.advanceTimersByTimeAsync(day / 2);
    expect(open().study.open?.deadlineAt).toBe(began + 3 * day);
  });

  it("is later than it was, and within 30 days of the invitation", async () => {
    const { recruitment, study } = inviting();
    expect(inEnglish(() => recruitment.extend(began + day))).toThrow(/can be moved to between/);
    expect(inEnglish(() => recruitment.extend(began + 30 * day + 1))).toThrow(/can be moved/);
    expect(study.open?.deadlineAt).toBe(began + day);
    await vi.advanceTimersByTimeAsync(day / 2);
    recruitment.extend(began + 30 * day);
    // Thirty days after the invitation, not after the last extension.
    expect(inEnglish(() => recruitment.extend(began + 31 * day))).toThrow(/can be moved/);
  });

  it("is that of joining alone: a later step keeps what the sites have approved", async () => {
    const { recruitment, join } = inviting();
    join(...siteIds);
    await settled();
    expect(inEnglish(() => recruitment.extend(began + 2 * day))).toThrow(/sites are fixed already/);
  });
});

describe("a roster on which a study could have no certificate", () => {
  const trees = (count: number) => ({
    ...small,
    name: "trees",
    analysis: "boosted-trees",
    method: "dp-histboost",
    variant: "sound",
    features: Array.from({ length: 10 }, (_, at) => ({ name: `x${at}`, type: "numeric", min: 0, max: 1 })),
    label: { name: "outcome", levels: ["no", "yes"] },
    parameters: { trees: count },
    privacy: { epsilon: 1, delta: 1e-6 },
    participation: { minimumSites: 4, maxRowsPerSite: 10_000, joinDeadline: "1d" },
  });
  const hospitals = (count: number) =>
    Array.from({ length: count }, (_, at) => `hospital-${String(at).padStart(4, "0")}` as SiteId);

  it.each([[199, 250]])(
    "is where a study of %i trees ends with %i sites, before any of them is asked for anything",
    async (count, sites) => {
      const { join, outcome, records, sent } = inviting(trees(count), hospitals(sites));
      join(...hospitals(sites));
      await settled();
      expect(outcome.roster).toBeNull();
      expect(outcome.error).toMatchObject({ code: "STUDY_INVALID" });
      expect(readSaid(outcome.error!.message)).toMatchObject({
        code: "study.statement-too-large",
        params: { sites },
      });
      expect(records.attempts.all(id)).toEqual([]);
      expect([...sent.values()].flat().some((frame) => frame.task != null)).toBe(false);
    },
  );

  it("is none with few sites", async () => {
    const { join, outcome } = inviting(trees(199), hospitals(4));
    join(...hospitals(4));
    await settled();
    expect(outcome.error).toBeNull();
    expect(outcome.roster?.members).toHaveLength(4);
  });
});

describe("a study that cannot reach its minimum any more", () => {
  const [a, b, c, d, e] = siteIds as [SiteId, SiteId, SiteId, SiteId, SiteId];
  const unreachable = (error: Error | null) => readSaid(error?.message ?? "");

  it("ends at once, with who refused, and does not wait for those still asked", async () => {
    const { outcome, join, refuse } = inviting();
    join(a);
    refuse(b, c);
    await settled();
    expect([outcome.roster, outcome.error]).toEqual([null, null]);
    refuse(d);
    await settled();
    expect(outcome.error).toMatchObject({ code: "ROSTER_TOO_SMALL" });
    expect(unreachable(outcome.error)).toEqual({
      code: "study.unreachable",
      params: {
        invited: 5,
        minimum: 3,
        left: 2,
        refused: [b, c, d].map((site) => ({
          code: "study.refused-by",
          params: { site, why: "REFUSED_BY_SITE" },
        })),
      },
    });
  });

  it("ends at once where sites are expelled meanwhile, also one that had joined", async () => {
    const { study, recruitment, outcome, join, refuse, expelled } = inviting();
    join(a);
    refuse(b);
    const expel = (site: SiteId) => {
      expelled.add(site);
      study.expelled(site);
      recruitment.demandReachable();
    };
    expel(c);
    await settled();
    expect(outcome.error).toBeNull();
    expel(a);
    await settled();
    expect(unreachable(outcome.error)?.params).toMatchObject({ invited: 5, left: 2 });
    expect(JSON.stringify(unreachable(outcome.error)?.params.refused)).toContain("SITE_EXPELLED");
  });

  it("asks nobody after a restart", async () => {
    const { expelled, open, invitations } = inviting();
    for (const site of [c, d, e]) expelled.add(site);
    const { outcome } = open();
    await settled();
    expect(outcome.error).toMatchObject({ code: "ROSTER_TOO_SMALL" });
    expect(invitations(a)).toHaveLength(1);
  });
});

describe("a study that does not say how long hospitals may take", () => {
  it("gives people seven days, and begins as soon as all have decided", async () => {
    const { study, outcome, join, refuse, invitations } = inviting(smallStudy);
    expect(study.open?.deadlineAt).toBe(began + 7 * day);
    expect(invitations(siteIds[0]!)).toEqual([7 * day]);
    join(...siteIds.slice(0, 4));
    await settled();
    expect(outcome.roster).toBeNull();
    refuse(siteIds[4]!);
    await settled();
    expect(outcome.roster?.members).toHaveLength(4);
  });
});

describe("a study that rests on what is retired while its sites decide", () => {
  const entry = { method: "dp-pca", edition: 1, why: "its noise was too small" };

  it("fails before its roster is fixed", async () => {
    const { open, join, records } = inviting();
    join(...siteIds.slice(0, 3));
    const { outcome } = open([entry]);
    await settled();
    expect(outcome.error?.message).toBe("dp-pca, edition 1 is retired: its noise was too small");
    expect(records.participants(id).some(({ onRoster }) => onRoster)).toBe(false);
  });

  it("continues where its roster is fixed: its sites have reserved what it costs", async () => {
    const { open, join, records } = inviting();
    join(...siteIds);
    await settled();
    expect(records.participants(id).every(({ onRoster }) => onRoster)).toBe(true);
    const { outcome } = open([entry]);
    await settled();
    expect([outcome.roster?.members.length, outcome.error]).toEqual([5, null]);
  });
});
