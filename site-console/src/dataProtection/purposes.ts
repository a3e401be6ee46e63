import type { ProtectionStudy } from "@consilium/core/hospital/dataProtectionViews";
import { costWords, leavingViews } from "@consilium/core/hospital/explanation";
import type { StudyAsked } from "@consilium/core/hospital/protectionFacts";
import { parseSha256 } from "@consilium/core/ids";
import type { Methods } from "@consilium/core/method/methods";
import { unwrap } from "@consilium/core/result";
import { planStudy } from "@consilium/core/study/plan";
import { recodingWords } from "@consilium/core/study/recodingWords";
import { statedRequest } from "@consilium/core/study/requestWords";
import type { Study } from "@consilium/core/study/study";

/** A study that was asked here: what for, who decided, what it disclosed and what it cost. */
export function protectionStudy(asked: StudyAsked, methods: Pick<Methods, "read">): ProtectionStudy {
  const { study } = unwrap(methods.read(asked.text, unwrap(parseSha256(asked.hash))));
  const plan = planStudy(study);
  const { id, name, status, words, joined, spent, left } = asked;
  const { title, description, creator, access } = study.release;
  const { minimumSites, tolerateColluding, maxRowsPerSite } = study.participation;
  return {
    id,
    name,
    status,
    words,
    joined,
    title: title ?? null,
    description: description ?? null,
    creator: creator ?? null,
    request: statedRequest(study),
    analysis: study.analysis,
    method: study.method,
    variant: study.variant,
    table: study.table,
    population: asked.population ?? "none",
    columns: columnsOf(study),
    recoding: recodingWords(study),
    patient:
      study.patient === undefined ? null : { column: study.patient.column, maxRows: study.patient.maxRows },
    maxRows: maxRowsPerSite,
    minimumSites,
    withstands: plan.masking === "dealer" ? 0 : tolerateColluding,
    readers: access,
    offeredAt: new Date(asked.offeredAt).toISOString(),
    endedAt: asked.endedAt === null ? null : new Date(asked.endedAt).toISOString(),
    decision: decisionOf(asked),
    claim: plan.claim,
    leaving: leavingViews(study, plan),
    cost: costWords(plan, asked.chargedUnit),
    spent,
    left,
  };
}

function columnsOf(study: Study) {
  return [
    ...study.features.map(({ name, type }) => ({ name, type })),
    ...(study.label === undefined ? [] : [{ name: study.label.name, type: "label" }]),
  ];
}

function decisionOf({ approval, code, joined, status }: StudyAsked): ProtectionStudy["decision"] {
  if (approval !== null && approval.decision !== null) {
    const { decision, decidedBy, decidedAt, reason } = approval;
    return {
      outcome: decision === "approved" ? "joined" : "refused",
      person: decidedBy ?? "a person whose name was not kept",
      at: decidedAt === null ? null : new Date(decidedAt).toISOString(),
      code: decision === "approved" ? null : code,
      reason,
    };
  }
  const byRule = { person: null, at: null, reason: null };
  if (joined) return { ...byRule, outcome: "joined", code: null };
  if (code !== null && status !== "waiting for approval") return { ...byRule, outcome: "refused", code };
  return { ...byRule, outcome: "open", code: null };
}
