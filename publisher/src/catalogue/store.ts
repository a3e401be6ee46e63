import { randomBytes } from "node:crypto";
import { mkdir, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { certificateFile, releaseFolders, signatureFile } from "@consilium/core/release/certificate";
import { releaseIdPattern } from "@consilium/core/release/content";
import type { SignedCertificate } from "@consilium/runtime/release/signCertificate";
import { fsyncFolder, makePrivateFolder, writeFileDurable } from "@consilium/runtime/store/durableFile";

/** Where a deposit is put together before anybody can see it. All of it goes away with `discard`. */
export interface StagedRelease {
  readonly id: string;
  /** Everything of this deposit. */
  readonly folder: string;
  /** The rows as they come in. */
  readonly dataPath: string;
  /** What becomes the release. */
  readonly releaseFolder: string;
  /** For whatever rendering needs beside. */
  readonly scratch: string;
}

/**
 * The release folders of a publisher: `releases/<id>`, each there whole or not at all, never changed, and `staging/`,
 * which is emptied at every start.
 */
export class ReleaseStore {
  readonly releases: string;
  private readonly staging: string;

  private constructor(state: string) {
    this.releases = join(state, "releases");
    this.staging = join(state, "staging");
  }

  /** Opens the store in a state folder, removing what deposits that never ended have left. */
  static async open(state: string): Promise<ReleaseStore> {
    const store = new ReleaseStore(state);
    await rm(store.staging, { recursive: true, force: true });
    await makePrivateFolder(store.staging);
    await makePrivateFolder(store.releases);
    await fsyncFolder(state);
    return store;
  }

  folderOf(id: string): string {
    if (!releaseIdPattern.test(id)) throw new RangeError("invalid release id");
    return join(this.releases, id);
  }

  async has(id: string): Promise<boolean> {
    return stat(this.folderOf(id)).then(
      () => true,
      () => false,
    );
  }

  async ids(): Promise<string[]> {
    const entries = await readdir(this.releases, { withFileTypes: true });
    return entries
      .filter((entry) => entry.isDirectory() && releaseIdPattern.test(entry.name))
      .map((entry) => entry.name);
  }

  async stage(id: string): Promise<StagedRelease> {
    const folder = join(this.staging, `${id}.${randomBytes(6).toString("hex")}`);
    const staged = {
      id,
      folder,
      dataPath: join(folder, "rows.bin"),
      releaseFolder: join(folder, "release"),
      scratch: join(folder, "scratch"),
    };
    await mkdir(staged.releaseFolder, { recursive: true });
    return staged;
  }

  async discard(staged: StagedRelease): Promise<void> {
    await rm(staged.folder, { recursive: true, force: true });
  }

  /** Adds certificate and signature to a staged release, durable when this returns. */
  async certify(staged: StagedRelease, signed: SignedCertificate): Promise<void> {
    await writeFileDurable(join(staged.releaseFolder, certificateFile), signed.bytes);
    await writeFileDurable(join(staged.releaseFolder, signatureFile), signed.jws);
  }

  /**
   * Makes a staged release, whose files are all durable, visible by one rename.
   * @returns false if a release of its id is there already: that one stays
   */
  async commit(staged: StagedRelease): Promise<boolean> {
    for (const name of releaseFolders) {
      const folder = join(staged.releaseFolder, name);
      if ((await stat(folder).catch(() => undefined)) !== undefined) await fsyncFolder(folder);
    }
    await fsyncFolder(staged.releaseFolder);
    try {
      await rename(staged.releaseFolder, this.folderOf(staged.id));
    } catch (cause) {
      const { code } = cause as NodeJS.ErrnoException;
      // rename(2) replaces an empty folder only, and a release is never empty.
      if (code === "ENOTEMPTY" || code === "EEXIST") return false;
      throw cause;
    }
    await fsyncFolder(this.releases);
    return true;
  }
}
