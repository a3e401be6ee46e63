import type { StageId } from "@consilium/core/ids";
import type { SiteInput } from "@consilium/core/learning/sums";
import { siteSideOf } from "@consilium/core/method/method";
import type { RowsOut } from "@consilium/core/method/siteSide";
import type { Study } from "@consilium/core/study/study";
import type { PaperFelpStudy } from "@consilium/methods-paper/felp/study";
import type { PearsonTreeStudy } from "@consilium/methods-paper/pearson-tree/study";
import type { PaperKaStudy } from "@consilium/methods-paper/xgb-ka/study";
import type { DpKaStudy } from "../dp-ka/study.js";
import type { DpPccStudy } from "../dp-pcc/study.js";
import type { DpPccSStudy } from "../dp-pcc-s/study.js";
import type { FelpAStudy } from "../felp-a/study.js";
import type { FelpSStudy } from "../felp-s/study.js";
import { vectorOf } from "./vectors.js";

/** For tests that go over the methods of one analysis alike. */

export type SoundTreeStudy = DpPccStudy | DpPccSStudy;
export type CorrelationTreeStudy = SoundTreeStudy | PearsonTreeStudy;
export type KAnonymousStudy = DpKaStudy | PaperKaStudy;
export type FeatureSelectionStudy = FelpAStudy | FelpSStudy | PaperFelpStudy;

export const asCorrelationTree = (study: Study) =>
  ofAnalysis<CorrelationTreeStudy>(study, "correlation-tree");
export const asKAnonymous = (study: Study) => ofAnalysis<KAnonymousStudy>(study, "k-anonymous-selection");
export const asFeatureSelection = (study: Study) =>
  ofAnalysis<FeatureSelectionStudy>(study, "feature-selection");

function ofAnalysis<S extends Study>(study: Study, analysis: string): S {
  if (study.analysis !== analysis) throw new RangeError(`${study.analysis} is not ${analysis}`);
  return study as S;
}

interface SeededInput extends SiteInput {
  readonly sharedSeed?: Uint8Array | null;
}

const inputOf = (study: Study, input: SeededInput) => ({ sharedSeed: null, ...input, study });

/** A site's vector of a stage before noise and mask, by the study's own method. */
export async function siteVector(study: Study, id: StageId, input: SeededInput): Promise<BigUint64Array> {
  const { proposal, vector } = await siteSideOf(study);
  if (proposal === undefined) return vector!(id, inputOf(study, input));
  return vectorOf(study, id, proposal(id, { ...input, study }), input);
}

export async function siteTags(study: Study, id: StageId, input: SeededInput): Promise<Uint8Array> {
  return (await siteSideOf(study)).tags!(id, inputOf(study, input));
}

export async function* siteRows(study: Study, id: StageId, input: SeededInput): AsyncGenerator<RowsOut> {
  yield* (await siteSideOf(study)).rows!(id, inputOf(study, input));
}

/** The same, of an input that has its study. */
export const answered = (
  id: StageId,
  input: SeededInput & { readonly study: Study },
): Promise<BigUint64Array> => siteVector(input.study, id, input);
