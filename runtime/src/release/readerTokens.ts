import { createHash, randomBytes } from "node:crypto";
import { open, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { ConsiliumError } from "@consilium/core/errors";
import { releaseIdPattern } from "@consilium/core/release/content";
import { z } from "zod";
import { writeFileDurable } from "../store/durableFile.js";

/**
 * Reader tokens for releases with `access: token`. `tokens.json` in the publisher's state holds only hashes: a token
 * has 256 random bits, so that a plain SHA-256 cannot be turned back. The running publisher reads the file again
 * whenever it has changed.
 */
const fileSchema = z.strictObject({
  tokens: z
    .array(
      z.strictObject({
        /** The release, or `*` for every one. */
        release: z.union([z.literal("*"), z.string().regex(releaseIdPattern)]),
        sha256: z.string().regex(/^[0-9a-f]{64}$/),
        /** Whom it was given to, in the publisher's words. */
        label: z.string().max(200),
        createdAt: z.iso.datetime(),
        /** Null: never. */
        expiresAt: z.iso.datetime().nullable(),
      }),
    )
    .max(10_000),
});

export type ReaderToken = z.output<typeof fileSchema>["tokens"][number];

/** A token as it is shown: nothing of its secret. */
export interface ReaderTokenView extends Omit<ReaderToken, "sha256"> {
  /** The beginning of its hash. */
  readonly id: string;
}

const prefix = "consilium-reader-";
const idLength = 12;
const lockWaitMs = 5_000;
/** Anyone who holds the lock longer than this was killed. */
const lockStaleMs = 30_000;

export function readerTokensFile(state: string): string {
  return join(state, "tokens.json");
}

export function readerTokenHash(token: string): Buffer {
  return createHash("sha256").update(token, "utf8").digest();
}

/** @throws ConsiliumError CONFIG_INVALID if the file is damaged */
export async function readReaderTokens(state: string): Promise<ReaderToken[]> {
  const path = readerTokensFile(state);
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw cause;
  }
  let raw: unknown;
  try {
    raw = JSON.parse(text);
  } catch {
    throw invalid(path, "not JSON");
  }
  const parsed = fileSchema.safeParse(raw);
  if (parsed.success) return parsed.data.tokens;
  const issue = parsed.error.issues[0];
  throw invalid(path, `${issue?.path.join(".") ?? ""}: ${issue?.message ?? "invalid"}`);
}

/**
 * Makes a reader's token. It may be called while the publisher runs, which then knows it at once.
 * @param options.release - the one that it opens, or `*` for every one
 * @param options.now - milliseconds since 1970
 * @returns the token, which nothing can show again
 */
export async function addReaderToken(
  state: string,
  options: {
    readonly release: string;
    readonly label: string;
    readonly now: number;
    readonly expiresAtMs?: number | undefined;
  },
): Promise<ReaderTokenView & { readonly token: string }> {
  const token = `${prefix}${randomBytes(32).toString("base64url")}`;
  const made: ReaderToken = {
    release: options.release,
    sha256: readerTokenHash(token).toString("hex"),
    label: options.label,
    createdAt: new Date(options.now).toISOString(),
    expiresAt: options.expiresAtMs === undefined ? null : new Date(options.expiresAtMs).toISOString(),
  };
  await changeTokens(state, (tokens) => [...tokens, made]);
  return { ...viewOf(made), token };
}

export async function listReaderTokens(state: string): Promise<ReaderTokenView[]> {
  return (await readReaderTokens(state)).map(viewOf);
}

/**
 * Takes a token's right away: at once, and from the browser sessions that it began.
 * @throws ConsiliumError API_TOKEN_UNKNOWN
 */
export async function revokeReaderToken(state: string, id: string): Promise<void> {
  await changeTokens(state, (tokens) => {
    const left = tokens.filter((token) => viewOf(token).id !== id);
    if (left.length === tokens.length) {
      throw new ConsiliumError("API_TOKEN_UNKNOWN", "unknown reader token id");
    }
    return left;
  });
}

/** One change at a time: of two commands at once, neither undoes the other's. */
async function changeTokens(state: string, change: (tokens: ReaderToken[]) => ReaderToken[]): Promise<void> {
  const path = readerTokensFile(state);
  const unlock = await lockFile(`${path}.lock`);
  try {
    const parsed = fileSchema.safeParse({ tokens: change(await readReaderTokens(state)) });
    if (!parsed.success) throw invalid(path, parsed.error.issues[0]?.message ?? "invalid");
    await writeFileDurable(path, `${JSON.stringify(parsed.data, null, 2)}\n`, { mode: 0o600 });
  } finally {
    await unlock();
  }
}

async function lockFile(path: string): Promise<() => Promise<void>> {
  for (const deadline = Date.now() + lockWaitMs; ; ) {
    try {
      await (await open(path, "wx", 0o600)).close();
      return () => rm(path, { force: true });
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== "EEXIST") throw cause;
      const held = await stat(path).catch(() => null);
      if (held !== null && Date.now() - held.mtimeMs > lockStaleMs) await rm(path, { force: true });
      else if (Date.now() > deadline) {
        throw new ConsiliumError("STATE_LOCKED", `${path}: another command is changing the reader tokens`, {
          cause,
        });
      } else await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

function viewOf({ sha256, ...token }: ReaderToken): ReaderTokenView {
  return { id: sha256.slice(0, idLength), ...token };
}

function invalid(path: string, what: string): ConsiliumError {
  return new ConsiliumError("CONFIG_INVALID", `${path}: ${what}`);
}
