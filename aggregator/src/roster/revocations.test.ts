import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseSiteId } from "@consilium/core/ids";
import { unwrap } from "@consilium/core/result";
import { issueRevocations } from "@consilium/runtime/identity/issueRevocations";
import { verifyRevocations } from "@consilium/runtime/identity/revocations";
import { type TestFederation, testFederation } from "@consilium/runtime/testing/identity/federation";
import { openTestStore } from "@consilium/runtime/testing/store/store";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import { afterEach, beforeEach, expect, it } from "vitest";
import { migrations } from "../store/schema.js";
import { Revocations } from "./revocations.js";

const gone = sha256("a key");
const revocation = {
  siteId: unwrap(parseSiteId("hospital-a")),
  signingKeyFingerprint: gone,
  reason: "left",
  revokedAt: 1,
};

let folder: string;
let federation: TestFederation;
let first: Uint8Array;
let second: Uint8Array;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "consilium-revocations-"));
  federation = await testFederation();
  first = issueRevocations(federation.root, undefined, []);
  const before = unwrap(
    verifyRevocations(first, { rootPem: federation.root.certificatePem, knownSequence: 0 }),
  );
  second = issueRevocations(federation.root, before, [revocation]);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const open = () => Revocations.open(folder, federation.root.certificatePem);

it("expels nobody before there is a list", async () => {
  const revocations = await open();
  expect(revocations.bytes).toBeNull();
  expect(revocations.includes(gone)).toBe(false);
});

it("takes a newer list, keeps it over a restart, and refuses older and foreign ones", async () => {
  const revocations = await open();
  await revocations.replace(first);
  expect(revocations.includes(gone)).toBe(false);
  await revocations.replace(second);
  expect(revocations.includes(gone)).toBe(true);
  await expect(revocations.replace(first)).rejects.toMatchObject({ code: "REVOCATIONS_STALE" });
  const other = await testFederation();
  const forged = issueRevocations(other.root, undefined, []);
  await expect(revocations.replace(forged)).rejects.toMatchObject({ code: "REVOCATIONS_INVALID" });
  expect(revocations.includes(gone)).toBe(true);
  const again = await open();
  expect(again.includes(gone)).toBe(true);
  expect(Buffer.from(again.bytes!).equals(await readFile(join(folder, "revocations")))).toBe(true);
});

it("does not start with a list that was changed, or that cannot be read", async () => {
  const changed = Buffer.from(second);
  changed[10]! ^= 1;
  await writeFile(join(folder, "revocations"), changed);
  await expect(open()).rejects.toMatchObject({ code: "REVOCATIONS_INVALID" });
  await rm(join(folder, "revocations"));
  // A folder in its place: there, but not to be read. Starting without the list would readmit the expelled.
  await mkdir(join(folder, "revocations"));
  await expect(open()).rejects.toMatchObject({ code: "EISDIR" });
});

it("finds the newest list in the store, on a machine whose file is older or missing", async () => {
  const store = openTestStore(migrations);
  try {
    const active = await open();
    await active.keepIn(store);
    await active.replace(second);
    // Another machine, which has the list that it was made with.
    await writeFile(join(folder, "revocations"), first);
    const standby = await open();
    expect(standby.includes(gone)).toBe(false);
    await standby.keepIn(store);
    expect(standby.includes(gone)).toBe(true);
    expect((await open()).includes(gone)).toBe(true);
    await rm(join(folder, "revocations"));
    const third = await open();
    await third.keepIn(store);
    expect(third.includes(gone)).toBe(true);
  } finally {
    store.close();
  }
});

it("puts a list of the file's that is newer into the store, and starts with no list that was changed there", async () => {
  const store = openTestStore(migrations);
  try {
    await writeFile(join(folder, "revocations"), second);
    await (await open()).keepIn(store);
    expect(store.all("SELECT sequence FROM revocation_lists")).toEqual([{ sequence: 2 }]);
    const changed = Buffer.from(second);
    changed[10]! ^= 1;
    store.run("UPDATE revocation_lists SET list = ?", changed);
    await expect((await open()).keepIn(store)).rejects.toMatchObject({ code: "REVOCATIONS_INVALID" });
  } finally {
    store.close();
  }
});
