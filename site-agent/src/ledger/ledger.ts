import type { SigningKey } from "@consilium/core/crypto/sign";
import { ConsiliumError } from "@consilium/core/errors";
import type { Sha256 } from "@consilium/core/ids";
import type { PrivacyEvent } from "@consilium/core/privacy/events";
import { err, ok, type Result, unwrap } from "@consilium/core/result";
import type { Store } from "@consilium/runtime/store/store";
import type { WireLedgerHead } from "../rpc/toDomain.js";
import { type LedgerKey, type VerifiedChain, verifyChain } from "./chain.js";
import {
  brokenAt,
  type LedgerEntry,
  readEntry,
  type SignedEntry,
  type StageCharge,
  signEntry,
} from "./entry.js";
import { type LedgerHead, parseHead, readHead, signHead } from "./head.js";
import { holdsHead, lostSpending, trailOf } from "./history.js";
import {
  epsilonOf,
  type LedgerStage,
  nothing,
  plus,
  plusSpent,
  rhoOfEvent,
  shownDown,
  shownUp,
  Totals,
} from "./totals.js";

/** Who keeps the ledger. */
export interface LedgerOwner {
  readonly federation: string;
  readonly site: string;
  readonly signingKey: SigningKey;
  /** 32 bytes. */
  readonly signingPublicKey: Uint8Array;
}

/** What one stage of a study is to cost. */
export interface StageCost {
  readonly stage: string;
  readonly attempt: number;
  readonly event: PrivacyEvent;
  readonly claimed: { readonly epsilon: number; readonly delta: number } | null;
}

/** ε that a population may spend at δ over all studies; null: the hospital sets no limit. */
type PopulationLimit = { readonly epsilon: number; readonly delta: number } | null;

type Body = LedgerEntry extends infer E
  ? E extends LedgerEntry
    ? Omit<E, "sequence" | "at" | "previous">
    : never
  : never;

/**
 * The hospital's own account of what its records have cost, over all studies, restarts and restored backups. Reserve
 * before a study begins, commit before the first byte leaves; a reservation may be released, a commitment never.
 *
 * Everything that writes is a part of the caller's transaction on the same store: what leaves and what was charged for
 * it are one durable write. The ledger in memory is only what the store says, read again whenever the two differ, as
 * they do when a transaction was rolled back.
 */
export class Ledger {
  readonly #store: Store;
  readonly #owner: () => LedgerOwner;
  readonly #now: () => number;
  #entries: SignedEntry[] = [];
  #totals = new Totals();
  #keys: LedgerKey[] = [];
  /** Heads that were shown: those that this copy did not hold, each of another branch perhaps, and the newest held. */
  #shown: { readonly head: LedgerHead; readonly wire: WireLedgerHead }[] = [];
  /** What the last verification found wrong: nothing is spent then. */
  #fault: ConsiliumError | null = null;
  /** The newest head that was signed, and the entry that it ends with. */
  #headOf: { readonly hash: Sha256; readonly signingKey: unknown; readonly wire: WireLedgerHead } | null =
    null;

  private constructor(store: Store, owner: () => LedgerOwner, now: () => number) {
    this.#store = store;
    this.#owner = owner;
    this.#now = now;
  }

  /**
   * Opens the ledger and verifies it from its first entry.
   * @throws ConsiliumError LEDGER_BROKEN naming the entry, or CONFIG_INVALID when it is another site's
   */
  static open(store: Store, owner: () => LedgerOwner, now: () => number): Ledger {
    const ledger = new Ledger(store, owner, now);
    store.transaction(() => ledger.#begin());
    return ledger;
  }

  #begin(): void {
    this.#read();
    const { federation, site } = this.#owner();
    const first = this.#entries[0]?.entry;
    if (first?.kind === "open" && (first.federation !== federation || first.site !== site)) {
      throw new ConsiliumError(
        "CONFIG_INVALID",
        `the ledger in this state folder is that of site ${first.site} in ${first.federation}`,
        { remedy: "use the state folder that belongs to this site" },
      );
    }
    this.#openForKey();
  }

  /** The ledger says itself which key its next entries are signed with. */
  #openForKey(): void {
    const { federation, site, signingPublicKey } = this.#owner();
    const last = this.#keys.at(-1);
    if (last !== undefined && Buffer.from(last.publicKey).equals(signingPublicKey)) return;
    const signingKey = Buffer.from(signingPublicKey).toString("hex") as Sha256;
    this.#write({ kind: "open", federation, site, signingKey });
  }

  // ---- spending -----------------------------------------------------------------------------------------------

  /**
   * Sets the cost of a study's stages aside. What is reserved or committed already is not reserved again.
   * @throws ConsiliumError BUDGET_EXHAUSTED with what remains, LEDGER_BEHIND; nothing is written then
   */
  reserve(request: {
    readonly study: string;
    readonly population: string;
    readonly limit: PopulationLimit;
    readonly stages: readonly StageCost[];
  }): void {
    this.demandCurrent();
    const { study, population, limit } = request;
    const fresh = request.stages.filter(
      ({ stage, attempt }) => this.#totals.stage(study, stage, attempt) === null,
    );
    if (new Set(fresh.map(({ stage, attempt }) => `${attempt} ${stage}`)).size < fresh.length)
      throw new RangeError(`a stage of ${study} is to be reserved twice`);
    if (fresh.length === 0) return;
    const stages = fresh.map(
      ({ stage, attempt, event, claimed }): StageCharge => ({
        stage,
        attempt,
        event: event as unknown as StageCharge["event"],
        rho: rhoOfEvent(event),
        claimed,
      }),
    );
    if (limit !== null) this.#demandBudget(study, population, limit, stages);
    this.#append({ kind: "reserve", study, population, stages });
  }

  #demandBudget(
    study: string,
    population: string,
    limit: NonNullable<PopulationLimit>,
    stages: readonly StageCharge[],
  ): void {
    const before = plusSpent(this.#totals.committed(population), this.#totals.reserved(population));
    const asked = stages.reduce((sum, stage) => plus(sum, stage.rho), nothing);
    const after = epsilonOf(plusSpent(before, asked), limit.delta);
    // What has no bound is let in by the policy's own switch; it takes nothing from what is proved.
    if (asked.rho === 0 || after <= limit.epsilon) return;
    const spent = epsilonOf(before, limit.delta);
    const needs = shownUp(after - spent, 3).toFixed(3);
    const remains = shownDown(Math.max(0, limit.epsilon - spent), 3).toFixed(3);
    throw new ConsiliumError(
      "BUDGET_EXHAUSTED",
      `study ${study}: request needs epsilon ${needs}, ${remains} remains of ${limit.epsilon} ` +
        `at delta ${limit.delta} in population ${population}`,
      { remedy: "lower epsilon, or ask the data committee for more" },
    );
  }

  /**
   * Spends what was reserved for a stage. Doing it again changes nothing.
   * @throws ConsiliumError LEDGER_BEHIND; RangeError when nothing was reserved
   */
  commit(study: string, stage: string, attempt: number): void {
    this.demandCurrent();
    const known = this.#totals.stage(study, stage, attempt);
    if (known === null)
      throw new RangeError(`nothing is reserved for ${study}, ${stage}, attempt ${attempt}`);
    if (known.state === "committed") return;
    const { population, event, rho, claimed } = known;
    this.#append({ kind: "commit", study, population, stage, attempt, event, rho, claimed });
  }

  /** Gives back what was reserved for a study and not committed. */
  release(study: string): void {
    this.#sync();
    const reserved = this.#totals.stagesOf(study).find((stage) => stage.state === "reserved");
    if (reserved === undefined) return;
    this.#append({ kind: "release", study, population: reserved.population });
  }

  // ---- what it says -------------------------------------------------------------------------------------------

  stage(study: string, stage: string, attempt: number): LedgerStage | null {
    this.#sync();
    return this.#totals.stage(study, stage, attempt);
  }

  /** What is set aside for a study. */
  reserved(study: string): LedgerStage[] {
    this.#sync();
    return this.#totals.stagesOf(study).filter((stage) => stage.state === "reserved");
  }

  /** In the ledger's order. */
  committed(study: string): LedgerStage[] {
    this.#sync();
    return this.#totals
      .stagesOf(study)
      .filter((stage) => stage.state === "committed")
      .sort((a, b) => a.entry - b.entry);
  }

  entries(): readonly SignedEntry[] {
    this.#sync();
    return this.#entries;
  }

  get totals(): Totals {
    this.#sync();
    return this.#totals;
  }

  hashOf(sequence: number): Sha256 {
    const found = this.entries().findLast((signed) => signed.entry.sequence === sequence);
    if (found === undefined) throw new RangeError(`the ledger has no entry ${sequence}`);
    return found.hash;
  }

  head(): LedgerHead {
    const entries = this.entries();
    const last = entries.at(-1)!;
    const { federation, site } = this.#owner();
    return {
      federation,
      site,
      sequence: last.entry.sequence,
      hash: last.hash,
      populations: this.#totals.spending(),
      trail: trailOf(entries),
    };
  }

  signedHead(): WireLedgerHead {
    const { hash } = this.entries().at(-1)!;
    const { signingKey } = this.#owner();
    const before = this.#headOf;
    if (before?.hash === hash && before.signingKey === signingKey) return before.wire;
    const wire = signHead(this.head(), signingKey);
    this.#headOf = { hash, signingKey, wire };
    return wire;
  }

  /**
   * Reads the store's entries anew and verifies all of them. Where one does not hold, nothing is spent until all do.
   * @returns LEDGER_BROKEN naming the first entry that does not hold
   */
  verify(): Result<VerifiedChain, ConsiliumError> {
    const verified = this.#verified();
    this.#fault = verified.ok ? null : verified.error;
    return verified;
  }

  #verified(): Result<VerifiedChain, ConsiliumError> {
    let rows: StoredEntry[];
    try {
      rows = storedEntries(this.#store);
    } catch (cause) {
      return err(new ConsiliumError("LEDGER_BROKEN", "the ledger's table cannot be read", { cause }));
    }
    return verifyRows(rows, this.#owner());
  }

  // ---- anchors ------------------------------------------------------------------------------------------------

  /**
   * Compares this ledger with a head of it that somebody has kept.
   * @returns whether this ledger holds what the head stands for; when it does not, nothing may be spent any more
   * @throws ConsiliumError LEDGER_HEAD_INVALID when the head is not this site's
   */
  accept(shown: WireLedgerHead): boolean {
    this.#sync();
    const { federation, site } = this.#owner();
    const head = unwrap(readHead(shown, { federation, site, keys: this.#keys }));
    const holds = holdsHead(this.#entries, head);
    const others = this.#shown.filter((one) => one.head.hash !== head.hash);
    // A tail that is cut off later shows by the newest head that was held before.
    const isNewest = others.every((one) => one.head.sequence < head.sequence);
    if (!holds || isNewest) {
      const kept = others.filter((one) => !holds || !holdsHead(this.#entries, one.head));
      this.#shown = [...kept, { head, wire: shown }];
    }
    return holds;
  }

  /** The newest head that is known and that this copy does not hold: it is an old one, and nothing may be spent. */
  get behind(): LedgerHead | null {
    return this.#newestUnheld()?.head ?? null;
  }

  #newestUnheld(): { readonly head: LedgerHead; readonly wire: WireLedgerHead } | null {
    const entries = this.entries();
    const missing = this.#shown.filter((one) => !holdsHead(entries, one.head));
    return missing.sort((a, b) => b.head.sequence - a.head.sequence)[0] ?? null;
  }

  /**
   * Charges what an anchor proves to be spent and this copy has lost, population by population, so that spending may
   * go on. Nothing is ever charged less than the anchor says. Each branch that was lost takes an entry of its own, the
   * newest first: call it again until there is none.
   * @returns the entry; null when the ledger is not behind
   */
  reconcile(): SignedEntry | null {
    const lost = this.#newestUnheld();
    if (lost === null) return null;
    const { head, signature } = lost.wire;
    return this.#append({
      kind: "reconcile",
      anchor: { head, signature: Buffer.from(signature).toString("base64") },
      lost: lostSpending(this.#entries, lost.head),
    });
  }

  /** @throws ConsiliumError LEDGER_BEHIND, or LEDGER_BROKEN when the last verification failed */
  demandCurrent(): void {
    this.#sync();
    if (this.#fault !== null) throw this.#fault;
    const behind = this.behind;
    if (behind === null) return;
    throw new ConsiliumError(
      "LEDGER_BEHIND",
      `this ledger ends at entry ${this.#entries.at(-1)!.entry.sequence}, and a head of it is known at ` +
        `${behind.sequence} that it does not hold: what was spent in between is missing from it`,
    );
  }

  // ---- the store ----------------------------------------------------------------------------------------------

  #append(body: Body): SignedEntry {
    this.#openForKey();
    return this.#write(body);
  }

  #write(body: Body): SignedEntry {
    const last = this.#entries.at(-1) ?? null;
    const next = (last?.entry.sequence ?? 0) + 1;
    const sequence =
      body.kind === "reconcile" ? Math.max(next, unwrap(parseHead(body.anchor.head)).sequence + 1) : next;
    const entry = { ...body, sequence, at: this.#now(), previous: last?.hash ?? null } as LedgerEntry;
    const signed = signEntry(entry, this.#owner().signingKey);
    this.#store.run(
      "INSERT INTO ledger (sequence, entry, hash, signature) VALUES (?, ?, ?, ?)",
      sequence,
      signed.text,
      signed.hash,
      signed.signature,
    );
    this.#entries.push(signed);
    this.#totals.add(entry);
    if (entry.kind === "open")
      this.#keys.push({ publicKey: Buffer.from(entry.signingKey, "hex"), since: sequence });
    return signed;
  }

  /** What is in memory must end where the store ends; after a rollback it does not. */
  #sync(): void {
    const row = this.#store.get(
      "SELECT CAST(hash AS BLOB) AS hash FROM ledger ORDER BY sequence DESC LIMIT 1",
    );
    const stored = row === undefined ? undefined : decoded(row.hash as Uint8Array);
    if (stored !== this.#entries.at(-1)?.hash) this.#read();
  }

  #read(): void {
    const rows = storedEntries(this.#store);
    const chain = rows.length === 0 ? null : unwrap(verifyRows(rows, null));
    this.#entries = [...(chain?.entries ?? [])];
    this.#totals = chain?.totals ?? new Totals();
    this.#keys = [...(chain?.keys ?? [])];
  }
}

/** A row of the table `ledger`. */
export interface StoredEntry {
  readonly sequence: number;
  readonly text: string;
  readonly hash: string;
  readonly signature: Uint8Array;
}

/** Text is read as bytes: the driver ends the whole process at text that is not UTF-8, as a damaged file may hold. */
export function storedEntries(store: Pick<Store, "all">): StoredEntry[] {
  const rows = store.all(
    `SELECT sequence, CAST(entry AS BLOB) AS text, CAST(hash AS BLOB) AS hash, signature
     FROM ledger ORDER BY sequence`,
  ) as unknown as { sequence: number; text: Uint8Array; hash: Uint8Array; signature: Uint8Array }[];
  return rows.map((row) => ({ ...row, text: decoded(row.text), hash: decoded(row.hash) }));
}

/** The text of UTF-8 bytes; of others an empty one, which no entry has. */
function decoded(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return "";
  }
}

/**
 * Verifies a ledger as it is stored or exported.
 * @param owner - whose key must be the last to have signed it; null: whichever the ledger itself names
 */
export function verifyRows(
  rows: readonly StoredEntry[],
  owner: Pick<LedgerOwner, "signingPublicKey"> | null,
): Result<VerifiedChain, ConsiliumError> {
  const entries: SignedEntry[] = [];
  for (const row of rows) {
    const entry = readEntry(row);
    if (!entry.ok) return entry;
    entries.push(entry.value);
  }
  const chain = verifyChain(entries);
  if (!chain.ok || owner === null) return chain;
  const last = chain.value.keys.at(-1)!;
  if (Buffer.from(last.publicKey).equals(owner.signingPublicKey)) return ok(chain.value);
  return err(brokenAt(last.since, "it opens the ledger for a key that is not this site's"));
}
