import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ConsiliumError, toConsiliumError } from "@consilium/core/errors";
import { writeFileDurable } from "@consilium/runtime/store/durableFile";
import type { KeptHead } from "./head.js";
import type { Ledger } from "./ledger.js";

export const anchorFileName = "ledger-anchor.json";

/**
 * The ledger's newest head that anything left this hospital under, kept beside the database: a database that was
 * restored from an older copy is seen to be behind it. The opening of the head is here and nowhere else: with it, what the
 * copy has lost is known to the last digit.
 */
export class Anchors {
  readonly #path: string;
  #written = 0;
  /** One at a time: the file never goes back to an older head. */
  #writing: Promise<void> = Promise.resolve();

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
    const kept = this.#writing.then(() => this.#keep(ledger));
    this.#writing = kept.catch(() => undefined);
    return kept;
  }

  async #keep(ledger: Ledger): Promise<void> {
    ledger.demandCurrent();
    const { sequence } = ledger.head();
    if (sequence <= this.#written) return;
    const anchor = ledger.anchor();
    const { head, signature, opening } = anchor;
    await writeFileDurable(
      this.#path,
      `${JSON.stringify({ head, signature: Buffer.from(signature).toString("base64"), opening })}\n`,
      { mode: 0o600 },
    );
    this.#written = sequence;
    ledger.accept(anchor);
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
  try {
    const stored = JSON.parse(text) as { head: unknown; signature: unknown; opening?: unknown };
    const head = String(stored.head);
    const signature = new Uint8Array(Buffer.from(String(stored.signature), "base64"));
    // Of earlier versions the head shows itself what the opening holds.
    const { opening } = stored;
    return opening === undefined ? { head, signature } : { head, signature, opening: String(opening) };
  } catch {
    // Damaged is not absent: as an anchor that this site has not signed it is refused with its code.
    return { head: "", signature: new Uint8Array() };
  }
}

/** What an anchor that this ledger has not signed means: the two do not match. */
function foreignAnchor(cause: ConsiliumError): ConsiliumError {
  return new ConsiliumError("LEDGER_BROKEN", `${anchorFileName} is not an anchor of this ledger`, {
    remedy: `restore state.db and ${anchorFileName} from the newest backup`,
    cause,
  });
}
