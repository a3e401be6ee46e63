/** The publisher's own process is killed at many instants of a deposit: a release is there whole, or not at all. */
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { toConsiliumError } from "@consilium/core/errors";
import { releaseListSchema } from "@consilium/core/release/views";
import { unwrap } from "@consilium/core/result";
import { inGate } from "@consilium/core/testing/wholeRun";
import { type Cell, certifierFor, rowBytesOf, sampleContent } from "@consilium/publisher/testing/release";
import { deposit, releasesClient } from "@consilium/runtime/release/depositClient";
import { verifyReleaseFolder } from "@consilium/runtime/release/verifyFolder";
import { type TestLeaf, testFederation } from "@consilium/runtime/testing/identity/federation";
import { parseAddress } from "@consilium/runtime/tls/address";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type PublisherProcess, type TestNetwork, testNetwork } from "./network.js";

const rows = Array.from({ length: 60_000 }, (_, row): Cell[] => [
  row,
  Math.sqrt(row),
  row % 2 ? "benign" : "malignant",
]);
const content = sampleContent({ rows: rows.length });
const data = rowBytesOf(content, rows);

let network: TestNetwork;
beforeAll(async () => {
  network = await testNetwork();
});
afterAll(() => network?.close());

async function committed(state: string): Promise<boolean> {
  const found = await readdir(join(state, "releases"));
  if (found.length === 0) return false;
  expect(found).toEqual([content.id]);
  const verified = await verifyReleaseFolder(join(state, "releases", content.id), {
    rootPem: network.federation.root.certificatePem,
  });
  expect(verified.ok, verified.ok ? "" : verified.error.message).toBe(true);
  return true;
}

async function listed(publisher: PublisherProcess): Promise<number> {
  const answer = await fetch(`${publisher.http}/api/releases`);
  return releaseListSchema.parse(await answer.json()).total;
}

describe("SIGKILL during a deposit", () => {
  it("while the certificate is awaited leaves nothing, and the same deposit then succeeds", async () => {
    const state = await network.makePublisher();
    const publisher = await network.start(state);
    const killed = network.deposit(publisher, content, data, {
      certify: async (files) => {
        await publisher.stop("SIGKILL");
        const { bytes, jws } = certifierFor(content, network.aggregator)(files);
        return { certificate: bytes, signature: jws };
      },
    });
    await expect(killed).rejects.toMatchObject({ code: "PUBLISHER_UNREACHABLE" });
    expect((await readdir(join(state, "staging"))).length).toBe(1);
    expect(await committed(state)).toBe(false);
    const again = await network.start(state);
    expect(await readdir(join(state, "staging"))).toEqual([]);
    expect(await listed(again)).toBe(0);
    await network.deposit(again, content, data);
    expect(await committed(state)).toBe(true);
    await again.stop();
  });

  it("at any instant leaves nothing or the whole", async () => {
    const state = await network.makePublisher();
    // How long a deposit takes here, to spread the instants over it.
    let publisher = await network.start(state);
    const startedAt = Date.now();
    await network.deposit(publisher, content, data);
    const lastsMs = Date.now() - startedAt;
    const instants = inGate(5, { whole: 8 });
    const outcomes: string[] = [];
    for (let instant = 0; instant < instants; instant++) {
      if (await committed(state)) {
        await publisher.stop("SIGKILL");
        await rm(join(state, "releases", content.id), { recursive: true });
        publisher = await network.start(state);
      }
      const attempt = network.deposit(publisher, content, data).then(
        () => "answered",
        () => "failed",
      );
      await delay((lastsMs * (instant + 0.5)) / instants);
      await publisher.stop("SIGKILL");
      const answer = await attempt;
      const there = await committed(state);
      outcomes.push(`${answer}/${there ? "whole" : "nothing"}`);
      // What was answered as committed is there.
      if (answer === "answered") expect(there).toBe(true);
      publisher = await network.start(state);
      expect(await listed(publisher)).toBe(there ? 1 : 0);
    }
    expect(outcomes).toContain("failed/nothing");
    await network.deposit(publisher, content, data);
    expect(await committed(state)).toBe(true);
    await publisher.stop();
  });
});

describe("a deposit", () => {
  it("survives a restart, and is answered at once when it comes again", async () => {
    const state = await network.makePublisher();
    let publisher = await network.start(state);
    const first = await network.deposit(publisher, content, data);
    await publisher.stop();
    expect(publisher.child.exitCode).toBe(0);
    publisher = await network.start(state);
    const again = await network.deposit(publisher, content, data, {
      certify: () => {
        throw new Error("a committed release was certified again");
      },
    });
    expect(again.releaseId).toBe(first.releaseId);
    await publisher.stop();
  });

  it("is taken from an aggregator of this federation only", async () => {
    const publisher = await network.start(await network.makePublisher());
    const { federation } = network;
    const as = async (leaf: TestLeaf) => {
      const client = releasesClient({
        address: unwrap(parseAddress(publisher.grpc)),
        identity: leaf,
        rootPem: federation.root.certificatePem,
      });
      try {
        await deposit({
          client,
          content: sampleContent({ columns: [], rows: 0 }),
          dataPath: null,
          dataSha256: sha256(),
          sums: [],
          certify: () => {
            throw new Error("a stranger's deposit was rendered");
          },
        });
        return "committed";
      } catch (thrown) {
        return toConsiliumError(thrown).code;
      } finally {
        client.close();
      }
    };
    expect(await as(await federation.leaf("site", "a"))).toBe("NOT_PERMITTED");
    expect(await as(await federation.leaf("publisher", "publisher"))).toBe("NOT_PERMITTED");
    const stranger = await (await testFederation()).leaf("aggregator", "aggregator");
    expect(await as(stranger)).toBe("CERTIFICATE_INVALID");
    await publisher.stop();
  });
});
