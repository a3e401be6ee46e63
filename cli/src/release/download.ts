import { open, rm, stat, truncate } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { ConsiliumError } from "@consilium/core/errors";
import type { ReleaseFile } from "@consilium/core/release/certificate";
import { hashFile } from "@consilium/runtime/release/hashFile";
import { answerFault, call, connectionFault, parseJson, type Remote, readText } from "../http/reach.js";

/** A silent connection is given up and taken up again after so long. */
const silenceMs = 60_000;
const attemptsInVain = 5;

interface DownloadOptions {
  readonly remote: Remote;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Called with the bytes of this file that are here. */
  readonly progress: (bytes: number) => void;
  /** Before the first retry; doubles. */
  readonly firstPauseMs?: number;
}

/**
 * Downloads one file of a release to `path`, going on from what is there already, and checks its SHA-256. A broken
 * connection is taken up again where it broke, as long as something arrives.
 * @throws ConsiliumError RELEASE_CORRUPT if the whole file is not the one declared, even when fetched afresh
 */
export async function downloadFile(path: string, file: ReleaseFile, options: DownloadOptions): Promise<void> {
  const resumed = (await sizeOf(path)) > 0;
  if (await fetchAndCheck(path, file, options)) return;
  // What an earlier run left may have been damaged; a fresh copy settles it.
  await rm(path, { force: true });
  if (resumed && (await fetchAndCheck(path, file, options))) return;
  await rm(path, { force: true });
  throw new ConsiliumError(
    "RELEASE_CORRUPT",
    `${file.name}: its SHA-256 is not the one that the certificate names`,
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
      // Compressed, the bytes would not be those that the range counts.
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
        throw new ConsiliumError(remote.unreachable, `${remote.name} broke off ${file.name}`);
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
