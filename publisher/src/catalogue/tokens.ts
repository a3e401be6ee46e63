import { timingSafeEqual } from "node:crypto";
import { stat } from "node:fs/promises";
import {
  type ReaderToken,
  readerTokenHash,
  readerTokensFile,
  readReaderTokens,
} from "@consilium/runtime/release/readerTokens";

/** Anything longer in a request is no token and not worth hashing. */
const tokenMaxLength = 100;

/** Which releases a reader may know of, besides the open ones. */
export type Opens = (release: string) => boolean;

/** Judges readers' tokens; reads their file again whenever it has changed. */
export class Tokens {
  private version = "";
  private known: readonly ReaderToken[] = [];

  constructor(
    private readonly state: string,
    private readonly now: () => number = Date.now,
  ) {}

  /**
   * Which releases a token opens.
   * @param token - as the reader sent it; undefined if none
   * @throws ConsiliumError CONFIG_INVALID if the file is damaged
   */
  async permits(token: string | undefined): Promise<Opens> {
    if (token === undefined || token.length > tokenMaxLength) return () => false;
    const found = await this.ofHash(readerTokenHash(token).toString("hex"));
    const opened = new Set(found.map(({ release }) => release));
    return (release) => opened.has("*") || opened.has(release);
  }

  /**
   * The tokens of a hash that have not expired. Every known hash is compared, each in constant time.
   * @throws ConsiliumError CONFIG_INVALID if the file is damaged
   */
  async ofHash(sha256: string): Promise<ReaderToken[]> {
    await this.refresh();
    const presented = Buffer.from(sha256, "hex");
    const now = this.now();
    return this.known.filter((entry) => {
      const equal = timingSafeEqual(presented, Buffer.from(entry.sha256, "hex"));
      return equal && (entry.expiresAt === null || Date.parse(entry.expiresAt) > now);
    });
  }

  private async refresh(): Promise<void> {
    const version = await stat(readerTokensFile(this.state)).then(
      (found) => `${found.ino}-${found.mtimeMs}-${found.size}`,
      () => "none",
    );
    if (version === this.version) return;
    this.known = await readReaderTokens(this.state);
    this.version = version;
  }
}
