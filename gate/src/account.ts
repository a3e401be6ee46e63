import { epsilonAt, holdsCharge, readEvent, slack } from "./cost.js";

/**
 * A hospital's account of what its records have cost: what an entry of its ledger may say, and what all of them come to. Nothing
 * here is stored, signed or sent; `site-agent/src/ledger` keeps the entries, and asks here what may be written.
 *
 * ρ adds over releases [BS16]. Every addition is rounded up; what has no bound is counted, for no sum of it means anything.
 */

/** Whose privacy is counted. */
export type Unit = "row" | "patient";

export interface Spent {
  /** Of everything that is proven. */
  readonly rho: number;
  /** How often something without a bound went out. */
  readonly unbounded: number;
}

/** Charged to a population, in a unit, for records from any of the sources. */
export interface Booked extends Spent {
  readonly population: string;
  readonly unit: Unit;
  /** Keyed hashes of where the records are; none in early entries. */
  readonly sources: readonly string[];
}

/** What a stage of a study is charged. */
export interface StageCharge {
  readonly stage: string;
  readonly attempt: number;
  /** A `ChargedEvent`, as it was written down. */
  readonly event: unknown;
  /** How many times the event's ρ is charged: the event is of the study's unit, the charge of the hospital's; left out: once. */
  readonly factor?: number | undefined;
  /** Null where nothing is proven. */
  readonly rho: number | null;
  /** By a method's authors, where nothing is proven. */
  readonly claimed: { readonly epsilon: number; readonly delta: number } | null;
}

interface ForStudy {
  readonly sequence: number;
  readonly study: string;
  readonly population: string;
  /** Left out of early entries: rows. */
  readonly unit?: Unit | undefined;
  readonly sources?: readonly string[] | undefined;
}

/** An entry of the ledger, as far as it says what is spent. */
export type Spending =
  | { readonly kind: "open" }
  /** Set aside, before a study begins or is tried again. */
  | ({
      readonly kind: "reserve";
      readonly stages: readonly StageCharge[];
      /** The most that the study may cost in all its attempts together: with its first reservation, in chains since there are ceilings. */
      readonly ceiling?: Spent | undefined;
      /** Of a study that was joined without a person: the SHA-256 of what is kept of that. */
      readonly record?: string | undefined;
    } & ForStudy)
  /** A person lets a study cost so much altogether, in place of what it might before. */
  | ({ readonly kind: "ceiling" } & ForStudy & Spent)
  /** Spent, before the first byte of what it is for leaves. Never taken back. */
  | ({ readonly kind: "commit" } & ForStudy & StageCharge)
  /** What was set aside for a study and not spent is free again. */
  | { readonly kind: "release"; readonly study: string }
  /** What a study came to was signed: the SHA-256 of the one statement that this hospital ever signs of it. */
  | { readonly kind: "signed"; readonly study: string; readonly statement: string }
  /** A person approved or refused a study: the SHA-256 of what is kept of it. */
  | { readonly kind: "approved" | "refused"; readonly study: string; readonly record: string }
  /** Lost by an older copy of the ledger, and charged again. */
  | { readonly kind: "reconcile"; readonly lost: readonly Booked[] | Readonly<Record<string, Spent>> };

export const nothing: Spent = { rho: 0, unbounded: 0 };

export function plus(spent: Spent, rho: number | null): Spent {
  if (rho === null) return { ...spent, unbounded: spent.unbounded + 1 };
  return { ...spent, rho: addUp(spent.rho, rho) };
}

export function plusSpent(a: Spent, b: Spent): Spent {
  return { rho: addUp(a.rho, b.rho), unbounded: a.unbounded + b.unbounded };
}

/** a + b for a sum that is not negative, rounded up: the error of an addition of doubles is a double [Knu97, 4.2.2]. */
export function addUp(a: number, b: number): number {
  const sum = a + b;
  const part = sum - a;
  const error = a - (sum - part) + (b - part);
  return error > 0 ? nextUp(sum) : sum;
}

/** a · n for a whole n, rounded up. */
export function timesUp(a: number, n: number): number {
  return n === 1 || a === 0 ? a : nextUp(a * n);
}

/** So many times what was spent, rounded up; what has no bound has none either way. */
export function timesSpent({ rho, unbounded }: Spent, n: number): Spent {
  return { rho: timesUp(rho, n), unbounded };
}

/** The next double above one that is not negative. */
function nextUp(value: number): number {
  const bits = new BigUint64Array(1);
  const doubles = new Float64Array(bits.buffer);
  doubles[0] = value;
  bits[0] = bits[0]! + 1n;
  return doubles[0]!;
}

/** One stage of one study as the ledger has it. */
export interface LedgerStage extends StageCharge {
  readonly study: string;
  readonly population: string;
  readonly unit: Unit;
  /** Where the records came from; none in earlier entries. */
  readonly sources: readonly string[];
  readonly state: "reserved" | "committed";
  /** Sequence number of the entry that put it into this state. */
  readonly entry: number;
}

/** What follows from a chain of entries; kept up to date entry by entry. */
export class Totals {
  /** By study; within it by stage and attempt. */
  readonly #studies = new Map<string, Map<string, LedgerStage>>();
  /** Studies that something is reserved for. */
  readonly #reserving = new Set<string>();
  /** By population, unit and sources. */
  readonly #committed = new Map<string, Booked>();
  /** By study. */
  readonly #ceilings = new Map<string, Spent>();
  /** By study. */
  readonly #statements = new Map<string, string>();

  add(entry: Spending): void {
    switch (entry.kind) {
      case "open":
        return;
      case "ceiling":
        this.#ceilings.set(entry.study, entry);
        return;
      case "reserve":
        if (entry.ceiling !== undefined) this.#ceilings.set(entry.study, entry.ceiling);
        for (const stage of entry.stages) this.#set(entry, stage, "reserved");
        this.#reserving.add(entry.study);
        return;
      case "commit":
        this.#set(entry, stageOf(entry), "committed");
        this.#commit({ ...bookingOf(entry), ...plus(nothing, entry.rho) });
        return;
      case "release": {
        const stages = this.#studies.get(entry.study);
        for (const [key, stage] of stages ?? []) if (stage.state === "reserved") stages!.delete(key);
        this.#reserving.delete(entry.study);
        return;
      }
      case "signed":
        this.#statements.set(entry.study, entry.statement);
        return;
      case "reconcile":
        for (const lost of lostOf(entry)) this.#commit(lost);
    }
  }

  #commit(booked: Booked): void {
    const key = JSON.stringify([booked.population, booked.unit, booked.sources]);
    const before = this.#committed.get(key) ?? nothing;
    this.#committed.set(key, { ...booked, ...plusSpent(before, booked) });
  }

  #set(entry: ForStudy, stage: StageCharge, state: LedgerStage["state"]): void {
    const { study, sequence } = entry;
    const stages = this.#studies.get(study) ?? new Map<string, LedgerStage>();
    this.#studies.set(study, stages);
    stages.set(keyOf(stage), { ...stage, ...bookingOf(entry), study, state, entry: sequence });
  }

  stage(study: string, stage: string, attempt: number): LedgerStage | null {
    return this.#studies.get(study)?.get(keyOf({ stage, attempt })) ?? null;
  }

  stagesOf(study: string): LedgerStage[] {
    return [...(this.#studies.get(study)?.values() ?? [])];
  }

  /** The most that a study may cost altogether; null where the chain does not say. */
  ceilingOf(study: string): Spent | null {
    return this.#ceilings.get(study) ?? null;
  }

  /** Hash of the statement that was signed of a study; null where none was. */
  statementOf(study: string): string | null {
    return this.#statements.get(study) ?? null;
  }

  get hasCeilings(): boolean {
    return this.#ceilings.size > 0;
  }

  /** Everything that is committed, apart by population, unit and sources. */
  bookings(): readonly Booked[] {
    return [...this.#committed.values()];
  }

  /** The same of what is reserved, stage by stage. */
  reservations(): Booked[] {
    const stages = [...this.#reserving].flatMap((study) => this.stagesOf(study));
    return stages
      .filter(({ state }) => state === "reserved")
      .map(({ population, unit, sources, rho }) => ({
        population,
        unit,
        sources: [...sources],
        ...plus(nothing, rho),
      }));
  }
}

function keyOf({ stage, attempt }: { readonly stage: string; readonly attempt: number }): string {
  return `${attempt} ${stage}`;
}

function stageOf({ stage, attempt, event, factor, rho, claimed }: StageCharge): StageCharge {
  return { stage, attempt, event, ...(factor === undefined ? {} : { factor }), rho, claimed };
}

function bookingOf({ population, unit = "row", sources = [] }: Omit<ForStudy, "sequence">) {
  return { population, unit, sources };
}

/** What a reconciliation charges. */
export function lostOf({ lost }: Pick<Extract<Spending, { kind: "reconcile" }>, "lost">): readonly Booked[] {
  if (Array.isArray(lost)) return lost as readonly Booked[];
  // Early entries have a map from populations, all in rows.
  return Object.entries(lost).map(([population, one]) => ({ population, unit: "row", sources: [], ...one }));
}

// ---- what may be written ----------------------------------------------------------------------------------------

/**
 * What is wrong with setting aside or spending this; null where nothing is. Each stage is set aside once, for what its event
 * costs, and is spent as it was set aside.
 */
export function spendingFault(entry: Spending, totals: Totals): string | null {
  switch (entry.kind) {
    case "reserve": {
      const { study, stages } = entry;
      const isKnown = stages.some(({ stage, attempt }) => totals.stage(study, stage, attempt) !== null);
      if (isKnown || new Set(stages.map(keyOf)).size < stages.length)
        return "it reserves what is reserved or spent already";
      return stages.map(chargeFault).find((fault) => fault !== null) ?? ceilingFault(entry, totals);
    }
    case "commit": {
      const reserved = totals.stage(entry.study, entry.stage, entry.attempt);
      if (reserved?.state !== "reserved") return "it commits what is not reserved";
      const asked = { ...stageOf(entry), ...bookingOf(entry) };
      const kept = { ...stageOf(reserved), ...bookingOf(reserved) };
      return isSame(asked, kept) ? null : "it commits something else than was reserved";
    }
    case "signed":
      return totals.statementOf(entry.study) === null ? null : "it signs a study that was signed before";
    default:
      return null;
  }
}

/** Nothing is set aside beyond a study's ceiling, whatever it is for; a reservation states one where there is none, and changes none. */
export function ceilingFault(
  entry: Pick<Extract<Spending, { kind: "reserve" }>, "study" | "stages" | "ceiling">,
  totals: Totals,
): string | null {
  const { study, stages } = entry;
  const known = totals.ceilingOf(study);
  if (known !== null && entry.ceiling !== undefined) return "it changes the study's ceiling";
  const ceiling = known ?? entry.ceiling;
  if (ceiling === undefined) return totals.hasCeilings ? "it reserves for a study without a ceiling" : null;
  const held = costOfStages([...totals.stagesOf(study), ...stages]);
  const isWithinIt = held.rho <= ceiling.rho * (1 + slack) && held.unbounded <= ceiling.unbounded;
  return isWithinIt ? null : "it reserves beyond the study's ceiling";
}

/** The cost of stages together. */
export function costOfStages(stages: readonly Pick<StageCharge, "rho">[]): Spent {
  return stages.reduce<Spent>((sum, stage) => plus(sum, stage.rho), nothing);
}

function chargeFault(stage: StageCharge): string | null {
  const event = readEvent(stage.event);
  if (event === null) return "its event is none";
  return holdsCharge(event, stage) ? null : "it does not charge what its event costs";
}

/** Whether both are written alike, but for the order of keys. */
export function isSame(one: unknown, other: unknown): boolean {
  if (typeof one !== "object" || one === null || typeof other !== "object" || other === null)
    return Object.is(one, other);
  const keys = Object.keys(one);
  return (
    keys.length === Object.keys(other).length &&
    keys.every((key) => isSame(one[key as never], other[key as never]))
  );
}

// ---- populations ------------------------------------------------------------------------------------------------

/** What a hospital has said of a population: whose records these are, and what they may cost over all studies. */
export interface Account {
  readonly name: string;
  readonly unit: Unit;
  /** Rows of a patient at most, in any of its tables; 1 where rows are counted. */
  readonly maxRows: number;
  /** Keyed hashes that stand for records of its tables. */
  readonly matches: ReadonlySet<string>;
  /** Null where the hospital sets no limit. */
  readonly budget: { readonly epsilon: number; readonly delta: number } | null;
}

/** A row that changes is a patient taken away and put back otherwise: two steps of a patient. */
const stepsOfRow = 2;

/** How many times spending of a unit counts for a population of another: ρ grows with the square of the steps [BS16, Proposition 27]. */
export function factorOf({ unit, maxRows }: Pick<Account, "unit" | "maxRows">, spentBy: Unit): number {
  if (spentBy === unit) return 1;
  return unit === "row" ? stepsOfRow ** 2 : maxRows ** 2;
}

/**
 * Whether what was booked counts for a population: under its name, or for records that are its own now, so that neither a renamed
 * population nor a renamed table begins anew. Early entries do not say where their records come from: once nobody is called as
 * they are, they count for everybody.
 * @param accounts - of all populations, this one's among them
 */
export function isCounted(
  { population, sources }: Pick<Booked, "population" | "sources">,
  account: Account,
  accounts: readonly Pick<Account, "name">[],
): boolean {
  if (population === account.name || sources.some((source) => account.matches.has(source))) return true;
  return sources.length === 0 && accounts.every(({ name }) => name !== population);
}

/** What counts for a population as it is now, in its present unit. */
export function countedFor(
  account: Account,
  accounts: readonly Pick<Account, "name">[],
  totals: Totals,
): { readonly committed: Spent; readonly reserved: Spent } {
  const sum = (all: readonly Booked[]) =>
    all
      .filter((booked) => isCounted(booked, account, accounts))
      .map((booked) => timesSpent(booked, factorOf(account, booked.unit)))
      .reduce(plusSpent, nothing);
  return { committed: sum(totals.bookings()), reserved: sum(totals.reservations()) };
}

/** Everything that a further charge is added to. */
export function heldBy(account: Account, accounts: readonly Account[], totals: Totals): Spent {
  const { committed, reserved } = countedFor(account, accounts, totals);
  return plusSpent(committed, reserved);
}

/** Whether a population may spend so much together, to a relative 2^-30 of its ε. What has no bound the policy lets in by a switch of its own. */
export function isWithin(budget: NonNullable<Account["budget"]>, { rho }: Spent): boolean {
  return rho === 0 || epsilonAt(rho, budget.delta) <= budget.epsilon * (1 + slack);
}
