import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { pack } from "tar-stream";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openLibsql } from "../store/driver.js";
import { openStore, type Store } from "../store/store.js";
import { archived, entriesOf } from "./archive.js";
import { writeBackup } from "./backup.js";
import { ageMagic, decrypted, encrypted } from "./encryption.js";
import { restoreBackup } from "./restore.js";

const now = Date.UTC(2026, 0, 2);
const passphrase = "correct horse battery";
/** Nobody guesses the passphrases of these tests. */
const workFactor = 4;
const vectors = fileURLToPath(new URL("../../testing/backup/testVectors/v1/", import.meta.url));
const coded = (code: string) => expect.objectContaining({ code });
const longName = `studies/pca-${"a".repeat(40)}/${"answer".repeat(15)}~${"0".repeat(64)}`;

let home: string;
let state: string;
let store: Store;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "consilium-backup-"));
  state = join(home, "site");
  for (const folder of ["identity", longName.replace(/\/[^/]*$/, ""), "empty"]) {
    mkdirSync(join(state, folder), { recursive: true, mode: 0o700 });
  }
  const write = (path: string, content: string | Uint8Array, mode = 0o600) => {
    writeFileSync(join(state, path), content);
    chmodSync(join(state, path), mode);
  };
  write("state-key", "a secret key");
  write("config.yaml", "aggregator: localhost:7443\n", 0o644);
  write("identity/signing-key.pem", "another");
  write(longName, Buffer.alloc(200_000, 7));
  write("empty-file", "");
  for (const left of ["lock.db", "lock.pid", "addresses.json", "x.tmp", "y.part"]) write(left, "left out");
  store = openStore(join(state, "state.db"), ["CREATE TABLE notes (text TEXT) STRICT"]);
  store.run("INSERT INTO notes VALUES ('first')");
});
afterEach(() => {
  store.close();
  rmSync(home, { recursive: true, force: true });
});

const backup = (secret: string | null = null, to = join(home, "backup")) =>
  writeBackup({ role: "site", state, to, passphrase: secret, now, workFactor });
const restore = (
  from = join(home, "backup"),
  secret: string | null = null,
  to: string | null = join(home, "again"),
) => restoreBackup({ from, passphrase: secret, target: () => to });

describe("a backup", () => {
  it.each([null, passphrase])(
    "comes back as it was, with its permissions (passphrase: %s)",
    async (secret) => {
      const made = await backup(secret);
      expect(made.introduction).toMatchObject({ role: "site", name: "site", records: "inside" });
      expect(statSync(join(home, "backup")).mode & 0o777).toBe(0o600);
      expect(statSync(join(home, "backup")).size).toBe(made.bytes);
      expect((await restore(undefined, secret)).files).toBe(made.files);
      const again = join(home, "again");
      expect(statSync(again).mode & 0o777).toBe(0o700);
      for (const path of ["state-key", "config.yaml", "identity/signing-key.pem", longName, "empty-file"]) {
        expect(readFileSync(join(again, path))).toEqual(readFileSync(join(state, path)));
        expect(statSync(join(again, path)).mode, path).toBe(statSync(join(state, path)).mode);
      }
      expect(readdirSync(again).sort()).toEqual(
        ["config.yaml", "empty-file", "identity", "restored.json", "state-key", "state.db", "studies"].sort(),
      );
      const opened = openStore(join(again, "state.db"), ["CREATE TABLE notes (text TEXT) STRICT"]);
      expect(opened.all("SELECT text FROM notes")).toEqual([{ text: "first" }]);
      opened.close();
      expect(readdirSync(home).sort()).toEqual(["again", "backup", "site"]);
    },
  );

  it("is of one moment of the database, while it is written to", async () => {
    const writer = openLibsql(join(state, "state.db"));
    writer.exec("BEGIN IMMEDIATE");
    writer.prepare("INSERT INTO notes VALUES (?)").run(["under way"]);
    await backup();
    writer.exec("COMMIT");
    writer.close();
    await restore();
    const copy = openLibsql(join(home, "again", "state.db"));
    expect(copy.prepare("SELECT text FROM notes").all([])).toEqual([{ text: "first" }]);
    expect(copy.format()).toBe(1);
    copy.close();
  });

  it("is a tar archive that any tar reads", async () => {
    await backup();
    const listed = execFileSync("tar", ["-tf", join(home, "backup")], { encoding: "utf8" })
      .trim()
      .split("\n");
    expect(listed[0]).toBe("consilium-backup.json");
    expect(listed.at(-1)).toBe("consilium-manifest.json");
    expect(listed).toContain(longName);
    const key = execFileSync("tar", ["-xOf", join(home, "backup"), "state-key"], { encoding: "utf8" });
    expect(key).toBe("a secret key");
  });

  it("that is encrypted shows nothing and opens with its passphrase alone", async () => {
    await backup(passphrase);
    const bytes = readFileSync(join(home, "backup"));
    expect(bytes.includes("a secret key")).toBe(false);
    expect(bytes.includes("state-key")).toBe(false);
    await expect(restore(undefined, null)).rejects.toMatchObject({ code: "BACKUP_INVALID" });
    await expect(restore(undefined, "another passphrase")).rejects.toMatchObject({ code: "BACKUP_INVALID" });
    expect(existsSync(join(home, "again"))).toBe(false);
  });

  it.each([null, passphrase])("is refused with any bit changed, or cut (passphrase: %s)", async (secret) => {
    await backup(secret);
    const bytes = readFileSync(join(home, "backup"));
    const damaged = join(home, "damaged");
    // Bytes that no checksum covers are the tar's own unused ones, which nothing reads: those of content and names are.
    const places =
      secret === null
        ? [5, 130, 600, bytes.indexOf("a secret key"), bytes.indexOf("\u0007\u0007") + 99_000]
        : [40, 70_000, bytes.length - 1];
    for (const place of places) {
      const changed = Buffer.from(bytes);
      changed[place]! ^= 1;
      writeFileSync(damaged, changed);
      await expect(restore(damaged, secret), String(place)).rejects.toMatchObject({
        code: "BACKUP_INVALID",
      });
    }
    const lengths = [0, 10, 512, 1_000, bytes.length >> 1, bytes.length - 2_000];
    for (const length of secret === null ? lengths : lengths.slice(-1)) {
      writeFileSync(damaged, bytes.subarray(0, length));
      await expect(restore(damaged, secret), String(length)).rejects.toMatchObject({
        code: "BACKUP_INVALID",
      });
    }
    expect(existsSync(join(home, "again"))).toBe(false);
    expect(existsSync(join(home, "again.restoring"))).toBe(false);
  });

  it("is checked without writing anything", async () => {
    await backup();
    expect(await restore(undefined, null, null)).toMatchObject({ state: null });
    expect(readdirSync(home).sort()).toEqual(["backup", "site"]);
  });

  it("overwrites nothing, and neither does its restoration", async () => {
    await backup();
    await expect(backup()).rejects.toEqual(coded("CONFIG_INVALID"));
    await expect(restore(undefined, null, state)).rejects.toEqual(coded("CONFIG_INVALID"));
    mkdirSync(join(home, "again"));
    await restore();
    await expect(restore()).rejects.toEqual(coded("CONFIG_INVALID"));
  });

  it.each([null, passphrase])("goes and comes as a stream of bytes (passphrase: %s)", async (secret) => {
    const parts: Uint8Array[] = [];
    const beside: string[][] = [];
    const made = await writeBackup({
      role: "site",
      state,
      to: async (bytes) => {
        parts.push(Buffer.from(bytes));
        beside.push(readdirSync(home));
      },
      passphrase: secret,
      now,
      workFactor,
    });
    // Nothing lies beside the folder meanwhile, where its owner may have no right to write, and no copy stays in it.
    expect(new Set(beside.flat())).toEqual(new Set(["site"]));
    expect(readdirSync(state).filter((name) => name.startsWith(".backup-"))).toEqual([]);
    expect(Buffer.concat(parts).length).toBe(made.bytes);
    const slivers = [...Buffer.concat(parts).subarray(0, 40)].map((byte) => Buffer.of(byte));
    const from = Readable.from([...slivers, Buffer.concat(parts).subarray(40)]);
    const again = join(home, "again");
    const restored = await restoreBackup({ from, passphrase: secret, target: () => again });
    expect(restored.files).toBe(made.files);
    expect(readFileSync(join(again, "state-key"), "utf8")).toBe("a secret key");
  });

  it("comes back into an empty folder that is there, without replacing it", async () => {
    await backup();
    const volume = join(home, "volume");
    mkdirSync(volume, { mode: 0o700 });
    const { ino } = statSync(volume);
    await restore(undefined, null, volume);
    expect(statSync(volume).ino).toBe(ino);
    expect(readdirSync(volume).sort()).toEqual(
      ["config.yaml", "empty-file", "identity", "restored.json", "state-key", "state.db", "studies"].sort(),
    );
    const damaged = readFileSync(join(home, "backup"));
    damaged[damaged.indexOf("a secret key")]! ^= 1;
    writeFileSync(join(home, "damaged"), damaged);
    mkdirSync(join(home, "other"));
    await expect(restore(join(home, "damaged"), null, join(home, "other"))).rejects.toEqual(
      coded("BACKUP_INVALID"),
    );
    expect(readdirSync(join(home, "other"))).toEqual([]);
  });

  it("is refused of an invalid folder, and into the folder itself", async () => {
    await expect(
      writeBackup({ role: "aggregator", state, to: join(home, "b"), passphrase: null, now }),
    ).rejects.toEqual(coded("STATE_MISSING"));
    await expect(backup(null, join(state, "backup"))).rejects.toEqual(coded("CONFIG_INVALID"));
    await expect(backup(null, join(home, "nowhere", "backup"))).rejects.toEqual(coded("CONFIG_INVALID"));
  });

  it("says where the records are", async () => {
    writeFileSync(join(state, "config.yaml"), "store: postgres://a@db/b\n");
    expect((await backup()).introduction.records).toBe("postgresql");
  });
});

describe("an archive from elsewhere", () => {
  const namesIn = async (bytes: Iterable<Uint8Array>) => {
    const names: string[] = [];
    for await (const { name, content } of entriesOf(Readable.from(bytes))) {
      await whole(content);
      names.push(name);
    }
    return names;
  };

  it.each(["../outside", "/etc/passwd", "a/../../b", "a//b", "."])("may not name %s", async (name) => {
    const archiveOf = (path: string) =>
      whole(archived((add) => add({ name: path, bytes: 1, mode: 0o600 }, one(Buffer.of(1)))));
    await expect(namesIn([await archiveOf(name)])).rejects.toMatchObject({ code: "BACKUP_INVALID" });
    expect(await namesIn([await archiveOf("a/b")])).toEqual(["a/b"]);
  });

  it.each(["symlink", "link", "directory", "fifo"] as const)("may not hold a %s", async (type) => {
    const archive = pack();
    archive.entry({ name: "a", type, linkname: "/etc/passwd" });
    archive.finalize();
    const bytes = await whole(archive as AsyncIterable<Uint8Array>);
    await expect(namesIn([bytes])).rejects.toMatchObject({ code: "BACKUP_INVALID" });
  });

  it("of random bytes is refused", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 2_000 }), async (bytes) => {
        const path = join(home, "random");
        writeFileSync(path, bytes);
        await expect(restore(path, null, null)).rejects.toMatchObject({ code: "BACKUP_INVALID" });
      }),
      { numRuns: 50 },
    );
  });
});

describe("a backup of version 0.1.0", () => {
  // testVectors/v1 was written by that version: the same folder, plain and with the passphrase.
  it.each(["site.tar", "site.sealed"])("still opens: %s", async (name) => {
    const again = join(home, "again");
    const restored = await restore(join(vectors, name), passphrase, again);
    expect(restored.introduction).toMatchObject({ format: "consilium-backup-1", name: "st-mary" });
    expect(restored.files).toBe(5);
    expect(readFileSync(join(again, longName), "utf8")).toBe("an answer\n".repeat(20));
    expect(readFileSync(join(again, "state-key"), "utf8")).toBe("not a key: a test's own text");
    expect(statSync(join(again, "config.yaml")).mode & 0o777).toBe(0o644);
    expect(statSync(join(again, "empty-file")).size).toBe(0);
  });

  it("is refused with another passphrase, with any bit changed, or cut", async () => {
    const from = join(vectors, "site.sealed");
    await expect(restore(from, null)).rejects.toEqual(coded("BACKUP_INVALID"));
    await expect(restore(from, "another passphrase")).rejects.toEqual(coded("BACKUP_INVALID"));
    const bytes = readFileSync(from);
    const damaged = join(home, "damaged");
    for (const place of [25, 4_000, bytes.length - 1]) {
      const changed = Buffer.from(bytes);
      changed[place]! ^= 1;
      writeFileSync(damaged, changed);
      await expect(restore(damaged, passphrase)).rejects.toEqual(coded("BACKUP_INVALID"));
    }
    for (const length of [20, 40, 4_000]) {
      writeFileSync(damaged, bytes.subarray(0, length));
      await expect(restore(damaged, passphrase)).rejects.toEqual(coded("BACKUP_INVALID"));
    }
    expect(existsSync(join(home, "again"))).toBe(false);
  });
});

async function* one(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

async function whole(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of chunks) parts.push(part);
  return Buffer.concat(parts);
}

it("an encrypted stream of any length is opened again", async () => {
  for (const length of [0, 1, 65_535, 65_536, 65_537, 131_072, 200_000]) {
    const bytes = createHash("shake256", { outputLength: Math.max(1, length) })
      .update("x")
      .digest()
      .subarray(0, length);
    const shut = await whole(encrypted(one(bytes), passphrase, workFactor));
    expect(shut.subarray(0, ageMagic.length)).toEqual(ageMagic);
    expect(await whole(decrypted(one(shut), passphrase))).toEqual(Buffer.from(bytes));
  }
});

it("a passphrase costs what age's own default does", async () => {
  const shut = await whole(encrypted(one(Buffer.of(1)), passphrase));
  expect(shut.toString("latin1").split("\n")[1]).toMatch(/^-> scrypt \S+ 18$/);
});
