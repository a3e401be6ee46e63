import { createHash } from "node:crypto";
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { identityFolder } from "@consilium/runtime/identity/files";
import { openStore } from "@consilium/runtime/store/store";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import { afterEach, beforeEach, expect, it } from "vitest";
import { spend, testLedger, testOwner } from "../../testing/ledger/ledger.js";
import { migrations } from "../store/schema.js";
import { entriesAtRest, fingerprintAtRest, ledgerAtRest, readAtRest } from "./storeAtRest.js";

let folder: string;
const owner = testOwner();
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "consilium-at-rest-"));
  await mkdir(identityFolder(folder), { recursive: true });
  await keepKey(owner);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const keepKey = ({ signingKey }: typeof owner) =>
  writeFile(
    join(identityFolder(folder), "signing-key.pem"),
    signingKey.export({ type: "pkcs8", format: "pem" }) as string,
  );

function makeStore(): void {
  const store = openStore(join(folder, "state.db"), migrations);
  spend(testLedger(owner, store).ledger, "a-0123456789", 1);
  // The driver lets go of the file only when its statements are collected: the log is emptied before, so that nothing follows.
  store.get("PRAGMA wal_checkpoint(TRUNCATE)");
  store.close();
}

const digest = async () =>
  createHash("sha256")
    .update(await readFile(join(folder, "state.db")))
    .digest("hex");

it("reads a store without changing it, and signs its head with the key beside it", async () => {
  makeStore();
  const before = await digest();
  const entries = readAtRest(folder, entriesAtRest);
  expect(entries.map(({ entry }) => entry.kind)).toEqual(["open", "reserve", "commit"]);
  const head = readAtRest(folder, (store) => ledgerAtRest(store, folder).signedHead());
  expect(JSON.parse(head.head)).toMatchObject({ sequence: 3, hash: entries[2]!.hash });
  expect(fingerprintAtRest(folder)).toBe(sha256(owner.signingPublicKey));
  expect(await digest()).toBe(before);
});

it("reads what a killed agent has left in the write-ahead log, and leaves it there", async () => {
  const running = join(folder, "running.db");
  const store = openStore(running, migrations);
  spend(testLedger(owner, store).ledger, "a-0123456789", 1);
  await copyFile(running, join(folder, "state.db"));
  await copyFile(`${running}-wal`, join(folder, "state.db-wal"));
  const files = async () =>
    (await readdir(folder))
      .filter((name) => name.startsWith("state.db"))
      .sort()
      .join(" ");
  const bytes = () => Promise.all(["state.db", "state.db-wal"].map((name) => readFile(join(folder, name))));
  const before = await bytes();
  expect(readAtRest(folder, entriesAtRest)).toHaveLength(3);
  expect(await files()).toBe("state.db state.db-wal");
  expect(await bytes()).toEqual(before);
  // The entries were in the log alone.
  await rm(join(folder, "state.db-wal"));
  expect(() => readAtRest(folder, entriesAtRest)).toThrow();
  store.close();
});

it("writes nothing into a ledger that another key has signed", async () => {
  makeStore();
  await keepKey(testOwner());
  const before = await digest();
  expect(() => readAtRest(folder, (store) => ledgerAtRest(store, folder))).toThrow("not signed with the key");
  expect(await digest()).toBe(before);
});

it("says what is missing", async () => {
  expect(() => readAtRest(folder, entriesAtRest)).toThrow("there is no");
  await writeFile(join(folder, "state.db"), "not a store");
  expect(() => readAtRest(folder, entriesAtRest)).toThrow(/state\.db (holds no|cannot)/);
  await rm(join(folder, "state.db"));
  openStore(join(folder, "state.db"), migrations.slice(0, 1)).close();
  expect(() => readAtRest(folder, entriesAtRest)).toThrow("holds no ledger that this software can read");
  await rm(join(identityFolder(folder), "signing-key.pem"));
  expect(() => fingerprintAtRest(folder)).toThrow("signing-key.pem");
});
