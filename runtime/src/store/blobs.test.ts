import { createHash, randomBytes } from "node:crypto";
import { mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { unwrap } from "@consilium/core/result";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { BlobStore, type BlobUpload } from "./blobs.js";

const content = new Uint8Array(randomBytes(300_000));
const declared = { sha256: sha256(content), bytes: content.length };

let folder: string;
let store: BlobStore;
beforeEach(async () => {
  folder = join(await mkdtemp(join(tmpdir(), "consilium-blobs-")), "blobs");
  store = await BlobStore.open(folder);
});
afterEach(async () => {
  await store.close();
  await rm(join(folder, ".."), { recursive: true, force: true });
});

async function begin(name = "vector-1", as = declared): Promise<BlobUpload> {
  const begun = unwrap(await store.upload(name, as));
  if (begun.complete) throw new Error("the blob is there already");
  return begun.upload;
}

function codeOf(result: { ok: true } | { ok: false; error: { code: string } }) {
  return result.ok ? "ok" : result.error.code;
}

describe("staged bytes", () => {
  it("are durable, read back, found after a restart, and readable by the owner only", async () => {
    expect(unwrap(await store.stage("answer-1", content))).toEqual(declared);
    expect(Buffer.from(await store.read("answer-1")).equals(content)).toBe(true);
    const reopened = await BlobStore.open(folder);
    expect(reopened.get("answer-1")).toEqual(declared);
    expect(reopened.names()).toEqual(["answer-1"]);
    expect((await stat(store.path("answer-1"))).mode & 0o777).toBe(0o600);
  });

  it("are accepted again when they are the same, and never replaced", async () => {
    await store.stage("a", content);
    expect(codeOf(await store.stage("a", content))).toBe("ok");
    expect(codeOf(await store.stage("a", content.subarray(1)))).toBe("UPLOAD_CHANGED");
    expect(codeOf(await store.upload("a", { sha256: sha256("other"), bytes: 5 }))).toBe("UPLOAD_CHANGED");
    expect(store.get("a")).toEqual(declared);
  });

  it("are read from an offset, in chunks", async () => {
    await store.stage("a", content);
    const chunks: Uint8Array[] = [];
    for await (const chunk of store.readFrom("a", 100_001, 65_536)) chunks.push(chunk);
    expect(Math.max(...chunks.map((chunk) => chunk.length))).toBe(65_536);
    expect(Buffer.concat(chunks).equals(content.subarray(100_001))).toBe(true);
    const behind = store.readFrom("a", content.length + 1, 10).next();
    await expect(behind).rejects.toThrow(RangeError);
  });

  it("that have changed on the disk are not given out", async () => {
    await store.stage("a", content);
    const changed = Buffer.from(content);
    changed[5]! ^= 1;
    await writeFile(store.path("a"), changed);
    await expect(store.read("a")).rejects.toMatchObject({ code: "INTERNAL" });
  });

  it("can be removed, and then be others", async () => {
    await store.stage("a", content);
    await store.remove("a");
    await store.remove("a");
    expect(await readdir(folder)).toEqual([]);
    expect(codeOf(await store.stage("a", content.subarray(1)))).toBe("ok");
  });

  it("have names that cannot leave the folder", async () => {
    for (const name of ["", "../x", "a/b", "A", ".hidden", "a~b", "a..b", "a".repeat(121), "a\0"]) {
      await expect(store.stage(name, content)).rejects.toThrow(RangeError);
      await expect(store.upload(name, declared)).rejects.toThrow(RangeError);
    }
    expect(await readdir(folder)).toEqual([]);
  });

  it("of an unfinished write are gone after a restart", async () => {
    await writeFile(join(folder, `a~${declared.sha256}.0123456789ab.tmp`), "half");
    const reopened = await BlobStore.open(folder);
    expect(reopened.names()).toEqual([]);
    expect(await readdir(folder)).toEqual([]);
  });
});

describe("an upload", () => {
  it("is there only once it is committed", async () => {
    const upload = await begin();
    expect(unwrap(await upload.append(0, content.subarray(0, 100_000)))).toBe(100_000);
    expect(store.get("vector-1")).toBeUndefined();
    expect(unwrap(await upload.append(100_000, content.subarray(100_000)))).toBe(content.length);
    expect(unwrap(await upload.commit())).toEqual(declared);
    expect(Buffer.from(await store.read("vector-1")).equals(content)).toBe(true);
    expect(await readdir(folder)).toEqual([`vector-1~${declared.sha256}`]);
    expect(unwrap(await store.upload("vector-1", declared)).complete).toEqual(declared);
  });

  it("continues after a restart where it was, hash included", async () => {
    const first = await begin();
    await first.append(0, content.subarray(0, 123_456));
    await store.close();
    store = await BlobStore.open(folder);
    const second = await begin();
    expect(second.received).toBe(123_456);
    await second.append(123_456, content.subarray(123_456));
    expect(codeOf(await second.commit())).toBe("ok");
  });

  it("refuses a chunk that leaves a gap, repeats, or goes beyond the end", async () => {
    const upload = await begin();
    await upload.append(0, content.subarray(0, 10));
    expect(codeOf(await upload.append(11, content.subarray(11, 20)))).toBe("UPLOAD_ORDER");
    expect(codeOf(await upload.append(0, content.subarray(0, 10)))).toBe("UPLOAD_ORDER");
    expect(codeOf(await upload.append(10, new Uint8Array(content.length)))).toBe("UPLOAD_LENGTH");
    expect(upload.received).toBe(10);
  });

  it("is not committed while bytes are missing, and continues", async () => {
    const upload = await begin();
    await upload.append(0, content.subarray(0, 10));
    expect(codeOf(await upload.commit())).toBe("UPLOAD_TRUNCATED");
    await upload.append(10, content.subarray(10));
    expect(codeOf(await upload.commit())).toBe("ok");
  });

  it("with another hash than declared is thrown away and can start again", async () => {
    const upload = await begin();
    const wrong = Uint8Array.from(content);
    wrong[0]! ^= 1;
    await upload.append(0, wrong);
    expect(codeOf(await upload.commit())).toBe("UPLOAD_HASH");
    expect(upload.received).toBe(0);
    expect(store.get("vector-1")).toBeUndefined();
    await upload.append(0, content);
    expect(codeOf(await upload.commit())).toBe("ok");
  });

  it("is taken over by a newer connection, and the older one is told", async () => {
    const older = await begin();
    await older.append(0, content.subarray(0, 10));
    const newer = await begin();
    expect(newer.received).toBe(10);
    expect(codeOf(await older.append(10, content.subarray(10)))).toBe("UPLOAD_ORDER");
    expect(codeOf(await older.commit())).toBe("UPLOAD_ORDER");
    await newer.append(10, content.subarray(10));
    expect(codeOf(await newer.commit())).toBe("ok");
  });

  it("begun by many connections at once is received by one", async () => {
    const uploads = await Promise.all(Array.from({ length: 5 }, () => begin()));
    const results = await Promise.all(uploads.map((upload) => upload.append(0, content)));
    expect(results.map(codeOf).sort()).toEqual([...Array(4).fill("UPLOAD_ORDER"), "ok"].sort());
    const commits = await Promise.all(uploads.map((upload) => upload.commit()));
    expect(commits.filter((one) => one.ok).length).toBe(1);
    expect(Buffer.from(await store.read("vector-1")).equals(content)).toBe(true);
  });

  it("begins anew when what is there is longer than what is declared", async () => {
    const first = await begin();
    await first.append(0, content.subarray(0, 1000));
    const short = content.subarray(0, 500);
    const second = await begin("vector-1", { sha256: sha256(short), bytes: 500 });
    expect(second.received).toBe(0);
    await second.append(0, short);
    expect(codeOf(await second.commit())).toBe("ok");
  });

  it("may be empty", async () => {
    const upload = await begin("empty", { sha256: sha256(""), bytes: 0 });
    expect(codeOf(await upload.commit())).toBe("ok");
    expect((await store.read("empty")).length).toBe(0);
  });

  it("hashes as the reference does, whatever the chunks", async () => {
    const upload = await begin();
    for (let at = 0; at < content.length; at += 7_919) {
      await upload.append(at, content.subarray(at, at + 7_919));
    }
    const reference = createHash("sha256").update(content).digest("hex");
    expect(unwrap(await upload.commit()).sha256).toBe(reference);
  });
});
