import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isErrorCode } from "@consilium/core/errors";
import { parseSha256 } from "@consilium/core/ids";
import { totalOf } from "@consilium/core/release/accounting";
import type { ReleaseFile } from "@consilium/core/release/certificate";
import { depositedBytes, type ReleaseContent } from "@consilium/core/release/content";
import { drawsText } from "@consilium/core/release/publishedSums";
import { privacySentence } from "@consilium/core/release/wording";
import { ok, unwrap } from "@consilium/core/result";
import { studyOnRoster } from "@consilium/core/study/onRoster";
import { planStudy } from "@consilium/core/study/plan";
import { testRoot, testStudy } from "@consilium/core/testing/release/statement";
import { allMethods } from "@consilium/methods-paper/all";
import type { DepositReply } from "@consilium/proto/generated/consilium/v1/DepositReply";
import type { DepositRequest__Output } from "@consilium/proto/generated/consilium/v1/DepositRequest";
import { english } from "@consilium/runtime/http/spoken";
import { verifyPeer } from "@consilium/runtime/identity/verify";
import { pemChainToDer } from "@consilium/runtime/identity/x509";
import { verifyReleaseFolder } from "@consilium/runtime/release/verifyFolder";
import { DiskSpace } from "@consilium/runtime/store/diskSpace";
import { testFederation } from "@consilium/runtime/testing/identity/federation";
import { testDisk } from "@consilium/runtime/testing/store/disk";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import { afterAll, describe, expect, it, vi } from "vitest";
import {
  certifierFor,
  rowBytesOf,
  type SampleOptions,
  sampleContent,
  sampleRows,
  testSigner,
} from "../../testing/release.js";
import { ReleaseStore } from "../catalogue/store.js";
import { type Depositing, receiveDeposit } from "./receive.js";

const root = await mkdtemp(join(tmpdir(), "consilium-receive-"));
afterAll(() => rm(root, { recursive: true, force: true }));
const federation = await testFederation();
const rootPem = federation.root.certificatePem;
const aggregator = await testSigner(federation);
const peer = unwrap(
  verifyPeer(pemChainToDer(aggregator.chainPem), { rootPem, now: Date.now(), purpose: "client" }),
);

async function publisher() {
  const state = await mkdtemp(join(root, "p-"));
  const store = await ReleaseStore.open(state);
  const committed: string[] = [];
  const plannedOtherwise: string[] = [];
  const options: Depositing = {
    store,
    rootPem,
    methods: allMethods,
    onPlannedOtherwise: (_id, place) => void plannedOtherwise.push(place),
    peer,
    disk: testDisk(),
    urlOf: (id) => `https://x.example/releases/${id}/`,
    onCommitted: async (id) => void committed.push(id),
  };
  return { state, store, options, committed, plannedOtherwise };
}

type Certify = (files: readonly ReleaseFile[]) => { bytes: Uint8Array; jws: Uint8Array };

interface Conversation {
  readonly content?: ReleaseContent;
  readonly data?: Buffer;
  readonly header?: Partial<{ content: string; dataBytes: number; dataSha256: Buffer }>;
  /** In place of the chunks of `data`. */
  readonly chunks?: readonly DepositRequest__Output[];
  readonly certify?: Certify;
}

const chunk = (offset: number, data: Buffer): DepositRequest__Output => ({
  part: "data",
  data: { offset, data },
});

/** Plays the depositor: header, chunks of 17 bytes, then a certificate over what was rendered. */
async function converse(options: Depositing, given: Conversation = {}): Promise<DepositReply[]> {
  const content = given.content ?? sampleContent();
  const data = given.data ?? rowBytesOf(content, sampleRows);
  const header = {
    content: JSON.stringify(content),
    dataBytes: data.length,
    dataSha256: Buffer.from(sha256(data.subarray(0, depositedBytes(content)[0])), "hex"),
    ...given.header,
  };
  const chunks = [];
  // No chunk has bytes of two: of the rows and a sum, or of two sums.
  let begin = 0;
  for (const bytes of depositedBytes(content)) {
    const end = Math.min(begin + bytes, data.length);
    for (let at = begin; at < end; at += 17)
      chunks.push(chunk(at, data.subarray(at, Math.min(end, at + 17))));
    begin = end;
  }
  const queue: DepositRequest__Output[] = [{ part: "header", header }, ...(given.chunks ?? chunks)];
  const certify = given.certify ?? certifierFor(content, aggregator);
  const replies: DepositReply[] = [];
  const next = async (): Promise<DepositRequest__Output | undefined> => queue.shift();
  const reply = async (message: DepositReply) => {
    replies.push(message);
    if (!message.rendered) return;
    const files = (message.rendered.files ?? []).map((file) => ({
      name: String(file.name),
      bytes: Number(file.bytes),
      sha256: unwrap(parseSha256(Buffer.from(file.sha256 as Uint8Array).toString("hex"))),
    }));
    const { bytes, jws } = certify(files);
    queue.push({
      part: "certificate",
      certificate: { certificate: Buffer.from(bytes), signature: Buffer.from(jws) },
    });
  };
  await receiveDeposit(next, reply, options);
  return replies;
}

/** A release of a study that makes its sums public, which are zeros but for one byte of each. */
function ofSums() {
  const document = testStudy({
    analysis: "describe",
    method: "counts",
    variant: "sound",
    privacy: { epsilon: 1, delta: 1e-6 },
    features: [{ name: "age", type: "numeric", min: 0, max: 100, edges: [50] }],
    parameters: {},
    flow: true,
    release: { sums: true },
  });
  const plan = planStudy(studyOnRoster(document.study, 3));
  const sums = plan.stages.map((stage, at) => {
    const bytes = stage.kind === "sum" ? (stage.length * stage.ringBits) / 8 : 0;
    return Buffer.alloc(bytes).fill(at + 1, 0, 1);
  });
  const { verdict, delta, neighbouringRelation, unit, proof, reasons } = plan.claim;
  const { analysis, method, variant } = document.study;
  const sample = sampleContent();
  const privacy = {
    verdict,
    delta,
    neighbouringRelation,
    unit,
    proof,
    reasons: [...reasons],
    epsilon: totalOf(
      plan,
      plan.stages.map(({ id }) => ({ stage: id, attempt: 1, dropped: [] })),
    ).headline,
    countersigned: { by: 3, of: 3 },
  };
  const content = sampleContent({
    study: { ...sample.study, hash: document.hash, analysis, method, variant },
    privacy,
    privacyStatement: english(privacySentence(privacy)),
    columns: [],
    rows: 0,
    sums: plan.stages.map(({ id }, at) => ({
      stage: id,
      attempt: 1,
      bytes: sums[at]!.length,
      sha256: sha256(sums[at]!),
    })),
    draws: [{ name: "public-seed", value: "00ff" }],
  });
  return { content, sums, certify: certifierFor(content, aggregator, { document }) };
}

async function visible(state: string): Promise<string[]> {
  expect(await readdir(join(state, "staging"))).toEqual([]);
  return readdir(join(state, "releases"));
}

describe("a deposit", () => {
  it("becomes a release that verifies, in one step", async () => {
    const { state, options, committed, plannedOtherwise } = await publisher();
    const replies = await converse(options);
    expect(replies.map((reply) => Object.keys(reply)[0])).toEqual(["rendered", "committed"]);
    expect(replies[1]).toEqual({
      committed: {
        releaseId: "sample-0123456789",
        url: "https://x.example/releases/sample-0123456789/",
      },
    });
    expect(await visible(state)).toEqual(["sample-0123456789"]);
    expect(committed).toEqual(["sample-0123456789"]);
    expect(plannedOtherwise).toEqual([]);
    const verified = await verifyReleaseFolder(join(state, "releases", "sample-0123456789"), {
      rootPem,
    });
    expect(verified.ok).toBe(true);
  });

  it("holds the sums that its study makes public, each as it came", async () => {
    const { content, sums, certify } = ofSums();
    const { state, options } = await publisher();
    await converse(options, { content, data: Buffer.concat(sums), certify });
    const folder = join(state, "releases", content.id);
    expect((await verifyReleaseFolder(folder, { rootPem })).ok).toBe(true);
    const names = content.sums!.map(({ stage, attempt }) => `${stage}-${attempt}.bin`);
    expect((await readdir(join(folder, "sums"))).sort()).toEqual([...names].sort());
    for (const [at, name] of names.entries())
      expect(await readFile(join(folder, "sums", name))).toEqual(sums[at]);
    expect(await readFile(join(folder, "draws.json"), "utf8")).toBe(drawsText(content.draws!));
  });

  it("is refused with other sums than its result has, or bytes of two in one chunk", async () => {
    const { content, sums, certify } = ofSums();
    const whole = Buffer.concat(sums);
    const flipped = Buffer.from(whole);
    flipped[whole.length - 1]! ^= 1;
    const [first, ...others] = content.sums!;
    const cases: [Conversation, string][] = [
      [{ data: flipped, certify }, "UPLOAD_HASH"],
      [{ data: whole, chunks: [chunk(0, whole)], certify }, "FIELD_INVALID"],
      [{ data: whole, chunks: [chunk(0, sums[0]!)], certify }, "UPLOAD_TRUNCATED"],
      [
        { data: whole.subarray(sums[0]!.length), content: { ...content, sums: others }, certify },
        "RELEASE_CORRUPT",
      ],
      [
        { data: whole, content: { ...content, sums: [{ ...first!, attempt: 2 }, ...others] }, certify },
        "RELEASE_CORRUPT",
      ],
      [{ data: whole, content: { ...content, sums: [first!, first!] }, certify }, "DEPOSIT_INVALID"],
    ];
    for (const [given, code] of cases) {
      const { state, options } = await publisher();
      await expect(converse(options, { content, ...given })).rejects.toMatchObject({ code });
      expect(await visible(state)).toEqual([]);
    }
  });

  it("says its privacy in the publisher's words, whatever another version of the aggregator calls it", async () => {
    const { content, sums, certify } = ofSums();
    const data = Buffer.concat(sums);
    const otherwise = { unit: "other words", neighbouringRelation: "more of them" };
    const reworded = {
      ...content,
      privacy: { ...content.privacy, ...otherwise },
      privacyStatement: "Proven: epsilon 0.01 for everybody.",
    };
    const { state, options } = await publisher();
    await converse(options, { content: reworded, data, certify });
    const readme = await readFile(join(state, "releases", content.id, "README.md"), "utf8");
    expect(readme).toContain(content.privacy.unit);
    expect(readme).toContain("Proven: epsilon 1, delta 0.000001");
    for (const words of [...Object.values(otherwise), reworded.privacyStatement])
      expect(readme).not.toContain(words);

    const protects = { kind: "patient", maxRows: 5, weight: null } as const;
    const overstated = { ...content, privacy: { ...content.privacy, protects } };
    const second = await publisher();
    await expect(converse(second.options, { content: overstated, data, certify })).rejects.toMatchObject({
      code: "DEPOSIT_INVALID",
      message: expect.stringContaining("a different privacy."),
    });
    expect(await visible(second.state)).toEqual([]);
  });

  it("whose study this version plans otherwise is taken, with a remark of the first fact", async () => {
    const { options, committed, plannedOtherwise } = await publisher();
    const planned = vi.spyOn(allMethods, "read").mockImplementation((text, hash) => {
      planned.mockRestore();
      const found = unwrap(allMethods.read(text, hash));
      return ok({ ...found, study: { ...found.study, privacy: "none" } });
    });
    await converse(options);
    expect(committed.length).toBe(1);
    expect(plannedOtherwise).toEqual(["delta"]);
  });

  it("of what is there already is answered at once, and changes nothing", async () => {
    const { state, options, committed } = await publisher();
    await converse(options);
    const folder = join(state, "releases", "sample-0123456789");
    const before = await stat(folder);
    const replies = await converse(options, { content: sampleContent({ title: "another" }) });
    expect(replies.map((reply) => Object.keys(reply)[0])).toEqual(["committed"]);
    expect((await stat(folder)).ino).toBe(before.ino);
    expect(committed.length).toBe(1);
  });

  it("that races another of its id leaves one of them, and both are answered", async () => {
    const { state, options, committed } = await publisher();
    const both = await Promise.all([converse(options), converse(options)]);
    for (const replies of both) expect(replies.at(-1)?.committed?.releaseId).toBe("sample-0123456789");
    expect(await visible(state)).toEqual(["sample-0123456789"]);
    expect(committed.length).toBe(1);
  });

  it("may have neither rows nor columns", async () => {
    const { options } = await publisher();
    const content = sampleContent({ columns: [], rows: 0 });
    const replies = await converse(options, { content, data: Buffer.alloc(0) });
    expect(replies.length).toBe(2);
  });
});

describe("a deposit without room", () => {
  const nothing = { free: () => 8 * 1024 ** 2, folder: root };

  it("is refused below the reserve, before anything is staged, and taken again later", async () => {
    const { state, options } = await publisher();
    const disk = new DiskSpace({ ...nothing, reserveMiB: 9 });
    await expect(converse({ ...options, disk })).rejects.toMatchObject({ code: "DISK_FULL" });
    expect(await visible(state)).toEqual([]);
    await converse({ ...options, disk: new DiskSpace({ ...nothing, reserveMiB: 7 }) });
    expect(await visible(state)).toEqual(["sample-0123456789"]);
  });

  it("that finds the disk full on its way leaves nothing, and makes the process unready", async () => {
    const { state, options } = await publisher();
    const disk = new DiskSpace({ ...nothing, reserveMiB: 0 });
    const certify = () => {
      throw Object.assign(new Error("no room"), { code: "ENOSPC" });
    };
    await expect(converse({ ...options, disk }, { certify })).rejects.toMatchObject({
      code: "DISK_FULL",
      message: expect.stringContaining(`${root}: disk full`),
    });
    expect(await visible(state)).toEqual([]);
    expect(disk.fault()).not.toBeNull();
  });
});

describe("a wrong deposit is refused and leaves nothing", async () => {
  const content = sampleContent();
  const data = rowBytesOf(content, sampleRows);
  const other = await testSigner(federation, "aggregator", "second");
  const site = await testSigner(federation, "site", "a");
  const stranger = await testSigner(await testFederation());
  const bad = Buffer.from(data);
  bad.writeDoubleLE(Number.NaN, 0);
  const signed = certifierFor(content, aggregator);
  const certified = (options: SampleOptions) => certifierFor(content, aggregator, options);

  const cases: [what: string, conversation: Conversation, code: string][] = [
    ["content that is no content", { header: { content: "{}" } }, "DEPOSIT_INVALID"],
    ["a length that is not the rows'", { header: { dataBytes: data.length + 1 } }, "FIELD_INVALID"],
    ["a short hash", { header: { dataSha256: Buffer.alloc(31) } }, "FIELD_INVALID"],
    ["another hash", { header: { dataSha256: Buffer.alloc(32) } }, "UPLOAD_HASH"],
    ["a gap", { chunks: [chunk(0, data.subarray(0, 10)), chunk(11, data.subarray(11))] }, "UPLOAD_ORDER"],
    ["too much", { chunks: [chunk(0, Buffer.concat([data, data]))] }, "FIELD_INVALID"],
    ["an empty chunk", { chunks: [chunk(0, Buffer.alloc(0))] }, "FIELD_INVALID"],
    ["an end in between", { chunks: [chunk(0, data.subarray(0, 10))] }, "UPLOAD_TRUNCATED"],
    [
      "a second header",
      { chunks: [{ part: "header", header: { content: "", dataBytes: 0, dataSha256: Buffer.alloc(32) } }] },
      "FIELD_INVALID",
    ],
    ["a value that is not finite", { data: bad }, "DEPOSIT_INVALID"],
    ["another aggregator's signature", { certify: certifierFor(content, other) }, "DEPOSIT_INVALID"],
    ["a site's signature", { certify: certifierFor(content, site) }, "RELEASE_CORRUPT"],
    ["another federation's signature", { certify: certifierFor(content, stranger) }, "RELEASE_CORRUPT"],
    [
      "a certificate of another release",
      { certify: certified({ id: "other-0123456789" }) },
      "DEPOSIT_INVALID",
    ],
    [
      "a certificate of another federation",
      { certify: certified({ federation: { name: "other", root: testRoot } }) },
      "RELEASE_CORRUPT",
    ],
    [
      "a certificate of another root",
      { certify: certified({ federation: { name: "test-federation", root: testRoot } }) },
      "RELEASE_CORRUPT",
    ],
    [
      "reasons of its privacy that are no sentence or two",
      {
        content: {
          ...content,
          privacy: { ...content.privacy, reasons: ["long ".repeat(300), "long ".repeat(300)] },
        },
      },
      "DEPOSIT_INVALID",
    ],
    [
      "a certificate of another study",
      { certify: certified({ document: testStudy({ name: "another" }) }) },
      "DEPOSIT_INVALID",
    ],
    [
      "another privacy than the content says",
      { content: { ...content, privacy: { ...content.privacy, epsilon: 0.5 } } },
      "DEPOSIT_INVALID",
    ],
    [
      "more countersignatures in the content than in the certificate",
      { content: { ...content, privacy: { ...content.privacy, countersigned: { by: 4, of: 4 } } } },
      "DEPOSIT_INVALID",
    ],
    [
      "a countersignature left out",
      {
        certify: certified({
          forged: { countersignatures: [], missing: aggregator.hospitals.sites.map((one) => one.site) },
        }),
      },
      "COUNTERSIGNATURE_INVALID",
    ],
    ["a file left out", { certify: (files) => signed(files.slice(1)) }, "RELEASE_CORRUPT"],
    [
      "a file too many",
      { certify: (files) => signed([...files, { name: "more", bytes: 0, sha256: sha256("") }]) },
      "RELEASE_CORRUPT",
    ],
    [
      "another hash of a file",
      { certify: (files) => signed(files.map((file) => ({ ...file, sha256: sha256("") }))) },
      "RELEASE_CORRUPT",
    ],
    [
      "a signature of something else",
      { certify: (files) => ({ bytes: signed(files).bytes, jws: signed([]).jws }) },
      "RELEASE_CORRUPT",
    ],
  ];

  it.each(cases)("%s", async (_what, conversation, code) => {
    expect(isErrorCode(code)).toBe(true);
    const { state, options, committed } = await publisher();
    await expect(converse(options, conversation)).rejects.toMatchObject({ code });
    expect(await visible(state)).toEqual([]);
    expect(committed).toEqual([]);
    // And the next one is served.
    expect((await converse(options)).length).toBe(2);
  });
});
