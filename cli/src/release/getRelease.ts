import { mkdir, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { ConsiliumError } from "@consilium/core/errors";
import { releaseIdPattern } from "@consilium/core/release/content";
import { signatureFileMaxBytes } from "@consilium/core/release/signature";
import { withdrawalSentences, withdrawnFault } from "@consilium/core/release/withdrawal";
import { unwrap } from "@consilium/core/result";
import { formatBytes } from "@consilium/core/units";
import {
  certificateFile,
  type ReleaseFile,
  releaseFolders,
  signatureFile,
} from "@consilium/release/certificate";
import { readShown, type VerifiedRelease, verifyCertificate } from "@consilium/release/verify";
import { certificateMaxBytes } from "@consilium/runtime/release/limits";
import { checksUnder, verifyReleaseFolder } from "@consilium/runtime/release/verifyFolder";
import { systemCode } from "../failure.js";
import type { Session } from "../session.js";
import { bar, fit, printable } from "../terminal/layout.js";
import { downloadFile } from "./download.js";
import { type PublisherClient, releaseFolder } from "./publisherClient.js";

interface GotRelease {
  readonly id: string;
  readonly folder: string;
  readonly bytes: number;
  /** Null if no authority was given for verification. */
  readonly verified: VerifiedRelease | null;
}

/** Downloads a release into a folder that only appears when complete; a partial download stays next to it. */
export async function getRelease(
  session: Session,
  publisher: PublisherClient,
  given: string,
  options: { to: string | undefined; rootPem: string | null },
): Promise<GotRelease> {
  const id = await resolveRelease(publisher, given);
  const folder = releaseFolder(session, id, options.to);
  await refuseExisting(folder, id);
  const said = await publisher.withdrawal(id);
  if (said?.status === "withdrawn") {
    throw withdrawnFault({ ...said, release: id, supersededBy: said.supersededBy?.id ?? null });
  }
  if (said !== undefined)
    session.note(`${session.style.caution("Note:")} ${printable(withdrawalSentences(said))}`);
  const partial = `${folder}.partial`;
  const certificate = await publisher.smallFile(id, certificateFile, certificateMaxBytes);
  const signature = await publisher.smallFile(id, signatureFile, signatureFileMaxBytes);
  const { rootPem } = options;
  if (rootPem !== null) unwrap(verifyCertificate({ certificate, signature, ...checksUnder(rootPem) }));
  const { release, files } = unwrap(readShown(certificate));
  if (release !== id) {
    throw new ConsiliumError("RELEASE_CORRUPT", `${certificateFile} belongs to another release than ${id}`);
  }

  await mkdir(partial, { recursive: true });
  await removeForeign(partial, files);
  for (const folder of foldersOf(files)) await mkdir(join(partial, folder), { recursive: true });
  const progress = progressOf(session, files);
  try {
    for (const file of files) {
      await downloadFile(join(partial, file.name), file, {
        remote: publisher.remote,
        url: publisher.fileUrl(id, file.name),
        headers: publisher.headers,
        signal: session.interrupted,
        progress: (bytes) => progress.at(file, bytes),
      });
      progress.done(file);
    }
  } finally {
    progress.close();
  }
  await writeFile(join(partial, certificateFile), certificate);
  await writeFile(join(partial, signatureFile), signature);
  const verified = rootPem === null ? null : unwrap(await verifyReleaseFolder(partial, { rootPem }));
  await rename(partial, folder);
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  return { id, folder, bytes, verified };
}

/** @param given - a release's id, or a unique start of it */
export async function resolveRelease(publisher: PublisherClient, given: string): Promise<string> {
  // A complete id may belong to a release that the public catalogue does not list.
  if (releaseIdPattern.test(given)) return given;
  const ids = (await publisher.releases()).map((release) => release.id);
  const matches = ids.filter((id) => id.startsWith(given));
  if (matches.length === 1) return matches[0]!;
  if (matches.length === 0) throw new ConsiliumError("RELEASE_UNKNOWN", `no release id starts with ${given}`);
  throw new ConsiliumError("USAGE", `${given} is ambiguous: ${matches.slice(0, 5).join(", ")}`, {
    remedy: "give more characters of the id",
  });
}

async function refuseExisting(folder: string, id: string): Promise<void> {
  const found = await stat(folder).catch((cause: unknown) => {
    if (systemCode(cause) === "ENOENT") return undefined;
    throw cause;
  });
  if (found === undefined) return;
  throw new ConsiliumError("CONFIG_INVALID", `${folder} already exists`, {
    remedy: `verify it with \`consilium release verify\`, or choose another folder for ${id} with --to`,
  });
}

/** Files left by an earlier run for another release would fail verification. */
async function removeForeign(partial: string, files: readonly ReleaseFile[]): Promise<void> {
  const names = new Set(files.map((file) => file.name));
  const entries = await readdir(partial, { withFileTypes: true, recursive: true });
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name);
    const name = relative(partial, path);
    const isFile = entry.isFile() && names.has(name);
    // A folder is only kept if it has content.
    if (!isFile && !(entry.isDirectory() && foldersOf(files).includes(name)))
      await rm(path, { recursive: true, force: true });
  }
}

const foldersOf = (files: readonly ReleaseFile[]) =>
  releaseFolders.filter((folder) => files.some(({ name }) => name.startsWith(`${folder}/`)));

interface Progress {
  at(file: ReleaseFile, bytes: number): void;
  done(file: ReleaseFile): void;
  close(): void;
}

const redrawMs = 100;

/** On a terminal one line that is redrawn, elsewhere one line per file; on standard error, separate from the result. */
function progressOf(session: Session, files: readonly ReleaseFile[]): Progress {
  const { stderr } = session.io;
  const total = files.reduce((sum, file) => sum + file.bytes, 0);
  let before = 0;
  if (session.json || !stderr.isTerminal) {
    return {
      at: () => {},
      done: (file) => {
        before += file.bytes;
        if (!session.json)
          session.note(
            `${file.name}  ${formatBytes(file.bytes)}  (${formatBytes(before)} of ${formatBytes(total)})`,
          );
      },
      close: () => {},
    };
  }
  let drawnAt = 0;
  const draw = (name: string, bytes: number) => {
    drawnAt = Date.now();
    const fraction = total === 0 ? 1 : bytes / total;
    const line = `${bar(fraction, 30, session.style)} ${Math.round(100 * fraction)}%  ${formatBytes(bytes)} of ${formatBytes(total)}  ${name}`;
    stderr.write(`\r${fit(line, stderr.size().columns - 1)}\u001b[K`);
  };
  return {
    at: (file, bytes) => {
      if (Date.now() - drawnAt >= redrawMs) draw(file.name, before + bytes);
    },
    done: (file) => {
      before += file.bytes;
      draw(file.name, before);
    },
    close: () => stderr.write("\r\u001b[K"),
  };
}
