import { parseSha256 } from "../ids.js";
import type { Methods } from "../method/methods.js";
import { unwrap } from "../result.js";
import { type Plan, planStudy, uploadBytes } from "../study/plan.js";
import { statedRequest, unstatedRequest } from "../study/requestWords.js";
import type { Study } from "../study/study.js";
import { explainStudy, leavingViews } from "./explanation.js";
import type { StudyFacts } from "./studyFacts.js";
import type { ExplainedStudyView, StudyRequestView } from "./studyViews.js";

/**
 * A study as people see it, from what the agent says of it: the plan is read anew from the study's text.
 * @param methods - those that are installed here
 * @throws ConsiliumError STUDY_HASH, STUDY_INVALID for a text that is not the study's; METHODS_MISSING
 */
export function explainedStudyView(facts: StudyFacts, methods: Pick<Methods, "read">): ExplainedStudyView {
  const { text, population, chargedUnit, spent, maxEpsilon, pinned, isCharged, found, ...view } = facts;
  const { study } = unwrap(methods.read(text, unwrap(parseSha256(facts.hash))));
  const plan = planStudy(study);
  return {
    ...view,
    study: JSON.parse(text) as unknown,
    request: requestOf(study, plan),
    claim: plan.claim,
    leaving: leavingViews(study, plan),
    leavingBytes: uploadBytes(plan, study),
    explanation: explainStudy({
      study,
      plan,
      population,
      chargedUnit,
      spent,
      maxEpsilon,
      pinned,
      isCharged,
      found,
    }),
  };
}

function requestOf(study: Study, plan: Plan): StudyRequestView {
  const { title, description, creator, access } = study.release;
  const { maxRowsPerSite, minimumSites, tolerateColluding } = study.participation;
  const further = [study.label?.name, study.patient?.column].filter((one) => one !== undefined);
  return {
    title: title ?? null,
    description: description ?? null,
    creator: creator ?? null,
    stated: statedRequest(study),
    unstated: unstatedRequest(study),
    columns: [...further, ...study.features.map(({ name }) => name)],
    maxRows: maxRowsPerSite,
    patientColumn: study.patient?.column ?? null,
    minimumSites,
    withstands: plan.masking === "dealer" ? 0 : tolerateColluding,
    readers: access,
  };
}
