import { parseSha256 } from "../ids.js";
import type { Methods } from "../method/methods.js";
import { unwrap } from "../result.js";
import { planStudy, uploadBytes } from "../study/plan.js";
import { explainStudy, leavingViews } from "./explanation.js";
import type { StudyFacts } from "./studyFacts.js";
import type { ExplainedStudyView } from "./studyViews.js";

/**
 * A study as people see it, from what the agent says of it: the plan is read anew from the study's text.
 * @param methods - those that are installed here
 * @throws ConsiliumError STUDY_HASH, STUDY_INVALID for a text that is not the study's; METHODS_MISSING
 */
export function explainedStudyView(facts: StudyFacts, methods: Pick<Methods, "read">): ExplainedStudyView {
  const { text, population, chargedUnit, spent, pinned, isCharged, found, ...view } = facts;
  const { study } = unwrap(methods.read(text, unwrap(parseSha256(facts.hash))));
  const plan = planStudy(study);
  return {
    ...view,
    study: JSON.parse(text) as unknown,
    claim: plan.claim,
    leaving: leavingViews(study, plan),
    leavingBytes: uploadBytes(plan, study),
    explanation: explainStudy({ study, plan, population, chargedUnit, spent, pinned, isCharged, found }),
  };
}
