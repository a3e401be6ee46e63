import { canonicalJson } from "@consilium/core/canonicalJson";
import { epsilonFromRho } from "@consilium/core/privacy/conversions";
import type { PrivacyEvent } from "@consilium/core/privacy/events";
import { zcdpAccountant } from "@consilium/core/privacy/zcdp";
import type { Unit } from "../data/tableUnit.js";
import {
  type Booked,
  type EntryOf,
  type LedgerEntry,
  lostOf,
  type Spent,
  type StageCharge,
} from "./entry.js";

/**
 * What a ledger's entries come to. ρ adds over releases [BS16], and every addition here is rounded up; what has no
 * bound is counted, for no sum of it means anything.
 */

/** Exact arithmetic over a roster of a thousand sites takes a twentieth of a second, and a study's event comes often. */
const known = new Map<string, number | null>();
const knownMost = 1_000;

/** ρ of a stage's event for one unit of privacy, rounded up; null where nothing is proved. */
export function rhoOfEvent(event: PrivacyEvent): number | null {
  const key = canonicalJson(event);
  const before = known.get(key);
  if (before !== undefined) return before;
  const rho = computeRho(event);
  if (known.size >= knownMost) known.clear();
  known.set(key, rho);
  return rho;
}

function computeRho(event: PrivacyEvent): number | null {
  const accountant = zcdpAccountant({ neighbouringRelation: "add-remove" });
  accountant.compose(event);
  const rho = accountant.rho();
  return rho === Number.POSITIVE_INFINITY ? null : rho;
}

export const nothing: Spent = { rho: 0, unbounded: 0 };

export function plus(spent: Spent, rho: number | null): Spent {
  if (rho === null) return { ...spent, unbounded: spent.unbounded + 1 };
  return { ...spent, rho: addUp(spent.rho, rho) };
}

export function plusSpent(a: Spent, b: Spent): Spent {
  return { rho: addUp(a.rho, b.rho), unbounded: a.unbounded + b.unbounded };
}

/** a - b, rounded up, and nothing where b is more. */
export function minusSpent(a: Spent, b: Spent): Spent {
  return {
    rho: a.rho <= b.rho ? 0 : addUp(a.rho, -b.rho),
    unbounded: Math.max(0, a.unbounded - b.unbounded),
  };
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

/** ε of what is proved, at δ, rounded up. */
export function epsilonOf(spent: Spent, delta: number): number {
  return spent.rho === 0 ? 0 : epsilonFromRho({ rho: spent.rho, delta });
}

/** To so many digits after the point, never less than the number: for what was spent. */
export function shownUp(value: number, digits: number): number {
  const unit = 10 ** digits;
  const whole = Math.ceil(value * unit);
  return whole / unit < value ? (whole + 1) / unit : whole / unit;
}

/** To so many digits after the point, never more than the number: for what remains. */
export function shownDown(value: number, digits: number): number {
  const unit = 10 ** digits;
  const whole = Math.floor(value * unit);
  return whole / unit > value ? (whole - 1) / unit : whole / unit;
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

  add(entry: LedgerEntry): void {
    switch (entry.kind) {
      case "open":
        return;
      case "reserve":
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
      case "reconcile":
        for (const lost of lostOf(entry)) this.#commit(lost);
    }
  }

  #commit(booked: Booked): void {
    const key = JSON.stringify([booked.population, booked.unit, booked.sources]);
    const before = this.#committed.get(key) ?? nothing;
    this.#committed.set(key, { ...booked, ...plusSpent(before, booked) });
  }

  #set(entry: EntryOf<"reserve"> | EntryOf<"commit">, stage: StageCharge, state: LedgerStage["state"]): void {
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

  /** What was committed under a population's name, each entry in its own unit. */
  committed(population: string): Spent {
    return sumOf(this.bookings(), population);
  }

  /** What is reserved under a population's name. */
  reserved(population: string): Spent {
    return sumOf(this.reservations(), population);
  }

  /** What every population has spent, by unit; the sources of each together. */
  spending(): Booked[] {
    const together = new Map<string, Booked>();
    for (const one of this.bookings()) {
      const key = JSON.stringify([one.population, one.unit]);
      const before = together.get(key) ?? { ...one, sources: [], ...nothing };
      const sources = [...new Set([...before.sources, ...one.sources])].sort();
      together.set(key, { ...one, sources, ...plusSpent(before, one) });
    }
    return [...together].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one);
  }

  /** Every population that anything is reserved or spent for. */
  populations(): string[] {
    const reserved = [...this.#reserving].flatMap((study) =>
      this.stagesOf(study).map((one) => one.population),
    );
    const committed = this.bookings().map((one) => one.population);
    return [...new Set([...committed, ...reserved])].sort();
  }
}

function keyOf({ stage, attempt }: { readonly stage: string; readonly attempt: number }): string {
  return `${attempt} ${stage}`;
}

function stageOf({ stage, attempt, event, factor, rho, claimed }: EntryOf<"commit">): StageCharge {
  return { stage, attempt, event, ...(factor === undefined ? {} : { factor }), rho, claimed };
}

/** To whom an entry is booked; earlier ones say neither unit nor sources. */
function bookingOf(entry: EntryOf<"reserve"> | EntryOf<"commit">) {
  return { population: entry.population, unit: entry.unit ?? "row", sources: entry.sources ?? [] };
}

function sumOf(booked: readonly Booked[], population: string): Spent {
  return booked.filter((one) => one.population === population).reduce<Spent>(plusSpent, nothing);
}
