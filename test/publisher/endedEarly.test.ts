/** A depositor that ends its stream before the whole is there gets an answer that says so, and nothing is published. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { releaseDataBytes } from "@consilium/core/release/content";
import { unwrap } from "@consilium/core/result";
import { fromServiceError } from "@consilium/proto/status";
import { rowBytesOf, sampleContent, sampleRows } from "@consilium/publisher/testing/release";
import { releasesClient } from "@consilium/runtime/release/depositClient";
import { parseAddress } from "@consilium/runtime/tls/address";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type PublisherProcess, type TestNetwork, testNetwork } from "./network.js";

let network: TestNetwork;
let publisher: PublisherProcess;
let state: string;
beforeAll(async () => {
  network = await testNetwork();
  state = await network.makePublisher();
  publisher = await network.start(state);
});
afterAll(() => network?.close());

it("answers UPLOAD_TRUNCATED, and takes the same release whole afterwards", async () => {
  const content = sampleContent();
  const data = rowBytesOf(content, sampleRows);
  const client = releasesClient({
    address: unwrap(parseAddress(publisher.grpc)),
    identity: network.aggregator,
    rootPem: network.federation.root.certificatePem,
  });
  const call = client.deposit();
  const ended = new Promise<unknown>((resolve) => {
    call.on("error", resolve);
    call.on("end", () => resolve(new Error("the stream ended without an answer")));
    call.resume();
  });
  call.write({
    header: {
      content: JSON.stringify(content),
      dataBytes: releaseDataBytes(content),
      dataSha256: Buffer.from(sha256(data), "hex"),
    },
  });
  call.write({ data: { offset: 0, data: data.subarray(0, 10) } });
  call.end();
  expect(fromServiceError(await ended)).toMatchObject({ code: "UPLOAD_TRUNCATED" });
  client.close();
  expect(await readdir(join(state, "releases"))).toEqual([]);
  await expect(network.deposit(publisher, content, data)).resolves.toMatchObject({ releaseId: content.id });
});
