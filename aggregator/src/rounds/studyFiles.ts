import { createReadStream } from "node:fs";
import { rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Sha256, SiteId, StageId, StudyId } from "@consilium/core/ids";
import { unwrap } from "@consilium/core/result";
import { type BlobInfo, BlobStore, type UploadBegin } from "@consilium/runtime/store/blobs";
import { fsyncFolder } from "@consilium/runtime/store/durableFile";
import { sha256 } from "@consilium/secure-sum/crypto/hash";

/** The large parts of one study on disk: broadcasts, what sites uploaded, and what it came to. */
export class StudyFiles {
  readonly #folder: string;
  #blobs: BlobStore | null = null;
  #removing: Promise<void> = Promise.resolve();

  constructor(stateFolder: string, study: StudyId) {
    this.#folder = join(stateFolder, "studies", study);
  }

  async open(): Promise<void> {
    this.#blobs = await BlobStore.open(this.#folder);
    // The folder itself must outlive a power cut before anything in it is relied on.
    const studies = dirname(this.#folder);
    await fsyncFolder(studies);
    await fsyncFolder(dirname(studies));
  }

  get isOpen(): boolean {
    return this.#blobs !== null;
  }

  get #store(): BlobStore {
    if (this.#blobs === null) throw new RangeError("the study's files are not open");
    return this.#blobs;
  }

  /** Stores bytes under their hash before anything uses them. */
  async writeBroadcast(bytes: Uint8Array): Promise<Sha256> {
    return unwrap(await this.#store.stage(`broadcast-${sha256(bytes)}`, bytes)).sha256;
  }

  readBroadcast(hash: Sha256, offset: number, chunkBytes: number): AsyncIterable<Uint8Array> {
    return this.#store.readFrom(`broadcast-${hash}`, offset, chunkBytes);
  }

  async writeResult(step: StageId, bytes: Uint8Array): Promise<Sha256> {
    return unwrap(await this.#store.stage(`result-${step}`, bytes)).sha256;
  }

  readResult(step: StageId): Promise<Uint8Array> {
    return this.#store.read(`result-${step}`);
  }

  /** Where the shuffled rows of a step are written. */
  rowsPath(step: StageId): string {
    return join(this.#folder, `rows-${step}`);
  }

  /** Where rows that the aggregator makes itself are written. */
  madeRowsPath(name: string): string {
    if (!/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name)) throw new RangeError("not a valid name for rows");
    return join(this.#folder, `made-${name}`);
  }

  async beginUpload(step: StageId, attempt: number, site: SiteId, declared: BlobInfo): Promise<UploadBegin> {
    return unwrap(await this.#store.upload(uploadName(step, attempt, site), declared));
  }

  uploadPath(step: StageId, attempt: number, site: SiteId): string {
    return this.#store.path(uploadName(step, attempt, site));
  }

  /**
   * Removes uploads that are of no more use, without anybody waiting for it: what a crash leaves goes with the study's
   * other files.
   */
  removeUploads(step: StageId, attempt: number, sites: readonly SiteId[]): void {
    const store = this.#store;
    this.#removing = this.#removing.then(async () => {
      for (const site of sites) await store.remove(uploadName(step, attempt, site)).catch(() => undefined);
    });
  }

  /** Ends uploads that are under way; their parts stay. */
  async close(): Promise<void> {
    await this.#removing;
    await this.#blobs?.close();
  }

  async removeAll(): Promise<void> {
    await this.close();
    // A file may be begun while the others go: then the folder is not empty, and it is tried again.
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 });
  }
}

function uploadName(step: StageId, attempt: number, site: SiteId): string {
  return `upload-${step}-${attempt}-${site}`;
}

/**
 * A file in pieces that each hold whole records.
 * @param recordBytes - of one record
 * @throws RangeError if the file ends within a record
 */
export async function* wholeRecords(path: string, recordBytes: number): AsyncGenerator<Buffer> {
  let carried: Uint8Array = new Uint8Array();
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>) {
    const bytes = carried.length === 0 ? chunk : Buffer.concat([carried, chunk]);
    const whole = bytes.length - (bytes.length % recordBytes);
    if (whole > 0) yield bytes.subarray(0, whole);
    carried = bytes.subarray(whole);
  }
  if (carried.length > 0) throw new RangeError("the file ends within a record");
}
