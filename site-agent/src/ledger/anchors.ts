import { appendFileSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ConsiliumError, toConsiliumError } from "@consilium/core/errors";
import { writingTo } from "@consilium/runtime/store/diskFull";
import { writeFileDurable } from "@consilium/runtime/store/durableFile";
import type { KeptHead } from "./head.js";
import type { Ledger } from "./ledger.js";

export const anchorFileName = "ledger-anchor.json";

/** How much of the newest heads a power cut may take. A kill takes none of them. */
const settleMs = 1_000;

/**
 * The ledger's newest head that anything left this hospital under, kept beside the database: a database that was
 * restored from an older copy is seen to be behind it. The opening of the head is here and nowhere else: with it, what the
 * copy has lost is known to the last digit.
 *
 * One JSON line a head, the newest last. Each is in the file before anything leaves; `settleMs` later it is on the disk, and
 * the others are gone. The database is on the disk at once: what a power cut takes here, it takes from an older
 * copy's proof alone, and the aggregator has that head's place.
 */
export class Anchors {
  readonly #path: string;
  #written = 0;
  /** One at a time: the file never goes back to an older head. */
  #writing: Promise<void> = Promise.resolve();
  /** Whether the file ends in a whole line, of this process. */
  #isWhole = false;
  #newest = "";
  #settling: NodeJS.Timeout | null = null;

  constructor(stateFolder: string) {
    this.#path = join(stateFolder, anchorFileName);
  }

  /**
   * Holds the ledger against the anchor; a file that is not there says nothing.
   * @throws ConsiliumError LEDGER_BROKEN when the file is not a head that this ledger's keys have signed
   */
  check(ledger: Ledger): boolean {
    const anchor = readAnchor(this.#path);
    if (anchor === null) return true;
    try {
      return ledger.accept(anchor);
    } catch (thrown) {
      const error = toConsiliumError(thrown);
      // What could not be written down says nothing of the anchor.
      throw error.code === "DISK_FULL" ? error : foreignAnchor(error);
    }
  }

  /** Before what was charged leaves. @throws ConsiliumError LEDGER_BEHIND: what the anchor proves stays proved */
  keep(ledger: Ledger): Promise<void> {
    return this.#inTurn(() => this.#keep(ledger));
  }

  /** Has the newest head on the disk. */
  async close(): Promise<void> {
    if (this.#settling !== null) await this.#settle();
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#writing.then(work);
    this.#writing = done.catch(() => undefined);
    return done;
  }

  async #keep(ledger: Ledger): Promise<void> {
    ledger.demandCurrent();
    const { sequence } = ledger.head();
    if (sequence <= this.#written) return;
    const anchor = ledger.anchor();
    const { head, signature, opening } = anchor;
    this.#newest = `${JSON.stringify({ head, signature: Buffer.from(signature).toString("base64"), opening })}\n`;
    await this.#append();
    this.#written = sequence;
    ledger.accept(anchor);
  }

  async #append(): Promise<void> {
    if (!this.#isWhole) return this.#replace();
    this.#isWhole = false;
    // Not flushed, so it takes less time than a turn of the thread pool, and a vector waits for it.
    await writingTo(dirname(this.#path), async () =>
      appendFileSync(this.#path, this.#newest, { mode: 0o600 }),
    );
    this.#isWhole = true;
    this.#settling ??= setTimeout(() => void this.#settle(), settleMs).unref();
  }

  /** What cannot be written is tried again, and told, with the next head. */
  async #settle(): Promise<void> {
    clearTimeout(this.#settling!);
    this.#settling = null;
    await this.#inTurn(() => this.#replace()).catch(() => undefined);
  }

  async #replace(): Promise<void> {
    this.#isWhole = false;
    await writeFileDurable(this.#path, this.#newest, { mode: 0o600 });
    this.#isWhole = true;
  }
}

/** The anchor beside a ledger; null when there is none. */
export function readAnchor(path: string): KeptHead | null {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return null;
    throw cause;
  }
  // A line that is cut off was being written when the power failed: the one before it stands.
  const stored = text
    .trimEnd()
    .split("\n")
    .map(parsed)
    .findLast((line) => line !== null);
  // Damaged is not absent: as an anchor that this site has not signed it is refused with its code.
  if (stored === undefined) return { head: "", signature: new Uint8Array() };
  const head = String(stored.head);
  const signature = new Uint8Array(Buffer.from(String(stored.signature), "base64"));
  // Of earlier versions the head shows itself what the opening holds.
  const { opening } = stored;
  return opening === undefined ? { head, signature } : { head, signature, opening: String(opening) };
}

function parsed(line: string): { head: unknown; signature: unknown; opening?: unknown } | null {
  try {
    return JSON.parse(line) as { head: unknown; signature: unknown; opening?: unknown } | null;
  } catch {
    return null;
  }
}

/** What an anchor that this ledger has not signed means: the two do not match. */
function foreignAnchor(cause: ConsiliumError): ConsiliumError {
  return new ConsiliumError("LEDGER_BROKEN", `${anchorFileName} is not an anchor of this ledger`, {
    remedy: `restore state.db and ${anchorFileName} from the newest backup`,
    cause,
  });
}
