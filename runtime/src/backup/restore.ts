import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { type FileHandle, mkdir, open, readdir, rename, rm, rmdir } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { ConsiliumError } from "@consilium/core/errors";
import { fsyncFolder, makePrivateFolder, writeFileDurable } from "../store/durableFile.js";
import { ByteReader, invalidBackup } from "./byteReader.js";
import {
  type BackupFile,
  type BackupIntroduction,
  introductionName,
  introductionSchema,
  manifestName,
  manifestSchema,
} from "./manifest.js";
import { sealMagic, unsealed } from "./seal.js";
import { nextTarEntry, type TarEntry, tarPadding } from "./tar.js";

/** The file by which a site agent knows that its folder came from a backup; see `restoredCopy.ts` there. */
export const restoredFile = "restored.json";

export interface RestoreOptions {
  readonly from: string;
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

/**
 * Makes a state folder from a backup, whole or not at all: what is read lies in a folder beside it until every checksum
 * has held.
 * @throws ConsiliumError BACKUP_INVALID; CONFIG_INVALID if the folder exists and is not empty
 */
export async function restoreBackup(options: RestoreOptions): Promise<Restored> {
  const reader = new ByteReader(await opened(options));
  const introduction = await readIntroduction(reader);
  const target = options.target(introduction);
  const state = target === null ? null : resolve(target);
  if (state === null) return { introduction, state, files: await readFiles(reader, null) };
  await refuseOccupied(state);
  await makePrivateFolder(dirname(state));
  const temporary = `${state}.restoring`;
  await mkdir(temporary, { mode: 0o700 }).catch((cause: unknown) => {
    throw new ConsiliumError("CONFIG_INVALID", `${temporary} is there, or cannot be made`, {
      remedy: "another restoration may be under way; if none is, remove that folder",
      cause,
    });
  });
  try {
    const files = await readFiles(reader, temporary);
    if (introduction.role === "site") {
      const note = { backupCreatedAt: introduction.createdAt };
      await writeFileDurable(join(temporary, restoredFile), `${JSON.stringify(note)}\n`, { mode: 0o600 });
    }
    await rmdir(state).catch((cause: unknown) => {
      if (!(cause instanceof Error && "code" in cause && cause.code === "ENOENT")) throw cause;
    });
    await rename(temporary, state);
    await fsyncFolder(dirname(state));
    return { introduction, state, files };
  } catch (cause) {
    await rm(temporary, { recursive: true, force: true });
    throw cause;
  }
}

async function opened({ from, passphrase }: RestoreOptions): Promise<AsyncIterable<Uint8Array>> {
  const head = Buffer.alloc(sealMagic.length);
  const handle = await open(from, "r").catch((cause: unknown) => {
    throw new ConsiliumError("CONFIG_INVALID", `${from} cannot be read`, { cause });
  });
  try {
    await handle.read(head, 0, head.length, 0);
  } finally {
    await handle.close();
  }
  if (!head.equals(sealMagic)) return createReadStream(from) as AsyncIterable<Uint8Array>;
  if (passphrase === null) {
    throw new ConsiliumError("BACKUP_INVALID", `${from} is encrypted`, {
      remedy: "give the file with its passphrase with --passphrase-file",
    });
  }
  const behind = createReadStream(from, { start: sealMagic.length }) as AsyncIterable<Uint8Array>;
  return unsealed(behind, passphrase);
}

async function readIntroduction(reader: ByteReader): Promise<BackupIntroduction> {
  const entry = await nextTarEntry(reader);
  if (entry?.name !== introductionName) throw invalidBackup("it is no backup of this software");
  const parsed = introductionSchema.safeParse(await readJson(reader, entry));
  if (!parsed.success) throw invalidBackup("it is of another version of this software");
  return parsed.data;
}

/** Writes the files below a folder, or nowhere. @returns how many, once the manifest has agreed with all of them */
async function readFiles(reader: ByteReader, folder: string | null): Promise<number> {
  const found: BackupFile[] = [];
  for (;;) {
    const entry = await nextTarEntry(reader);
    if (entry === null) throw invalidBackup("it ends too early");
    if (entry.name === manifestName) {
      const manifest = manifestSchema.safeParse(await readJson(reader, entry));
      const same = manifest.success && JSON.stringify(manifest.data.files) === JSON.stringify(found);
      if (!same) throw invalidBackup("a file is not what its checksum says");
      return found.length;
    }
    found.push(await readFile(reader, entry, folder));
  }
}

async function readFile(reader: ByteReader, entry: TarEntry, folder: string | null): Promise<BackupFile> {
  const hash = createHash("sha256");
  let handle: FileHandle | null = null;
  if (folder !== null) {
    const path = join(folder, entry.name);
    await makePrivateFolder(dirname(path));
    handle = await open(path, "wx", entry.mode);
  }
  try {
    for await (const part of reader.parts(entry.bytes)) {
      hash.update(part);
      await handle?.writeFile(part);
    }
    await handle?.chmod(entry.mode);
    await handle?.sync();
  } finally {
    await handle?.close();
  }
  await reader.read(tarPadding(entry.bytes).length);
  return { path: entry.name, bytes: entry.bytes, sha256: hash.digest("hex"), mode: entry.mode };
}

async function readJson(reader: ByteReader, entry: TarEntry): Promise<unknown> {
  if (entry.bytes > smallMaxBytes) throw invalidBackup("it is damaged");
  const text = Buffer.from(await reader.read(entry.bytes)).toString("utf8");
  await reader.read(tarPadding(entry.bytes).length);
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw invalidBackup("it is damaged");
  }
}

async function refuseOccupied(folder: string): Promise<void> {
  const entries = await readdir(folder).catch(() => []);
  if (entries.length === 0) return;
  throw new ConsiliumError("CONFIG_INVALID", `${folder} is not empty`, {
    remedy: "nothing is overwritten: move it away yourself, or give another folder with --state",
  });
}
