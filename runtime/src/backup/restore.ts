import { createHash } from "node:crypto";
import type { ReadStream } from "node:fs";
import { type FileHandle, mkdir, open, readdir, rename, rm, rmdir } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { pathOf } from "@consilium/core/said";
import { fault } from "../fault.js";
import { restoredFile } from "../stateFiles.js";
import { fsyncFolder, makePrivateFolder, writeFileDurable } from "../store/durableFile.js";
import { type ArchiveEntry, entriesOf } from "./archive.js";
import { ageMagic, decrypted } from "./encryption.js";
import { firstBytes } from "./firstBytes.js";
import { invalidBackup } from "./invalid.js";
import {
  type BackupFile,
  type BackupIntroduction,
  introductionName,
  introductionSchema,
  manifestName,
  manifestSchema,
} from "./manifest.js";
import { sealedMagic, unsealed } from "./sealed1.js";

export interface RestoreOptions {
  /** The backup's file, or its bytes. */
  readonly from: string | AsyncIterable<Uint8Array>;
  readonly passphrase: string | null;
  /**
   * The folder to make; null only checks the backup. It is asked for once the backup has said what it is.
   * @throws whatever refuses the backup
   */
  readonly target: (introduction: BackupIntroduction) => string | null;
}

export interface Restored {
  readonly introduction: BackupIntroduction;
  /** Null when it was only checked. */
  readonly state: string | null;
  readonly files: number;
}

const smallMaxBytes = 64 * 1024 * 1024;
/** No process starts in a folder without this file. */
const lastFile = "config.yaml";

/**
 * Makes a state folder from a backup, whole or not at all: what is read lies in another folder until every checksum has
 * held. That one is beside it, or, where the folder is there already and empty, in it: so it may be the root of a volume.
 * @throws ConsiliumError BACKUP_INVALID; CONFIG_INVALID if the folder exists and is not empty
 */
export async function restoreBackup(options: RestoreOptions): Promise<Restored> {
  const file = typeof options.from === "string" ? await fileBytes(options.from) : null;
  let entries: Entries | null = null;
  try {
    entries = entriesOf(await opened(file ?? (options.from as AsyncIterable<Uint8Array>), options));
    return await restore(entries, options);
  } finally {
    await entries?.return(undefined);
    file?.destroy();
  }
}

async function restore(entries: Entries, options: RestoreOptions): Promise<Restored> {
  const introduction = await readIntroduction(entries);
  const target = options.target(introduction);
  const state = target === null ? null : resolve(target);
  if (state === null) return { introduction, state, files: await readFiles(entries, null) };
  const isThere = await isEmptyFolder(state);
  if (!isThere) await makePrivateFolder(dirname(state));
  const temporary = isThere ? join(state, ".restoring") : `${state}.restoring`;
  await mkdir(temporary, { mode: 0o700 }).catch((cause: unknown) => {
    throw fault(
      "CONFIG_INVALID",
      "backup.restoring",
      { folder: pathOf(temporary) },
      { remedy: "backup.remove-restoring", cause },
    );
  });
  try {
    const files = await readFiles(entries, temporary);
    if (introduction.role === "site") {
      const note = { backupCreatedAt: introduction.createdAt };
      await writeFileDurable(join(temporary, restoredFile), `${JSON.stringify(note)}\n`, { mode: 0o600 });
    }
    if (isThere) await moveUp(temporary, state);
    else await rename(temporary, state);
    await fsyncFolder(isThere ? state : dirname(state));
    return { introduction, state, files };
  } catch (cause) {
    await rm(temporary, { recursive: true, force: true });
    throw cause;
  }
}

/** Moves everything into a folder, `lastFile` last. */
async function moveUp(from: string, to: string): Promise<void> {
  const names = await readdir(from);
  for (const name of [
    ...names.filter((one) => one !== lastFile),
    ...names.filter((one) => one === lastFile),
  ]) {
    await rename(join(from, name), join(to, name));
  }
  await rmdir(from);
}

async function opened(
  bytes: AsyncIterable<Uint8Array>,
  { from, passphrase }: RestoreOptions,
): Promise<AsyncIterable<Uint8Array>> {
  const { first, whole } = await firstBytes(bytes, Math.max(ageMagic.length, sealedMagic.length));
  const begins = (magic: Buffer) => magic.equals(first.subarray(0, magic.length));
  const decrypt = begins(ageMagic) ? decrypted : begins(sealedMagic) ? unsealed : null;
  if (decrypt === null) return whole;
  if (passphrase !== null) return decrypt(whole, passphrase);
  throw fault(
    "BACKUP_INVALID",
    "backup.encrypted",
    { file: typeof from === "string" ? pathOf(from) : null },
    "backup.give-passphrase",
  );
}

async function fileBytes(path: string): Promise<ReadStream> {
  const handle = await open(path, "r").catch((cause: unknown) => {
    throw fault(
      "CONFIG_INVALID",
      "file.unreadable",
      { file: pathOf(path), key: null, code: null },
      { cause },
    );
  });
  return handle.createReadStream();
}

type Entries = ReturnType<typeof entriesOf>;
type Content = AsyncIterable<Uint8Array>;

async function readIntroduction(entries: Entries): Promise<BackupIntroduction> {
  const first = await entries.next();
  if (first.done === true || first.value.name !== introductionName) {
    throw invalidBackup("backup.why.foreign");
  }
  const parsed = introductionSchema.safeParse(await readJson(first.value, first.value.content));
  if (!parsed.success) throw invalidBackup("backup.why.other-version");
  return parsed.data;
}

/** Writes the files below a folder, or nowhere. @returns how many, once the manifest has agreed with all of them */
async function readFiles(entries: Entries, folder: string | null): Promise<number> {
  const found: BackupFile[] = [];
  for await (const entry of entries) {
    if (entry.name === manifestName) {
      const manifest = manifestSchema.safeParse(await readJson(entry, entry.content));
      const same = manifest.success && JSON.stringify(manifest.data.files) === JSON.stringify(found);
      if (!same) throw invalidBackup("backup.why.checksum");
      return found.length;
    }
    found.push(await readFile(entry, entry.content, folder));
  }
  throw invalidBackup("backup.why.early-end");
}

async function readFile(entry: ArchiveEntry, content: Content, folder: string | null): Promise<BackupFile> {
  const hash = createHash("sha256");
  let handle: FileHandle | null = null;
  if (folder !== null) {
    const path = join(folder, entry.name);
    await makePrivateFolder(dirname(path));
    handle = await open(path, "wx", entry.mode);
  }
  try {
    for await (const part of content) {
      hash.update(part);
      await handle?.writeFile(part);
    }
    await handle?.chmod(entry.mode);
    await handle?.sync();
  } finally {
    await handle?.close();
  }
  return { path: entry.name, bytes: entry.bytes, sha256: hash.digest("hex"), mode: entry.mode };
}

async function readJson(entry: ArchiveEntry, content: Content): Promise<unknown> {
  if (entry.bytes > smallMaxBytes) throw invalidBackup("backup.why.damaged");
  const parts: Uint8Array[] = [];
  for await (const part of content) parts.push(part);
  try {
    return JSON.parse(Buffer.concat(parts).toString("utf8")) as unknown;
  } catch {
    throw invalidBackup("backup.why.damaged");
  }
}

/** False where there is no such folder. @throws ConsiliumError CONFIG_INVALID where there is something */
async function isEmptyFolder(folder: string): Promise<boolean> {
  const entries = await readdir(folder).catch(() => null);
  if (entries === null || entries.length === 0) return entries !== null;
  throw fault("CONFIG_INVALID", "state.not-empty", { folder: pathOf(folder) }, "state.other-folder");
}
