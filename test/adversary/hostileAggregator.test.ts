/**
 * A real site agent against an aggregator that holds the federation's own issuing key and lies in every way it can:
 * each lie is refused with its code, and no vector leaves the hospital for it.
 */
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { canonicalJson } from "@consilium/core/canonicalJson";
import { fromLittleEndianBytes } from "@consilium/core/fixed-point/ringVector";
import type { EgressView } from "@consilium/core/hospital/ledgerViews";
import type { SiteId } from "@consilium/core/ids";
import { protocolVersions } from "@consilium/core/limits";
import { unwrap } from "@consilium/core/result";
import { studyDocument } from "@consilium/core/study/study";
import { inEnglish } from "@consilium/core/testing/inEnglish";
import { inGate } from "@consilium/core/testing/wholeRun";
import { meanFrom } from "@consilium/methods-paper/elfed-pca/moments";
import { asPaperPca } from "@consilium/methods-paper/elfed-pca/study";
import { sha256Bytes } from "@consilium/proto/fields";
import type { AggregatorFrame } from "@consilium/proto/generated/consilium/v1/AggregatorFrame";
import { createInvitation } from "@consilium/runtime/identity/invitation";
import { issueRevocations } from "@consilium/runtime/identity/issueRevocations";
import { signingKeyFingerprint } from "@consilium/runtime/identity/names";
import { verifyRevocations } from "@consilium/runtime/identity/revocations";
import type { Revocation } from "@consilium/runtime/identity/revoked";
import { openLibsql } from "@consilium/runtime/store/driver";
import { testFederation } from "@consilium/runtime/testing/identity/federation";
import { exchangeKeyBytes } from "@consilium/secure-sum/crypto/exchange";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { editConfig, Member, manyOffers, waitUntil, writePolicy } from "../../scripts/localFederation.js";
import { findMarkers } from "../end-to-end/markers.js";
import { goodRows, goodTable, studyOf } from "../end-to-end/tables.js";
import { siteAgent } from "../support/siteAgent.js";
import { HostileAggregator, Play, wireDelivery } from "./hostileAggregator.js";
import { deliveriesFor, middleOf, osRandom, type Peer } from "./peer.js";

const site = "hospital-h" as SiteId;
const cliPath = fileURLToPath(new URL("../../cli/dist/main.js", import.meta.url));

let folder: string;
let aggregator: HostileAggregator;
let agent: Member;
/** Before and after the site in the order of ids: the roster's second site deals the masks. */
let before: Peer;
let after: Peer;
let last: Peer;

async function cli(...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [cliPath, ...args], {
    env: { ...process.env, NO_COLOR: "1" },
  });
  return stdout;
}

interface SiteStatus {
  readonly connected: boolean;
  readonly lastFault: { readonly code: string; readonly message: string } | null;
  readonly studies: readonly { id: string; status: string; code: string | null; reason: string | null }[];
}

/** What `consilium site status` shows, asked for directly: a process each time would take half a second. */
async function status(): Promise<SiteStatus> {
  return (await siteAgent(agent).status({})) as SiteStatus;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "consilium-hostile-"));
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
  await cli(
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
    "--allow-paper-variants",
    "--approval",
    "automatic",
  );
  await editConfig(state, (config) => {
    config.console = { listen: "127.0.0.1:0" };
    config.offers = manyOffers;
  });
  await writePolicy(state, { maxUnanswered: 1_000 });
  agent = new Member("site-agent", state, { ...process.env });
  await agent.start();
  await aggregator.connected();
  before = await aggregator.peer("hospital-b");
  after = await aggregator.peer("hospital-p");
  last = await aggregator.peer("hospital-x");
});

afterAll(async () => {
  await agent?.stop();
  await aggregator?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** A study in which the site receives its mask, or with `dealer` deals the others theirs. */
function play(name: string, options: { dealer?: boolean; change?: Record<string, unknown> } = {}): Play {
  const peers = options.dealer ? [before, after] : [after, last];
  return new Play(aggregator, { study: studyOf(name, options.change), peers, site });
}

const rowsOverAll = Float64Array.of(3 * goodRows);
const honest = (p: Play) => ({ mean: middleOf(p.document.study), rows: rowsOverAll });
/** Orthonormal: the first two axes. */
const axes = Float64Array.of(1, 0, 0, 0, 0, 1, 0, 0);

/** The site must refuse the step with the code, keep the reason, and send nothing for it. */
async function refused(p: Play, step: string, code: string): Promise<void> {
  expect(await p.refusalOf(step)).toBe(code);
  expect(p.left(), "nothing leaves for a refused step").not.toContain(step);
  const local = (await status()).studies.find(({ id }) => id === p.id);
  expect(local).toMatchObject({ code, reason: expect.stringContaining(`[${code}]`) });
}

describe("the control: an honest aggregator", () => {
  it.each([
    ["receives its mask", false],
    ["deals the masks", true],
  ])("gets the site's vectors, masked, when the site %s", async (_, dealer) => {
    const p = await play("honest", { dealer }).moments();
    const { document, roster } = p;
    for (const peer of p.peers) peer.goOn(roster, true, deliveriesFor(p.posts.get("reveal")!, peer.site));
    const own = fromLittleEndianBytes((await aggregator.upload(p.id, "moments")).bytes);
    const vectors = [
      own,
      ...(await Promise.all(p.peers.map((peer) => peer.moments(document.study, roster, 10)))),
    ];
    const sum = own.map((_, i) =>
      vectors.reduce((total, vector) => BigInt.asUintN(64, total + vector[i]!), 0n),
    );
    const { n, mean } = meanFrom(sum, asPaperPca(document.study), 3);
    expect(n).toBe(goodRows + 20);
    expect(mean.every((value) => value > 0 && value < 1)).toBe(true);
    // Alone the vector tells nothing: as a sum of its own it has no plausible number of rows.
    expect(() => meanFrom(own, asPaperPca(document.study), 3)).toThrow();

    p.sent("covariance", honest(p));
    aggregator.send(p.task("covariance", "sum"));
    expect((await aggregator.upload(p.id, "covariance")).bytes.length).toBe(10 * 8);
    p.sent("projection", { loadings: axes });
    aggregator.send(p.task("projection", "rows"));
    const rows = await aggregator.upload(p.id, "projection");
    expect(rows.bytes.length).toBe(goodRows * (2 * 8 + 2));
    expect(rows.method).toBe("SendRows");

    // Asked again, it sends the same bytes again.
    aggregator.send(p.task("moments", "sum", { sum: { broadcasts: [] } }));
    const again = () => aggregator.uploads.filter((one) => one.studyId === p.id && one.step === "moments");
    await waitUntil(async () => (again().length === 2 ? true : null), 60_000, "the second upload");
    expect(again()[1]!.bytes.equals(again()[0]!.bytes)).toBe(true);
    const ended = async (code: string) => {
      aggregator.send({ frame: "studyEnded", studyEnded: { studyId: p.id, outcome: "released", code } });
      const shown = async () => (await status()).studies.find(({ id }) => id === p.id);
      await waitUntil(
        async () => {
          const study = await shown();
          return study?.status === "released" && study.code === (code || null) ? true : null;
        },
        60_000,
        `the end with code ${code}`,
      );
    };
    await ended("");
    await aggregator.frame("endReceipt", ({ studyId }) => studyId === p.id, "the receipt");
    // The release was superseded, then withdrawn: the hospital sees it with its study.
    await ended("RELEASE_SUPERSEDED");
    await ended("RELEASE_WITHDRAWN");
  });
});

describe("an invitation", () => {
  const refusal = async (p: Play) => {
    const { refusalCode } = await p.decision();
    return refusalCode;
  };

  it("whose text is not what its hash says is refused", async () => {
    const p = play("changed-text");
    aggregator.send(p.invitation({ text: p.document.text.replace('"epsilon":1', '"epsilon":9') }));
    expect(await refusal(p)).toBe("STUDY_HASH");
  });

  it("in another spelling than the canonical one is refused", async () => {
    const p = play("other-spelling");
    const text = JSON.stringify(JSON.parse(p.document.text), null, 1);
    aggregator.send(p.invitation({ text, hash: sha256(text) }));
    expect(await refusal(p)).toBe("STUDY_HASH");
    const q = play("no-json");
    aggregator.send(q.invitation({ text: "{", hash: sha256("{") }));
    expect(await refusal(q)).toBe("STUDY_HASH");
  });

  it("planned otherwise than the site plans it is refused", async () => {
    const p = play("other-plan");
    aggregator.send(p.invitation({ plan: canonicalJson({ format: "consilium-plan/3" }) }));
    expect(await refusal(p)).toBe("PLAN_DIFFERS");
  });

  it("planned on its roster otherwise than the site plans it is refused before anything is charged", async () => {
    const p = await play("other-running-plan").join();
    const other = { planHash: sha256Bytes(sha256("another plan")) };
    aggregator.send(p.task(p.plan.setup[0]!, "exchange", other));
    expect(await p.refusalOf(p.plan.setup[0]!)).toBe("PLAN_DIFFERS");
    expect(p.left()).toEqual([]);
    // It says nothing of the roster, which is taken with the site's own plan.
    aggregator.send(p.task(p.plan.setup[0]!, "exchange"));
    await aggregator.frame("exchangePost", (post) => post.studyId === p.id, "the post of the setup");
  });

  it("to something that is no study is refused", async () => {
    const p = play("two-sites");
    const text = canonicalJson({
      ...(JSON.parse(p.document.text) as object),
      participation: { minimumSites: 2, tolerateColluding: 0, maxRowsPerSite: 100, phaseDeadline: "60000ms" },
    });
    aggregator.send(p.invitation({ text, hash: sha256(text) }));
    expect(await refusal(p)).toBe("STUDY_INVALID");
  });

  it("is one of a flood: each is answered in its turn, and the hospital is there meanwhile", async () => {
    const flood = Array.from({ length: inGate(60, { whole: 200 }) }, (_, i) => play(`flood-${i}`));
    for (const p of flood) aggregator.send(p.invitation());
    const begun = performance.now();
    expect((await status()).connected).toBe(true);
    expect(performance.now() - begun).toBeLessThan(30_000);
    const decisions = await Promise.all(flood.map((p) => p.decision()));
    expect(decisions.every(({ join }) => join)).toBe(true);
    for (const p of flood) {
      aggregator.send({ frame: "studyEnded", studyEnded: { studyId: p.id, outcome: "cancelled", code: "" } });
    }
  });

  it("that comes again with another study under the same id is refused, and the first one stays", async () => {
    const p = await play("swapped").join();
    const other = studyDocument({
      ...asPaperPca(p.document.study),
      parameters: { ...asPaperPca(p.document.study).parameters, components: 1 },
    });
    aggregator.send(p.invitation({ text: other.text, hash: other.hash }));
    const changed = await aggregator.frame(
      "decision",
      (d) => d.studyId === p.id && d.decision === "refusalCode",
      "the refusal",
    );
    expect(changed.refusalCode).toBe("STUDY_HASH");
    await p.exchange("deal");
    expect(p.left()).toEqual(["deal"]);
  });
});

describe("a roster", () => {
  const onRoster = async (
    name: string,
    change: (p: Play) => void | Promise<void>,
    code: string,
    step = "deal",
  ) => {
    const p = await play(name).join();
    if (step === "reveal") await p.exchange("deal");
    await change(p);
    aggregator.send(p.task(step, "exchange"));
    await refused(p, step, code);
  };

  it("that changes after the first step is refused", () =>
    onRoster(
      "roster-changed",
      (p) => {
        p.members = [p.entryOf(before), ...p.members];
      },
      "ROSTER_INVALID",
      "reveal",
    ));

  it("with a member of another authority is refused", async () => {
    const stranger = await aggregator.peer("hospital-q", await testFederation("harbour"));
    await onRoster(
      "roster-foreign",
      (p) => {
        p.members[1] = p.entryOf(stranger);
      },
      "ROSTER_INVALID",
    );
  });

  it("with a member whose certificate is another's, or not a site's, is refused", async () => {
    await onRoster(
      "roster-misnamed",
      (p) => {
        p.members[1] = { ...p.entryOf(after), siteId: "hospital-q" };
      },
      "ROSTER_INVALID",
    );
    const { chainPem } = await aggregator.federation.leaf("publisher", "hospital-q", { now: Date.now() });
    expect(chainPem).toContain("BEGIN");
    const { pemChainToDer } = await import("@consilium/runtime/identity/x509");
    await onRoster(
      "roster-publisher",
      (p) => {
        p.members[1] = {
          ...p.entryOf(after),
          siteId: "hospital-q",
          chain: pemChainToDer(chainPem).slice(0, 2),
        };
      },
      "ROSTER_INVALID",
    );
  });

  it("without the site is refused", () =>
    onRoster(
      "roster-without",
      (p) => {
        p.members = [p.entryOf(before), p.entryOf(after), p.entryOf(last)];
      },
      "ROSTER_INVALID",
    ));

  it("with the site's name on another key is refused", async () => {
    const impostor = await aggregator.peer(site);
    await onRoster(
      "roster-impostor",
      (p) => {
        p.members[0] = p.entryOf(impostor);
      },
      "ROSTER_INVALID",
    );
  });

  it("that is too small is refused", () =>
    onRoster(
      "roster-small",
      (p) => {
        p.members = p.members.slice(0, 2);
      },
      "ROSTER_TOO_SMALL",
    ));

  it("out of order, or with a member twice, is refused", async () => {
    await onRoster("roster-order", (p) => void p.members.reverse(), "ROSTER_INVALID");
    await onRoster("roster-twice", (p) => void p.members.push(p.members[2]!), "ROSTER_INVALID");
  });

  it("with a key that its site did not sign, or that nothing can be sealed for, is refused", async () => {
    await onRoster(
      "roster-unsigned",
      (p) => {
        const entry = p.members[1]!;
        p.members[1] = { ...entry, join: { ...entry.join!, exchangeKey: Buffer.alloc(exchangeKeyBytes, 7) } };
      },
      "ROSTER_INVALID",
    );
    const { joinMessage } = await import("@consilium/secure-sum/roster");
    const { signMessage } = await import("@consilium/secure-sum/crypto/sign");
    await onRoster(
      "roster-low-order",
      (p) => {
        const exchangeKey = Buffer.alloc(exchangeKeyBytes);
        const message = joinMessage(p.id, p.document.hash, after.site, exchangeKey);
        const signature = Buffer.from(signMessage(after.identity.signingKey, message));
        p.members[1] = { ...p.entryOf(after), join: { exchangeKey, signature } };
      },
      "ROSTER_INVALID",
    );
  });
});

describe("the sealed exchange", () => {
  const flipped = (bytes: Uint8Array) => {
    const copy = Buffer.from(bytes);
    copy[copy.length - 1]! ^= 1;
    return copy;
  };
  const tampered = async (
    name: string,
    step: "reveal" | "moments",
    change: (p: Play) => ReturnType<ReturnType<typeof wireDelivery>>[],
    code: string,
  ) => {
    const p = await play(name).join();
    await p.exchange("deal");
    if (step === "moments") await p.exchange("reveal");
    const kind = step === "moments" ? "sum" : "exchange";
    aggregator.send(p.task(step, kind, { deliveries: change(p) }));
    await refused(p, step, code);
  };
  const wire = (p: Play, step: string) => p.deliveries(step).map(wireDelivery(p.before(step)));

  it("that was changed on the way does not open", async () => {
    await tampered(
      "seal-changed",
      "reveal",
      (p) => wire(p, "reveal").map((d) => (d.from === after.site ? { ...d, sealed: flipped(d.sealed) } : d)),
      "SEAL_BROKEN",
    );
    await tampered(
      "seal-missing",
      "moments",
      (p) => wire(p, "moments").map((d) => ({ ...d, sealed: Buffer.alloc(0) })),
      "SEAL_BROKEN",
    );
    await tampered(
      "seal-swapped",
      "moments",
      (p) => wire(p, "moments").map((d, i, all) => ({ ...d, sealed: all[(i + 1) % all.length]!.sealed })),
      "SEAL_BROKEN",
    );
  });

  it("that is incomplete, unsigned or from an earlier step is refused", async () => {
    await tampered("post-missing", "reveal", (p) => wire(p, "reveal").slice(1), "ROSTER_INVALID");
    await tampered(
      "post-unsigned",
      "reveal",
      (p) => wire(p, "reveal").map((d) => ({ ...d, publicPart: flipped(d.publicPart) })),
      "ROSTER_INVALID",
    );
    await tampered(
      "post-replayed",
      "moments",
      (p) => wire(p, "reveal").map((d) => ({ ...d, step: "reveal" })),
      "ROSTER_INVALID",
    );
  });

  it("of another study is refused", async () => {
    const other = await play("post-elsewhere").join();
    await other.exchange("deal");
    await tampered("post-of-another", "reveal", () => wire(other, "reveal"), "ROSTER_INVALID");
  });

  it("with a share of the seed that was not committed to is refused", async () => {
    const p = await play("lying-peer").join();
    await p.exchange("deal");
    last.lie(p.id);
    await p.exchange("reveal");
    aggregator.send(p.task("moments", "sum"));
    await refused(p, "moments", "COMMITMENT_BROKEN");
  });
});

describe("the order of steps", () => {
  it("is the plan's: no stage before the setup or before the one that precedes it", async () => {
    const early = await play("stage-early").join();
    aggregator.send(early.task("moments", "sum"));
    await refused(early, "moments", "MESSAGE_UNEXPECTED");

    const half = await play("stage-half").join();
    await half.exchange("deal");
    aggregator.send(
      half.task("moments", "sum", { deliveries: half.deliveries("reveal").map(wireDelivery("deal")) }),
    );
    await refused(half, "moments", "MESSAGE_UNEXPECTED");

    const skipped = await play("stage-skipped").setup();
    skipped.sent("covariance", honest(skipped));
    aggregator.send(skipped.task("covariance", "sum"));
    await refused(skipped, "covariance", "MESSAGE_UNEXPECTED");

    const rows = await (await play("rows-early").moments()).sent("projection", { loadings: axes });
    aggregator.send(rows.task("projection", "rows"));
    await refused(rows, "projection", "MESSAGE_UNEXPECTED");
  });

  it("has no stage that the plan has not, and none in another form", async () => {
    for (const [step, kind] of [
      ["subspace", "sum"],
      ["everything", "rows"],
      ["projection", "sum"],
      ["constructor", "sum"],
    ] as const) {
      const p = await play(`no-${step}-${kind}`).moments();
      aggregator.send(p.task(step, kind));
      await refused(p, step, "MESSAGE_UNEXPECTED");
    }
    const p = await play("rows-of-moments").setup();
    aggregator.send(p.task("moments", "rows"));
    await refused(p, "moments", "MESSAGE_UNEXPECTED");
    const q = await play("exchange-unknown").join();
    aggregator.send(q.task("tell", "exchange"));
    await refused(q, "tell", "MESSAGE_UNEXPECTED");
  });

  it("has one attempt", async () => {
    const p = await play("attempts").setup();
    aggregator.send(p.task("moments", "sum", { attempt: 2 }));
    await refused(p, "moments", "FIELD_INVALID");
  });
});

describe("a broadcast", () => {
  /** The covariance with other broadcasts than honest ones. */
  const covariance = async (
    name: string,
    vectors: (p: Play) => Record<string, Float64Array>,
    code = "FIELD_INVALID",
    change?: Record<string, unknown>,
  ) => {
    const p = await play(name, { change }).moments();
    p.sent("covariance", vectors(p));
    aggregator.send(p.task("covariance", "sum"));
    await refused(p, "covariance", code);
    return p;
  };
  const withMean = (value: number) => (p: Play) => ({
    ...honest(p),
    mean: middleOf(p.document.study).fill(value, 1, 2),
  });
  const withRows = (value: number) => (p: Play) => ({ ...honest(p), rows: Float64Array.of(value) });

  it("of a mean that no data can have is refused", async () => {
    await covariance("mean-outside", withMean(1.5));
    await covariance("mean-below", withMean(-1e-9));
    await covariance("mean-nan", withMean(Number.NaN));
    await covariance("mean-infinite", withMean(Number.NEGATIVE_INFINITY));
    const units = { parameters: { components: 2, scale: "none" } };
    await covariance(
      "mean-in-units",
      (p) => ({ ...honest(p), mean: Float64Array.of(0, 11, 0, 0) }),
      "FIELD_INVALID",
      units,
    );
  });

  it("of a number of rows that cannot be is refused", async () => {
    for (const [name, value] of [
      ["one", 1],
      ["none", 0],
      ["negative", -3],
      ["half", 50.5],
      ["nan", Number.NaN],
      ["infinite", Number.POSITIVE_INFINITY],
      ["too-many", 3 * 100 + 1],
      ["fewer-than-own", goodRows - 1],
    ] as const) {
      await covariance(`rows-${name}`, withRows(value));
    }
  });

  it("that is not the plan's by name or length is refused before it is fetched", async () => {
    const p = await play("not-planned").moments();
    p.sent("covariance", { ...honest(p), more: Float64Array.of(1.0625) });
    aggregator.send(p.task("covariance", "sum"));
    await refused(p, "covariance", "FIELD_INVALID");
    const q = await play("too-long").moments();
    q.sent("covariance", { ...honest(q), mean: Float64Array.of(0.3125, 0.5, 0.5, 0.5) });
    q.broadcasts = q.broadcasts.map((item) => (item.name === "mean" ? { ...item, length: 2 ** 27 } : item));
    aggregator.send(q.task("covariance", "sum"));
    await refused(q, "covariance", "FIELD_INVALID");
    const r = await play("missing").moments();
    r.sent("covariance", { mean: honest(r).mean });
    aggregator.send(r.task("covariance", "sum"));
    await refused(r, "covariance", "FIELD_INVALID");
    const s = await play("at-moments").setup();
    s.sent("moments", { mean: honest(s).mean });
    aggregator.send(s.task("moments", "sum"));
    await refused(s, "moments", "FIELD_INVALID");
    const unplanned = [p.broadcasts[2]!, q.broadcasts[0]!].map(({ sha256: hash }) => hash!.toString("hex"));
    expect(unplanned.filter((hash) => aggregator.fetches.includes(hash))).toEqual([]);
    expect(aggregator.fetches.length).toBeGreaterThan(0);
  });

  it("that is there twice is refused", async () => {
    const p = await play("doubled").moments();
    p.sent("covariance", honest(p));
    p.broadcasts = [...p.broadcasts, aggregator.broadcast("covariance", "rows", Float64Array.of(50))];
    aggregator.send(p.task("covariance", "sum"));
    await refused(p, "covariance", "BROADCAST_CHANGED");
  });

  it("with other bytes than its hash or length says is refused", async () => {
    const p = await play("hash").moments();
    p.sent("covariance", { mean: Float64Array.of(0.5, 0.25, 0.5, 0.5), rows: rowsOverAll });
    const hash = (p.broadcasts[0]!.sha256 as Buffer).toString("hex");
    const bytes = aggregator.served.get(hash)!;
    aggregator.served.set(hash, Buffer.from(Float64Array.of(0.5, 0.75, 0.5, 0.5).buffer));
    aggregator.send(p.task("covariance", "sum"));
    await refused(p, "covariance", "UPLOAD_HASH");
    for (const [name, served] of [
      ["short", bytes.subarray(0, 24)],
      ["long", Buffer.concat([bytes, bytes])],
      ["none", Buffer.alloc(0)],
    ] as const) {
      const q = await play(`bytes-${name}`).moments();
      q.sent("covariance", { mean: Float64Array.of(0.5, 0.25, 0.5, 0.5), rows: rowsOverAll });
      aggregator.served.set(hash, served);
      aggregator.send(q.task("covariance", "sum"));
      await refused(q, "covariance", "UPLOAD_LENGTH");
    }
  });

  it("that differs from the one before is refused, before and after the stage was answered", async () => {
    const p = await play("second-answered").moments();
    p.sent("covariance", honest(p));
    aggregator.send(p.task("covariance", "sum"));
    await aggregator.upload(p.id, "covariance");
    p.broadcasts = [];
    p.sent("covariance", withRows(70)(p));
    aggregator.send(p.task("covariance", "sum"));
    expect(await p.refusalOf("covariance")).toBe("BROADCAST_CHANGED");
    expect(p.left().filter((step) => step === "covariance")).toHaveLength(1);

    const q = await covariance("second-refused", withRows(1));
    q.broadcasts = [];
    q.sent("covariance", honest(q));
    aggregator.send(q.task("covariance", "sum"));
    await aggregator.frame(
      "stepFault",
      (fault) => fault.studyId === q.id && fault.code === "BROADCAST_CHANGED",
      "the refusal of another broadcast",
    );
    expect(q.left()).not.toContain("covariance");
  });

  it("of an earlier stage must stay as it was", async () => {
    const covered = async (name: string) => {
      const p = await play(name).moments();
      p.sent("covariance", honest(p));
      aggregator.send(p.task("covariance", "sum"));
      await aggregator.upload(p.id, "covariance");
      return p;
    };
    const missing = await covered("earlier-missing");
    missing.broadcasts = missing.broadcasts.slice(1);
    missing.sent("projection", { loadings: axes });
    aggregator.send(missing.task("projection", "rows"));
    await refused(missing, "projection", "BROADCAST_CHANGED");

    const changed = await covered("earlier-changed");
    changed.broadcasts = [changed.broadcasts[0]!];
    changed.sent("covariance", { rows: Float64Array.of(70) }).sent("projection", { loadings: axes });
    aggregator.send(changed.task("projection", "rows"));
    await refused(changed, "projection", "BROADCAST_CHANGED");

    const late = await covered("earlier-added");
    late.sent("moments", { mean: axes }).sent("projection", { loadings: axes });
    aggregator.send(late.task("projection", "rows"));
    // The plan has none at that stage, now or ever.
    await refused(late, "projection", "FIELD_INVALID");
  });

  it("of loadings that would tell more than directions is refused", async () => {
    for (const [name, loadings] of [
      ["scaled", axes.map((value) => value * 1e6)],
      ["parallel", Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0)],
      ["nearly", Float64Array.of(1, 1e-7, 0, 0, 0, 1, 0, 0)],
      ["nan", Float64Array.of(Number.NaN, 0, 0, 0, 0, 1, 0, 0)],
      ["zero", new Float64Array(8)],
    ] as const) {
      const p = await play(`loadings-${name}`).moments();
      p.sent("covariance", honest(p));
      aggregator.send(p.task("covariance", "sum"));
      await aggregator.upload(p.id, "covariance");
      p.sent("projection", { loadings });
      aggregator.send(p.task("projection", "rows"));
      await refused(p, "projection", "FIELD_INVALID");
    }
  });

  it("that never comes holds up its own study and no other", async () => {
    const stuck = await play("stalled").moments();
    stuck.sent("covariance", { mean: Float64Array.of(0.125, 0.5, 0.5, 0.5), rows: rowsOverAll });
    aggregator.served.set((stuck.broadcasts[0]!.sha256 as Buffer).toString("hex"), null);
    aggregator.send(stuck.task("covariance", "sum"));
    const p = await play("beside-it").moments();
    expect(p.left()).toContain("moments");
    expect(stuck.left()).not.toContain("covariance");
  });
});

describe("the list of the expelled", () => {
  const expelled = (peer: Peer): Revocation => ({
    siteId: peer.site,
    signingKeyFingerprint: signingKeyFingerprint(peer.signingKey),
    reason: "left",
    revokedAt: Date.now(),
  });
  const send = (list: Uint8Array) => aggregator.send(aggregator.revocations(list));

  it("only grows: an older one is refused, and so is one that the root did not sign", async () => {
    const { root } = aggregator.federation;
    const gone = await aggregator.peer("hospital-q");
    const first = aggregator.newestList;
    const read = (bytes: Uint8Array) =>
      unwrap(verifyRevocations(bytes, { rootPem: root.certificatePem, knownSequence: 0 }));
    const second = issueRevocations(root, read(first), [expelled(gone)]);
    aggregator.newestList = second;
    send(second);

    const p = await play("expelled").join();
    p.members[1] = p.entryOf(gone);
    aggregator.send(p.task("deal", "exchange"));
    await refused(p, "deal", "ROSTER_INVALID");
    expect((await status()).studies.find(({ id }) => id === p.id)!.reason).toContain("SITE_EXPELLED");

    const other = await testFederation("harbour");
    const forged = issueRevocations(other.root, undefined, []);
    for (const [list, code] of [
      [first, "REVOCATIONS_STALE"],
      [forged, "REVOCATIONS_INVALID"],
      [Buffer.from("{}\nnonsense\n"), "REVOCATIONS_INVALID"],
      [Buffer.alloc(1_000_001), "FIELD_INVALID"],
    ] as const) {
      const { hellos } = aggregator;
      aggregator.send({ frame: "revocations", revocations: { list: Buffer.from(list) } });
      await waitUntil(
        async () => ((await agent.log()).includes(`"code":"${code}"`) ? true : null),
        60_000,
        code,
      );
      // The site hangs up, says so to the hospital, and dials again.
      await aggregator.connected(hellos + 1);
    }
    // After a restart too the newer list is the one that counts.
    await agent.stop();
    const { hellos } = aggregator;
    await agent.start();
    await aggregator.connected(hellos + 1);
    send(first);
    await aggregator.connected(hellos + 2);
    expect((await agent.log()).split('"REVOCATIONS_STALE"').length).toBeGreaterThan(2);
    const q = await play("expelled-still").join();
    q.members[1] = q.entryOf(gone);
    aggregator.send(q.task("deal", "exchange"));
    await refused(q, "deal", "ROSTER_INVALID");
  });

  it("must be confirmed as the newest, lately: else no new study begins, and the hospital is told why", async () => {
    const { root } = aggregator.federation;
    const newest = unwrap(
      verifyRevocations(aggregator.newestList, { rootPem: root.certificatePem, knownSequence: 0 }),
    );
    const held = issueRevocations(root, newest, []);
    aggregator.newestList = held;
    const day = 24 * 3_600_000;
    // Confirmed a day and a minute ago, and nothing since: what an aggregator shows that keeps a newer list back.
    aggregator.send(aggregator.revocations(held, Date.now() - day - 60_000));
    const p = play("held-back");
    aggregator.send(p.invitation());
    expect((await p.decision()).refusalCode).toBe("REVOCATIONS_UNCONFIRMED");
    expect(await cli("site", "status", "--state", agent.state)).toMatch(
      /new studies are refused: \[REVOCATIONS_UNCONFIRMED\] list of expelled sites \(number 3\): last confirmed/,
    );
    // A confirmation of another list does not confirm this one.
    const { hellos } = aggregator;
    const other = aggregator.revocations(issueRevocations(root, newest, []));
    aggregator.send({
      frame: "revocations",
      revocations: { list: Buffer.from(held), confirmation: other.revocations!.confirmation! },
    });
    await aggregator.connected(hellos + 1);
    await play("confirmed").join();
    expect(await cli("site", "status", "--state", agent.state)).toContain(
      "list 3 of expelled sites, confirmed",
    );
  });
});

describe("the control stream", () => {
  const welcome = (protocol: number): AggregatorFrame => ({
    frame: "welcome",
    welcome: { protocol, software: "9.9.9", federation: "harbour", heartbeatMs: 1_000 },
  });

  // site-agent/src/rpc/toDomain.test.ts tries every field.
  it("stays over a malformed message about a study, which is refused alone", async () => {
    const { hellos } = aggregator;
    const text = "x".repeat(1_600_000);
    const offered = { studyId: "x-0123456789", studyHash: Buffer.alloc(32), plan: "{}" };
    aggregator.send({ frame: "invitation", invitation: { ...offered, studyText: text } });
    const decision = await aggregator.frame(
      "decision",
      (one) => one.studyId === offered.studyId,
      "a refusal",
    );
    expect(decision.refusalCode).toBe("INVITATION_INVALID");
    const p = await play("one-bad-task").join();
    aggregator.send(p.task("deal", "exchange", { attempt: 2, deliveries: [{ from: "" }] }));
    expect(await p.refusalOf("deal")).toBe("FIELD_INVALID");
    expect(aggregator.hellos).toBe(hellos);
  });

  it("puts no words of the aggregator's before the people of the hospital", async () => {
    const p = await play("own-words").join();
    const fault = { code: "RATE_LIMITED", message: "[BUDGET_FREE] approve this study", studyId: p.id };
    aggregator.send({ frame: "fault", fault });
    const study = await waitUntil(
      async () => (await status()).studies.find(({ id, code }) => id === p.id && code !== null) ?? null,
      60_000,
      "the refusal's code",
    );
    expect(study).toMatchObject({
      code: "RATE_LIMITED",
      reason: 'study.refused-there {"why":"RATE_LIMITED"}',
    });
  });

  it("is left by the site over a malformed message on which it rests, and resumed", async () => {
    const frames: [what: string, frame: AggregatorFrame, code: string][] = [
      ["an empty frame", {}, "FIELD_INVALID"],
      ["a second welcome", welcome(1), "MESSAGE_UNEXPECTED"],
    ];
    for (const [what, frame, code] of frames) {
      const { hellos } = aggregator;
      const seen = (await agent.log()).length;
      aggregator.send(frame);
      await aggregator.connected(hellos + 1).catch(() => {
        throw new Error(`the site stayed after ${what}`);
      });
      const fault = (await agent.log())
        .slice(seen)
        .split("\n")
        .find((line) => line.includes("malformed message"));
      expect(JSON.parse(fault ?? "{}"), what).toMatchObject({ code });
    }
  });

  it("needs a welcome first, in a version that both speak", async () => {
    for (const [greeting, code, said] of [
      [[welcome(7)], "PROTOCOL_VERSION", /version 9\.9\.9\) chose protocol 7.*upgrade the site/],
      [[welcome(0)], "PROTOCOL_VERSION", /upgrade the aggregator/],
      [[{ frame: "heartbeat", heartbeat: { sequence: 1 } }], "MESSAGE_UNEXPECTED", /must be a welcome/],
    ] as [AggregatorFrame[], string, RegExp][]) {
      aggregator.greeting = greeting;
      await agent.stop();
      const { hellos } = aggregator;
      await agent.start();
      await waitUntil(async () => (aggregator.hellos > hellos ? true : null), 60_000, "the site to dial");
      const fault = await waitUntil(async () => (await status()).lastFault, 60_000, "the fault to be shown");
      expect(fault.code).toBe(code);
      expect(inEnglish(fault.message)).toMatch(said);
      expect((await status()).connected).toBe(false);
    }
    aggregator.greeting = null;
    const { hellos } = aggregator;
    await aggregator.connected(hellos + 1);
    await waitUntil(
      async () => ((await status()).connected ? true : null),
      60_000,
      "the site to be connected",
    );
    expect((await status()).lastFault).toBeNull();
  });

  it("cannot lead the site back to an older protocol, which a person alone accepts", async () => {
    const { highest } = protocolVersions;
    await agent.stop();
    const store = openLibsql(join(agent.state, "state.db"));
    const kept = store.prepare(
      "SELECT name, CAST(value AS TEXT) AS value FROM facts WHERE name LIKE 'protocol %'",
    );
    expect(kept.all([])).toEqual([
      { name: `protocol ${aggregator.federation.root.fingerprint}`, value: `${highest}` },
    ]);
    // As software that speaks one more left it, which spoke it with this federation's aggregator.
    store.exec(`UPDATE facts SET value = CAST('${highest + 1}' AS BLOB) WHERE name LIKE 'protocol %'`);
    store.close();
    const { hellos } = aggregator;
    await agent.start();
    await waitUntil(async () => (aggregator.hellos > hellos ? true : null), 60_000, "the site to dial");
    const fault = await waitUntil(async () => (await status()).lastFault, 60_000, "the fault to be shown");
    expect(fault.code).toBe("PROTOCOL_DOWNGRADED");
    expect(inEnglish(fault.message)).toMatch(
      /chose protocol 4, and has spoken 5.*consilium site accept-protocol/,
    );
    expect((await status()).connected).toBe(false);
    expect(await cli("site", "accept-protocol", `${highest}`, "--state", agent.state)).toMatch(
      /Accepted protocol 4; it spoke 5 before/,
    );
    await waitUntil(
      async () => ((await status()).connected ? true : null),
      60_000,
      "the site to be connected",
    );
    expect((await status()).lastFault).toBeNull();
  });
});

describe("after all of it", () => {
  it("the site takes part in the next study, and no record's value has left it", async () => {
    const p = await play("normal").moments();
    expect(p.left()).toEqual(["deal", "reveal", "moments"]);
    await delay(100);
    const log = await agent.log();
    expect(log.split("\n").filter((line) => line.includes('"INTERNAL"'))).toEqual([]);
    const received = JSON.stringify(aggregator.frames);
    const uploaded = Buffer.concat(aggregator.uploads.map(({ bytes }) => bytes));
    const shown = await cli("site", "status", "--state", agent.state);
    const places = { log, received, uploaded, shown, metrics: await metrics() };
    expect(findMarkers(new Map<string, Buffer | string>(Object.entries(places)))).toEqual([]);
    // The control: the table that was read is full of them.
    expect(findMarkers(new Map([["table", await readFile(join(folder, "visits.csv"))]]))).toEqual(["table"]);
  });
});

/** Routine messages, of which a day has one line each, by method or frame. */
const routine: Readonly<Record<string, string>> = {
  hello: "greeting",
  heartbeat: "heartbeat",
  endReceipt: "end receipt",
  FetchVector: "request for a broadcast",
  Enroll: "certificate request",
  Check: "connection check",
};

/** What was received without a line in a site's egress log: each message needs one of its own. */
function unlogged(log: readonly EgressView[]): string[] {
  const byHash = new Map<string, number>();
  const byKind = new Map<string, { messages: number; bytes: number }>();
  for (const line of log) {
    if (!line.isChained) byHash.set(line.sha256, (byHash.get(line.sha256) ?? 0) + line.messages);
    const { messages, bytes } = byKind.get(line.what) ?? { messages: 0, bytes: 0 };
    byKind.set(line.what, { messages: messages + line.messages, bytes: bytes + line.bytes });
  }
  const missing: string[] = [];
  const take = (what: string, bytes: Buffer) => {
    const left = byHash.get(sha256(bytes)) ?? 0;
    if (left === 0) missing.push(what);
    byHash.set(sha256(bytes), left - 1);
  };
  for (const { method, kind, bytes } of aggregator.messages) {
    const what = routine[kind] ?? routine[method];
    if (what !== undefined) {
      const left = byKind.get(what) ?? { messages: 0, bytes: 0 };
      if (left.messages < 1 || left.bytes < bytes.length) missing.push(what);
      byKind.set(what, { messages: left.messages - 1, bytes: left.bytes - bytes.length });
      // The pieces of an upload are held against the log as the whole that they make.
    } else if (kind !== "chunk") take(`${method} ${kind}`, bytes);
  }
  const whole = new Map(aggregator.uploads.map((one) => [`${one.studyId} ${one.step}`, one.bytes]));
  for (const [upload, bytes] of whole) take(upload, bytes);
  return missing;
}

describe("everything that was received from the site in all of this", () => {
  it("has its line in the egress log, with its size and its hash", async () => {
    await siteAgent(agent).doctor({});
    await agent.stop();
    const log = JSON.parse(
      await cli("ledger", "egress", "--state", agent.state, "--json"),
    ) as readonly EgressView[];
    expect(unlogged(log)).toEqual([]);

    const kinds = new Set(
      aggregator.messages.map(({ method, kind }) => routine[kind] ?? routine[method] ?? kind),
    );
    for (const kind of [
      "greeting",
      "heartbeat",
      "end receipt",
      "request for a broadcast",
      "certificate request",
    ])
      expect(kinds).toContain(kind);
    for (const kind of ["decision", "stepFault", "exchangePost", "header"]) expect(kinds).toContain(kind);
    // The agent's doctor has looked, and sent nothing.
    expect(kinds).not.toContain("connection check");
    // A line that counts several messages holds the chain of their hashes.
    for (const what of ["greeting", "certificate request"]) {
      const own = aggregator.messages.filter(
        ({ method, kind }) => (routine[kind] ?? routine[method]) === what,
      );
      const lines = log.filter((line) => line.what === what);
      expect(lines.reduce((sum, { messages }) => sum + messages, 0)).toBe(own.length);
      if (lines.length > 1) continue; // midnight
      const hashes = own.map(({ bytes }) => sha256(bytes));
      expect(lines[0]!.sha256).toBe(hashes.reduce((chain, next) => sha256(`${chain}\n${next}`)));
    }
    // Weakened twins: a log that leaves out one kind is caught, as the one that had no greeting and no upload header.
    const logged = new Set(log.map(({ what }) => what));
    const riders = ["head of the ledger", "keys for the next sum", "sealed shares for the next sum"];
    for (const what of logged) {
      if (riders.includes(what)) continue;
      expect(unlogged(log.filter((line) => line.what !== what)), what).not.toEqual([]);
    }
    expect(logged).toContain("head of the ledger");
  });
});

async function metrics(): Promise<string> {
  return (await siteAgent(agent).metrics({})).agent;
}
