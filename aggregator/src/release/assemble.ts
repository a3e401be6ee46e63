import { sha256 } from "@consilium/core/crypto/hash";
import type { Certificate, ReleaseFile } from "@consilium/core/release/certificate";
import { type ReleaseContent, releaseContentSchema } from "@consilium/core/release/content";
import type { Plan, PrivacyClaim } from "@consilium/core/study/plan";
import type { FinishedStudy } from "../rounds/studyRun.js";

/** What a finished study becomes: the release's content and, once its files are known, its certificate. */
export function releaseContent(finished: FinishedStudy): ReleaseContent {
  const { record, document, plan, result } = finished;
  const { study } = document;
  return releaseContentSchema.parse({
    format: "consilium-release/1",
    id: record.id,
    title: study.release.title ?? titleOf(study.name),
    description: study.release.description ?? "",
    license: study.release.license ?? null,
    creator: study.release.creator ?? null,
    createdAt: new Date(finished.finishedAt).toISOString(),
    access: study.release.access,
    study: {
      id: record.id,
      name: study.name,
      hash: document.hash,
      analysis: study.analysis,
      method: study.method,
      variant: study.variant,
    },
    privacyStatement: privacyStatement(plan.claim),
    columns: result.table?.columns ?? [],
    rows: result.table?.rows.rows ?? 0,
    model: result.model,
    notes: result.notes,
  });
}

function titleOf(name: string): string {
  return name.replaceAll("-", " ").replace(/^./, (first) => first.toUpperCase());
}

export function privacyStatement(claim: PrivacyClaim): string {
  switch (claim.verdict) {
    case "no privacy":
      return "No privacy: no noise was added anywhere. The study was run on data that may be public.";
    case "claimed by the authors, not verified":
      return `Claimed by the authors, not verified: epsilon ${claim.epsilon}, delta ${claim.delta}. ${claim.reasons.join(" ")}`;
    case "proved":
      return `Proved: epsilon ${claim.epsilon}, delta ${claim.delta}.`;
  }
}

/** The certificate's text, in the same words as the plan's disclosures. */
export function certificateOf(
  finished: FinishedStudy,
  options: {
    readonly federation: string;
    readonly software: Record<string, string>;
    readonly files: readonly ReleaseFile[];
  },
): Certificate {
  const { record, document, plan, roster, result } = finished;
  const { study } = document;
  return {
    format: "consilium-certificate/1",
    release: record.id,
    federation: options.federation,
    issuedAt: new Date(finished.finishedAt).toISOString(),
    study: {
      id: record.id,
      name: study.name,
      hash: document.hash,
      analysis: study.analysis,
      method: study.method,
      variant: study.variant,
      text: document.text,
    },
    privacy: {
      verdict: plan.claim.verdict,
      epsilon: plan.claim.epsilon,
      delta: plan.claim.delta,
      neighbouringRelation: neighbouringRelation(plan),
      unit: "one record of one site",
      reasons: [...plan.claim.reasons],
      disclosures: plan.stages.map((stage) => ({
        stage: stage.id,
        what: stage.disclosure.what,
        form: stage.disclosure.form,
        learns: stage.disclosure.learns,
        mechanism: stage.disclosure.mechanism,
        normBound: stage.disclosure.normBound,
        sensitivity: stage.disclosure.sensitivity,
        cost: stage.disclosure.cost,
        entries: stage.kind === "sum" ? stage.length : null,
      })),
      facts: result.facts,
    },
    sites: {
      roster: roster.members.map((member) => ({
        id: member.site,
        signingKeyFingerprint: sha256(member.signingKey),
      })),
      rosterHash: roster.hash,
      dropped: [],
    },
    software: options.software,
    files: [...options.files],
  };
}

function neighbouringRelation(plan: Plan): string {
  return plan.claim.verdict === "proved" ? "add-remove" : "as the authors: one record changed (not verified)";
}
