import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { ConsiliumError } from "@consilium/core/errors";
import { releaseIdPattern } from "@consilium/core/release/content";
import { writeFileDurable } from "@consilium/runtime/store/durableFile";
import { z } from "zod";

/**
 * Who may read releases with `access: token`. `tokens.json` in the publisher's state holds only hashes: a token has
 * 256 random bits, so that a plain SHA-256 cannot be turned back.
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

type TokenFile = z.output<typeof fileSchema>;

const prefix = "consilium-reader-";
/** Anything longer in a request is no token and not worth hashing. */
const tokenMaxLength = 100;

const fileOf = (state: string) => join(state, "tokens.json");
const hashOf = (token: string) => createHash("sha256").update(token, "utf8").digest();

async function readTokens(path: string): Promise<TokenFile> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return { tokens: [] };
    throw cause;
  }
  let raw: unknown;
  try {
    raw = JSON.parse(text);
  } catch {
    throw invalid(path, "not JSON");
  }
  const parsed = fileSchema.safeParse(raw);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw invalid(path, `${issue?.path.join(".") ?? ""}: ${issue?.message ?? "invalid"}`);
}

function invalid(path: string, what: string): ConsiliumError {
  return new ConsiliumError("CONFIG_INVALID", `${path}: ${what}`);
}

/**
 * Makes a reader's token. It may be called while the publisher runs, which then knows it at once.
 * @param options.release - the one that it opens, or `*` for every one
 * @param options.now - milliseconds since 1970
 * @returns the token, which nothing can show again
 */
export async function addToken(
  state: string,
  options: {
    readonly release: string;
    readonly label: string;
    readonly now: number;
    readonly expiresAtMs?: number;
  },
): Promise<string> {
  const path = fileOf(state);
  const token = `${prefix}${randomBytes(32).toString("base64url")}`;
  const { tokens } = await readTokens(path);
  const parsed = fileSchema.safeParse({
    tokens: [
      ...tokens,
      {
        release: options.release,
        sha256: hashOf(token).toString("hex"),
        label: options.label,
        createdAt: new Date(options.now).toISOString(),
        expiresAt: options.expiresAtMs === undefined ? null : new Date(options.expiresAtMs).toISOString(),
      },
    ],
  });
  if (!parsed.success) throw invalid(path, parsed.error.issues[0]?.message ?? "invalid");
  await writeFileDurable(path, `${JSON.stringify(parsed.data, null, 2)}\n`, { mode: 0o600 });
  return token;
}

/** Judges readers' tokens; reads the file again whenever it has changed. */
export class Tokens {
  private version = "";
  private known: TokenFile["tokens"] = [];

  constructor(
    private readonly state: string,
    private readonly now: () => number = Date.now,
  ) {}

  /**
   * Which releases a token opens. Every known hash is compared, each in constant time.
   * @param token - as the reader sent it; undefined if none
   * @throws ConsiliumError CONFIG_INVALID if the file is damaged
   */
  async permits(token: string | undefined): Promise<(release: string) => boolean> {
    if (token === undefined || token.length > tokenMaxLength) return () => false;
    await this.refresh();
    const presented = hashOf(token);
    const now = this.now();
    const opened = new Set<string>();
    for (const entry of this.known) {
      const equal = timingSafeEqual(presented, Buffer.from(entry.sha256, "hex"));
      const alive = entry.expiresAt === null || Date.parse(entry.expiresAt) > now;
      if (equal && alive) opened.add(entry.release);
    }
    return (release) => opened.has("*") || opened.has(release);
  }

  private async refresh(): Promise<void> {
    const path = fileOf(this.state);
    const version = await stat(path).then(
      (found) => `${found.ino}-${found.mtimeMs}-${found.size}`,
      () => "none",
    );
    if (version === this.version) return;
    this.known = (await readTokens(path)).tokens;
    this.version = version;
  }
}
