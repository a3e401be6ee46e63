import type { StageId } from "../ids.js";
import { assertNever } from "../result.js";
import type { SetupStep } from "../secure-sum/setup.js";
import { planPca } from "./pca.js";
import type { Study } from "./study.js";

/**
 * What a study will do, stage by stage, known before anything runs. One declaration serves every reader: the site
 * checks the length and form of its own answers against it, the operator sees the cost, the certificate lists it.
 */
export interface Plan {
  /** What the sites exchange, sealed, before the first stage. */
  readonly setup: readonly SetupStep[];
  readonly stages: readonly StagePlan[];
  readonly claim: PrivacyClaim;
  /** Things the operator should know before starting, in plain words. */
  readonly warnings: readonly string[];
}

/** A sum of one ring vector per site, or rows that each site sends by itself. */
export type StagePlan = SumStage | RowsStage;

export interface SumStage {
  readonly kind: "sum";
  readonly id: StageId;
  /** What the aggregator tells all sites at this stage. A site takes these and nothing else. */
  readonly broadcasts: readonly BroadcastPlan[];
  /** Entries of the vector, each a 64-bit ring element. */
  readonly length: number;
  readonly disclosure: Disclosure;
}

export interface RowsStage {
  readonly kind: "rows";
  readonly id: StageId;
  readonly broadcasts: readonly BroadcastPlan[];
  /** Real columns of each row sent; the label's level goes beside them when the study has a label. */
  readonly columns: number;
  readonly disclosure: Disclosure;
}

/** One vector of float64 that is broadcast, its length known beforehand. */
export interface BroadcastPlan {
  readonly name: string;
  readonly length: number;
}

/** What leaves a site at a stage, in words for the person who approves and numbers for the ledger. */
export interface Disclosure {
  readonly what: string;
  readonly form: "masked sum" | "rows in the clear";
  readonly learns: string;
  readonly mechanism: string;
  /** L2 norm bound of one record's contribution in the vector's own units; null where none is enforced. */
  readonly normBound: number | null;
  /** L2 sensitivity under the study's neighbouring relation that the method's authors use; null where none. */
  readonly sensitivity: number | null;
  /** What the stage costs, as claimed; null where the stage has no privacy cost that means anything. */
  readonly cost: { readonly epsilon: number; readonly delta: number } | null;
}

export interface PrivacyClaim {
  readonly verdict: "proved" | "claimed by the authors, not verified" | "no privacy";
  readonly epsilon: number | null;
  readonly delta: number | null;
  /** Why the verdict is not `proved`. */
  readonly reasons: readonly string[];
}

export function planStudy(study: Study): Plan {
  switch (study.analysis) {
    case "pca":
      return planPca(study);
    default:
      return assertNever(study.analysis);
  }
}

/** Framing and protocol messages beside the vectors, per site and stage: measured, rounded up. */
const overheadBytesPerStage = 2_048;

/** Upload of one site over the whole study, at most, in bytes. */
export function uploadBytes(plan: Plan, study: Study): number {
  return plan.stages.reduce((sum, stage) => sum + stageUploadBytes(stage, study) + overheadBytesPerStage, 0);
}

export function stageUploadBytes(stage: StagePlan, study: Study): number {
  switch (stage.kind) {
    case "sum":
      return stage.length * 8;
    case "rows":
      return study.participation.maxRowsPerSite * rowBytes(stage.columns, study.label !== undefined);
    default:
      return assertNever(stage);
  }
}

/** Bytes of one row on the wire: real columns as float64, then the label's level as 16 bits. */
export function rowBytes(columns: number, hasLabel: boolean): number {
  return columns * 8 + (hasLabel ? 2 : 0);
}
