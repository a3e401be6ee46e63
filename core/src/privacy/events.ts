import { z } from "zod";
import { ConsiliumError } from "../errors.js";
import { assertNever, err, ok, type Result } from "../result.js";

/**
 * What a mechanism did, as immutable data: the mathematics of a release and nothing about how it is accounted.
 * Ledgers and certificates hold events, accountants consume them. The meaning of a kind never changes; a mechanism
 * that none of them describes gets a new kind.
 *
 * Sensitivities are those of adding or removing one record. Numbers are doubles that stand for exactly themselves,
 * so an event written as JSON and read back is the same event. Noise of different entries is independent.
 */
export type PrivacyEvent =
  | MechanismEvent
  /** All of them on the same records, each chosen with knowledge of the results before it. */
  | { readonly kind: "composed"; readonly events: readonly PrivacyEvent[] }
  /** One event `count` times; count is a positive integer. */
  | { readonly kind: "repeated"; readonly event: PrivacyEvent; readonly count: number }
  /** What the event costs a person with `records` records, a positive integer. */
  | { readonly kind: "group"; readonly event: PrivacyEvent; readonly records: number };

/** One release by one mechanism. */
export type MechanismEvent =
  | GaussianEvent
  | GaussianEntriesEvent
  | DistributedDiscreteGaussianEvent
  | LaplaceEvent
  | ExponentialMechanismEvent
  | NoBoundEvent;

/**
 * A vector of L2 sensitivity Δ released with noise of one variance σ² on every entry: N(0, σ²) on reals, or the
 * discrete Gaussian N_Z(0, σ²) on integers [CKS20]. The two have the same Rényi bound, but not the same δ at given ε.
 */
export interface GaussianEvent {
  readonly kind: "gaussian" | "discrete-gaussian";
  /** Δ² > 0, in squared units of the vector. */
  readonly l2SensitivitySquared: number;
  /** σ² > 0, in the same units. It is the parameter; the discrete Gaussian's true variance is slightly smaller. */
  readonly variance: number;
}

/** The same with a noise variance σ_j² of its own for every entry j, summarised. */
export interface GaussianEntriesEvent {
  readonly kind: "gaussian-entries" | "discrete-gaussian-entries";
  /** An upper bound on Σ_j Δ_j²/σ_j² over pairs of neighbours, without unit; positive. */
  readonly squaredSensitivityToNoise: number;
}

/**
 * A sum of integer vectors over sites, to which every site adds its own discrete Gaussian noise [KLS21]. Held against
 * anyone who sees the sum and knows the shares of all sites but `noiseShares`.
 */
export interface DistributedDiscreteGaussianEvent {
  readonly kind: "distributed-discrete-gaussian";
  /**
   * Positive integer. A record contributes an integer vector q with Σ_j w_j·q_j² at most this, where w_j is the weight
   * of entry j's group.
   */
  readonly l2SensitivitySquared: number;
  /** V_loc: an entry of weight w has noise of variance V_loc/w from each site; V_loc/w is at least 1/4. */
  readonly shareVariance: number;
  /** The entries of the vector by weight. */
  readonly groups: readonly EntryGroup[];
  /** Sites on the roster: at most so many shares are ever added. */
  readonly sites: number;
  /** Shares that are certainly in the sum and unknown to the adversary: those of its fewest sites, without the colluding ones. */
  readonly noiseShares: number;
}

/** Entries of a vector that share one noise variance. */
export interface EntryGroup {
  /** Number of entries, a positive integer. */
  readonly entries: number;
  /** Positive integer: the entries' noise variance is that of weight 1, divided by it. */
  readonly weight: number;
}

/** A vector of L1 sensitivity Δ1 with Laplace noise of scale b, density ∝ exp(-|x|/b), or its discrete form. */
export interface LaplaceEvent {
  readonly kind: "laplace" | "discrete-laplace";
  /** Δ1 > 0, in units of the vector. */
  readonly l1Sensitivity: number;
  /** b > 0, in the same units. */
  readonly scale: number;
}

/** A choice with probability ∝ exp(ε·score/(2Δ)), where Δ bounds the change of every score. */
export interface ExponentialMechanismEvent {
  readonly kind: "exponential-mechanism";
  /** ε > 0. */
  readonly epsilon: number;
}

/** A release for which nothing is proven: ε is infinite whatever comes before or after. */
export interface NoBoundEvent {
  readonly kind: "no-bound";
  /** Why: a `NoBoundReason`; a sentence in ledgers and certificates of earlier software, and still in statements (`eventAsStated`). */
  readonly reason: string;
}

/** `none`: the study asks for none. `by-authors`: a method's authors claim it, and nobody has proved it. */
export type NoBoundReason = "none" | "by-authors";

const positive = z.number().positive();
const count = z.number().int().positive().max(Number.MAX_SAFE_INTEGER);
const reasonMaxLength = 500;
const eventsMaxLength = 100_000;
const depthMax = 16;

const group = z.strictObject({ entries: count, weight: count });

const mechanismSchema: z.ZodType<MechanismEvent> = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.enum(["gaussian", "discrete-gaussian"]),
    l2SensitivitySquared: positive,
    variance: positive,
  }),
  z.strictObject({
    kind: z.enum(["gaussian-entries", "discrete-gaussian-entries"]),
    squaredSensitivityToNoise: positive,
  }),
  z
    .strictObject({
      kind: z.literal("distributed-discrete-gaussian"),
      l2SensitivitySquared: positive.refine(Number.isInteger, "not an integer"),
      shareVariance: positive,
      groups: z.array(group).min(1).max(1000),
      sites: count.max(100_000),
      noiseShares: count,
    })
    .refine((event) => event.noiseShares <= event.sites, "more noise shares than sites")
    .refine(
      (event) => event.groups.every(({ weight }) => event.shareVariance / weight >= 0.25),
      "a share's standard deviation is below 1/2, where nothing is proved",
    ),
  z.strictObject({
    kind: z.enum(["laplace", "discrete-laplace"]),
    l1Sensitivity: positive,
    scale: positive,
  }),
  z.strictObject({ kind: z.literal("exponential-mechanism"), epsilon: positive }),
  z.strictObject({ kind: z.literal("no-bound"), reason: z.string().min(1).max(reasonMaxLength) }),
]);

/**
 * Reads an event from a ledger or a certificate.
 * @returns the event, frozen; or FIELD_INVALID for whatever is not exactly one (unknown kinds and keys, numbers out of
 *   range, nesting beyond 16)
 */
export function parseEvent(raw: unknown): Result<PrivacyEvent, ConsiliumError> {
  try {
    return ok(checkedEvent(raw, 0));
  } catch (thrown) {
    if (thrown instanceof RangeError) return err(new ConsiliumError("FIELD_INVALID", thrown.message));
    throw thrown;
  }
}

/**
 * An immutable copy of an event that is exactly what its kind demands.
 * @throws RangeError naming the kind and the field otherwise
 */
export function checkEvent(event: PrivacyEvent): PrivacyEvent {
  return checkedEvent(event, 0);
}

function checkedEvent(raw: unknown, depth: number): PrivacyEvent {
  if (depth > depthMax) throw new RangeError(`a privacy event is nested beyond ${depthMax}`);
  const kind = typeof raw === "object" && raw !== null && "kind" in raw ? raw.kind : undefined;
  switch (kind) {
    case "composed": {
      const outer = read(
        z.strictObject({ kind: z.literal("composed"), events: z.array(z.unknown()).max(eventsMaxLength) }),
        raw,
      );
      const events = outer.events.map((inner) => checkedEvent(inner, depth + 1));
      return Object.freeze({ kind, events: Object.freeze(events) });
    }
    case "repeated": {
      const outer = read(z.strictObject({ kind: z.literal("repeated"), event: z.unknown(), count }), raw);
      return Object.freeze({ kind, event: checkedEvent(outer.event, depth + 1), count: outer.count });
    }
    case "group": {
      const outer = read(
        z.strictObject({ kind: z.literal("group"), event: z.unknown(), records: count }),
        raw,
      );
      return Object.freeze({ kind, event: checkedEvent(outer.event, depth + 1), records: outer.records });
    }
    default: {
      const event = read(mechanismSchema, raw);
      if (event.kind === "distributed-discrete-gaussian") {
        for (const group of event.groups) Object.freeze(group);
        Object.freeze(event.groups);
      }
      return Object.freeze(event);
    }
  }
}

function read<T>(schema: z.ZodType<T>, raw: unknown): T {
  const read = schema.safeParse(raw);
  if (read.success) return read.data;
  const issue = read.error.issues[0]!;
  throw new RangeError(`not a privacy event: ${issue.path.join(".") || "kind"}: ${issue.message}`);
}

/** A mechanism, how often, and against how many records of one person. */
export interface Charge {
  readonly event: MechanismEvent;
  readonly count: bigint;
  readonly records: bigint;
}

/** The single mechanisms inside of an event. Groups multiply, and so do repetitions. */
export function chargesOf(event: PrivacyEvent, count = 1n, records = 1n): Charge[] {
  switch (event.kind) {
    case "composed":
      return event.events.flatMap((inner) => chargesOf(inner, count, records));
    case "repeated":
      return chargesOf(event.event, count * BigInt(event.count), records);
    case "group":
      return chargesOf(event.event, count, records * BigInt(event.records));
    case "gaussian":
    case "discrete-gaussian":
    case "gaussian-entries":
    case "discrete-gaussian-entries":
    case "distributed-discrete-gaussian":
    case "laplace":
    case "discrete-laplace":
    case "exponential-mechanism":
    case "no-bound":
      return [{ event, count, records }];
    default:
      return assertNever(event);
  }
}
