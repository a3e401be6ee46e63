import {
  type Certificate,
  certificateFrom,
  privacyInShort,
  type ReleaseFile,
} from "@consilium/core/release/certificate";
import { type ReleaseContent, releaseContentSchema } from "@consilium/core/release/content";
import { type Statement, statementOf } from "@consilium/core/release/statement";
import { privacySentence } from "@consilium/core/release/wording";
import { lines } from "@consilium/core/said";
import { type AllApart, allApart, shownApart } from "@consilium/core/study/apart";
import type { PlanSays } from "@consilium/words/says/plans";
import type { FinishedStudy } from "../rounds/runContext.js";

const line = lines<PlanSays>();

/** Builds a finished study's release content and, once its files are known, its certificate. */
export function releaseContent(finished: FinishedStudy, federation: string): ReleaseContent {
  const { record, document, result, countersigned } = finished;
  const { study } = document;
  const statement = statementOfFinished(finished, federation);
  const { countersignatures } = countersigned;
  const apart = apartOf(finished);
  const privacy = privacyInShort({ ...statement, countersignatures });
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
    columns: result.table?.columns ?? [],
    rows: result.table?.rows.rows ?? 0,
    model: result.model,
    notes: [...result.notes, ...(apart === null ? [] : [line("plan.per-hospital", shownApart(apart))])],
    ...given({
      contact: study.request?.contact,
      finding: result.finding,
      counted: result.counted?.length ? result.counted : null,
      flow: result.flow,
      missing: finished.missing.length === 0 ? null : finished.missing,
      card: result.card,
      predictor: result.predictor,
      curves: result.curves,
      tables: result.tables,
      figures: result.figures,
    }),
  });
}

/** The given optional fields of a release, without undefined keys. */
function given(parts: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(parts).filter(([, part]) => part !== null && part !== undefined));
}

function titleOf(name: string): string {
  return name.replaceAll("-", " ").replace(/^./, (first) => first.toUpperCase());
}

/** The certificate, with the plan's disclosures and the statement that the sites signed. */
export function certificateOf(
  finished: FinishedStudy,
  options: {
    readonly federation: string;
    readonly software: Record<string, string>;
    readonly files: readonly ReleaseFile[];
  },
): Certificate {
  const { document, result, missing, finishedAt, countersigned } = finished;
  const facts = { ...result.facts };
  const apart = apartOf(finished);
  if (apart !== null) facts.perHospital = apart.hospitals.join(", ");
  if (missing.length > 0) facts.missing = missing.map(({ part, reason }) => `${part}: ${reason}`).join(", ");
  return certificateFrom({
    statement: statementOfFinished(finished, options.federation),
    issuedAt: new Date(finishedAt),
    document,
    facts,
    chains: countersigned.chains,
    countersignatures: countersigned.countersignatures,
    software: options.software,
    files: options.files,
  });
}

/** The hospitals whose own figures a sound study shows. */
function apartOf({ document: { study }, roster }: FinishedStudy): AllApart | null {
  return study.variant === "sound"
    ? allApart(
        study,
        roster.members.map(({ site }) => site),
      )
    : null;
}

function statementOfFinished(finished: FinishedStudy, federation: string): Statement {
  const { record, document, plan, roster, countersigned } = finished;
  const { attempts } = countersigned;
  return statementOf({ federation, studyId: record.id, document, plan, roster, attempts });
}
