/**
 * Hostile sites in the pairwise secure sum, over a real aggregator process: five sites are played by core's own machine,
 * and in every study one of them, or two, depart from it. All studies run at once with the same four honest sites over
 * the same control streams, so that each is also the bystander of all others.
 *
 * The studies carry no noise, and the sites' numbers of records are powers of two: what is released shows whose records
 * are in it, and that nothing else is.
 */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { ErrorCode } from "@consilium/core/errors";
import { plainKernels } from "@consilium/core/linalg/plain";
import type { StudySummary, StudyView } from "@consilium/core/operator/views";
import { dpPcaConversation } from "@consilium/methods/dp-pca/conversation";
import { type DpPcaModel, dpPcaModelSchema } from "@consilium/methods/dp-pca/model";
import { asDpPca } from "@consilium/methods/dp-pca/study";
import { sha256Bytes } from "@consilium/proto/fields";
import type { Envelope as SealedEnvelope } from "@consilium/proto/generated/consilium/v1/Envelope";
import type { RevealedShare } from "@consilium/proto/generated/consilium/v1/RevealedShare";
import { keysToWire } from "@consilium/proto/secureSumAggregator";
import { enrol } from "@consilium/runtime/identity/enrol";
import { exchangeKeyBytes, x25519Half } from "@consilium/secure-sum/crypto/exchange";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import { sealBytes } from "@consilium/secure-sum/crypto/seal";
import { signMessage } from "@consilium/secure-sum/crypto/sign";
import { shareBytes } from "@consilium/secure-sum/sealedShares";
import { advertise } from "@consilium/secure-sum/site";
import { keysMessage } from "@consilium/secure-sum/transcript";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LocalFederation, waitUntil } from "../../scripts/localFederation.js";
import { osRandom, Peer } from "./peer.js";
import { type Act, type At, featuresOfRows, PlayedSite, type Post, rowsOf, vectorOf } from "./playedSite.js";
import { type Ended, SiteClient } from "./siteClient.js";

const honest = ["hospital-a", "hospital-b", "hospital-c"];
/** Honest but where a study needs two villains. */
const fourth = "hospital-d";
const liar = "hospital-e";
/** What it sends cannot be read. */
const babbler = "hospital-f";
const names = [...honest, fourth, liar, babbler];
const everybody = [...honest, fourth, liar];
const withoutLiar = [...honest, fourth];

/** Of studies in which a phase continues without a site at its deadline. The others have time: their sites all answer. */
const deadlineMs = 12_000;
const patientMs = 60_000;
/** The sum that is attacked, and the last one. */
const stage = "flow";
const second = "class-moments";

let folder: string;
let federation: LocalFederation;
let pid: number | undefined;
let watching: Promise<number>;
let isWatching = true;
const played = new Map<string, PlayedSite>();

interface Scenario {
  readonly name: string;
  readonly acts?: Readonly<Record<string, Act>>;
  readonly change?: object;
  /** Whether a site is silent, so that a phase lasts until its deadline. */
  readonly waits?: boolean;
  readonly check: (view: StudyView) => Promise<void>;
}

const scenarios: Scenario[] = [];
const ended = new Map<string, Promise<StudyView>>();

/** A study of its own; they are all started together, before the first is looked at. */
function study(name: string, options: Omit<Scenario, "name">): void {
  scenarios.push({ name, ...options });
  it(name, async () => options.check(await ended.get(slug(name))!));
}

/** A study's name has at most 40 characters. */
const slug = (name: string) => `sum-${sha256(name).slice(0, 12)}`;

function studyText({ name, acts = {}, change = {}, waits = false }: Scenario): object {
  const sites = babbler in acts ? [...withoutLiar, babbler] : everybody;
  return {
    name: slug(name),
    table: "visits",
    analysis: "pca",
    method: "dp-pca",
    variant: "sound",
    parameters: { components: 2, form: "one-round" },
    privacy: "none",
    participation: {
      minimumSites: 3,
      maxRowsPerSite: 100,
      joinDeadline: `${waits ? deadlineMs : patientMs}ms`,
      phaseDeadline: `${waits ? deadlineMs : patientMs}ms`,
      sites,
    },
    ...featuresOfRows,
    ...change,
  };
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "consilium-sum-"));
  federation = await LocalFederation.create(join(folder, "home"), "harbour");
  pid = federation.aggregator.pid;
  const { grpc, http } = await federation.aggregator.addresses();
  for (const [index, name] of names.entries()) {
    const { token } = await federation.api<{ token: string }>(
      "POST",
      "/api/invitations",
      JSON.stringify({ site: name }),
    );
    const stateFolder = join(folder, "sites", name);
    const identity = await enrol({ token, stateFolder, software: "0.1.0" });
    const rootPem = await readFile(join(stateFolder, "identity", "root.pem"), "utf8");
    const site = new PlayedSite(new Peer(name, identity), new SiteClient(grpc!, rootPem, identity), {
      index,
      rootPem,
    });
    played.set(name, site);
    await site.attend();
  }
  for (const { name, acts } of scenarios) {
    for (const [site, act] of Object.entries(acts ?? {})) played.get(site)!.plays(slug(name), act);
  }
  watching = watchHealth(`http://${http}/healthz`);
  for (const scenario of scenarios) {
    const { id } = await federation.startStudy(studyText(scenario));
    ended.set(slug(scenario.name), endOf(id));
  }
});

afterAll(async () => {
  isWatching = false;
  for (const site of played.values()) {
    await site.leave();
    site.client.close();
  }
  await federation?.stop();
  await rm(folder, { recursive: true, force: true });
});

let listing: Promise<ReadonlySet<string>> | null = null;

/** Ids of the studies that have ended; asked once for all that wait at the same time. */
function endedIds(): Promise<ReadonlySet<string>> {
  listing ??= federation
    .api<StudySummary[]>("GET", "/api/studies")
    .then((all) => new Set(all.filter((one) => one.endedAt !== null).map((one) => one.id)))
    .finally(() => {
      listing = null;
    });
  return listing;
}

async function endOf(id: string): Promise<StudyView> {
  await waitUntil(async () => (await endedIds()).has(id) || null, 2 * patientMs, `study ${id} to end`);
  return federation.study(id);
}

/** @returns how many milliseconds the slowest answer took; rejects when there is none */
async function watchHealth(url: string): Promise<number> {
  let slowest = 0;
  while (isWatching) {
    const begun = performance.now();
    const response = await fetch(url);
    if (!response.ok) throw new Error(`healthz: ${response.status}`);
    slowest = Math.max(slowest, performance.now() - begun);
    await delay(200);
  }
  return slowest;
}

// ---- what is expected ---------------------------------------------------------------------------------------------

async function modelOf(view: StudyView): Promise<DpPcaModel> {
  const response = await fetch(new URL("model.json", view.release!.url));
  return dpPcaModelSchema.parse(await response.json());
}

const countOf = (sites: readonly string[], label: number) =>
  sites.reduce(
    (sum, site) => sum + rowsOf(names.indexOf(site)).labels!.filter((one) => one === label).length,
    0,
  );

/** Released, and the model is that of these sites' records and no others. */
async function expectSumOf(view: StudyView, sites: readonly string[]): Promise<void> {
  expect(view.status, view.failure?.message).toBe("released");
  const model = await modelOf(view);
  expect(model.classes.map(({ rows }) => rows)).toEqual([0, 1].map((label) => countOf(sites, label)));
  const { document } = played.get(honest[0]!)!.parts.get(view.id)!;
  const study = asDpPca(document.study);
  const kernels = plainKernels();
  const expected = await dpPcaConversation({
    study,
    kernels,
    seed: model.synthetic.seed,
    sum: async (stage, { directions = null }) => {
      const sum = new BigUint64Array(stage.length);
      for (const site of sites) {
        const vector = await vectorOf(document, { index: names.indexOf(site), stage, directions });
        for (let i = 0; i < sum.length; i++) sum[i] = sum[i]! + vector[i]!;
      }
      return sum;
    },
  });
  expectClose(model.eigenvalues, expected.subspace.eigenvalues);
  expectClose(model.loadings.flat(), expected.subspace.loadings);
  for (const [c, one] of expected.classes.entries()) {
    expectClose(model.classes[c]!.mean, one.mean);
    expectClose(model.classes[c]!.covariance.flat(), one.covariance);
  }
}

function expectClose(found: readonly number[], expected: Float64Array): void {
  expect(found.length).toBe(expected.length);
  for (const [i, value] of found.entries()) expect(Math.abs(value - expected[i]!)).toBeLessThan(1e-9);
}

function expectFailure(view: StudyView, code: ErrorCode, words: readonly string[]): void {
  expect(view.status, "a sum that cannot be right was released").toBe("failed");
  expect(view.failure!.code, view.failure!.message).toBe(code);
  for (const word of words) expect(view.failure!.message).toContain(word);
  expect(view.release).toBeNull();
}

/** The step from which a study continued without a site. */
const droppedAt = (view: StudyView, site: string) =>
  view.steps.find((step) => step.dropped.includes(site))?.id ?? null;

interface LogLine {
  readonly msg: string;
  readonly study?: string;
  readonly site?: string;
  readonly code?: string;
}

async function logged(view: StudyView, msg: string): Promise<LogLine[]> {
  const lines = (await federation.aggregator.log()).split("\n").filter((line) => line.startsWith("{"));
  return lines
    .map((line) => JSON.parse(line) as LogLine)
    .filter((line) => line.study === view.id && line.msg === msg);
}

/** The post cost its sender this phase, at once, and did not affect the others. */
async function expectRefused(view: StudyView, code: ErrorCode, site: string = liar): Promise<void> {
  const refusals = await logged(view, "rejected a site's post");
  expect(refusals.map((line) => [line.site, line.code])).toEqual([[site, code]]);
}

// ---- how sites lie ------------------------------------------------------------------------------------------------

type Change = (honest: Post, at: At) => readonly Post[] | Promise<readonly Post[]>;

/** Departs from the protocol in posts of one kind. */
const in_ = (kind: Post["post"], change: Change): Act => ({
  post: (honest, at) => (honest.post === kind ? change(honest, at) : [honest]),
});
const silentIn = (kind: Post["post"]) => in_(kind, () => []);
const silent: Act = { post: () => [], upload: async () => undefined };
const noise = (bytes: number) => Buffer.from(osRandom.bytes(bytes));

const turned = (bytes: Uint8Array | Buffer) => {
  const copy = Buffer.from(bytes);
  copy[0]! ^= 1;
  return copy;
};

/** Keys that are signed as they should be, whatever they are. */
function signedKeys({ context }: At, maskKey: Uint8Array, sealKey: Uint8Array): Post {
  const message = keysMessage(context.place, { site: context.self, maskKey, sealKey });
  return {
    post: "keys",
    keys: keysToWire({ maskKey, sealKey, signature: signMessage(context.signingKey, message) }),
  };
}

/** The envelope with noise for its sealed shares; the ciphertext before them stays, for its sender has signed it. */
const sealedForNobody = ({ sealed }: SealedEnvelope) => {
  const bytes = sealed as Uint8Array;
  const shares = 2 * shareBytes + sealBytes;
  return Buffer.concat([bytes.subarray(0, bytes.length - shares), noise(shares)]);
};

const withEnvelopes = (honest: Post, change: (envelopes: readonly SealedEnvelope[]) => SealedEnvelope[]) => [
  { ...honest, shares: { ...honest.shares!, envelopes: change(honest.shares!.envelopes!) } },
];
const withRevealed = (honest: Post, change: (shares: readonly RevealedShare[]) => RevealedShare[]) => [
  { ...honest, unmask: { ...honest.unmask!, shares: change(honest.unmask!.shares!) } },
];
const wrongShares = in_("unmask", (honest) =>
  withRevealed(honest, (shares) => shares.map((one) => ({ ...one, share: noise(32) }))),
);

/** Released over the others, or failed: one study for each way to go wrong. */
function refusedPosts(
  kind: Post["post"],
  code: ErrorCode,
  changes: Readonly<Record<string, Change>>,
  of: readonly string[],
  site: string = liar,
): void {
  for (const [what, change] of Object.entries(changes)) {
    study(`${kind} ${what}`, {
      acts: { [site]: in_(kind, change) },
      check: async (view) => {
        await expectRefused(view, code, site);
        await expectSumOf(view, of);
      },
    });
  }
}

// ---- the studies --------------------------------------------------------------------------------------------------

describe("the control: honest sites", () => {
  study("one sum", { check: (view) => expectSumOf(view, everybody) });

  study("two sums where the second one rides", {
    change: { parameters: { components: 2, form: "two-round" } },
    check: async (view) => {
      await expectSumOf(view, everybody);
      expect(view.steps.filter(({ id }) => id.startsWith(second)).map(({ id }) => id)).toEqual([
        second,
        `${second}-unmask`,
      ]);
    },
  });

  study("one record too many is noticed by this test", {
    acts: {
      [liar]: {
        // The last entry of a triangle is the number of records in units of K².
        vector: (vector) => {
          const last = vector.length - 1;
          if (vector instanceof BigUint64Array) vector[last] = vector[last]! + 1n;
          else vector[last] = vector[last]! + 1;
        },
      },
    },
    check: async (view) => {
      expect(view.status).toBe("released");
      await expect(expectSumOf(view, everybody)).rejects.toThrow();
    },
  });
});

describe("keys that are wrong cost their site the sum, and do not affect the others", () => {
  refusedPosts(
    "keys",
    "KEYS_INVALID",
    {
      "without a signature": (honest) => [
        { ...honest, keys: { ...honest.keys!, signature: Buffer.alloc(64) } },
      ],
      "of low order": (honest, at) => [
        signedKeys(at, new Uint8Array(exchangeKeyBytes), honest.keys!.sealKey as Uint8Array),
      ],
      "out of ML-KEM's range": (honest, at) => [
        signedKeys(
          at,
          Uint8Array.from(honest.keys!.maskKey as Uint8Array).fill(255, 32, 35),
          honest.keys!.sealKey as Uint8Array,
        ),
      ],
      "of another attempt": (_, { context }) => {
        const elsewhere = { ...context, place: { ...context.place, attempt: 2 } };
        return [{ post: "keys", keys: keysToWire(advertise(elsewhere, osRandom).post) }];
      },
      "that are one key twice": (honest, at) => {
        const key = honest.keys!.maskKey as Uint8Array;
        return [signedKeys(at, key, x25519Half(key))];
      },
      "of random bytes": () => [
        {
          post: "keys",
          keys: { maskKey: noise(exchangeKeyBytes), sealKey: noise(32), signature: noise(64) },
        },
      ],
    },
    withoutLiar,
  );
});

describe("shares that are wrong", () => {
  refusedPosts(
    "shares",
    "SHARES_INVALID",
    {
      "for a stranger": (honest) =>
        withEnvelopes(honest, ([first, ...rest]) => [{ ...first, to: "hospital-stranger" }, ...rest]),
      "for the site itself": (honest) =>
        withEnvelopes(honest, ([first, ...rest]) => [{ ...first, to: liar }, ...rest]),
      "for one site twice": (honest) =>
        withEnvelopes(honest, ([first, second, ...rest]) => [first!, { ...second, to: first!.to! }, ...rest]),
      "for too few": (honest) => withEnvelopes(honest, (envelopes) => envelopes.slice(1)),
      "for nobody": (honest) => withEnvelopes(honest, () => []),
      "in large envelopes": (honest) =>
        withEnvelopes(honest, (envelopes) => envelopes.map((one) => ({ ...one, sealed: noise(4_096) }))),
      "with another commitment": (honest) => [
        { ...honest, shares: { ...honest.shares!, selfMaskCommitment: noise(32) } },
      ],
    },
    withoutLiar,
  );

  // The site with the lower name encapsulates: the last one has no ciphertexts to lie about.
  refusedPosts(
    "shares",
    "SHARES_INVALID",
    {
      "with other ciphertexts than it signed": (honest) =>
        withEnvelopes(honest, (envelopes) =>
          envelopes.map((one) => ({ ...one, sealed: noise(one.sealed!.length) })),
        ),
      "without a digest of a ciphertext": (honest) => [
        { ...honest, shares: { ...honest.shares!, ciphertexts: honest.shares!.ciphertexts!.slice(16) } },
      ],
    },
    [...honest, liar],
    fourth,
  );

  study("sealed for nobody to open are seen at the end and name their owner", {
    acts: {
      [liar]: in_("shares", (honest) =>
        withEnvelopes(honest, (envelopes) =>
          envelopes.map((one) => ({ ...one, sealed: sealedForNobody(one) })),
        ),
      ),
    },
    check: async (view) => expectFailure(view, "UNMASK_FAILED", [`the secret of site ${liar}`]),
  });

  study("for one neighbour only are made up for by the others", {
    acts: {
      [liar]: in_("shares", (honest) =>
        withEnvelopes(honest, ([first, ...rest]) => [{ ...first, sealed: sealedForNobody(first!) }, ...rest]),
      ),
    },
    check: (view) => expectSumOf(view, everybody),
  });
});

describe("a vector", () => {
  const uploads = new Map<string, Ended[]>();
  const record = (name: string, ...ended: Ended[]) => {
    uploads.set(slug(name), [...(uploads.get(slug(name)) ?? []), ...ended]);
  };
  const codes = (view: StudyView) => uploads.get(view.name)!.map(({ code }) => code);

  const unsigned = "that its site did not sign for is not taken";
  study(unsigned, {
    waits: true,
    acts: {
      [liar]: {
        upload: async ({ header, send }) => {
          for (const transcriptSignature of [Buffer.alloc(64), turned(header.transcriptSignature as Buffer)])
            record(unsigned, await send({ ...header, transcriptSignature }));
          record(unsigned, await send({ ...header, transcriptSignature: Buffer.alloc(0) }));
          record(unsigned, await send({ ...header, transcriptSignature: Buffer.alloc(63) }));
        },
      },
    },
    check: async (view) => {
      await expectSumOf(view, withoutLiar);
      expect(codes(view)).toEqual([
        "TRANSCRIPT_DIFFERS",
        "TRANSCRIPT_DIFFERS",
        "FIELD_INVALID",
        "FIELD_INVALID",
      ]);
      expect(droppedAt(view, liar)).toBe(stage);
    },
  });

  const length = "of a wrong length is not taken and a right one after it is";
  study(length, {
    acts: {
      [liar]: {
        upload: async ({ header, bytes, send }) => {
          for (const wrong of [bytes.subarray(8), Buffer.concat([bytes, Buffer.alloc(8)]), Buffer.alloc(0)]) {
            const declared = { totalBytes: wrong.length, sha256: sha256Bytes(sha256(wrong)) };
            record(length, await send({ ...header, ...declared }, wrong));
          }
          record(length, await send());
        },
      },
    },
    check: async (view) => {
      await expectSumOf(view, everybody);
      expect(codes(view)).toEqual(["UPLOAD_LENGTH", "UPLOAD_LENGTH", "UPLOAD_LENGTH", "OK"]);
    },
  });

  const twice = "comes once: another one after it is refused";
  study(twice, {
    acts: {
      [liar]: {
        upload: async ({ header, bytes, send }) => {
          record(twice, await send());
          const other = noise(bytes.length);
          record(twice, await send({ ...header, sha256: sha256Bytes(sha256(other)) }, other), await send());
        },
      },
    },
    check: async (view) => {
      await expectSumOf(view, everybody);
      expect(codes(view)).toEqual(["OK", "UPLOAD_CHANGED", "OK"]);
    },
  });

  const late = "after its phase was closed is not taken";
  const lateUpload = gate();
  study(late, {
    waits: true,
    acts: {
      [honest[0]!]: in_("survivorsSignature", async (honest) => {
        await lateUpload.opened;
        return [honest];
      }),
      [liar]: {
        upload: async ({ send }, { part }) => {
          await openStep(part.id, `${stage}-survivors`);
          record(late, await send());
          lateUpload.open();
        },
      },
    },
    check: async (view) => {
      await expectSumOf(view, withoutLiar);
      expect(codes(view)).toEqual(["MESSAGE_UNEXPECTED"]);
    },
  });
});

describe("an answer to the survivors", () => {
  refusedPosts(
    "unmask",
    "SHARES_INVALID",
    {
      "with shares of both kinds": (honest) =>
        withRevealed(honest, (shares) => [
          ...shares,
          ...shares.map((one) => ({ ...one, selfMask: !one.selfMask })),
        ]),
      "with the other kind": (honest) =>
        withRevealed(honest, (shares) => shares.map((one) => ({ ...one, selfMask: !one.selfMask }))),
      "with shares of a stranger": (honest) =>
        withRevealed(honest, ([first, ...rest]) => [{ ...first, of: "hospital-stranger" }, ...rest]),
      "with one share twice": (honest) => withRevealed(honest, (shares) => [...shares, shares[0]!]),
    },
    // Its vector was in before.
    everybody,
  );

  // Shares are joined in the order of the sites' names: the last one's is not needed, the first one's is in the way.
  for (const site of [liar, honest[0]!]) {
    study(`of ${site} with wrong shares changes no sum and names the site`, {
      acts: { [site]: wrongShares },
      check: async (view) => {
        await expectSumOf(view, everybody);
        const faulty = await logged(view, "a site revealed inconsistent shares");
        expect(faulty.map((line) => line.site)).toEqual([site]);
      },
    });
  }

  study("with one wrong share changes no sum and names the site", {
    acts: {
      [liar]: in_("unmask", (post) =>
        withRevealed(post, (shares) =>
          shares.map((one) => (one.of === honest[0] ? { ...one, share: turned(one.share as Buffer) } : one)),
        ),
      ),
    },
    check: async (view) => {
      await expectSumOf(view, everybody);
      const faulty = await logged(view, "a site revealed inconsistent shares");
      expect(faulty.map(({ site }) => site)).toEqual([liar]);
    },
  });

  study("with nothing in it is made up for by the others", {
    acts: { [liar]: in_("unmask", (honest) => withRevealed(honest, () => [])) },
    check: (view) => expectSumOf(view, everybody),
  });

  // What the corrections cannot make up for must not be released: the twins of the studies above.
  study("with wrong shares from two sites ends the study", {
    acts: { [fourth]: wrongShares, [liar]: wrongShares },
    check: async (view) => expectFailure(view, "UNMASK_FAILED", ["cannot be joined"]),
  });

  study("with wrong shares where another site is missing ends the study", {
    waits: true,
    acts: { [fourth]: { upload: async () => undefined }, [liar]: wrongShares },
    check: async (view) => expectFailure(view, "UNMASK_FAILED", ["cannot be joined"]),
  });

  study("with a wrong signature where nobody else may be missing ends the study", {
    waits: true,
    acts: {
      [fourth]: { upload: async () => undefined },
      [liar]: in_("survivorsSignature", () => [
        { post: "survivorsSignature", survivorsSignature: Buffer.alloc(64) },
      ]),
    },
    check: async (view) => expectFailure(view, "SITE_FAILED", [liar, "SURVIVORS_INVALID"]),
  });
});

describe("posts that are late, early or repeated", () => {
  const lateKeys = gate();
  study("late keys are not taken", {
    waits: true,
    acts: {
      [honest[0]!]: in_("shares", async (honest) => {
        await lateKeys.opened;
        return [honest];
      }),
      [liar]: in_("keys", async (honest, { part, stage, attempt }) => {
        await openStep(part.id, `${stage}-shares`);
        part.post({ stage, attempt }, honest);
        part.post({ stage, attempt }, { post: "unmask", unmask: { shares: [] } });
        // Its study is at another place now, and all of this is for nothing.
        for (const other of [{ attempt: 2 }, { stage: "pooled-moments" as never }, { attempt: 999_999 }])
          part.post({ stage, attempt, ...other }, honest);
        await delay(200);
        lateKeys.open();
        return [];
      }),
    },
    check: async (view) => {
      await expectSumOf(view, withoutLiar);
      expect(droppedAt(view, liar)).toBe(`${stage}-keys`);
      expect(await logged(view, "rejected a site's post")).toEqual([]);
    },
  });

  study("the first post counts and others after it do not", {
    acts: {
      [liar]: {
        post: (honest, at) => {
          const { part } = at;
          if (honest.post === "keys") {
            const another = keysToWire(advertise(at.context, osRandom).post);
            return [honest, { post: "keys", keys: another }, honest];
          }
          if (honest.post === "shares") return [honest, ...withEnvelopes(honest, () => []), honest];
          const lie = withRevealed(honest, (shares) => shares.map((one) => ({ ...one, share: noise(32) })));
          part.post(at, { post: "survivorsSignature", survivorsSignature: noise(64) });
          return [honest, ...lie];
        },
      },
    },
    check: async (view) => {
      await expectSumOf(view, everybody);
      expect(await logged(view, "a site revealed inconsistent shares")).toEqual([]);
    },
  });

  const malformed: Record<string, Post> = {
    "keys without their message": { post: "keys", keys: null },
    "a mask key of 31 bytes": {
      post: "keys",
      keys: { maskKey: noise(31), sealKey: noise(32), signature: noise(64) },
    },
    "a seal key of 33 bytes": {
      post: "keys",
      keys: { maskKey: noise(32), sealKey: noise(33), signature: noise(64) },
    },
    "keys with an empty signature": {
      post: "keys",
      keys: { maskKey: noise(32), sealKey: noise(32), signature: noise(0) },
    },
    "shares of 100 kB": {
      post: "shares",
      shares: {
        selfMaskCommitment: noise(32),
        ciphertexts: noise(16),
        signature: noise(64),
        envelopes: [{ to: "hospital-a", sealed: noise(100_000) }],
      },
    },
    "shares for 2,000 sites": {
      post: "shares",
      shares: {
        selfMaskCommitment: noise(32),
        ciphertexts: noise(16),
        signature: noise(64),
        envelopes: Array.from({ length: 2_000 }, () => ({ to: "hospital-a", sealed: noise(10) })),
      },
    },
    "shares for a name with a path": {
      post: "shares",
      shares: {
        selfMaskCommitment: noise(32),
        ciphertexts: noise(16),
        signature: noise(64),
        envelopes: [{ to: "../hospital", sealed: noise(10) }],
      },
    },
    "a signature of 63 bytes": { post: "survivorsSignature", survivorsSignature: noise(63) },
    "a revealed share of 31 bytes": {
      post: "unmask",
      unmask: { shares: [{ of: "hospital-a", selfMask: true, share: noise(31) }] },
    },
    "a revealed share of nobody": {
      post: "unmask",
      unmask: { shares: [{ of: "", selfMask: true, share: noise(32) }] },
    },
  };
  for (const [what, frame] of Object.entries(malformed)) {
    study(`malformed: ${what} cost their sender this study alone`, {
      acts: { [babbler]: in_("keys", () => [frame]) },
      check: async (view) => {
        await expectSumOf(view, withoutLiar);
        expect(droppedAt(view, babbler)).toBe(`${stage}-keys`);
        const refused = await logged(view, "refused a message");
        expect(refused.map((line) => [line.site, line.code])).toEqual([[babbler, "FIELD_INVALID"]]);
      },
    });
  }

  study("bytes that are no frame end the call that they came on alone", {
    acts: {
      [babbler]: in_("keys", async (honest, { part }) => {
        for (let i = 0; i < 10; i++) await part.played.client.garbage("Attend", noise(20 * i + 1));
        return [honest];
      }),
    },
    check: async (view) => {
      await expectSumOf(view, [...withoutLiar, babbler]);
      // None of all that ended its control stream.
      expect(played.get(babbler)!.streams).toEqual([]);
    },
  });
});

describe("a site that stalls", () => {
  for (const kind of ["keys", "shares"] as const) {
    study(`before its ${kind} is left out at the deadline`, {
      waits: true,
      acts: { [liar]: silentIn(kind) },
      check: async (view) => {
        await expectSumOf(view, withoutLiar);
        expect(droppedAt(view, liar)).toBe(`${stage}-${kind}`);
        expect(view.seconds).toBeLessThan((5 * deadlineMs) / 1000);
      },
    });
  }

  study("in the middle of its vector is left out and its masks come off", {
    waits: true,
    acts: {
      [liar]: {
        upload: async ({ header, bytes }, { part }) => {
          const half = { offset: 0, data: bytes.subarray(0, 8) };
          part.played.client.stalledUpload([
            { part: "header", header },
            { part: "chunk", chunk: half },
          ]);
        },
      },
    },
    check: async (view) => {
      await expectSumOf(view, withoutLiar);
      expect(droppedAt(view, liar)).toBe(stage);
    },
  });

  study("before its answer is not needed for it", {
    waits: true,
    acts: { [liar]: silentIn("unmask") },
    check: (view) => expectSumOf(view, everybody),
  });

  study("from the first sum on is out of the second where there is noise", {
    waits: true,
    change: { parameters: { components: 2, form: "two-round" }, privacy: { epsilon: 1, delta: 1e-5 } },
    acts: { [liar]: { upload: async () => undefined } },
    check: async (view) => {
      // Played sites add none of the noise that they should: this sum is exact too.
      expect(view.status, view.failure?.message).toBe("released");
      const { classes } = await modelOf(view);
      expect(classes.map(({ rows }) => rows)).toEqual([0, 1].map((label) => countOf(withoutLiar, label)));
    },
  });

  study("beside another one ends the study and both are named", {
    waits: true,
    acts: { [fourth]: silent, [liar]: silent },
    check: async (view) => {
      expectFailure(view, "PHASE_DEADLINE", [fourth, liar]);
      expect(view.seconds).toBeLessThan((5 * deadlineMs) / 1000);
    },
  });

  study("beside one whose post is refused ends the study and both are named", {
    waits: true,
    acts: {
      [fourth]: silent,
      [liar]: in_("keys", (honest) => [{ ...honest, keys: { ...honest.keys!, signature: noise(64) } }]),
    },
    check: async (view) => expectFailure(view, "PHASE_DEADLINE", [fourth, `${liar} (KEYS_INVALID)`]),
  });
});

describe("piggybacked keys for the next sum", () => {
  const twoRounds = { parameters: { components: 2, form: "two-round" } };

  study("and is no key costs a new attempt of that sum and nothing else", {
    change: twoRounds,
    acts: {
      [liar]: {
        upload: ({ header, send }) =>
          send(
            header.nextKeys == null
              ? header
              : {
                  ...header,
                  nextKeys: {
                    maskKey: Buffer.alloc(exchangeKeyBytes),
                    sealKey: noise(32),
                    signature: noise(64),
                  },
                },
          ),
      },
    },
    check: async (view) => {
      await expectSumOf(view, everybody);
      // An upload is looked at when it begins and when it is whole.
      const refusals = await logged(view, "rejected piggybacked keys");
      expect([...new Set(refusals.map(({ site, code }) => `${site} ${code}`))]).toEqual([
        `${liar} KEYS_INVALID`,
      ]);
      expect(view.steps.find(({ id }) => id === "pooled-moments")!.attempt).toBe(2);
    },
  });

  study("and are no shares costs a new attempt of that sum and nothing else", {
    change: twoRounds,
    acts: {
      [liar]: in_("unmask", (honest) =>
        honest.unmask!.nextShares == null
          ? [honest]
          : [
              {
                ...honest,
                unmask: { ...honest.unmask, nextShares: { ...honest.unmask!.nextShares, envelopes: [] } },
              },
            ],
      ),
    },
    check: async (view) => {
      await expectSumOf(view, everybody);
      expect(view.steps.find(({ id }) => id === "pooled-moments")!.attempt).toBe(2);
    },
  });
});

describe("after all of it", () => {
  it("the same process answers, and has had no internal error", async () => {
    await Promise.all(ended.values());
    isWatching = false;
    expect(await watching).toBeLessThan(deadlineMs);
    expect(federation.aggregator.pid).toBe(pid);
    expect(federation.aggregator.running).toBe(true);
    const log = await federation.aggregator.log();
    expect(log.split("\n").filter((line) => line.includes('"INTERNAL"'))).toEqual([]);
    for (const [name, site] of played) {
      expect(site.faults, name).toEqual([]);
      if (name !== babbler) expect(site.streams, name).toEqual([]);
    }
  });
});

/** Holds somebody up until somebody else is done. */
function gate(): { readonly opened: Promise<void>; open(): void } {
  let open!: () => void;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

/** Until a study stands at a step. */
async function openStep(id: string, step: string): Promise<void> {
  await waitUntil(
    async () => {
      const view = await federation.study(id);
      if (view.endedAt !== null) throw new Error(`study ${id} ended before ${step}`);
      return view.steps.some((one) => one.id === step && one.status === "open") || null;
    },
    3 * deadlineMs,
    `${step} of ${id}`,
  );
}
