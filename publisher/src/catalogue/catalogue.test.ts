import { mkdtemp, readFile, rename, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { releaseQuery } from "@consilium/core/release/views";
import { openStore } from "@consilium/runtime/store/store";
import { testFederation } from "@consilium/runtime/testing/identity/federation";
import { afterAll, expect, it, vi } from "vitest";
import { certifierFor, rowBytesOf, sampleContent, sampleRows, testSigner } from "../../testing/release.js";
import { renderRelease } from "../formats/render.js";
import { migrations } from "../store/schema.js";
import { Catalogue } from "./catalogue.js";
import { ReleaseIndex } from "./releaseIndex.js";
import { ReleaseStore } from "./store.js";
import { WithdrawalLog } from "./withdrawalLog.js";

const root = await mkdtemp(join(tmpdir(), "consilium-catalogue-"));
afterAll(() => rm(root, { recursive: true, force: true }));
const federation = await testFederation();
const aggregator = await testSigner(federation);
const rootPem = federation.root.certificatePem;
const ids = ["one-0123456789", "two-0123456789"] as const;

/** Two releases, and what verifies them counted: `read` is asked once for each verification. */
async function published() {
  const state = await mkdtemp(join(root, "s-"));
  const store = await ReleaseStore.open(state);
  for (const id of ids) {
    const content = sampleContent({ id });
    const staged = await store.stage(id);
    await writeFile(staged.dataPath, rowBytesOf(content, sampleRows));
    const { dataPath, releaseFolder: folder, scratch } = staged;
    const files = await renderRelease({ content, dataPath, folder, scratch, baseUrl: "https://x.example/" });
    await store.certify(staged, certifierFor(content, aggregator)(files));
    await store.commit(staged);
  }
  /** Called for each release that was verified. */
  const verified = vi.fn();
  const damaged: string[] = [];
  const database = openStore(join(state, "state.db"), migrations);
  const load = async (pem = rootPem) => {
    const index = new ReleaseIndex(database, pem);
    const put = index.put.bind(index);
    index.put = (...given) => {
      verified();
      put(...given);
    };
    return Catalogue.load({
      store,
      rootPem: pem,
      index,
      withdrawals: await WithdrawalLog.open(state, pem),
      onDamaged: ({ id, error }, served) => void damaged.push(`${id} ${error.code} ${served}`),
    });
  };
  return {
    store,
    load,
    verified,
    damaged,
    database,
    fileOf: (name: string) => join(store.folderOf(ids[0]), name),
  };
}

const listed = (catalogue: Catalogue) =>
  catalogue
    .search(releaseQuery.parse({ order: "title" }), () => true)
    .releases.map(({ summary }) => summary.id);

/** Changes a byte and sets the times of the file that a program can set, so that a listing shows nothing. */
async function changeQuietly(path: string): Promise<void> {
  const bytes = await readFile(path);
  bytes[bytes.length - 2]! ^= 1;
  await writeFile(path, bytes);
  await utimes(path, 1, 1);
}

it("verifies what it does not know, and at the next start nothing", async () => {
  const { load, verified, damaged } = await published();
  expect(listed(await load())).toEqual(ids);
  expect(verified).toHaveBeenCalledTimes(2);
  const again = await load();
  expect(listed(again)).toEqual(ids);
  const one = await again.get(ids[0]);
  expect(one!.certificate.release).toBe(ids[0]);
  expect([...one!.files.keys()]).toContain("data.parquet");
  expect(again.filesOf(ids[0]).map(({ name }) => name)).toEqual([...one!.files.keys()]);
  await again.checkAll(new AbortController().signal);
  expect(verified).toHaveBeenCalledTimes(2);
  expect(damaged).toEqual([]);
});

it.each(["data.csv", "README.md", "certificate.json", "certificate.jws", "datapackage.json"])(
  "serves no release whose %s was changed while it ran, or while it did not",
  async (name) => {
    const { load, fileOf, damaged } = await published();
    const running = await load();
    expect(await running.get(ids[0])).toBeDefined();
    await utimes(fileOf(name), 1, 1);
    // Another time is no other content: it is verified anew, and served.
    expect(await running.get(ids[0])).toBeDefined();
    await changeQuietly(fileOf(name));
    expect(await running.get(ids[0])).toBeUndefined();
    expect(await running.get(ids[0])).toBeUndefined();
    expect(await running.get(ids[1])).toBeDefined();
    expect(listed(running)).toEqual([ids[1]]);
    expect(damaged).toEqual([`${ids[0]} RELEASE_CORRUPT 1`]);
    expect(listed(await load())).toEqual([ids[1]]);
  },
);

it("finds what was changed between two runs when it is asked for, or looks at all of them", async () => {
  for (const look of ["get", "checkAll"] as const) {
    const { load, fileOf, damaged } = await published();
    await load();
    await changeQuietly(fileOf("data.csv"));
    const catalogue = await load();
    // What lists show is what was verified.
    expect(listed(catalogue)).toEqual(ids);
    if (look === "get") expect(await catalogue.get(ids[0])).toBeUndefined();
    else await catalogue.checkAll(new AbortController().signal);
    expect(listed(catalogue)).toEqual([ids[1]]);
    expect(damaged).toEqual([`${ids[0]} RELEASE_CORRUPT 1`]);
  }
});

it("serves no release that lost a file, got one, or is another's", async () => {
  for (const change of ["lost", "got", "other"] as const) {
    const { load, store, fileOf, damaged } = await published();
    const catalogue = await load();
    if (change === "lost") await rm(fileOf("data.csv"));
    else if (change === "got") await writeFile(fileOf("more.csv"), "1");
    else {
      await rm(store.folderOf(ids[0]), { recursive: true });
      await rename(store.folderOf(ids[1]), store.folderOf(ids[0]));
    }
    expect(await catalogue.get(ids[0])).toBeUndefined();
    expect(damaged).toEqual([`${ids[0]} RELEASE_CORRUPT 1`]);
  }
});

it("believes nothing that was verified under another root, and forgets releases that are gone", async () => {
  const { load, verified, damaged, store, database } = await published();
  await load();
  const other = (await testFederation()).root.certificatePem;
  expect(listed(await load(other))).toEqual([]);
  expect(damaged.map((one) => one.split(" ")[1])).toEqual(["RELEASE_CORRUPT", "RELEASE_CORRUPT"]);
  verified.mockClear();
  expect(listed(await load())).toEqual(ids);
  expect(verified).toHaveBeenCalledTimes(2);
  await rm(store.folderOf(ids[0]), { recursive: true });
  expect(listed(await load())).toEqual([ids[1]]);
  expect(database.all("SELECT id FROM releases")).toEqual([{ id: ids[1] }]);
});
