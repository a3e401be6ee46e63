import { totalOf } from "@consilium/core/release/accounting";
import { type Certificate, certificateFrom, type ReleaseFile } from "@consilium/core/release/certificate";
import { releaseResult } from "@consilium/core/release/computed";
import {
  type ReleaseContent,
  type ReleasePrivacy,
  releaseContentSchema,
} from "@consilium/core/release/content";
import { type ReleaseResult, resultText } from "@consilium/core/release/result";
import { privacySentence } from "@consilium/core/release/wording";
import { countedUnit } from "@consilium/core/study/planFacts";
import { hashFile } from "@consilium/runtime/release/hashFile";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import type { FinishedStudy } from "../rounds/runContext.js";

/** A study whose result stands, before anybody has signed it. */
export type ComputedStudy = Pick<
  FinishedStudy,
  "record" | "software" | "document" | "roster" | "result" | "missing" | "published"
>;

/** The part of a release's content that result.json holds. */
const foundOf = ({ document, roster, ...computed }: ComputedStudy): ReleaseResult =>
  releaseResult({
    ...computed,
    study: document.study,
    roster: roster.members.map(({ site }) => site),
  });

/** SHA-256 of the rows as they are deposited; null where the release has none. */
export async function rowsHash({ result }: Pick<ComputedStudy, "result">) {
  const { table } = result;
  return table === null ? null : (table.rows.sha256 ?? (await hashFile(table.rows.path)).sha256);
}

/** The hash of result.json, which the sites sign. */
export async function resultHash(computed: ComputedStudy) {
  return sha256(resultText(foundOf(computed), await rowsHash(computed)));
}

/** Builds a finished study's release content. */
export function releaseContent(finished: FinishedStudy): ReleaseContent {
  const { record, document } = finished;
  const { study } = document;
  const privacy = privacyOf(finished);
  const { contact } = study.request ?? {};
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
    privacyStatement: privacySentence(privacy),
    privacy,
    ...(contact === undefined ? {} : { contact }),
    ...foundOf(finished),
    ...(finished.refusals.length === 0 ? {} : { refusals: finished.refusals }),
  });
}

function titleOf(name: string): string {
  return name.replaceAll("-", " ").replace(/^./, (first) => first.toUpperCase());
}

function privacyOf({ document, plan, roster, countersigned }: FinishedStudy): ReleasePrivacy {
  const { verdict, delta, neighbouringRelation, unit, proof, reasons } = plan.claim;
  const { statement, countersignatures } = countersigned;
  return {
    verdict,
    epsilon: totalOf(plan, statement.attempts).headline,
    delta,
    neighbouringRelation,
    unit,
    protects: countedUnit(document.study),
    proof,
    reasons: [...reasons],
    countersigned: { by: countersignatures.length, of: roster.members.length },
  };
}

/** The certificate, with the statement that the sites signed. */
export function certificateOf(finished: FinishedStudy, files: readonly ReleaseFile[]): Certificate {
  const { document, plan, finishedAt, countersigned } = finished;
  const { statement, chains, countersignatures } = countersigned;
  return certificateFrom({
    statement,
    issuedAt: new Date(finishedAt),
    document,
    total: totalOf(plan, statement.attempts),
    chains,
    countersignatures,
    files,
  });
}
