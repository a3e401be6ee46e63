import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ConsiliumError } from "@consilium/core/errors";
import fc from "fast-check";
import { afterEach, beforeEach, expect, it } from "vitest";
import { SealedStorage } from "./sealedStorage.js";

const random = { bytes: (count: number) => new Uint8Array(randomBytes(count)) };
const secret = Buffer.from("the seed of all masks");

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "consilium-sealed-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const open = () => SealedStorage.open(folder, random);

function codeFrom(read: () => unknown): string {
  try {
    read();
    return "opened";
  } catch (error) {
    return error instanceof ConsiliumError ? error.code : `foreign error ${String(error)}`;
  }
}

it("opens what it sealed, after a restart too, and only in its place", async () => {
  const sealed = (await open()).seal("setup x-1", secret);
  expect(Buffer.from(sealed).includes(secret)).toBe(false);
  const again = await open();
  expect(Buffer.from(again.open("setup x-1", sealed)).equals(secret)).toBe(true);
  expect(codeFrom(() => again.open("setup x-2", sealed))).toBe("INTERNAL");
  expect(codeFrom(() => again.open("exchange x-1", sealed))).toBe("INTERNAL");
});

it("never seals twice alike, and takes any bytes", async () => {
  const storage = await open();
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      const [one, other] = [storage.seal("p", bytes), storage.seal("p", bytes)];
      expect(Buffer.from(one).equals(Buffer.from(other))).toBe(false);
      expect([...storage.open("p", one)]).toEqual([...bytes]);
    }),
    { numRuns: 50 },
  );
});

it("does not open what was changed anywhere, cut or lengthened, and says nothing of it", async () => {
  const storage = await open();
  const sealed = storage.seal("p", secret);
  for (let i = 0; i < sealed.length; i++) {
    const changed = Uint8Array.from(sealed);
    changed[i]! ^= 1;
    expect(
      codeFrom(() => storage.open("p", changed)),
      `byte ${i}`,
    ).toBe("INTERNAL");
    expect(
      codeFrom(() => storage.open("p", sealed.subarray(0, i))),
      `cut to ${i}`,
    ).toBe("INTERNAL");
  }
  expect(codeFrom(() => storage.open("p", Buffer.concat([sealed, Buffer.alloc(1)])))).toBe("INTERNAL");
});

it("keeps its key from others, and one folder's key opens nothing of another", async () => {
  const sealed = (await open()).seal("p", secret);
  const path = join(folder, "state-key");
  expect((await stat(path)).mode & 0o077).toBe(0);
  expect((await readFile(path)).length).toBe(32);
  await rm(path);
  const other = await open();
  expect(codeFrom(() => other.open("p", sealed))).toBe("INTERNAL");
});

it("derives a secret for each purpose, the same as long as the folder keeps its key", async () => {
  const storage = await open();
  const derived = storage.derive("table hashes");
  expect(derived).toHaveLength(32);
  expect((await open()).derive("table hashes")).toEqual(derived);
  expect(storage.derive("other hashes")).not.toEqual(derived);
  await rm(join(folder, "state-key"));
  expect((await open()).derive("table hashes")).not.toEqual(derived);
});

it("does not replace a key that is damaged or cannot be read", async () => {
  const path = join(folder, "state-key");
  await writeFile(path, Buffer.alloc(31));
  await expect(open()).rejects.toMatchObject({ code: "STATE_MISSING" });
  await rm(path);
  // A folder in its place: there, but not to be read. A new key would lose every secret sealed under the old one.
  await mkdir(path);
  await expect(open()).rejects.toMatchObject({ code: "EISDIR" });
});
