import { pipeline, Readable, type Writable } from "node:stream";
import { extract, type Pack, pack } from "tar-stream";
import { backupFault, invalidBackup } from "./invalid.js";

const damaged = "backup.why.damaged-or-truncated";

/** A file of an archive. */
export interface ArchiveEntry {
  /** Relative, with `/` between folders. */
  readonly name: string;
  readonly bytes: number;
  /** Permissions, such as 0o600. */
  readonly mode: number;
}

/** Adds one file; its content must have exactly `bytes` bytes. */
export type AddEntry = (entry: ArchiveEntry, content: AsyncIterable<Uint8Array>) => Promise<void>;

/** A tar archive of what `fill` adds. What `fill` throws, the archive's reader gets. */
export async function* archived(fill: (add: AddEntry) => Promise<void>): AsyncGenerator<Uint8Array> {
  const archive = pack();
  const filled = fill((entry, content) => addEntry(archive, entry, content)).then(
    () => archive.finalize(),
    (thrown: Error) => archive.destroy(thrown),
  );
  yield* archive as AsyncIterable<Uint8Array>;
  await filled;
}

function addEntry(archive: Pack, entry: ArchiveEntry, content: AsyncIterable<Uint8Array>): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (fault?: Error | null) => (fault ? reject(fault) : resolve());
    // No timestamps: equal folders produce equal archives.
    const header = { name: entry.name, size: entry.bytes, mode: entry.mode, mtime: new Date(0) };
    const sink = archive.entry(header, settle);
    // The sink is a stream of streamx, which speaks Node's interface without its types.
    pipeline(Readable.from(content), sink as unknown as Writable, (fault) => {
      if (fault) reject(fault);
    });
  });
}

/**
 * The files of a tar archive, in order. The content of each is read before the next is asked for.
 * @throws ConsiliumError BACKUP_INVALID for damage, and for anything but a file with a plain relative name;
 * whatever reading `chunks` throws
 */
export async function* entriesOf(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<ArchiveEntry & { readonly content: AsyncIterable<Uint8Array> }> {
  const archive = extract();
  const source = Readable.from(chunks, { objectMode: false });
  pipeline(source, archive as unknown as Writable, () => {});
  try {
    for await (const stream of archive) {
      const { name, size, mode, type } = stream.header;
      if (type !== "file") throw invalidBackup("backup.why.not-a-file");
      const steps = name.split("/");
      if (name.includes("\0") || steps.some((step) => step === "" || step === "." || step === "..")) {
        throw invalidBackup("backup.why.outside");
      }
      yield {
        name,
        bytes: size,
        mode: mode & 0o777,
        content: checked(stream as AsyncIterable<Uint8Array>),
      };
    }
  } catch (thrown) {
    throw backupFault(thrown, damaged);
  } finally {
    source.destroy();
    archive.destroy();
  }
}

async function* checked(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* content;
  } catch (thrown) {
    throw backupFault(thrown, damaged);
  }
}
