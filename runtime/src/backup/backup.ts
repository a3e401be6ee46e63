import { createHash, type Hash } from "node:crypto";
import {
  type FileHandle,
  mkdtemp,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from "node:fs/promises";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { Readable } from "node:stream";
import { nameOf, pathOf } from "@consilium/core/said";
import { softwareVersion } from "@consilium/core/version";
import { parse } from "yaml";
import { fault } from "../fault.js";
import { fsyncFolder, readFileIfThere } from "../store/durableFile.js";
import { copyDatabase } from "../store/storeCopy.js";
import { type AddEntry, type ArchiveEntry, archived } from "./archive.js";
import { encrypted } from "./encryption.js";
import {
  type BackupFile,
  type BackupIntroduction,
  type BackupRole,
  introductionName,
  manifestName,
} from "./manifest.js";

export interface BackupOptions {
  readonly role: BackupRole;
  readonly state: string;
  /** The file to write, which must not exist; or where its bytes go instead, in order, each awaited. */
  readonly to: string | ((bytes: Uint8Array) => Promise<void>);
  /** Encrypts the backup; null leaves it readable by anyone with the file. */
  readonly passphrase: string | null;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** The cost of guessing a passphrase; tests use less than the default. */
  readonly workFactor?: number;
}

interface BackupMade {
  readonly introduction: BackupIntroduction;
  readonly files: number;
  /** Of the backup itself. */
  readonly bytes: number;
}

/** The required files of each role's folder: guards against a wrong folder. */
const needed: Readonly<Record<BackupRole, string>> = {
  authority: "root-key.pem",
  aggregator: "issuing",
  publisher: "identity",
  site: "state-key",
};

/**
 * Excluded: locks, sockets, addresses, temporary files of interrupted writes, and database files replaced by a copy.
 */
const leftOut =
  /(?:^|\/)(?:lock\.(?:db|pid).*|addresses\.json|.*\.sock|.*\.tmp|.*\.part|.*\.db-(?:wal|shm|journal))$/;
/** A site's anchor must not be newer than the ledger beside it, so it is read before the database. */
const readFirst = new Set(["ledger-anchor.json"]);
const attemptsMax = 3;
/** Copies lie in the folder itself: the one beside it may not be this user's, or on another disk, as in a container. */
const copiesPrefix = ".backup-";

/**
 * Writes a state folder into one file, while its process runs or not.
 *
 * Databases are copied by SQLite itself (`VACUUM INTO`), each as of one moment; other files are written once and renamed
 * into place, so each is whole. A file that goes while the others are read makes the backup begin again, so that no
 * database refers to what is missing.
 *
 * @throws ConsiliumError STATE_MISSING, or CONFIG_INVALID if `to` exists or lies in the folder
 */
export async function writeBackup(options: BackupOptions): Promise<BackupMade> {
  const state = resolve(options.state);
  if ((await stat(join(state, needed[options.role])).catch(() => null)) === null) {
    throw fault("STATE_MISSING", "state.not-of-role", { folder: pathOf(state), role: nameOf(options.role) });
  }
  const to = typeof options.to === "string" ? await freePath(state, options.to) : options.to;
  // Streamed bytes cannot be rewritten.
  const attempts = typeof to === "string" ? attemptsMax : 1;
  for (let attempt = 1; ; attempt++) {
    const copies = await mkdtemp(join(state, copiesPrefix));
    try {
      return await writeOnce({ ...options, state, to }, copies);
    } catch (thrown) {
      if (!isGone(thrown) || attempt === attempts) throw thrown;
    } finally {
      await rm(copies, { recursive: true, force: true });
    }
  }
}

async function freePath(state: string, written: string): Promise<string> {
  const to = resolve(written);
  if (!relative(state, to).startsWith("..")) {
    throw fault("CONFIG_INVALID", "backup.inside", { file: pathOf(to) });
  }
  if ((await stat(to).catch(() => null)) !== null) {
    throw fault("CONFIG_INVALID", "file.exists", { file: pathOf(to) }, "backup.other-name");
  }
  return to;
}

/** @param folder - for copies of what changes */
async function writeOnce(options: BackupOptions, folder: string): Promise<BackupMade> {
  const introduction = await introduce(options);
  const listed = await filesBelow(options.state);
  const copies = new Map<string, string>();
  for (const path of listed.filter((name) => readFirst.has(name))) {
    await copySmall(join(options.state, path), copyAt(folder, copies, path));
  }
  for (const path of listed.filter((name) => name.endsWith(".db"))) {
    copyDatabase(join(options.state, path), copyAt(folder, copies, path));
  }
  const all = [...new Set([...listed, ...(await filesBelow(options.state))])].sort();
  const files: BackupFile[] = [];
  const sourceOf = (path: string) => copies.get(path) ?? join(options.state, path);
  const archive = archived(async (add) => {
    await addJson(add, introductionName, introduction);
    for (const path of all) files.push(await addFile(add, path, sourceOf(path)));
    await addJson(add, manifestName, { files });
  });
  const { passphrase, workFactor } = options;
  const chunks = passphrase === null ? archive : encrypted(archive, passphrase, workFactor);
  const bytes =
    typeof options.to === "string"
      ? await writeFileWhole(options.to, chunks)
      : await passOn(options.to, chunks);
  return { introduction, files: files.length, bytes };
}

async function writeFileWhole(path: string, chunks: AsyncIterable<Uint8Array>): Promise<number> {
  const unfinished = `${path}.tmp`;
  try {
    const bytes = await writeAll(unfinished, chunks);
    await rename(unfinished, path);
    await fsyncFolder(dirname(path));
    return bytes;
  } catch (thrown) {
    await rm(unfinished, { force: true });
    throw thrown;
  }
}

async function passOn(
  take: (bytes: Uint8Array) => Promise<void>,
  chunks: AsyncIterable<Uint8Array>,
): Promise<number> {
  let bytes = 0;
  for await (const chunk of chunks) {
    await take(chunk);
    bytes += chunk.length;
  }
  return bytes;
}

async function introduce({ role, state, now }: BackupOptions): Promise<BackupIntroduction> {
  const config = (await readFileIfThere(join(state, "config.yaml")))?.toString("utf8") ?? "";
  const store: unknown = (parse(config) as Record<string, unknown> | null)?.store;
  return {
    format: "consilium-backup-2",
    role,
    name: basename(state),
    software: softwareVersion,
    createdAt: new Date(now).toISOString(),
    records: store === undefined ? "inside" : "postgresql",
  };
}

async function addFile(add: AddEntry, path: string, source: string): Promise<BackupFile> {
  const handle = await open(source, "r");
  try {
    const { size, mode } = await handle.stat();
    const entry = { name: path, bytes: size, mode: mode & 0o777 };
    const hash = createHash("sha256");
    await add(entry, contentOf(handle, entry, hash));
    return { path, bytes: size, sha256: hash.digest("hex"), mode: entry.mode };
  } finally {
    await handle.close();
  }
}

/** As many bytes as the file had when it was opened: it may have grown since. */
async function* contentOf(
  handle: FileHandle,
  { name, bytes }: ArchiveEntry,
  hash: Hash,
): AsyncGenerator<Buffer> {
  let left = bytes;
  if (bytes > 0) {
    for await (const chunk of handle.createReadStream({ autoClose: false, start: 0, end: bytes - 1 })) {
      hash.update(chunk as Buffer);
      left -= (chunk as Buffer).length;
      yield chunk as Buffer;
    }
  }
  if (left !== 0) throw fault("INTERNAL", "backup.source-truncated", { file: pathOf(name) });
}

async function addJson(add: AddEntry, name: string, content: unknown): Promise<void> {
  const bytes = Buffer.from(`${JSON.stringify(content)}\n`);
  await add({ name, bytes: bytes.length, mode: 0o600 }, Readable.from([bytes]));
}

async function writeAll(path: string, chunks: AsyncIterable<Uint8Array>): Promise<number> {
  const handle = await open(path, "w", 0o600).catch((cause: unknown) => {
    throw fault(
      "CONFIG_INVALID",
      "state.unwritable",
      { folder: pathOf(dirname(path)), user: null },
      { cause },
    );
  });
  let bytes = 0;
  try {
    for await (const chunk of chunks) {
      await handle.writeFile(chunk);
      bytes += chunk.length;
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
  return bytes;
}

function copyAt(folder: string, copies: Map<string, string>, path: string): string {
  const at = join(folder, `copy-${copies.size}`);
  copies.set(path, at);
  return at;
}

async function copySmall(from: string, to: string): Promise<void> {
  await writeFile(to, await readFile(from), { mode: 0o600 });
}

/** Paths below the folder, with `/` between, sorted. */
async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join("/"))
    .filter((path) => !leftOut.test(path) && !path.startsWith("staging/") && !path.startsWith(copiesPrefix))
    .sort();
}

function isGone(thrown: unknown): boolean {
  return thrown instanceof Error && "code" in thrown && thrown.code === "ENOENT";
}
