import type { StudySays } from "@consilium/words/says/studies";
import { parseSha256 } from "../ids.js";
import type { Methods } from "../method/methods.js";
import { epsilonDown, epsilonUp } from "../privacy/words.js";
import { unwrap } from "../result.js";
import { lines, nameOf } from "../said.js";
import { type Plan, planStudy } from "../study/plan.js";
import { columnsRead, sourceOf } from "../study/recoding.js";
import { madeColumns } from "../study/recodingWords.js";
import { statedRequest, unstatedRequest } from "../study/requestWords.js";
import type { Study } from "../study/study.js";
import { uploadBytes } from "../study/uploads.js";
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
    budgetFault: budgetFault(facts),
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

const line = lines<StudySays>();

/** Why nobody can approve the study as the budget stands; null where its population has room for it. */
function budgetFault({ status, budget, chargedUnit }: StudyFacts): string | null {
  if (status !== "waiting for approval" || budget === null || chargedUnit === null || budget.fits)
    return null;
  return line("study.budget-short", {
    needs: epsilonUp(chargedUnit.epsilon),
    left: epsilonDown(budget.remainingBefore ?? 0),
    delta: budget.delta,
    population: nameOf(budget.population),
  });
}

function requestOf(study: Study, plan: Plan): StudyRequestView {
  const { title, description, creator, access } = study.release;
  const { maxRowsPerSite, minimumSites, tolerateColluding } = study.participation;
  const { label, patient } = study;
  const first = [label && sourceOf(label), patient?.column].filter((one) => one !== undefined);
  return {
    title: title ?? null,
    description: description ?? null,
    creator: creator ?? null,
    stated: statedRequest(study),
    unstated: unstatedRequest(study),
    columns: [...new Set([...first, ...columnsRead(study)])],
    makes: madeColumns(study),
    maxRows: maxRowsPerSite,
    patientColumn: study.patient?.column ?? null,
    minimumSites,
    withstands: plan.masking === "dealer" ? 0 : tolerateColluding,
    readers: access,
  };
}
