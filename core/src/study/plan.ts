import { weightInTriangles } from "@consilium/gate/cost";
import type { Terms } from "@consilium/gate/query";
import type { SetupStep } from "@consilium/secure-sum/setupSteps";
import type { PlanSays } from "@consilium/words/says/plans";
import type { RingBits } from "../fixed-point/ringVector.js";
import type { StageId } from "../ids.js";
import { methodKey } from "../method/method.js";
import type { DistributedDiscreteGaussianEvent, PrivacyEvent } from "../privacy/events.js";
import type { NoisyEntries } from "../privacy/pld.js";
import { assertNever } from "../result.js";
import { lines } from "../said.js";
import { toldApart } from "./apart.js";
import type { Study } from "./study.js";

/**
 * What a study will do, stage by stage, known before anything runs. One declaration serves every reader: the site
 * checks the length and form of its own answers against it, the operator sees the cost, the certificate lists it.
 */
export interface Plan {
  /**
   * `pairwise`: every sum by the secure sum, which survives dropouts. `dealer`: one site deals masks that sum to zero,
   * as ELFedPCA has it.
   */
  readonly masking: "pairwise" | "dealer";
  /** What the sites exchange, sealed, before the first stage: dealt masks, and a seed that all sites share. */
  readonly setup: readonly SetupStep[];
  readonly stages: readonly StagePlan[];
  readonly claim: PrivacyClaim;
  /** Things the operator should know before starting, in plain words. */
  readonly warnings: readonly string[];
}

/** A sum of one ring vector per site, or what each site sends by itself: rows, or tags with counts. */
export type StagePlan = SumStage | RowsStage | TagsStage;

/** Of every stage. */
interface StageCommon {
  readonly id: StageId;
  /** Whether a study may end without it, as what was released before decides; left out: it may not. */
  readonly mayBeSkipped?: true;
}

export interface SumStage extends StageCommon {
  readonly kind: "sum";
  /** What the aggregator tells all sites at this stage. A site takes these and nothing else. */
  readonly broadcasts: readonly BroadcastPlan[];
  /** Entries of the vector, each a ring element. */
  readonly length: number;
  /** Bits of a ring element: what travels is length × ringBits / 8 bytes. */
  readonly ringBits: RingBits;
  /** What the sites' gates are to be asked, and on which grid; left out where nothing is proven. */
  readonly terms?: Terms;
  /** What every site adds inside its masked vector; null where the stage adds nothing there. */
  readonly noise: StageNoise | null;
  readonly disclosure: Disclosure;
}

/** Each site's share of discrete Gaussian noise in a stage, in grid units of its integer vector. */
export interface StageNoise {
  readonly event: DistributedDiscreteGaussianEvent;
  /**
   * Which entries have which of the event's weights. `uniform`: all 1. `triangles`: the vector is blocks of upper
   * triangles, row-major, of symmetric matrices of this order: weight 1 on the diagonal, 2 off it.
   */
  readonly weights: { readonly kind: "uniform" } | { readonly kind: "triangles"; readonly order: number };
  /** What one record changes, entry by entry; left out where only its length is bounded. */
  readonly changes?: readonly EntryChange[];
}

/**
 * A record changes at most so many entries by at most so much each, up or down, in whole grid units. Of several of these
 * every changed entry belongs to one.
 */
export interface EntryChange {
  readonly entries: number;
  readonly most: number;
}

/** The weight of each entry of a stage's vector, by its index. */
export function noiseWeight(weights: StageNoise["weights"]): (index: number) => number {
  return weights.kind === "uniform" ? () => 1 : weightInTriangles(weights.order);
}

export interface RowsStage extends StageCommon {
  readonly kind: "rows";
  readonly broadcasts: readonly BroadcastPlan[];
  /** Real columns of each row sent; the label's level goes beside them when the study has a label. */
  readonly columns: number;
  readonly disclosure: Disclosure;
}

/**
 * Which of a site's rows are alike, without what is in them: per different tuple a tag, the start of an HMAC under a key
 * that the sites share and the aggregator has not, and how many rows have it (`core/src/learning/tags.ts`).
 */
export interface TagsStage extends StageCommon {
  readonly kind: "tags";
  readonly broadcasts: readonly BroadcastPlan[];
  readonly disclosure: Disclosure;
}

/** Bytes of one tag and its count. */
export const tagRecordBytes = 20;

/** One vector of float64 that is broadcast, its length known beforehand. */
export interface BroadcastPlan {
  readonly name: string;
  readonly length: number;
}

/** The data a site sends at a stage, in sentences (`said.ts`) for the person who approves and numbers for the ledger. */
export interface Disclosure {
  readonly what: string;
  readonly form: "masked sum" | "rows in the clear" | "tag counts";
  readonly learns: string;
  readonly mechanism: string;
  /** L2 norm bound of one record's contribution in the vector's own units; null where none is enforced. */
  readonly normBound: number | null;
  /** L2 sensitivity under the study's neighbouring relation that the method's authors use; null where none. */
  readonly sensitivity: number | null;
  /** What the stage costs, as claimed; null where the stage has no privacy cost that means anything. */
  readonly cost: { readonly epsilon: number; readonly delta: number } | null;
  /**
   * What the stage does to one unit of privacy (a record, or a patient with all their rows): the site's ledger charges
   * it, the certificate lists it, and anyone adds it up again. `no-bound` where nothing is proven.
   */
  readonly event: PrivacyEvent;
}

export interface PrivacyClaim {
  readonly verdict: "proved" | "claimed by the authors, not verified" | "no privacy";
  /**
   * For a proven claim: what zCDP accounting of all stages' events, each once, gives at `delta`; where that is more than
   * the study's ε, for the study sets a greater ρ, that of `lossDistribution`.
   */
  readonly epsilon: number | null;
  readonly delta: number | null;
  /** The sharper figure, of a proven claim whose stages all have a dominating pair; left out elsewhere. */
  readonly lossDistribution?: PlanLoss;
  /** `epsilon` is that of `lossDistribution`. */
  readonly isExact?: true;
  /** Who counts as a neighbour, in words. */
  readonly neighbouringRelation: string;
  /** Whom the claim protects: one record, or one patient with at most so many rows, of one site. */
  readonly unit: string;
  /** Where the proof stands, for a proven claim. */
  readonly proof: string | null;
  /** Why the verdict is not `proved`. */
  readonly reasons: readonly string[];
}

/** What a study's plan claims, without planning it: for lists. */
export const verdictOf = (variant: string, isWithoutPrivacy: boolean): PrivacyClaim["verdict"] =>
  isWithoutPrivacy ? "no privacy" : variant === "sound" ? "proved" : "claimed by the authors, not verified";

/** The exact accounting of a plan whose stages take place once each (docs/methods/loss-distributions.md). */
export interface PlanLoss {
  /** At the claim's δ, rounded up. */
  readonly epsilon: number;
  /** Everything that one record can change in all stages together. */
  readonly entries: readonly NoisyEntries[];
}

const line = lines<PlanSays>();
const marked = new WeakMap<Study, Plan>();

/**
 * The plan of a study, by its own method; of a sound one with what it shows of single hospitals, where it names its sites, and that its
 * sums become public.
 */
export function planStudy(study: Study): Plan {
  const known = marked.get(study);
  if (known !== undefined) return known;
  const own = study[methodKey].plan(study);
  const apart = study.variant === "sound" ? toldApart(study, study.participation.sites ?? []) : null;
  const warnings = [
    ...own.warnings,
    ...(apart === null ? [] : [line("plan.per-hospital", apart)]),
    ...(study.release.sums ? [line("plan.sums-public", {})] : []),
  ];
  const plan = { ...own, warnings };
  marked.set(study, plan);
  return plan;
}

export function stageUploadBytes(stage: StagePlan, study: Study): number {
  switch (stage.kind) {
    case "sum":
      return (stage.length * stage.ringBits) / 8;
    case "rows":
      return study.participation.maxRowsPerSite * rowBytes(stage.columns, study.label !== undefined);
    case "tags":
      return study.participation.maxRowsPerSite * tagRecordBytes;
    default:
      return assertNever(stage);
  }
}

/** Bytes of one row on the wire: real columns as float64, then the label's level as 16 bits. */
export function rowBytes(columns: number, hasLabel: boolean): number {
  return columns * 8 + (hasLabel ? 2 : 0);
}
