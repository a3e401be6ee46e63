import type { PlanSays } from "@consilium/words/says/plans";
import type { SiteId } from "../ids.js";
import type { MissingPart } from "../method/parts.js";
import { lines } from "../said.js";
import { allApart, shownApart } from "../study/apart.js";
import type { Study } from "../study/study.js";
import type { PublishedSums } from "./publishedSums.js";
import type { ReleaseResult } from "./result.js";
import type { FinishedResult } from "./withFlow.js";

/** What a study came to, before anybody has signed it. */
export interface ComputedResult {
  /** The program that computed it. */
  readonly software: string;
  readonly study: Study;
  readonly roster: readonly SiteId[];
  readonly result: FinishedResult;
  /** Parts that the operator has accepted the release without. */
  readonly missing: readonly MissingPart[];
  /** Null where the release has none. */
  readonly published: PublishedSums | null;
}

const line = lines<PlanSays>();

/** The part of a release's content that result.json holds. */
export function releaseResult({
  software,
  study,
  roster,
  result,
  missing,
  published,
}: ComputedResult): ReleaseResult {
  // The hospitals whose own figures a sound study shows.
  const apart = study.variant === "sound" ? allApart(study, roster) : null;
  const facts = { ...result.facts };
  if (apart !== null) facts.perHospital = apart.hospitals.join(", ");
  const parts = {
    software: { consilium: software },
    model: result.model as ReleaseResult["model"],
    facts,
    columns: [...(result.table?.columns ?? [])],
    rows: result.table?.rows.rows ?? 0,
    notes: [...result.notes, ...(apart === null ? [] : [line("plan.per-hospital", shownApart(apart))])],
    ...(published === null ? {} : { sums: [...published.sums], draws: [...published.draws] }),
  };
  const given = {
    finding: result.finding,
    counted: result.counted?.length ? result.counted : null,
    flow: result.flow,
    missing: missing.length === 0 ? null : missing,
    card: result.card,
    predictor: result.predictor,
    curves: result.curves,
    tables: result.tables,
    figures: result.figures,
  };
  const there = Object.entries(given).filter(([, part]) => part !== null && part !== undefined);
  return { ...parts, ...Object.fromEntries(there) };
}
