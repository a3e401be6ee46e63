import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { canonicalJson } from "@consilium/core/canonicalJson";
import { ConsiliumError } from "@consilium/core/errors";
import type { ArchiveReport } from "@consilium/core/hospital/ledgerViews";
import type { Sha256 } from "@consilium/core/ids";
import { unwrap } from "@consilium/core/result";
import { makePrivateFolder, readFileIfThere, writeFileDurable } from "@consilium/runtime/store/durableFile";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import { archivedOf } from "./archived.js";
import type { Archived, SignedEntry } from "./entry.js";
import { exportMaxBytes, readEntryLines } from "./exported.js";
import { entryLine } from "./exportText.js";

/**
 * Files of archived entries, one per compaction, in the state folder or where a person has moved them. Each is written
 * once and never changed: a checkpoint in the ledger has its SHA-256. The lines are those of an export, without the head,
 * so the archives and an export, one after the other, are the export of the whole ledger.
 */
export const archiveFolder = "ledger-archive";

export function archiveText(entries: readonly SignedEntry[]): {
  readonly text: string;
  readonly sha256: Sha256;
  readonly name: string;
} {
  const text = `${entries.map(entryLine).join("\n")}\n`;
  const hash = sha256(text);
  return {
    text,
    sha256: hash,
    name: archiveName({
      from: entries[0]!.entry.sequence,
      to: entries.at(-1)!.entry.sequence,
      sha256: hash,
    }),
  };
}

function archiveName({ from, to, sha256: hash }: Archived["files"][number]): string {
  return `${from}-${to}-${hash.slice(0, 16)}.jsonl`;
}

/** Durable when it returns. The name has the hash: a file of that name was left by a process that was killed. */
export async function writeArchive(stateFolder: string, name: string, text: string): Promise<void> {
  const folder = join(stateFolder, archiveFolder);
  await makePrivateFolder(folder);
  const before = await readFileIfThere(join(folder, name));
  if (before !== null && before.toString("utf8") !== text) throw changed(join(folder, name), sha256(before));
  await writeFileDurable(join(folder, name), text, { mode: 0o600 });
}

/** A ledger with what is there of its archives. */
interface Joined {
  /** One chain: archived entries, as far as no archive between is missing, and then those of the ledger. */
  readonly entries: readonly SignedEntry[];
  readonly archives: readonly ArchiveReport[];
}

/**
 * Puts archives before the entries of a ledger. What they say is not verified yet, but that each is as it was written.
 * @param places.stateFolder - null: only the given files
 * @param places.given - paths of archives that lie elsewhere
 * @throws ConsiliumError LEDGER_BROKEN where a file was changed or belongs to another ledger; STATE_MISSING
 */
export function joinArchives(
  entries: readonly SignedEntry[],
  places: { readonly stateFolder: string | null; readonly given: readonly string[] },
): Joined {
  const { stateFolder, given } = places;
  const files = archivedOf(entries)?.files ?? [];
  const texts = new Map<Sha256, Uint8Array>();
  for (const path of given) {
    const bytes = readArchive(path);
    if (bytes === null) throw new ConsiliumError("STATE_MISSING", `there is no archive ${path}`);
    const hash = sha256(bytes);
    if (files.every((file) => file.sha256 !== hash)) throw changed(path, hash);
    texts.set(hash, bytes);
  }
  for (const file of files) {
    if (stateFolder === null || texts.has(file.sha256)) continue;
    const path = join(stateFolder, archiveFolder, archiveName(file));
    const bytes = readArchive(path);
    if (bytes === null) continue;
    const hash = sha256(bytes);
    if (hash !== file.sha256) throw changed(path, hash);
    texts.set(hash, bytes);
  }
  let joined = entries;
  let isJoined = true;
  const archives: ArchiveReport[] = [];
  for (const file of [...files].reverse()) {
    const bytes = texts.get(file.sha256);
    isJoined &&= bytes !== undefined;
    if (bytes !== undefined && isJoined) joined = [...unwrap(readEntryLines(textOf(bytes))), ...joined];
    const state = bytes === undefined ? "missing" : isJoined ? "verified" : "unchanged";
    archives.unshift({ name: archiveName(file), ...file, state });
  }
  return { entries: joined, archives };
}

function readArchive(path: string): Uint8Array | null {
  try {
    if (statSync(path).size > exportMaxBytes)
      throw new ConsiliumError("MESSAGE_TOO_LARGE", `${path} is over ${exportMaxBytes} bytes`);
    return readFileSync(path);
  } catch (cause) {
    if (cause instanceof ConsiliumError) throw cause;
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "unknown";
    if (code === "ENOENT") return null;
    throw new ConsiliumError("STATE_MISSING", `${path} cannot be read (${code})`, { cause });
  }
}

/** An archive's text without its last line break. */
function textOf(bytes: Uint8Array): string[] {
  const lines = Buffer.from(bytes).toString("utf8").split("\n");
  lines.pop();
  return lines;
}

function changed(path: string, hash: Sha256): ConsiliumError {
  return new ConsiliumError(
    "LEDGER_BROKEN",
    `${path} is not an archive of this ledger, or was changed: no checkpoint names its SHA-256 ${hash}`,
    { remedy: "restore the file from a backup, or from the copy that was kept" },
  );
}

/** Where two descriptions of the same archived entries differ; null where they do not. */
export function archivedFault(written: Archived, computed: Archived): string | null {
  const differing = (Object.keys(computed) as (keyof Archived)[]).find(
    (key) => canonicalJson(written[key]) !== canonicalJson(computed[key]),
  );
  return differing === undefined ? null : `its ${differing} are not those of the archived entries`;
}
