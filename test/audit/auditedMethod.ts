import type { NoisyEntries } from "@consilium/core/privacy/pld";
import type { RandomSource } from "@consilium/core/random";
import type { StageNoise } from "@consilium/core/study/plan";

/**
 * What the audit needs to know of a method. A further one joins with a file of its own in `methods/` and a line in
 * `methods/all.ts`; every check that fits it is then run.
 *
 * Tables are multisets of the records of a small domain, each record by its number, so that all tables of a few
 * records can be tried. Everything else is the product's own code: the audit computes no vector and draws no noise of
 * its own, except where a mutation shall be caught.
 */
export type AuditedMethod = SoundMethod | StoppedMethod | PaperMethod | Mutation | AuditedAccounting;

/** ε and δ, and whom they are meant for. */
export interface AuditClaim {
  readonly epsilon: number;
  readonly delta: number;
  readonly relation: "add-remove" | "replace-one";
}

/**
 * A method whose privacy is proven. Expected: no table of the domain breaks the sensitivity, the noise is what the plan
 * says, and no experiment proves more than ε. The same with half of the noise must be caught.
 */
export interface SoundMethod {
  readonly kind: "sound";
  readonly name: string;
  readonly claim: AuditClaim;
  readonly mechanism: SumMechanism;
}

/**
 * A method whose stages noisy results may end early. Expected: what its certificate states holds under the worst rule that ends
 * them; the ε of the stages that took place, stated in its place, must be caught.
 */
export interface StoppedMethod {
  readonly kind: "stopped";
  readonly name: string;
  readonly claim: AuditClaim;
  /** The smallest δ at which a statement holds, whatever rule ends the stages. Nothing is random. */
  worstDelta(statement: "plan" | "realised"): number;
}

/** A published method whose claim is not proven. Expected: every attack proves more than the claimed ε. */
export interface PaperMethod {
  readonly kind: "paper";
  readonly name: string;
  readonly claim: AuditClaim;
  readonly attacks: readonly Attack[];
}

/** A sound mechanism with a fault put into it. Expected: the sensitivity breaks. */
export interface Mutation {
  readonly kind: "mutation";
  /** What is wrong. */
  readonly name: string;
  readonly mechanism: SumMechanism;
}

/**
 * An accountant of compositions. Expected: its ε of random plans is never below that of an independent one, nor far above; the
 * weakened one's must be caught.
 */
export interface AuditedAccounting {
  readonly kind: "accounting";
  readonly name: string;
  readonly delta: number;
  plan(random: RandomSource): readonly NoisyEntries[];
  epsilon(parts: readonly NoisyEntries[], delta: number): number;
  weakened(parts: readonly NoisyEntries[], delta: number): number;
}

/** A conversation of sums, to each of which every site adds its share of noise. */
export interface SumMechanism {
  /** Part of the effort's runs for lower bounds on ε, where one record changes hundreds of entries; 1 where left out. */
  readonly runs?: number;
  /** The records; what they are is the method's own business. */
  readonly records: number;
  /** All tables of at most so many records are tried, with each neighbour. */
  readonly tableRecords: number;
  readonly stages: readonly AuditedStage[];
  /** What is in both tables when neighbours are told apart by experiment. Default: nothing. */
  readonly background?: readonly number[];
}

export interface AuditedStage {
  readonly id: string;
  /**
   * q(D), the integers that the table's records add up to before noise, by the site's own code.
   * @param table - numbers of records, ascending
   * @param published - the sums of the stages before, noise included: the same for both neighbours (teacher forcing)
   */
  vector(table: readonly number[], published: readonly Integers[]): Promise<Integers>;
  /** As the plan states it. `event.l2SensitivitySquared` is what must hold, the entries weighted. */
  readonly noise: StageNoise;
  /** Whether some pair of neighbours must reach the sensitivity, to a relative 2^-10; else it might be stated too high. */
  readonly attained: boolean;
}

/** Integers of a sum: two's complement, as the ring has them. */
export type Integers = BigInt64Array;

/** A way to tell two tables apart from what somebody sees. */
export interface Attack {
  readonly name: string;
  /** Who sees that. */
  readonly view: string;
  /** Runs per table that are cheap; more are taken with `--full`. */
  readonly runs: number;
  /**
   * Runs the method and reduces what is seen to one number each.
   * @param table - which of two neighbours
   */
  sample(options: {
    readonly table: "first" | "second";
    readonly runs: number;
    readonly random: RandomSource;
  }): Promise<Float64Array>;
}
