import { ConsiliumError } from "@consilium/core/errors";
import type { SiteId, StageId } from "@consilium/core/ids";
import { survivorsNeeded } from "@consilium/core/release/attempts";
import type { Broadcast } from "@consilium/core/study/broadcast";
import { rowBytes } from "@consilium/core/study/plan";
import type { ReducedRows } from "../analyses/analysis.js";
import { missedDeadline } from "./dealtStages.js";
import type { StepDuties } from "./openStep.js";
import { nameList, type OpenStudy } from "./openStudy.js";
import { shuffleRows } from "./shuffle.js";
import { broadcastsToWire } from "./taskFrames.js";

/** A site keeps the rows that it has sent, and sends the same again: there is no second attempt. */
const attempt = 1;

/**
 * Collects reduced rows and shuffles them.
 * @param sites - who is asked: the sites of the last sum
 */
export async function collectRows(
  study: OpenStudy,
  id: StageId,
  broadcast: Broadcast,
  sites: readonly SiteId[],
): Promise<ReducedRows> {
  const { records, random, now } = study.context;
  const stage = study.stage(id, "rows");
  const hasLabel = study.document.study.label !== undefined;
  const path = study.files.rowsPath(id);
  const stored = records.result(study.id, id);
  if (stored !== null) return { path, rows: Number(stored.value), columns: stage.columns, hasLabel };
  await study.recordBroadcast(id, broadcast);
  const place = { study: study.id, stage: id, attempt };
  records.attempts.begin(place);
  records.attempts.asked(place, now());
  const survivors = await awaitRows(study, id, sites);
  const sources = survivors.map((site) => study.files.uploadPath(id, attempt, site));
  const shuffled = await shuffleRows(sources, {
    rowBytes: rowBytes(stage.columns, hasLabel),
    target: path,
    random,
  });
  records.transaction(() => {
    records.setResult(study.id, id, { sha256: shuffled.sha256, value: String(shuffled.rows) });
    records.attempts.setSurvivors(place, survivors);
    records.attempts.done(place, now());
  });
  study.files.removeUploads(id, attempt, study.memberSites);
  return { path, rows: shuffled.rows, columns: stage.columns, hasLabel };
}

/** @returns the sites whose rows are in, at least as many as a sum of the study needs */
async function awaitRows(study: OpenStudy, id: StageId, sites: readonly SiteId[]): Promise<SiteId[]> {
  const { records } = study.context;
  const { plan, document, roster } = study;
  const complete = () =>
    records
      .uploads(study.id, id, attempt)
      .filter((upload) => upload.complete)
      .map((upload) => upload.site);
  const done = new Set(complete());
  const needed = survivorsNeeded(plan, document.study, roster.members.length);
  const isStrict = plan.masking === "dealer";
  const broadcasts = broadcastsToWire(study.broadcasts());
  const duties: StepDuties = {
    ask: () => ({ kind: "rows", rows: { broadcasts } }),
    uploads: { kind: "rows", take: () => ({ store: () => undefined, apply: () => undefined }) },
    ...(isStrict ? {} : { onFault }),
  };
  function onFault(site: SiteId, code: ConsiliumError["code"]): void {
    study.dropped(step, site, code);
    const left = complete().length + step.missing.length - 1;
    if (left >= needed) {
      step.answered(site, "dropped", code);
      return;
    }
    step.fail(
      new ConsiliumError(
        "SITE_FAILED",
        `study ${study.id}: step ${id} needs the rows of ${needed} sites, and fewer can still answer: ${site} (${code})`,
      ),
    );
  }
  const missed = missedDeadline(study, id);
  const step = study.openStep({
    id,
    kind: "rows",
    attempt,
    sites: sites.filter((site) => !done.has(site)),
    others: new Map(
      study.memberSites
        .filter((site) => done.has(site) || !sites.includes(site))
        .map((site) => [site, done.has(site) ? "done" : "dropped"] as const),
    ),
    initial: "working",
    whatThen: isStrict
      ? "the study fails, naming the sites that are missing; it can be resumed when they are back"
      : `the study goes on with the rows that are there if those of at least ${needed} of ${sites.length} sites are; otherwise it fails, and can be resumed`,
    atDeadline: (late) => {
      if (isStrict || complete().length < needed) return missed(late);
      for (const site of late) study.dropped(step, site, null);
      return null;
    },
    duties,
  });
  await study.wait(step);
  study.closeStep(id, attempt);
  const survivors = complete();
  if (survivors.length >= needed) return survivors;
  throw new ConsiliumError(
    "SITE_FAILED",
    `study ${study.id}: step ${id} has the rows of ${nameList(survivors)}; ${needed} sites are needed`,
  );
}
