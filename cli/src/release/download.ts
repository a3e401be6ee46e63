import { open, rm, stat, truncate } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { ConsiliumError } from "@consilium/core/errors";
import type { ReleaseFile } from "@consilium/core/release/certificate";
import { hashFile } from "@consilium/runtime/release/hashFile";
import { answerFault, call, connectionFault, parseJson, type Remote, readText } from "../http/reach.js";

/** A stalled connection is closed and resumed after this time. */
const silenceMs = 60_000;
const attemptsInVain = 5;

interface DownloadOptions {
  readonly remote: Remote;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Called with the number of bytes received of this file. */
  readonly progress: (bytes: number) => void;
  /** Before the first retry; doubles. */
  readonly firstPauseMs?: number;
}

/**
 * Downloads one file of a release to `path`, resuming a partial download, and checks its SHA-256. A broken connection
 * is resumed as long as data arrive.
 * @throws ConsiliumError RELEASE_CORRUPT if the complete file has another hash, even after a fresh download
 */
export async function downloadFile(path: string, file: ReleaseFile, options: DownloadOptions): Promise<void> {
  const resumed = (await sizeOf(path)) > 0;
  if (await fetchAndCheck(path, file, options)) return;
  // A partial file of an earlier run may be damaged; retry with a fresh download.
  await rm(path, { force: true });
  if (resumed && (await fetchAndCheck(path, file, options))) return;
  await rm(path, { force: true });
  throw new ConsiliumError(
    "RELEASE_CORRUPT",
    `SHA-256 mismatch for ${file.name}: it differs from the certificate's`,
  );
}

async function fetchAndCheck(path: string, file: ReleaseFile, options: DownloadOptions): Promise<boolean> {
  await fetchRest(path, file, options);
  const found = await hashFile(path);
  return found.bytes === file.bytes && found.sha256 === file.sha256;
}

async function fetchRest(path: string, file: ReleaseFile, options: DownloadOptions): Promise<void> {
  let inVain = 0;
  for (;;) {
    const from = await sizeOf(path);
    if (from > file.bytes) await truncate(path, 0);
    else if (from === file.bytes && (from > 0 || (await exists(path)))) {
      options.progress(from);
      return;
    }
    try {
      await fetchFrom(path, file, from > file.bytes ? 0 : from, options);
    } catch (thrown) {
      const fault = connectionFault(options.remote, thrown, { timeoutMs: silenceMs, signal: options.signal });
      inVain = (await sizeOf(path)) > from ? 1 : inVain + 1;
      if (fault.code !== options.remote.unreachable || inVain >= attemptsInVain) throw fault;
      await delay((options.firstPauseMs ?? 500) * 2 ** (inVain - 1), undefined, {
        signal: options.signal,
      }).catch(() => {});
    }
  }
}

async function fetchFrom(
  path: string,
  file: ReleaseFile,
  from: number,
  options: DownloadOptions,
): Promise<void> {
  const { remote, headers, signal } = options;
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(new DOMException("silent", "TimeoutError")), silenceMs);
  try {
    const response = await call(remote, options.url, {
      timeoutMs: null,
      signal: AbortSignal.any([signal, silence.signal]),
      // Byte ranges count uncompressed bytes.
      headers: {
        ...headers,
        "accept-encoding": "identity",
        ...(from > 0 ? { range: `bytes=${from}-` } : {}),
      },
    });
    if (!response.ok)
      throw answerFault(remote, response.status, parseJson(await readText(response, 1 << 20)));
    const start = response.status === 206 ? from : 0;
    const handle = await open(path, start > 0 ? "r+" : "w", 0o644);
    try {
      let at = start;
      for await (const chunk of response.body ?? []) {
        timer.refresh();
        if (at + chunk.length > file.bytes) {
          throw new ConsiliumError(
            "RELEASE_CORRUPT",
            `${file.name}: longer than the ${file.bytes} bytes declared`,
          );
        }
        await handle.write(chunk, 0, chunk.length, at);
        at += chunk.length;
        options.progress(at);
      }
      if (at < file.bytes)
        throw new ConsiliumError(
          remote.unreachable,
          `${remote.name} closed the connection during ${file.name}`,
        );
    } finally {
      await handle.close();
    }
  } finally {
    clearTimeout(timer);
  }
}

async function sizeOf(path: string): Promise<number> {
  return (await stat(path).catch(() => undefined))?.size ?? 0;
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}
