/** The publisher's own process, and the aggregator's withdrawals over real connections. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { publishedReleases } from "@consilium/aggregator/release/publish";
import { type WithdrawalRequest, Withdrawals } from "@consilium/aggregator/release/withdrawals";
import { migrations } from "@consilium/aggregator/store/schema";
import { certificateFile } from "@consilium/core/release/certificate";
import { releaseListSchema, releaseViewSchema } from "@consilium/core/release/views";
import { signedWithdrawal, verifyWithdrawal, type Withdrawal } from "@consilium/core/release/withdrawal";
import { unwrap } from "@consilium/core/result";
import { rowBytesOf, sampleContent, sampleRows } from "@consilium/publisher/testing/release";
import { pemChainToDer } from "@consilium/runtime/identity/x509";
import { createLogger } from "@consilium/runtime/log";
import { releasesClient, withdrawRelease } from "@consilium/runtime/release/depositClient";
import { identifySigner } from "@consilium/runtime/release/verifyFolder";
import { type TestLeaf, testFederation } from "@consilium/runtime/testing/identity/federation";
import { openTestStore } from "@consilium/runtime/testing/store/store";
import { parseAddress } from "@consilium/runtime/tls/address";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import { signMessage } from "@consilium/secure-sum/crypto/sign";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type PublisherProcess, type TestNetwork, testNetwork } from "./network.js";

const first = "first-0123456789";
const second = "second-0123456789";
const reason = "A hospital found that its dates were wrong & <b>bold</b>.";
const log = createLogger({ service: "test", level: "silent" });

let network: TestNetwork;
beforeAll(async () => {
  network = await testNetwork();
});
afterAll(() => network?.close());

/** A publisher with two releases. */
async function published(): Promise<PublisherProcess> {
  const publisher = await network.start(await network.makePublisher());
  for (const id of [first, second]) {
    const content = sampleContent({ id, title: `Title of ${id}` });
    await network.deposit(publisher, content, rowBytesOf(content, sampleRows));
  }
  return publisher;
}

/** The aggregator's side, with a store of its own. */
function aggregator(address: () => string, store = openTestStore(migrations)) {
  const told: string[] = [];
  const { aggregator: leaf, federation } = network;
  const identity = () => ({
    federation: "test-federation",
    rootPem: federation.root.certificatePem,
    chainPem: leaf.chainPem,
    tlsKeyPem: leaf.tlsKeyPem,
    signingKey: leaf.signingKey,
  });
  const asked = {
    get publisher() {
      return address();
    },
    identity: identity as never,
  };
  const context = {
    store,
    publisher: publishedReleases(asked),
    identity,
    now: Date.now,
    log,
    published: (study: string) => void told.push(study),
  };
  const withdrawals = new Withdrawals(context);
  const ask = (over: Partial<WithdrawalRequest> = {}) =>
    withdrawals.request({
      release: first,
      status: "withdrawn",
      reason,
      supersededBy: null,
      actor: "anna",
      ...over,
    });
  return { withdrawals, ask, told, store };
}

async function text(publisher: PublisherProcess, path: string): Promise<string> {
  return (await fetch(`${publisher.http}${path}`)).text();
}

async function statusOf(publisher: PublisherProcess, path: string): Promise<number> {
  const { status, body } = await fetch(`${publisher.http}${path}`);
  await body?.cancel();
  return status;
}

async function view(publisher: PublisherProcess, id: string) {
  return releaseViewSchema.parse(JSON.parse(await text(publisher, `/api/releases/${id}`)));
}

/** A statement on a release as it is on the disk, changed as given, signed by `leaf`. */
async function statement(
  publisher: PublisherProcess,
  options: { over?: Partial<Withdrawal>; leaf?: TestLeaf; federation?: string } = {},
): Promise<Uint8Array> {
  const leaf = options.leaf ?? network.aggregator;
  const certificate = await readFile(join(publisher.state, "releases", first, certificateFile));
  const withdrawal: Withdrawal = {
    format: "consilium-withdrawal/1",
    federation: "test-federation",
    release: first,
    certificateSha256: sha256(certificate),
    status: "withdrawn",
    reason,
    issuedAt: new Date().toISOString(),
    supersededBy: null,
    ...options.over,
  };
  return signedWithdrawal(withdrawal, pemChainToDer(leaf.chainPem).slice(0, 2), (message) =>
    signMessage(leaf.signingKey, message),
  );
}

async function send(publisher: PublisherProcess, file: Uint8Array): Promise<void> {
  const client = releasesClient({
    address: unwrap(parseAddress(publisher.grpc)),
    identity: network.aggregator,
    rootPem: network.federation.root.certificatePem,
  });
  try {
    await withdrawRelease(client, file);
  } finally {
    client.close();
  }
}

describe("a withdrawal", () => {
  it("keeps the page and the certificate, and serves nothing else", async () => {
    const publisher = await published();
    const side = aggregator(() => publisher.grpc);
    const said = await side.ask();
    expect(said).toMatchObject({ release: first, status: "withdrawn", actor: "anna", reason });
    expect(said.deliveredAt).not.toBeNull();
    expect(side.told).toEqual([first]);

    const page = await text(publisher, `/releases/${first}/`);
    expect(page).toContain(`Withdrawn on ${said.issuedAt.slice(0, 10)}`);
    expect(page).toContain("dates were wrong &amp; &lt;b&gt;bold&lt;/b&gt;");
    const shown = await view(publisher, first);
    expect(shown.withdrawal).toMatchObject({ status: "withdrawn", reason, supersededBy: null });
    expect(shown.files.map(({ name }) => name)).toEqual(["certificate.json", "certificate.jws"]);
    expect([shown.snippets, shown.citations]).toEqual([[], []]);
    for (const { name } of (await view(publisher, second)).files) {
      const kept = name.startsWith("certificate.");
      expect(await statusOf(publisher, `/releases/${first}/${name}`), name).toBe(kept ? 200 : 410);
    }
    expect(await statusOf(publisher, `/api/releases/${first}/rows`)).toBe(410);
    expect(await statusOf(publisher, `/api/releases/${first}/sample?x=pc1&y=pc2`)).toBe(410);
    expect(await statusOf(publisher, `/api/releases/${second}/rows`)).toBe(200);

    const list = releaseListSchema.parse(JSON.parse(await text(publisher, "/api/releases")));
    expect(list.releases.find(({ id }) => id === first)?.withdrawal?.status).toBe("withdrawn");
    expect(list.releases.find(({ id }) => id === second)?.withdrawal).toBeUndefined();
    const feed = await text(publisher, "/feed.atom");
    expect(feed).toContain(`<title>Withdrawn: Title of ${first}</title>`);
    expect(feed.indexOf(first)).toBeLessThan(feed.indexOf(second));
    const { "dcat:dataset": sets } = JSON.parse(await text(publisher, "/catalogue.jsonld"));
    const set = sets.find((one: { "dct:identifier": string }) => one["dct:identifier"] === first);
    expect(set["adms:status"]["@id"]).toMatch(/dataset-status\/WITHDRAWN$/);
    expect(set["dcat:distribution"]).toEqual([]);

    const file = new Uint8Array(
      await (await fetch(`${publisher.http}/releases/${first}/withdrawal.jws`)).arrayBuffer(),
    );
    const identify = identifySigner(network.federation.root.certificatePem);
    expect(unwrap(verifyWithdrawal(file, { identify, of: null })).withdrawal.reason).toBe(reason);
    await publisher.stop();
  });

  it("is the same when asked for again, and final", async () => {
    const publisher = await published();
    const side = aggregator(() => publisher.grpc);
    const said = await side.ask();
    expect(await side.ask({ reason: "other words", actor: "ben" })).toEqual(said);
    expect(side.withdrawals.list()).toEqual([said]);
    await expect(side.ask({ supersededBy: second })).rejects.toMatchObject({ code: "RELEASE_WITHDRAWN" });
    await expect(side.ask({ status: "superseded", supersededBy: second })).rejects.toMatchObject({
      code: "RELEASE_WITHDRAWN",
    });
    // An aggregator whose store is older learns it from the publisher.
    const restored = aggregator(() => publisher.grpc);
    await expect(restored.ask()).rejects.toMatchObject({
      code: "RELEASE_WITHDRAWN",
      message: expect.stringContaining(reason),
    });
    expect(restored.withdrawals.list()).toEqual([]);
    await publisher.stop();
  });

  it("may follow on a release being superseded, by releases that are there and lead nowhere back", async () => {
    const publisher = await published();
    const side = aggregator(() => publisher.grpc);
    const by = (release: string, supersededBy: string) =>
      side.ask({ release, status: "superseded", supersededBy });
    await expect(by(first, first)).rejects.toMatchObject({ code: "FIELD_INVALID" });
    await expect(by(first, "none-0123456789")).rejects.toMatchObject({ code: "RELEASE_UNKNOWN" });
    await expect(by("none-0123456789", first)).rejects.toMatchObject({ code: "RELEASE_UNKNOWN" });
    await by(first, second);
    const [old, next] = [await view(publisher, first), await view(publisher, second)];
    expect(old.withdrawal?.supersededBy?.url).toBe(next.url);
    expect(next.supersedes).toEqual([{ id: first, url: old.url }]);
    expect(await statusOf(publisher, `/releases/${first}/data.csv`)).toBe(200);
    expect(await text(publisher, `/releases/${second}/`)).toContain(`Supersedes <a href="${old.url}"`);
    await expect(by(second, first)).rejects.toMatchObject({ code: "FIELD_INVALID" });
    expect(side.withdrawals.list()).toHaveLength(1);
    await side.ask({ supersededBy: second });
    expect(await statusOf(publisher, `/releases/${first}/data.csv`)).toBe(410);
    await publisher.stop();
  });

  it("outlives the publisher's end at any point", async () => {
    let publisher = await published();
    const { state } = publisher;
    const store = openTestStore(migrations);
    const side = aggregator(() => publisher.grpc, store);
    await publisher.stop("SIGKILL");
    await expect(side.ask()).rejects.toMatchObject({ code: "PUBLISHER_UNREACHABLE" });
    expect(side.withdrawals.list()).toEqual([]);

    // Signed and stored, and the aggregator killed before the publisher had it.
    publisher = await network.start(state);
    await side.ask();
    store.run("UPDATE withdrawals SET delivered_at = NULL");
    await publisher.stop("SIGKILL");
    await writeFile(join(state, "withdrawals.jsonl"), '{"sequence":0,"previous":"');
    publisher = await network.start(state);
    expect((await view(publisher, first)).withdrawal).toBeUndefined();
    const again = aggregator(() => publisher.grpc, store);
    await again.withdrawals.deliver();
    expect(again.withdrawals.list()[0]?.deliveredAt).not.toBeNull();
    expect(await statusOf(publisher, `/releases/${first}/data.csv`)).toBe(410);

    await publisher.stop("SIGKILL");
    publisher = await network.start(state);
    expect((await view(publisher, first)).withdrawal?.reason).toBe(reason);
    // A publisher that was restored from an older copy is sent all of them again.
    await publisher.stop();
    await writeFile(join(state, "withdrawals.jsonl"), "");
    publisher = await network.start(state);
    await again.withdrawals.deliver(true);
    expect((await view(publisher, first)).withdrawal?.reason).toBe(reason);
    await publisher.stop();
  });
});

describe("a forged withdrawal", () => {
  it("changes nothing, no matter who signs it and what it is of", async () => {
    const publisher = await published();
    const other = await testFederation("test-federation");
    const site = await network.federation.leaf("site", "st-mary");
    const good = await statement(publisher);
    const forged: [string, Uint8Array, string][] = [
      ["a site's signature", await statement(publisher, { leaf: site }), "RELEASE_CORRUPT"],
      [
        "another federation's aggregator",
        await statement(publisher, { leaf: await other.leaf("aggregator", "aggregator") }),
        "RELEASE_CORRUPT",
      ],
      [
        "another certificate",
        await statement(publisher, { over: { certificateSha256: sha256("") } }),
        "RELEASE_CORRUPT",
      ],
      [
        "another federation's name",
        await statement(publisher, { over: { federation: "other" } }),
        "RELEASE_CORRUPT",
      ],
      [
        "a release that is not there",
        await statement(publisher, { over: { release: "none-0123456789" } }),
        "RELEASE_UNKNOWN",
      ],
      [
        "a certificate's signature",
        await readFile(join(publisher.state, "releases", first, "certificate.jws")),
        "RELEASE_CORRUPT",
      ],
      ["nothing", new Uint8Array(), "RELEASE_CORRUPT"],
      ["much", new Uint8Array(100_000), "FIELD_INVALID"],
    ];
    for (let at = 0; at < good.length; at += 97) {
      const changed = Uint8Array.from(good);
      changed[at]! ^= 1;
      forged.push([`byte ${at}`, changed, "RELEASE_CORRUPT"]);
    }
    for (const [what, file, code] of forged) {
      const sent = send(publisher, file);
      await expect(sent, what).rejects.toMatchObject({ code });
    }
    expect((await view(publisher, first)).withdrawal).toBeUndefined();
    expect(await statusOf(publisher, `/releases/${first}/withdrawal.jws`)).toBe(404);
    expect(await statusOf(publisher, `/releases/${first}/data.csv`)).toBe(200);
    await send(publisher, good);
    expect(await statusOf(publisher, `/releases/${first}/data.csv`)).toBe(410);

    // Nor does a log that was changed: the publisher does not start.
    const path = join(publisher.state, "withdrawals.jsonl");
    await publisher.stop();
    const line = JSON.parse(await readFile(path, "utf8")) as { withdrawal: string };
    for (const [what, content] of [
      ["another statement", { ...line, withdrawal: Buffer.from(forged[0]![1]).toString("base64") }],
      ["another place", { ...line, sequence: 1 }],
      ["another predecessor", { ...line, previous: sha256("x") }],
    ] as const) {
      await writeFile(path, `${JSON.stringify(content)}\n`);
      await expect(network.start(publisher.state), what).rejects.toThrow(/withdrawals\.jsonl, line 1/);
    }
  });
});
