import { ConsiliumError } from "@consilium/core/errors";
import type { StageId } from "@consilium/core/ids";
import type { SiteInput } from "@consilium/core/learning/sums";
import { levelsOf } from "@consilium/core/study/features";
import { unitOfStudy, weighsPatients } from "@consilium/core/study/patientWeights";
import { type SoundStage, soundSum } from "@consilium/core/study/soundSums";
import type { Study } from "@consilium/core/study/study";
import type { Contributor } from "@consilium/gate/contributions";
import { foldRecords } from "@consilium/gate/fold";
import type { Query } from "@consilium/gate/query";
import type { FeatureDomain, RecordDomain } from "@consilium/gate/record";
import { rehearse } from "@consilium/gate/rehearsal";
import { withinRows } from "./withinRows.js";

/** What a site folds a stage from. */
export type FoldInput = Pick<SiteInput, "blocks" | "kernels" | "random" | "checks" | "refused">;

/**
 * A site's vector of a sound stage: what the method contributes for each record, rehearsed on records that are nobody's, then
 * asked for by the gate.
 * @throws ConsiliumError METHOD_REFUSED before a record is read; ROWS_TOO_MANY as `withinRows`
 */
export function foldStage(options: {
  readonly study: Study;
  readonly stage: SoundStage;
  readonly contributor: () => Contributor;
  readonly input: FoldInput;
  readonly pause?: () => Promise<void>;
}): Promise<BigUint64Array> {
  const { study, stage, ...rest } = options;
  const { id, query } = stage;
  return foldQuery({ study, id, query, scale: soundSum(study, stage).scale, ...rest });
}

/** The same of a query, and a scale of its own. @throws as `foldStage` */
export async function foldQuery(options: {
  readonly study: Study;
  readonly id: StageId;
  readonly query: Query;
  readonly scale: number;
  readonly contributor: () => Contributor;
  readonly input: FoldInput;
  readonly pause?: () => Promise<void>;
}): Promise<BigUint64Array> {
  const { study, id, query, scale, contributor, input, pause } = options;
  const { random, checks = random } = input;
  const uniform = uniformsOf(checks.bytes(rehearsalBytes));
  const fault = await rehearse({ query, contributor, domain: domainOf(study), uniform });
  if (fault !== null) throw new ConsiliumError("METHOD_REFUSED", `stage ${id} of ${study.method}: ${fault}`);
  const { vector, refused } = await foldRecords({
    query,
    contributor,
    features: study.features.length,
    records: withinRows(study, input.blocks),
    patients: weighsPatients(study) ? { rowsMost: study.patient!.maxRows, unit: unitOfStudy(study) } : null,
    rowsAtMost: study.participation.maxRowsPerSite,
    scale,
    kernel: input.kernels,
    random,
    checks,
    ...(pause === undefined ? {} : { pause }),
  });
  if (refused > 0) input.refused?.(refused);
  return vector;
}

const rehearsalBytes = 4096;

function domainOf({ features, label }: Study): RecordDomain {
  return {
    features: features.map(
      (feature): FeatureDomain =>
        feature.type === "numeric"
          ? { kind: "number", min: feature.min, max: feature.max }
          : { kind: "level", levels: levelsOf(feature).length },
    ),
    labels: label?.levels.length ?? 1,
  };
}

/** Numbers from [0, 1), 16 bits each, over and over. */
function uniformsOf(bytes: Uint8Array): () => number {
  let at = 0;
  return () => {
    at = (at + 2) % bytes.length;
    return (bytes[at]! + 256 * bytes[at + 1]!) / 65536;
  };
}
