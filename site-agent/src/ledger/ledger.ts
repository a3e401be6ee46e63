import type { ConsiliumError } from "@consilium/core/errors";
import { faults } from "@consilium/core/fault";
import type { Sha256 } from "@consilium/core/ids";
import type { PrivacyEvent } from "@consilium/core/privacy/events";
import type { RandomSource } from "@consilium/core/random";
import { err, ok, type Result, unwrap } from "@consilium/core/result";
import { nameOf, sentences } from "@consilium/core/said";
import type { Unit } from "@consilium/gate/account";
import {
  type Booked,
  ceilingFault,
  isWithin,
  type LedgerStage,
  nothing,
  plus,
  plusSpent,
  type Spent,
  type StageCharge,
  spendingFault,
  Totals,
  timesUp,
} from "@consilium/gate/account";
import { osRandom } from "@consilium/runtime/random";
import type { Store } from "@consilium/runtime/store/store";
import type { SigningKey } from "@consilium/secure-sum/crypto/sign";
import type { SiteSays } from "@consilium/words/says/site";
import type { StudySays } from "@consilium/words/says/studies";
import type { WireLedgerHead } from "../rpc/toDomain.js";
import { keyOf, type LedgerKey, type VerifiedChain, verifyChain } from "./chain.js";
import {
  type Archived,
  brokenAt,
  type LedgerEntry,
  readEntry,
  type SignedEntry,
  signEntry,
} from "./entry.js";
import { epsilonOf, rhoOfEvent, shownDown, shownUp } from "./epsilon.js";
import { type HeadOpening, type KeptHead, type LedgerHead, parseHead, readHead, signHead } from "./head.js";
import { holdsHead, includesHead, lostSpending, trailOf } from "./history.js";
import { spendingOf, spentUnder } from "./spending.js";

const said = sentences<SiteSays>();

const fault = faults<StudySays & SiteSays>();

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
  /** How many times the event's ρ is charged; left out: once. */
  readonly factor?: number;
}

/** ε that a population may spend at δ over all studies; null: the hospital sets no limit. */
type PopulationLimit = { readonly epsilon: number; readonly delta: number } | null;

type Body = LedgerEntry extends infer E
  ? E extends LedgerEntry
    ? Omit<E, "sequence" | "at" | "previous" | "blind">
    : never
  : never;

/**
 * The hospital's own account of what its records have cost, over all studies, restarts and restored backups. Reserve
 * before a study begins, commit before the first byte leaves; a reservation may be released, a commitment never.
 *
 * Everything that writes is a part of the caller's transaction on the same store: outgoing data and their charge are
 * one durable write. The ledger in memory is only what the store says, read again whenever the two differ, as they do
 * when a transaction was rolled back.
 */
export class Ledger {
  readonly #store: Store;
  readonly #owner: () => LedgerOwner;
  readonly #now: () => number;
  readonly #random: RandomSource;
  #entries: SignedEntry[] = [];
  #totals = new Totals();
  #keys: LedgerKey[] = [];
  /** Heads that were shown: those that this copy did not hold, each of another branch perhaps, and the newest held. */
  #shown: ShownHead[] = [];
  /** What the last verification found wrong: nothing is spent then. */
  #fault: ConsiliumError | null = null;
  /** The newest head that was signed. */
  #signed: (ShownHead & { readonly signingKey: unknown }) | null = null;

  private constructor(store: Store, owner: () => LedgerOwner, now: () => number, random: RandomSource) {
    this.#store = store;
    this.#owner = owner;
    this.#now = now;
    this.#random = random;
  }

  /**
   * Opens the ledger and verifies it from its first entry. One state folder has one ledger: enrolled anew, or into another
   * federation, the site continues with what its records have spent.
   * @param random - for the blinds of entries and the salts of heads
   * @throws ConsiliumError LEDGER_BROKEN naming the entry
   */
  static open(
    store: Store,
    owner: () => LedgerOwner,
    now: () => number,
    random: RandomSource = osRandom,
  ): Ledger {
    const ledger = new Ledger(store, owner, now, random);
    store.transaction(() => ledger.#begin());
    return ledger;
  }

  #begin(): void {
    this.#read();
    this.#openForKey();
  }

  /** The ledger says itself which key its next entries are signed with, and for which federation. */
  #openForKey(): void {
    const { federation, site, signingPublicKey } = this.#owner();
    const last = this.#keys.at(-1);
    const isSameKey = last !== undefined && Buffer.from(last.publicKey).equals(signingPublicKey);
    if (isSameKey && last.federation === federation && last.site === site) return;
    const signingKey = Buffer.from(signingPublicKey).toString("hex") as Sha256;
    this.#write({ kind: "open", federation, site, signingKey });
  }

  // ---- spending -----------------------------------------------------------------------------------------------

  /**
   * Sets the cost of a study's stages aside. What is reserved or committed already is not reserved again.
   * @throws ConsiliumError BUDGET_EXHAUSTED with what remains, CEILING_REACHED, LEDGER_BEHIND; nothing is written then
   */
  reserve(request: {
    readonly study: string;
    readonly population: string;
    readonly limit: PopulationLimit;
    readonly stages: readonly StageCost[];
    /** Whose privacy the charge is counted for; left out: a row's. */
    readonly unit?: Unit;
    /** Keyed hashes of where the records come from. */
    readonly sources?: readonly string[];
    /** What counts as spent or reserved by the population; left out: what is booked under its name. */
    readonly counted?: (totals: Totals) => Spent;
    /** How much the study may cost altogether; taken where the ledger has no ceiling of it yet. */
    readonly ceiling?: Spent;
    /** Hash of what is kept of a join without a person. */
    readonly record?: Sha256 | undefined;
  }): void {
    this.demandCurrent();
    const { study, population, limit, unit = "row", sources = [], record } = request;
    const fresh = request.stages.filter(
      ({ stage, attempt }) => this.#totals.stage(study, stage, attempt) === null,
    );
    if (new Set(fresh.map(({ stage, attempt }) => `${attempt} ${stage}`)).size < fresh.length)
      throw new RangeError(`a stage of ${study} is to be reserved twice`);
    if (fresh.length === 0) return;
    const stages = fresh.map(({ stage, attempt, event, claimed, factor = 1 }): StageCharge => {
      const rho = rhoOfEvent(event);
      return {
        stage,
        attempt,
        event: event as unknown as StageCharge["event"],
        ...(factor === 1 ? {} : { factor }),
        rho: rho === null ? null : timesUp(rho, factor),
        claimed,
      };
    });
    if (limit !== null) {
      const byName = (totals: Totals) =>
        spentUnder(population, [...totals.bookings(), ...totals.reservations()]);
      const before = (request.counted ?? byName)(this.#totals);
      this.#demandBudget({ study, population, unit, limit }, before, stages);
    }
    const isFirst = request.ceiling !== undefined && this.#totals.ceilingOf(study) === null;
    const asked = { study, stages, ...(isFirst ? { ceiling: request.ceiling } : {}) };
    const beyond = ceilingFault(asked, this.#totals);
    if (beyond !== null) throw fault("CEILING_REACHED", "study.ceiling-reached", {});
    const joined = record === undefined ? {} : { record };
    this.#append({ kind: "reserve", population, ...bookedTo({ unit, sources }), ...asked, ...joined });
  }

  /** A person lets a study cost so much altogether. @throws ConsiliumError LEDGER_BEHIND */
  raise(request: {
    readonly study: string;
    readonly population: string;
    readonly unit: Unit;
    readonly ceiling: Spent;
  }): void {
    this.demandCurrent();
    const { study, population, unit, ceiling } = request;
    this.#append({ kind: "ceiling", study, population, unit, ...ceiling });
  }

  #demandBudget(
    of: {
      readonly study: string;
      readonly population: string;
      readonly unit: Unit;
      readonly limit: NonNullable<PopulationLimit>;
    },
    before: Spent,
    stages: readonly StageCharge[],
  ): void {
    const { study, population, unit, limit } = of;
    const asked = stages.reduce((sum, stage) => plus(sum, stage.rho), nothing);
    const after = epsilonOf(plusSpent(before, asked), limit.delta);
    // What has no bound is let in by the policy's own switch; it takes nothing from what is proven.
    if (asked.rho === 0 || (after <= limit.epsilon && isWithin(limit, plusSpent(before, asked)))) return;
    const spent = epsilonOf(before, limit.delta);
    const params = {
      study: nameOf(study),
      needs: nameOf(shownUp(after - spent, 3).toFixed(3)),
      unit: nameOf(unit),
      remains: nameOf(shownDown(Math.max(0, limit.epsilon - spent), 3).toFixed(3)),
      of: limit.epsilon,
      delta: limit.delta,
      population: nameOf(population),
    };
    const remedy = said("ledger.ask-for-more", {});
    throw fault("BUDGET_EXHAUSTED", "ledger.exhausted", params, { remedy });
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
    const { population, event, factor, rho, claimed } = known;
    const charge = { stage, attempt, event, ...(factor === undefined ? {} : { factor }), rho, claimed };
    this.#append({ kind: "commit", study, population, ...bookedTo(known), ...charge });
  }

  /** Gives back what was reserved for a study and not committed. */
  release(study: string): void {
    this.#sync();
    const reserved = this.#totals.stagesOf(study).find((stage) => stage.state === "reserved");
    if (reserved === undefined) return;
    this.#append({ kind: "release", study, population: reserved.population });
  }

  /** Notes the one statement that is signed of a study. @throws ConsiliumError LEDGER_BEHIND; RangeError for a second one */
  sign(study: string, statement: Sha256): void {
    this.demandCurrent();
    this.#append({ kind: "signed", study, statement });
  }

  /** Notes that a person approved a study. @param record - hash of what is kept of it @throws ConsiliumError LEDGER_BEHIND */
  approve(study: string, record: Sha256): void {
    this.demandCurrent();
    this.#append({ kind: "approved", study, record });
  }

  /** Notes that a person refused a study: also in a ledger that is behind, for it spends nothing. @param record - as of `approve` */
  refuse(study: string, record: Sha256): void {
    this.#sync();
    this.#append({ kind: "refused", study, record });
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
    this.#sync();
    const found = this.#entries.findLast((signed) => signed.entry.sequence === sequence);
    if (found === undefined) throw new RangeError(`the ledger has no entry ${sequence}`);
    return found.hash;
  }

  head(): LedgerHead & { readonly opening: HeadOpening } {
    this.#sync();
    return this.#head();
  }

  #head(): LedgerHead & { readonly opening: HeadOpening } {
    const entries = this.#entries;
    const last = entries.at(-1)!;
    const { federation, site } = this.#owner();
    return {
      federation,
      site,
      sequence: last.entry.sequence,
      hash: last.hash,
      opening: { spent: spendingOf(this.#totals), trail: trailOf(entries) },
      isOpen: false,
    };
  }

  /** As it is given out: it shows neither populations nor what they have spent. */
  signedHead(): WireLedgerHead {
    const { head, signature } = this.anchor();
    return { head, signature };
  }

  /** The signed head with its opening, which stays at the hospital. */
  anchor(): KeptHead {
    this.#sync();
    const { hash } = this.#entries.at(-1)!;
    const { signingKey } = this.#owner();
    const before = this.#signed;
    if (before?.head.hash === hash && before.signingKey === signingKey) return before.kept;
    const head = this.#head();
    const kept = signHead(head, this.#random.bytes(32), signingKey);
    this.#signed = { head, kept, signingKey };
    return kept;
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
      return err(fault("LEDGER_BROKEN", "ledger.unreadable", {}, { cause }));
    }
    return verifyRows(rows, this.#owner());
  }

  // ---- anchors ------------------------------------------------------------------------------------------------

  /**
   * Compares this ledger with a head of it that somebody has kept.
   * @returns whether this ledger holds what the head stands for; when it does not, nothing may be spent any more
   * @throws ConsiliumError LEDGER_HEAD_INVALID when the head is not this site's
   */
  accept(shown: KeptHead): boolean {
    this.#sync();
    const isOwn = shown === this.#signed?.kept;
    const head = isOwn ? this.#signed!.head : unwrap(readHead(shown, { keys: this.#keys }));
    const holds = holdsHead(this.#entries, head);
    // The same head without its opening says less than the one that is known.
    const known = this.#shown.find((one) => one.head.hash === head.hash && one.head.opening !== null);
    if (known !== undefined && head.opening === null) return holds;
    const others = this.#shown.filter((one) => one.head.hash !== head.hash);
    // A tail that is cut off later shows by the newest head that was held before.
    const isNewest = others.every((one) => one.head.sequence < head.sequence);
    if (!holds || isNewest) {
      const kept = others.filter((one) => !holds || !holdsHead(this.#entries, one.head));
      this.#shown = [...kept, { head, kept: shown }];
    }
    return holds;
  }

  /** The newest head that is known and that this copy does not hold: it is an old one, and nothing may be spent. */
  get behind(): LedgerHead | null {
    this.#sync();
    return this.#behind;
  }

  get #behind(): LedgerHead | null {
    return this.#unheld()[0]?.head ?? null;
  }

  /** What is known of everything that this copy has lost; null where of some only the place is known. */
  get lost(): readonly Booked[] | null {
    this.#sync();
    const unheld = this.#unheld();
    const opened = unheld.flatMap(({ head }) => head.opening ?? []);
    const isKnown = ({ head }: ShownHead) =>
      head.opening !== null ||
      unheld.some((one) => includesHead(one.head, head) && one.head.opening !== null);
    if (!unheld.every(isKnown)) return null;
    return opened.length === 0 ? [] : lostSpending(this.#entries, opened[0]!);
  }

  /** The newest first. */
  #unheld(): ShownHead[] {
    const entries = this.#entries;
    const missing = this.#shown.filter((one) => !holdsHead(entries, one.head));
    return missing.sort((a, b) => b.head.sequence - a.head.sequence);
  }

  /**
   * Charges what an anchor proves to be spent and this copy has lost, population by population, so that spending may
   * continue. Nothing is ever charged less than the anchor says. Each branch that was lost takes an entry of its own, the
   * newest first: call it again until there is none. Heads whose opening is known come before those of which only the
   * place is known, for they may include these.
   * @param declare - what a person has declared to be lost with a head of which only the place is known
   * @returns the entry; null when the ledger is not behind
   * @throws ConsiliumError LEDGER_BEHIND where only a head's place is known, and nobody has declared what was lost
   */
  reconcile(declare: Declaration | null = null): SignedEntry | null {
    this.#sync();
    const unheld = this.#unheld();
    const lost = unheld.find(({ head }) => head.opening !== null) ?? unheld[0];
    if (lost === undefined) return null;
    const { head, signature, opening } = lost.kept;
    const anchor = { head, signature: Buffer.from(signature).toString("base64") };
    if (lost.head.opening !== null) {
      return this.#append({
        kind: "reconcile",
        anchor: opening === undefined ? anchor : { ...anchor, opening },
        lost: lostSpending(this.#entries, lost.head.opening),
      });
    }
    if (declare === null) throw undeclared(lost.head);
    const { epsilon, lost: charged } = declare;
    return this.#append({ kind: "reconcile", anchor, lost: [...charged], declared: { epsilon } });
  }

  /** @throws ConsiliumError LEDGER_BEHIND, or LEDGER_BROKEN when the last verification failed */
  demandCurrent(): void {
    this.#sync();
    if (this.#fault !== null) throw this.#fault;
    const behind = this.#behind;
    if (behind === null) return;
    const ends = this.#entries.at(-1)!.entry.sequence;
    throw fault("LEDGER_BEHIND", "ledger.behind", { ends, known: behind.sequence });
  }

  /** Moves entries out of the store, once they are in an archive: a checkpoint stands for them (compaction.ts). */
  archive(archived: Archived): SignedEntry {
    this.demandCurrent();
    const { federation, site, signingPublicKey } = this.#owner();
    const signingKey = Buffer.from(signingPublicKey).toString("hex") as Sha256;
    const checkpoint = this.#append({ kind: "open", federation, site, signingKey, archived });
    this.#store.run("DELETE FROM ledger WHERE sequence <= ?", archived.through.sequence);
    // Verified as it will be at every start.
    this.#read();
    return checkpoint;
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
      body.kind === "reconcile" ? Math.max(next, unwrap(parseHead(body.anchor)).sequence + 1) : next;
    const place = { sequence, at: this.#now(), previous: last?.hash ?? null, blind: this.#blind() };
    const entry = { ...body, ...place } as LedgerEntry;
    const wrong = spendingFault(entry, this.#totals);
    if (wrong !== null) throw new RangeError(`entry ${sequence} of the ledger: ${wrong}`);
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
    if (entry.kind === "open") this.#keys.push(keyOf(entry));
    return signed;
  }

  #blind(): string {
    return Buffer.from(this.#random.bytes(16)).toString("hex");
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

/** A head that somebody has shown, with what it was read from. */
interface ShownHead {
  readonly head: LedgerHead;
  readonly kept: KeptHead;
}

/** What a person declares to be lost. */
export interface Declaration {
  /** Of every population, at its δ. */
  readonly epsilon: number;
  readonly lost: readonly Booked[];
}

function bookedTo({ unit, sources }: { readonly unit: Unit; readonly sources: readonly string[] }) {
  return { unit, ...(sources.length === 0 ? {} : { sources: [...sources] }) };
}

function undeclared({ sequence }: LedgerHead): ConsiliumError {
  const remedy = said("ledger.restore-or-charge", {});
  return fault("LEDGER_BEHIND", "ledger.undeclared", { known: sequence }, { remedy });
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

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The text of UTF-8 bytes; of others an empty one, which no entry has. */
function decoded(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
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
