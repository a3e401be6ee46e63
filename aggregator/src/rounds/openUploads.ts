import type { ConsiliumError } from "@consilium/core/errors";
import { faults } from "@consilium/core/fault";
import type { Sha256, SiteId } from "@consilium/core/ids";
import { survivorsNeeded } from "@consilium/core/release/attempts";
import type { Broadcast } from "@consilium/core/study/broadcast";
import type { RowsStage, TagsStage } from "@consilium/core/study/plan";
import type { RoundSays } from "@consilium/words/says/rounds";
import { missedDeadline } from "./dealtStages.js";
import { nothingMore, type StepDuties } from "./openStep.js";
import type { OpenStudy } from "./openStudy.js";
import { withoutIt } from "./pairwiseStages.js";
import { setupDeliveries } from "./taskFrames.js";

const fault = faults<RoundSays>();

/** A site stores its answer and re-sends the same one: there is no second attempt. */
const attempt = 1;

/** The request, and the sites it is sent to: those of the last sum. */
interface OpenStage {
  readonly stage: RowsStage | TagsStage;
  readonly broadcast: Broadcast;
  readonly sites: readonly SiteId[];
}

/**
 * Requests unmasked data from sites, and stores the result computed from them.
 * @param make - computes the stage's result from the uploaded files
 * @returns the result's value
 */
export async function collectUploads(
  study: OpenStudy,
  { stage, broadcast, sites }: OpenStage,
  make: (
    uploads: readonly { readonly site: SiteId; readonly path: string }[],
  ) => Promise<{ readonly sha256?: Sha256; readonly value: string }>,
): Promise<string> {
  const { records, now } = study.context;
  const { id } = stage;
  await study.recordBroadcast(id, broadcast);
  const place = { study: study.id, stage: id, attempt };
  records.attempts.begin(place);
  records.attempts.asked(place, now());
  const survivors = await awaitUploads(study, { stage, broadcast, sites });
  const made = await make(
    survivors.map((site) => ({ site, path: study.files.uploadPath(id, attempt, site) })),
  );
  records.transaction(() => {
    records.setResult(study.id, id, made);
    records.attempts.setSurvivors(place, survivors);
    records.attempts.done(place, now());
  });
  study.context.meter?.attemptEnded("done");
  study.files.removeUploads(id, attempt, study.memberSites);
  return made.value;
}

/** Whether the stage needs the answers of all sites. */
function needsAll({ plan }: OpenStudy): boolean {
  // Tags decide which rows may be published: tags and rows must come from the same set of sites.
  return plan.masking === "dealer" || plan.stages.some((stage) => stage.kind === "tags");
}

/** @returns the sites whose uploads are complete, at least as many as a sum of the study needs */
async function awaitUploads(study: OpenStudy, { stage, sites }: OpenStage): Promise<SiteId[]> {
  const { records } = study.context;
  const { plan, document, roster } = study;
  const { id, kind } = stage;
  const complete = () =>
    records
      .uploads(study.id, id, attempt)
      .filter((upload) => upload.complete)
      .map((upload) => upload.site);
  const done = new Set(complete());
  const isStrict = needsAll(study);
  const needed = isStrict ? sites.length : survivorsNeeded(plan, document.study, roster.members.length);
  const broadcasts = study.broadcastsFor(id);
  const duties: StepDuties = {
    ask: (site) => ({
      kind: "rows",
      rows: { broadcasts },
      ...(kind === "tags" ? { deliveries: setupDeliveries(study, site) } : {}),
    }),
    uploads: { kind: "rows", take: () => nothingMore },
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
      fault("SITE_FAILED", "round.uploads-gone", {
        study: study.id,
        step: id,
        needed,
        gone: withoutIt({ site, code }),
      }),
    );
  }
  const missed = missedDeadline(study, id);
  const asked = sites.filter((site) => !done.has(site));
  const step = study.openStep({
    id,
    kind,
    attempt,
    sites: asked,
    others: study.standing(asked, done),
    initial: "working",
    deadlineEffect:
      isStrict || needed >= sites.length
        ? "the study fails and lists the missing sites; it can be resumed when they are back"
        : `the study continues with the received answers if at least ${needed} of ${sites.length} sites have answered; otherwise it fails, and can be resumed`,
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
  const params = { study: study.id, step: id, sites: survivors, needed };
  throw fault("SITE_FAILED", "round.too-few-answers", params);
}
