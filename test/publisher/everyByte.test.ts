/** No byte of a release folder can change, and no file come or go, without verification naming it. */
import { copyFile, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { inEnglish } from "@consilium/core/testing/inEnglish";
import { inGate } from "@consilium/core/testing/wholeRun";
import { type Cell, rowBytesOf, sampleContent } from "@consilium/publisher/testing/release";
import { verifyReleaseFolder } from "@consilium/runtime/release/verifyFolder";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type TestNetwork, testNetwork } from "./network.js";

const rows = Array.from({ length: 300 }, (_, row): Cell[] => [
  row,
  1 / (row + 1),
  row % 2 ? "benign" : "malignant",
]);
const content = sampleContent({ rows: rows.length });
/** Files up to this length are tried byte by byte, larger ones at so many places. */
const wholeUpTo = inGate(300, { whole: 1_500 });
const places = inGate(60, { whole: 250 });

let network: TestNetwork;
/** A copy that may be changed. */
let folder: string;
let names: string[];

beforeAll(async () => {
  network = await testNetwork();
  const publisher = await network.start(await network.makePublisher());
  await network.deposit(publisher, content, rowBytesOf(content, rows));
  const release = join(publisher.state, "releases", content.id);
  folder = await mkdtemp(join(network.folder, "copy-"));
  names = await readdir(release);
  for (const name of names) await copyFile(join(release, name), join(folder, name));
});
afterAll(() => network?.close());

async function fault(): Promise<string> {
  const verified = await verifyReleaseFolder(folder, {
    rootPem: network.federation.root.certificatePem,
  });
  return verified.ok ? "none" : `${verified.error.code} ${inEnglish(verified.error.message)}`;
}

it("the release verifies as it is", async () => {
  expect(names.sort()).toEqual([
    "CITATION.cff",
    "DICTIONARY.md",
    "README.md",
    "certificate.json",
    "certificate.jws",
    "croissant.json",
    "data.csv",
    "data.parquet",
    "datapackage.json",
    "model.json",
    "result.json",
    "ro-crate-metadata.json",
  ]);
  expect(await fault()).toBe("none");
});

it("fails on any changed byte of any file, naming the file", async () => {
  for (const name of names) {
    const original = await readFile(join(folder, name));
    const stride = original.length <= wholeUpTo ? 1 : Math.ceil(original.length / places);
    for (let at = 0; at < original.length; at += stride) {
      const changed = Buffer.from(original);
      changed[at]! ^= 1 << (at % 8);
      await writeFile(join(folder, name), changed);
      // A changed certificate may show in its signature, and the other way round.
      const named = name.startsWith("certificate.") ? "certificate." : name;
      expect(await fault(), `${name}, byte ${at}`).toMatch(`RELEASE_CORRUPT ${named}`);
    }
    for (const changed of [
      original.subarray(0, -1),
      Buffer.concat([original, Buffer.from("\n")]),
      Buffer.alloc(0),
    ]) {
      await writeFile(join(folder, name), changed);
      expect(await fault(), `${name}, ${changed.length} bytes`).toMatch("RELEASE_CORRUPT");
    }
    await writeFile(join(folder, name), original);
  }
  expect(await fault()).toBe("none");
});

it("fails on any missing, renamed or added file, naming it", async () => {
  for (const name of names) {
    const original = await readFile(join(folder, name));
    await rm(join(folder, name));
    expect(await fault()).toBe(`RELEASE_CORRUPT ${name}: the file is missing`);
    await writeFile(join(folder, name), original);
    for (const added of [`${name}.bak`, "model.onnx", ".hidden", "x y"]) {
      await writeFile(join(folder, added), original);
      expect(await fault()).toMatch(`RELEASE_CORRUPT ${added}`);
      await rm(join(folder, added));
    }
  }
  expect(await fault()).toBe("none");
});

it("fails with the certificate and signature of another release of the same federation", async () => {
  const publisher = await network.start(await network.makePublisher());
  const other = sampleContent({ id: "other-0123456789", rows: rows.length });
  await network.deposit(publisher, other, rowBytesOf(other, rows));
  for (const name of ["certificate.json", "certificate.jws"]) {
    await copyFile(join(publisher.state, "releases", other.id, name), join(folder, name));
  }
  expect(await fault()).toMatch("RELEASE_CORRUPT");
});
