import { open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { canonicalJson, readCanonicalJson } from "@consilium/core/canonicalJson";
import { ConsiliumError } from "@consilium/core/errors";
import { verifyWithdrawal, type Withdrawal } from "@consilium/core/release/withdrawal";
import { identifySigner } from "@consilium/runtime/release/verifyFolder";
import { fsyncFolder } from "@consilium/runtime/store/durableFile";
import { sha256 } from "@consilium/secure-sum/crypto/hash";

const fileName = "withdrawals.jsonl";

/** One line of the file. */
interface Line {
  readonly sequence: number;
  /** SHA-256 of the line before, without its line break; of no bytes for the first. */
  readonly previous: string;
  /** The bytes of withdrawal.jws, base64. */
  readonly withdrawal: string;
}

export interface PublishedWithdrawal {
  readonly withdrawal: Withdrawal;
  /** The bytes of withdrawal.jws. */
  readonly file: Uint8Array;
}

/**
 * The withdrawals that a publisher has been given, in order: `withdrawals.jsonl`, a chain of hashes over signed
 * statements, appended and made durable before it is answered. A line that was changed, removed or put elsewhere is found
 * at the next start; lines removed from the end come back when the aggregator starts, which sends its own again.
 */
export class WithdrawalLog {
  readonly #path: string;
  readonly #rootPem: string;
  readonly #folder: string;
  #lines = 0;
  #head = sha256("");
  /** Whole lines; what a process that was killed wrote of another is behind them. */
  #bytes = 0;
  readonly #newest = new Map<string, PublishedWithdrawal>();
  /** SHA-256 of every file that was appended. */
  readonly #known = new Set<string>();

  private constructor(folder: string, rootPem: string) {
    this.#folder = folder;
    this.#path = join(folder, fileName);
    this.#rootPem = rootPem;
  }

  /** @throws ConsiliumError RELEASE_CORRUPT naming the line that is not the one that was written */
  static async open(folder: string, rootPem: string): Promise<WithdrawalLog> {
    const log = new WithdrawalLog(folder, rootPem);
    const text = await readFile(log.#path, "latin1").catch((cause: NodeJS.ErrnoException) => {
      if (cause.code === "ENOENT") return "";
      throw cause;
    });
    const whole = text.slice(0, text.lastIndexOf("\n") + 1);
    for (const line of whole.split("\n").slice(0, -1)) log.#read(line);
    return log;
  }

  get(release: string): PublishedWithdrawal | undefined {
    return this.#newest.get(release);
  }

  /** Whether these bytes were appended once. */
  has(file: Uint8Array): boolean {
    return this.#known.has(sha256(file));
  }

  /** The releases that this one supersedes. */
  supersededBy(release: string): string[] {
    return [...this.#newest.values()]
      .filter(({ withdrawal }) => withdrawal.supersededBy === release)
      .map(({ withdrawal }) => withdrawal.release);
  }

  /** Durable when this returns. One at a time: the caller waits for each. */
  async append(published: PublishedWithdrawal): Promise<void> {
    const line = canonicalJson({
      sequence: this.#lines,
      previous: this.#head,
      withdrawal: Buffer.from(published.file).toString("base64"),
    } satisfies Line);
    const handle = await open(this.#path, "a+", 0o600);
    try {
      await handle.truncate(this.#bytes);
      await handle.appendFile(`${line}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    if (this.#lines === 0) await fsyncFolder(this.#folder);
    this.#took(line, published);
  }

  #read(line: string): void {
    const broken = (what: string) =>
      new ConsiliumError("RELEASE_CORRUPT", `${fileName}, line ${this.#lines + 1}: ${what}`, {
        remedy:
          "restore the publisher's state folder from a backup; the aggregator sends what is missing from it",
      });
    const read = readCanonicalJson(line);
    if (!read.ok) throw broken(read.error);
    const raw = read.value as Partial<Line> | null;
    const isNext = raw?.sequence === this.#lines && raw.previous === this.#head;
    if (!isNext || typeof raw?.withdrawal !== "string") throw broken("it does not continue the line before");
    const file = new Uint8Array(Buffer.from(raw.withdrawal, "base64"));
    const verified = verifyWithdrawal(file, { identify: identifySigner(this.#rootPem), of: null });
    if (!verified.ok) throw broken(verified.error.message);
    this.#took(line, { withdrawal: verified.value.withdrawal, file });
  }

  #took(line: string, published: PublishedWithdrawal): void {
    this.#lines++;
    this.#bytes += line.length + 1;
    this.#head = sha256(line);
    this.#known.add(sha256(published.file));
    this.#newest.set(published.withdrawal.release, published);
  }
}
