import { flowQuery } from "@consilium/gate/flow";
import type { StageSays } from "@consilium/words/says/stages";
import { sentences } from "../said.js";
import { boundedFeatures, flowStageId } from "./flow.js";
import { soundStage } from "./soundStage.js";
import type { SoundStage } from "./soundSums.js";
import type { Study } from "./study.js";

/** Part of a study's ρ; the method's stages share the rest. */
export const flowShare = 0.02;

/** All rows that a site reads are counted, and not only those that a study takes. */
const rowsReadMost = 2 ** 40;

const studies = new WeakMap<Study, Study>();

/** The study as its flow is counted: of as many rows as there are, and under a patient unit of patients, each of whom is one record. */
export function studyOfFlow(study: Study): Study {
  const known = studies.get(study);
  if (known !== undefined) return known;
  const { flow: _, patient, participation, ...rest } = study;
  const counted: Study = {
    ...rest,
    ...(patient === undefined ? {} : { patient: { column: patient.column, maxRows: 1 } }),
    participation: { ...participation, maxRowsPerSite: rowsReadMost },
  };
  studies.set(study, counted);
  return counted;
}

/** What is counted, and at which part of ρ; a study of `studyOfFlow` has its noise. */
export function flowStage(study: Study): SoundStage {
  const numbers = boundedFeatures(study).length;
  const query = flowQuery(numbers);
  return soundStage({
    id: flowStageId,
    broadcasts: [],
    share: flowShare,
    query,
    integersPerUnit: query.channels[0]!.most,
    what: sentences<StageSays>()("sent.flow", {
      units: { code: study.patient === undefined ? "finding.rows" : "finding.patients", params: {} },
      bounded: numbers === 0 ? 0 : 1,
    }),
  });
}
