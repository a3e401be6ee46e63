import { createHash, type Hash } from "node:crypto";
import { createReadStream, existsSync } from "node:fs";
import { type FileHandle, open, readdir, readFile, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { ConsiliumError } from "@consilium/core/errors";
import { parseSha256, type Sha256 } from "@consilium/core/ids";
import { err, ok, type Result } from "@consilium/core/result";
import { nameOf } from "@consilium/core/said";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import type { Name } from "@consilium/words/said";
import { fault } from "../fault.js";
import { writeFailure, writingTo } from "./diskFull.js";
import { fsyncFolder, makePrivateFolder, renameDurable, writeFileDurable } from "./durableFile.js";

/** A complete blob. */
export interface BlobInfo {
  readonly sha256: Sha256;
  readonly bytes: number;
}

/** The blob if it already exists, otherwise the upload to append to, from its `received`. */
export type UploadBegin =
  | { readonly complete: BlobInfo }
  | { readonly complete: undefined; readonly upload: BlobUpload };

const namePattern = /^[a-z0-9](?:[a-z0-9._-]{0,118}[a-z0-9])?$/;
const partSuffix = ".part";

/**
 * Contents too big for the SQL store, one file each, in one folder. A blob's file is named `<name>~<sha256>`, so
 * that name, content and hash become durable by one rename; while it is received it is `<name>.part`.
 *
 * A blob never changes: what is there under a name can be read, or removed, not replaced.
 */
export class BlobStore {
  readonly #folder: string;
  readonly #blobs: Map<string, BlobInfo>;
  /** At most one per name. */
  readonly #uploads = new Map<string, BlobUpload>();
  /** The last of the calls under way for a name; the next one waits for it. */
  readonly #tails = new Map<string, Promise<unknown>>();

  private constructor(folder: string, blobs: Map<string, BlobInfo>) {
    this.#folder = folder;
    this.#blobs = blobs;
  }

  /** Opens the folder, creating it; removes what a crash left of unfinished writes, but not of uploads. */
  static async open(folder: string): Promise<BlobStore> {
    await makePrivateFolder(folder);
    const blobs = new Map<string, BlobInfo>();
    for (const file of await readdir(folder)) {
      if (file.endsWith(".tmp")) {
        await rm(join(folder, file), { force: true });
        continue;
      }
      const [name, hash] = file.split("~");
      const sha = parseSha256(hash);
      if (name !== undefined && sha.ok) {
        blobs.set(name, { sha256: sha.value, bytes: (await stat(join(folder, file))).size });
      }
    }
    return new BlobStore(folder, blobs);
  }

  get(name: string): BlobInfo | undefined {
    return this.#blobs.get(name);
  }

  /** Every blob's name, sorted. */
  names(): string[] {
    return [...this.#blobs.keys()].sort();
  }

  /**
   * Makes bytes durable under a name. The same bytes again are accepted and do nothing.
   * @returns what is there now, or UPLOAD_CHANGED if other bytes are there under that name
   */
  stage(name: string, bytes: Uint8Array): Promise<Result<BlobInfo, ConsiliumError>> {
    return this.#inOrder(name, async () => {
      const info = { sha256: sha256(bytes), bytes: bytes.length };
      const present = this.#present(name, info);
      if (present) return present;
      await writeFileDurable(this.#path(name, info.sha256), bytes, { mode: 0o600 });
      this.#blobs.set(name, info);
      return ok(info);
    });
  }

  /**
   * Starts an upload, or resumes one of an earlier connection or process: its bytes are hashed
   * again from the disk (about 1 GB/s). An upload of that name that is still open elsewhere ends: of two
   * connections of one sender the newer one counts.
   * @returns the upload; at once with `complete` set if the blob is there; UPLOAD_CHANGED if another one is
   */
  upload(name: string, declared: BlobInfo): Promise<Result<UploadBegin, ConsiliumError>> {
    return this.#inOrder(name, async () => {
      // The older connection may be committing: what it ends with counts.
      await this.#uploads.get(name)?.close();
      const present = this.#present(name, declared);
      if (present) return present.ok ? ok({ complete: present.value }) : present;
      const upload: BlobUpload = await BlobUpload.open({
        name,
        declared,
        partPath: join(this.#folder, checkedName(name) + partSuffix),
        finalPath: this.#path(name, declared.sha256),
        onCommit: () => this.#blobs.set(name, { sha256: declared.sha256, bytes: declared.bytes }),
        onEnd: () => this.#uploads.delete(name),
      });
      this.#uploads.set(name, upload);
      return ok({ complete: undefined, upload });
    });
  }

  /**
   * A whole blob, its hash checked.
   * @throws RangeError if there is none; ConsiliumError INTERNAL if the disk no longer holds what was written
   */
  async read(name: string): Promise<Uint8Array> {
    const info = this.#require(name);
    const bytes = await readFile(this.#path(name, info.sha256));
    if (sha256(bytes) !== info.sha256) {
      throw fault("INTERNAL", "blob.changed", { name: nameOf(name) }, "store.check-disk");
    }
    return bytes;
  }

  /**
   * A blob from an offset on, in chunks of at most `chunkBytes`; the hash is the receiver's to check.
   * @throws RangeError if there is none, or the offset lies behind its end
   */
  async *readFrom(name: string, offset: number, chunkBytes: number): AsyncGenerator<Uint8Array> {
    const info = this.#require(name);
    if (!Number.isSafeInteger(offset) || offset < 0 || offset > info.bytes) {
      throw new RangeError(`blob ${name} has no offset ${offset}`);
    }
    const path = this.#path(name, info.sha256);
    for await (const chunk of createReadStream(path, { start: offset, highWaterMark: chunkBytes })) {
      yield chunk as Buffer;
    }
  }

  /** The path of a blob's file, for anyone who reads it by other means. It must not be written to. */
  path(name: string): string {
    return this.#path(name, this.#require(name).sha256);
  }

  /** Removes a blob, and an unfinished upload of that name. Nothing happens if there is none. */
  remove(name: string): Promise<void> {
    return this.#inOrder(name, async () => {
      await this.#uploads.get(name)?.close();
      const info = this.#blobs.get(name);
      const part = join(this.#folder, checkedName(name) + partSuffix);
      if (info === undefined && !existsSync(part)) return;
      this.#blobs.delete(name);
      await rm(part, { force: true });
      if (info) await rm(this.#path(name, info.sha256), { force: true });
      await fsyncFolder(this.#folder);
    });
  }

  /** Ends every upload; their parts stay to be resumed. */
  async close(): Promise<void> {
    await Promise.all([...this.#uploads.values()].map((upload) => upload.close()));
  }

  #inOrder<T>(name: string, work: () => Promise<T>): Promise<T> {
    const result = (this.#tails.get(name) ?? Promise.resolve()).then(work);
    const tail = result
      .catch(() => undefined)
      .then(() => {
        if (this.#tails.get(name) === tail) this.#tails.delete(name);
      });
    this.#tails.set(name, tail);
    return result;
  }

  #present(name: string, declared: BlobInfo): Result<BlobInfo, ConsiliumError> | undefined {
    const present = this.#blobs.get(name);
    if (!present) return undefined;
    if (present.sha256 === declared.sha256 && present.bytes === declared.bytes) return ok(present);
    return err(fault("UPLOAD_CHANGED", "upload.exists", { name: nameOf(name) }));
  }

  #require(name: string): BlobInfo {
    const info = this.#blobs.get(name);
    if (!info) throw new RangeError(`unknown blob ${name}`);
    return info;
  }

  #path(name: string, hash: Sha256): string {
    return join(this.#folder, `${checkedName(name)}~${hash}`);
  }
}

function checkedName(name: string): string {
  if (!namePattern.test(name) || name.includes("..")) throw new RangeError("not a valid blob name");
  return name;
}

/** A blob that is being received in order, chunk by chunk. Its calls may overlap: they run one after the other. */
export class BlobUpload {
  readonly #name: Name;
  readonly #declared: BlobInfo;
  readonly #partPath: string;
  readonly #finalPath: string;
  readonly #onCommit: () => void;
  readonly #onEnd: () => void;
  #file: FileHandle | undefined;
  #hash: Hash;
  #received: number;
  #tail: Promise<unknown> = Promise.resolve();

  private constructor(options: UploadOptions, file: FileHandle, hash: Hash, received: number) {
    this.#name = nameOf(options.name);
    this.#declared = options.declared;
    this.#partPath = options.partPath;
    this.#finalPath = options.finalPath;
    this.#onCommit = options.onCommit;
    this.#onEnd = options.onEnd;
    this.#file = file;
    this.#hash = hash;
    this.#received = received;
  }

  /** Used by BlobStore only. */
  static async open(options: UploadOptions): Promise<BlobUpload> {
    const file = await writingTo(dirname(options.partPath), () => open(options.partPath, "a+", 0o600));
    let received = 0;
    const hash = createHash("sha256");
    if ((await file.stat()).size === 0) return new BlobUpload(options, file, hash, 0);
    for await (const chunk of createReadStream(options.partPath, { highWaterMark: 1 << 20 })) {
      hash.update(chunk as Buffer);
      received += (chunk as Buffer).length;
    }
    if (received <= options.declared.bytes) return new BlobUpload(options, file, hash, received);
    // A part longer than what is declared now belongs to something else.
    await file.truncate(0);
    return new BlobUpload(options, file, createHash("sha256"), 0);
  }

  /** Bytes received so far: the only offset that the next chunk may have. */
  get received(): number {
    return this.#received;
  }

  /**
   * Adds the chunk that begins at `offset`.
   * @returns how many bytes are received now; UPLOAD_ORDER if the chunk does not begin where the last one ended,
   *   or the upload has been taken over by a newer connection; UPLOAD_LENGTH if it goes beyond the declared length
   */
  append(offset: number, chunk: Uint8Array): Promise<Result<number, ConsiliumError>> {
    return this.#inOrder(async () => {
      if (!this.#file) return this.#ended();
      if (offset !== this.#received) {
        return err(
          fault("UPLOAD_ORDER", "upload.order", {
            name: this.#name,
            due: this.#received,
            got: offset,
          }),
        );
      }
      if (offset + chunk.length > this.#declared.bytes) {
        return err(
          fault("UPLOAD_LENGTH", "upload.too-long", {
            name: this.#name,
            bytes: this.#declared.bytes,
          }),
        );
      }
      await this.#write(this.#file, chunk);
      this.#hash.update(chunk);
      this.#received += chunk.length;
      return ok(this.#received);
    });
  }

  /**
   * Ends the upload: when this returns ok the blob is durable.
   * @returns the blob; UPLOAD_TRUNCATED if bytes are missing (the upload stays open); UPLOAD_HASH if they are not
   *   the declared ones (all are thrown away, and the sender starts again at 0)
   */
  commit(): Promise<Result<BlobInfo, ConsiliumError>> {
    return this.#inOrder(async () => {
      if (!this.#file) return this.#ended();
      const { bytes, sha256: declared } = this.#declared;
      if (this.#received < bytes) {
        return err(
          fault("UPLOAD_TRUNCATED", "upload.truncated", {
            name: this.#name,
            received: this.#received,
            bytes,
          }),
        );
      }
      if (this.#hash.copy().digest("hex") !== declared) {
        await this.#file.truncate(0);
        this.#hash = createHash("sha256");
        this.#received = 0;
        return err(fault("UPLOAD_HASH", "upload.hash", { name: this.#name, bytes }));
      }
      const file = this.#file;
      await writingTo(dirname(this.#partPath), async () => {
        await file.sync();
        await file.close();
        this.#file = undefined;
        await renameDurable(this.#partPath, this.#finalPath);
      });
      this.#onCommit();
      this.#onEnd();
      return ok({ sha256: declared, bytes });
    });
  }

  /** Ends this connection's part in the upload; what came stays to be resumed. */
  close(): Promise<void> {
    return this.#inOrder(async () => {
      if (!this.#file) return;
      await this.#file.close();
      this.#file = undefined;
      this.#onEnd();
    });
  }

  /** Appends all of a chunk or, when the disk refuses, none of it. @throws DISK_FULL that says what is left to come */
  async #write(file: FileHandle, chunk: Uint8Array): Promise<void> {
    try {
      await file.appendFile(chunk);
    } catch (cause) {
      await file.truncate(this.#received);
      throw writeFailure(cause, dirname(this.#partPath), this.#declared.bytes - this.#received);
    }
  }

  #ended(): Result<never, ConsiliumError> {
    return err(fault("UPLOAD_ORDER", "upload.taken-over", { name: this.#name }));
  }

  #inOrder<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#tail.then(work);
    this.#tail = result.catch(() => undefined);
    return result;
  }
}

interface UploadOptions {
  readonly name: string;
  readonly declared: BlobInfo;
  readonly partPath: string;
  readonly finalPath: string;
  readonly onCommit: () => void;
  /** Called once, when the upload is committed or closed. */
  readonly onEnd: () => void;
}
