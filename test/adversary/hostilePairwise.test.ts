/**
 * A real site agent in a secure sum under pairwise masks, against an aggregator that lies: each lie is refused with
 * its code, and neither a share nor a signature leaves the hospital for it. What each check prevents is shown, with the
 * check taken out, beside the state machines (secure-sum/src).
 */

import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { SiteId } from "@consilium/core/ids";
import { boundHash } from "@consilium/core/study/broadcast";
import { documentOnRoster } from "@consilium/core/study/onRoster";
import { planStudy, type SumStage } from "@consilium/core/study/plan";
import { planHash } from "@consilium/core/study/planFacts";
import { keysOf } from "@consilium/proto/secureSum";
import { createInvitation } from "@consilium/runtime/identity/invitation";
import { signingKeyFingerprint } from "@consilium/runtime/identity/names";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { anyCost, editConfig, Member, manyOffers, writePolicy } from "../../scripts/localFederation.js";
import { goodTable, studyOf } from "../end-to-end/tables.js";
import { HostileAggregator } from "./hostileAggregator.js";
import { type Attempt, PairwisePlay } from "./pairwisePlay.js";
import { osRandom, type Peer } from "./peer.js";

const site = "hospital-h" as SiteId;
const cliPath = fileURLToPath(new URL("../../cli/dist/main.js", import.meta.url));
const first = "class-moments";

let folder: string;
let aggregator: HostileAggregator;
let agent: Member;
let peers: Peer[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "consilium-pairwise-"));
  aggregator = await HostileAggregator.start();
  const table = join(folder, "visits.csv");
  await writeFile(table, goodTable);
  const { token } = createInvitation({
    address: aggregator.address,
    rootFingerprint: aggregator.federation.root.fingerprint,
    siteId: site,
    expiresAt: Date.now() + 60_000,
    random: osRandom,
  });
  const state = join(folder, "site");
  const enroll = [
    "site",
    "enroll",
    "--token",
    token,
    "--state",
    state,
    "--table",
    `visits=${table}`,
    "--csv-header",
    "--unit",
    "visits=rows",
    "--allow-no-privacy",
  ];
  await promisify(execFile)(process.execPath, [cliPath, ...enroll]);
  await editConfig(state, (config) => {
    config.console = { listen: "127.0.0.1:0" };
    config.offers = manyOffers;
  });
  await writePolicy(state, {
    approval: "automatic",
    perStudy: anyCost,
    maxUnanswered: 1_000,
    variants: ["sound", "paper"],
    budget: null,
  });
  agent = new Member("site-agent", state, { ...process.env });
  await agent.start();
  await aggregator.connected();
  peers = await Promise.all(
    ["hospital-b", "hospital-p", "hospital-x", "hospital-z"].map((name) => aggregator.peer(name)),
  );
});

afterAll(async () => {
  await agent?.stop();
  await aggregator?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Five sites: the threshold is four. */
function play(name: string, change: Record<string, unknown> = {}): PairwisePlay {
  const sound = { method: "dp-pca", variant: "sound", parameters: { components: 2 } };
  const study = studyOf(name, { ...sound, ...change });
  return new PairwisePlay(aggregator, { study, peers, site });
}

/** The site refuses with the code, and nothing more of this attempt leaves it than what had left before. */
async function refused(p: PairwisePlay, at: Attempt, code: string, before: readonly string[]): Promise<void> {
  const fault = await aggregator.frame(
    "stepFault",
    (one) => one.studyId === p.id && one.step === at.stage && one.attempt === at.attempt,
    `a refusal of ${at.stage}`,
  );
  expect(fault.code).toBe(code);
  expect(p.postsOf(at)).toEqual(before);
}

const without = (at: Attempt, ...gone: Peer[]) =>
  [...at.transcripts.keys()].filter((one) => !gone.some((peer) => peer.site === one));

describe("the control: an honest aggregator", () => {
  it("gets one share of each self mask when nobody is missing, and the same bytes when it asks again", async () => {
    const p = await play("whole").join();
    const at = await (p as PairwisePlay).toVectors(first);
    p.askSurvivors(at, p.proofs(at));
    const { shares } = await p.unmasked(at);
    expect(shares.map(({ of, secret }) => `${of} ${secret}`).sort()).toEqual(
      [site, ...peers.map((peer) => peer.site)].sort().map((one) => `${one} self-mask`),
    );
    p.askSurvivors(at, p.proofs(at));
    await expect.poll(() => p.postsOf(at)).toEqual(["keys", "shares", "unmask", "unmask"]);
    const posts = aggregator.frames.flatMap(({ sumPost }) =>
      sumPost?.studyId === p.id && sumPost.post === "unmask" ? [JSON.stringify(sumPost)] : [],
    );
    expect(new Set(posts).size).toBe(1);
  });

  it("gets a dropped site's mask key once a threshold has signed the survivors", async () => {
    const p = (await play("dropout").join()) as PairwisePlay;
    const at = await p.toVectors(first);
    const survivors = p.proofs(at, without(at, peers[0]!));
    p.askSurvivors(at, survivors);
    const { survivorsSignature } = await p.sumPost(at, "survivorsSignature");
    const signatures = [
      ...p.peerSignatures(at, survivors),
      { site, signature: new Uint8Array(survivorsSignature!) },
    ];
    p.askUnmask(at, survivors, signatures);
    const { shares } = await p.unmasked(at);
    expect(Object.fromEntries(shares.map(({ of, secret }) => [of, secret]))).toEqual({
      [peers[0]!.site]: "mask-key",
      ...Object.fromEntries(survivors.map((one) => [one.site, "self-mask"])),
    });
  });
});

describe("keys", () => {
  const lie = async (
    name: string,
    change: (p: PairwisePlay, at: Attempt) => ReturnType<PairwisePlay["keyList"]>,
    code: string,
  ) => {
    const p = (await play(name).join()) as PairwisePlay;
    const at = await p.advertise(p.begin(first));
    p.askForShares(at, change(p, at));
    await refused(p, at, code, ["keys"]);
  };

  it("that their site did not sign are refused", () =>
    lie(
      "forged-key",
      (p, at) =>
        p
          .keyList(at)
          .map((one) =>
            one.site === peers[0]!.site
              ? { ...one, maskKey: new Uint8Array(one.maskKey.length).fill(7) }
              : one,
          ),
      "KEYS_INVALID",
    ));

  it("of another attempt are refused", () =>
    lie(
      "old-keys",
      (p, at) => {
        const other = p.begin(first, 2);
        const { signature } = p.keyList(at)[0]!;
        expect(other.attempt).toBe(2);
        return p.keyList(at).map((one, i) => (i === 1 ? { ...one, signature } : one));
      },
      "KEYS_INVALID",
    ));

  it("without the site's own, or with one twice, are refused", async () => {
    await lie("own-missing", (p, at) => p.keyList(at).filter((one) => one.site !== site), "KEYS_INVALID");
    await lie("twice", (p, at) => [...p.keyList(at).slice(0, 4), p.keyList(at)[3]!], "KEYS_INVALID");
  });

  it("of fewer sites than the threshold are refused", () =>
    lie("few-keys", (p, at) => p.keyList(at).slice(0, 3), "SUM_THRESHOLD"));

  it("that differ from those shown first are refused", async () => {
    const p = (await play("second-list").join()) as PairwisePlay;
    const at = await p.share(await p.advertise(p.begin(first)));
    const fewer = p.keyList(at).filter((one) => one.site !== peers[3]!.site);
    p.askForShares(at, fewer);
    await refused(p, at, "KEYS_INVALID", ["keys", "shares"]);
  });
});

describe("shares", () => {
  it("of an earlier attempt are refused in a later one", async () => {
    const p = (await play("old-shares").join()) as PairwisePlay;
    const old = await p.share(await p.advertise(p.begin(first)));
    const at = await p.share(await p.advertise(p.begin(first, 2)));
    p.askForVector(at, p.deliveriesTo(old, site));
    await refused(p, at, "SHARES_INVALID", ["keys", "shares"]);
    expect(p.aggregator.begun.some((one) => one.studyId === p.id)).toBe(false);
  });

  it("of fewer sites than the threshold are refused", async () => {
    const p = (await play("few-shares").join()) as PairwisePlay;
    const at = await p.share(await p.advertise(p.begin(first)));
    p.askForVector(at, p.deliveriesTo(at, site).slice(0, 3));
    await refused(p, at, "SUM_THRESHOLD", ["keys", "shares"]);
  });
});

describe("survivors", () => {
  const after = ["keys", "shares"];

  it("fewer than the threshold are refused", async () => {
    const p = (await play("shrunk").join()) as PairwisePlay;
    const at = await p.toVectors(first);
    p.askSurvivors(at, p.proofs(at, without(at, peers[0]!, peers[1]!)));
    await refused(p, at, "SUM_THRESHOLD", after);
  });

  it("without the site itself are refused", async () => {
    const p = (await play("self-gone").join()) as PairwisePlay;
    const at = await p.toVectors(first);
    p.askSurvivors(
      at,
      p.proofs(
        at,
        peers.map((peer) => peer.site),
      ),
    );
    await refused(p, at, "SURVIVORS_INVALID", after);
  });

  it("that were shown another broadcast are refused", async () => {
    const p = (await play("two-broadcasts").join()) as PairwisePlay;
    const at = await p.share(await p.advertise(p.begin(first)));
    for (const peer of peers) p.maskPeer(peer, at, sha256("another broadcast"));
    p.askForVector(at);
    at.transcripts.set(site, new Uint8Array((await p.upload(at)).header.transcriptSignature));
    p.askSurvivors(at, p.proofs(at));
    await refused(p, at, "TRANSCRIPT_DIFFERS", after);
  });

  it("that size one stage otherwise are refused: their masks and the site's cancel in no sum", async () => {
    const p = (await play("two-sizings").join()) as PairwisePlay;
    const at = await p.share(await p.advertise(p.begin(first)));
    const { study } = documentOnRoster(p.document, p.members.length);
    const [stage, ...others] = planStudy(study).stages as [SumStage, ...SumStage[]];
    const finer = { ...stage, terms: { ...stage.terms!, scale: 2 * stage.terms!.scale } };
    const sizedOtherwise = planHash(study, { ...planStudy(study), stages: [finer, ...others] });
    for (const peer of peers) p.maskPeer(peer, at, boundHash(sizedOtherwise, []));
    p.askForVector(at);
    at.transcripts.set(site, new Uint8Array((await p.upload(at)).header.transcriptSignature));
    p.askSurvivors(at, p.proofs(at));
    await refused(p, at, "TRANSCRIPT_DIFFERS", after);
  });

  it("other than those it answered for are refused: nobody gets both kinds of share of one site", async () => {
    const p = (await play("both-kinds").join()) as PairwisePlay;
    const at = await p.toVectors(first);
    p.askSurvivors(at, p.proofs(at));
    await p.unmasked(at);
    p.askSurvivors(at, p.proofs(at, without(at, peers[2]!)));
    await refused(p, at, "SURVIVORS_CHANGED", [...after, "unmask"]);
  });

  it("other than those it signed are refused", async () => {
    const p = (await play("two-sets").join()) as PairwisePlay;
    const at = await p.toVectors(first);
    p.askSurvivors(at, p.proofs(at, without(at, peers[2]!)));
    await p.sumPost(at, "survivorsSignature");
    p.askSurvivors(at, p.proofs(at, without(at, peers[1]!)));
    await refused(p, at, "SURVIVORS_CHANGED", [...after, "survivorsSignature"]);
  });

  it("whose list a threshold has not signed are not opened", async () => {
    const p = (await play("unsigned").join()) as PairwisePlay;
    const at = await p.toVectors(first);
    const survivors = p.proofs(at, without(at, peers[2]!));
    p.askSurvivors(at, survivors);
    const { survivorsSignature } = await p.sumPost(at, "survivorsSignature");
    const own = { site, signature: new Uint8Array(survivorsSignature!) };
    const [one, two, three] = p.peerSignatures(at, survivors);
    // Four are needed; one of these is signed by another than it says.
    p.askUnmask(at, survivors, [own, one!, two!, { site: three!.site, signature: one!.signature }]);
    const fault = await aggregator.frame("stepFault", (f) => f.studyId === p.id, "a refusal");
    expect(["SUM_THRESHOLD", "SURVIVORS_INVALID"]).toContain(fault.code);
    expect(p.postsOf(at)).toEqual([...after, "survivorsSignature"]);
  });

  it("of an attempt that is over are refused", async () => {
    const p = (await play("old-attempt").join()) as PairwisePlay;
    const old = await p.toVectors(first);
    await p.advertise(p.begin(first, 2));
    p.askSurvivors(old, p.proofs(old));
    await refused(p, old, "MESSAGE_UNEXPECTED", after);
  });

  it("stay refused after a first refusal, also when they are then told honestly", async () => {
    const p = (await play("no-second-try").join()) as PairwisePlay;
    const at = await p.toVectors(first);
    p.askSurvivors(at, p.proofs(at, without(at, peers[0]!, peers[1]!)));
    await refused(p, at, "SUM_THRESHOLD", after);
    const faults = () => aggregator.frames.filter(({ stepFault }) => stepFault?.studyId === p.id).length;
    p.askSurvivors(at, p.proofs(at));
    await expect.poll(faults).toBe(2);
    expect(p.postsOf(at)).toEqual(after);
  });
});

describe("a sum without noise", () => {
  it("is opened for one list of survivors in the whole study", async () => {
    const p = (await play("exact", {
      privacy: "none",
      method: "dpdis-pca",
      variant: "paper",
    }).join()) as PairwisePlay;
    const at = await p.toVectors("moments");
    p.askSurvivors(at, p.proofs(at));
    await p.unmasked(at);
    // A second attempt at the same stage would show what the sites between the two lists have.
    const again = await p.toVectors("moments", 2);
    p.askSurvivors(again, p.proofs(again, without(again, peers[3]!)));
    await refused(p, again, "SURVIVORS_CHANGED", ["keys", "shares"]);
  });
});

describe("directions", () => {
  const iteration = { parameters: { components: 2, form: "iteration", iterations: 1 } };
  const stage = "iterate-1";
  const asked = async (name: string, directions: Float64Array) => {
    const p = (await play(name, iteration).join()) as PairwisePlay;
    const at = await p.share(await p.advertise(p.begin(stage)));
    p.sent(stage, { directions });
    p.askForVector(at);
    return { p, at };
  };

  it("that are orthonormal are answered", async () => {
    const { p, at } = await asked("axes", Float64Array.of(1, 0, 0, 0, 0, 1, 0, 0));
    expect((await p.upload(at)).bytes.length).toBeGreaterThan(0);
  });

  it.each([
    ["too long", Float64Array.of(2, 0, 0, 0, 0, 1, 0, 0)],
    ["twice the same", Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0)],
    ["not finite", Float64Array.of(1, 0, 0, Number.NaN, 0, 1, 0, 0)],
    ["finer than their grid", Float64Array.of(1, 0, 0, 2 ** -40, 0, 1, 0, 0)],
  ])("that are %s are refused, and no vector leaves", async (name, directions) => {
    const { p, at } = await asked(`directions-${name.replaceAll(" ", "-")}`, directions);
    await refused(p, at, "BROADCAST_INVALID", ["keys", "shares"]);
    expect(aggregator.begun.some((one) => one.studyId === p.id)).toBe(false);
  });
});

describe("hospitals that belong together", () => {
  const wing = ["hospital-b", "hospital-h", "hospital-k"];
  const rest = ["hospital-p", "hospital-x", "hospital-z"];
  const counts = { analysis: "describe", method: "counts", variant: "sound", label: undefined };
  const bounds = { minimumSites: 3, maxRowsPerSite: 100, phaseDeadline: "1m" };
  const groups = {
    ...counts,
    participation: { ...bounds, sites: [...wing, ...rest] },
    parameters: { siteGroups: [wing, rest].map((sites, i) => ({ name: `g${i}`, sites })) },
  };
  /** The ward is the hospital: nothing else of the study says that hospital-b is one. */
  const named = (participation: object) => ({
    ...counts,
    participation: { ...bounds, ...participation },
    parameters: {},
    features: [{ name: "sex", type: "categorical", levels: ["f", "m", " Hospital-B"] }],
  });
  const playOf = async (name: string, change: Record<string, unknown>, without: string | null = null) => {
    const other = peers.some((peer) => peer.site === "hospital-k")
      ? []
      : [await aggregator.peer("hospital-k")];
    const there = [...peers, ...other].filter((peer) => peer.site !== without);
    return new PairwisePlay(aggregator, { study: studyOf(name, change), peers: there, site });
  };
  const first = "counts";

  it("are opened while each group has enough left", async () => {
    const p = (await (await playOf("groups-whole", groups)).join()) as PairwisePlay;
    const at = await p.toVectors(first);
    p.askSurvivors(at, p.proofs(at));
    await p.unmasked(at);
  });

  it("are not signed where a group has lost one, though the sum has enough", async () => {
    const p = (await (await playOf("groups-lost", groups)).join()) as PairwisePlay;
    const at = await p.toVectors(first);
    p.askSurvivors(at, p.proofs(at, without(at, peers[3]!)));
    await refused(p, at, "SUM_THRESHOLD", ["keys", "shares"]);
  });

  it("are not joined on a roster that lacks one of a group", async () => {
    const p = (await (await playOf("groups-roster", groups, "hospital-k")).join()) as PairwisePlay;
    const at = p.begin(first);
    p.ask(at, "sumKeys", {});
    await refused(p, at, "ROSTER_TOO_SMALL", []);
  });

  it("are not told apart by a level that only the roster shows to be one of them", async () => {
    const p = (await (await playOf("named-late", named({}))).join()) as PairwisePlay;
    const at = p.begin(first);
    p.ask(at, "sumKeys", {});
    await refused(p, at, "POLICY_PER_HOSPITAL", []);
  });
});

describe("sites that this hospital does not know", () => {
  const state = () => join(folder, "site");
  const pins = (...known: Peer[]) =>
    Object.fromEntries(known.map((peer) => [peer.site, signingKeyFingerprint(peer.signingKey)]));
  const advertised = async (name: string, change: Record<string, unknown> = {}) => {
    const p = (await play(name, change).join()) as PairwisePlay;
    const at = p.begin(first);
    p.ask(at, "sumKeys", {});
    return { p, at };
  };

  afterAll(() => writePolicy(state(), { members: {} }));

  it("do not make up for members that are missing", async () => {
    await writePolicy(state(), { members: pins(peers[0]!) });
    const { p, at } = await advertised("minted");
    await refused(p, at, "ROSTER_UNPINNED", []);
  });

  it("do not make up for the noise of members that are missing", async () => {
    // Two pinned besides this one are minimumSites, but noise is sized for the four that every sum of five has.
    await writePolicy(state(), { members: pins(peers[0]!, peers[1]!) });
    const { p, at } = await advertised("minted-noise");
    await refused(p, at, "ROSTER_UNPINNED", []);
  });

  it("count as colluding", async () => {
    // Three pinned besides this one are enough for the roster, but a threshold of four over five sites cannot stand against
    // a stranger and the two members that may collude.
    await writePolicy(state(), { members: pins(peers[0]!, peers[1]!, peers[2]!) });
    const participation = { minimumSites: 4, tolerateColluding: 2, maxRowsPerSite: 100, phaseDeadline: "1m" };
    const { p, at } = await advertised("strangers", { participation });
    await aggregator
      .frame("sumPost", (post) => post.studyId === p.id && post.post === "keys", "keys")
      .then(
        async () => {
          for (const peer of peers) p.advertisePeer(peer, at);
          at.keys.set(site, keysOf((await p.sumPost(at, "keys")).keys, "keys"));
          p.askForShares(at);
          await refused(p, at, "SUM_THRESHOLD", ["keys"]);
        },
        () => refused(p, at, "SUM_THRESHOLD", []),
      );
  });

  it("do not count among the survivors", async () => {
    await writePolicy(state(), { members: pins(peers[0]!, peers[1]!, peers[2]!) });
    const participation = { minimumSites: 4, maxRowsPerSite: 100, phaseDeadline: "1m" };
    const p = (await play("few-known-survivors", { participation }).join()) as PairwisePlay;
    const at = await p.toVectors(first);
    p.askSurvivors(at, p.proofs(at, without(at, peers[0]!)));
    await refused(p, at, "SUM_THRESHOLD", ["keys", "shares"]);
  });
});
