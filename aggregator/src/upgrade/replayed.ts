import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { toConsiliumError } from "@consilium/core/errors";
import type { SiteId } from "@consilium/core/ids";
import type { NumericKernels } from "@consilium/core/linalg/kernels";
import type { Conversation } from "@consilium/core/method/aggregatorSide";
import { aggregatorSideOf } from "@consilium/core/method/aggregatorSideOf";
import { softwareBuild } from "@consilium/core/version";
import { osRandom } from "@consilium/runtime/random";
import { readRows } from "@consilium/runtime/release/madeRows";
import type { StudyRecord, StudyRecords } from "../rounds/records.js";
import { drawKey, Replay } from "../rounds/replay.js";
import { storedRows } from "../rounds/rowsStage.js";
import { StudyFiles } from "../rounds/studyFiles.js";
import { demandPlan, kernelsFor, type PlannedStudy, type StudyPlans, stageOf } from "../rounds/studyPlans.js";
import { storedSum } from "../rounds/sumOfUploads.js";
import { storedTags } from "../rounds/tagsStage.js";

/** The conversation has come to where the study stands. */
class CaughtUp extends Error {}

/** What a study's conversation is replayed from; nothing of it is changed. */
export interface Stored {
  readonly stateFolder: string;
  readonly records: StudyRecords;
  readonly plans: StudyPlans;
  readonly kernels: NumericKernels;
}

/**
 * Plans a study under way by this version and says again all that was said in it.
 * @throws ConsiliumError PLAN_DIFFERS, REPLAY_DIFFERS; as its text is read; as its method throws
 */
export async function replayed(record: StudyRecord, stored: Stored): Promise<void> {
  const { records, plans } = stored;
  const sites = records.participants(record.id).filter(({ onRoster }) => onRoster).length;
  const planned = plans.of(record, sites === 0 ? undefined : sites);
  demandPlan(record, records.plan(record.id, sites === 0 ? "invited" : "running"), planned, softwareBuild);
  if (sites === 0) return;
  const side = await aggregatorSideOf(planned.document.study);
  try {
    await side(conversation(record, planned, stored));
  } catch (thrown) {
    if (!(thrown instanceof CaughtUp)) throw toConsiliumError(thrown);
  }
}

function conversation(
  { id }: StudyRecord,
  { document, plan }: PlannedStudy,
  { stateFolder, records, kernels }: Stored,
): Conversation {
  const replay = new Replay(id, plan, records);
  const files = new StudyFiles(stateFolder, id);
  let newest: readonly SiteId[] | null = null;
  const onRoster = () =>
    records
      .participants(id)
      .filter((one) => one.onRoster)
      .map(({ site }) => site);
  const study = { id, document, files, context: { records } };
  return {
    study: document.study,
    sites: onRoster().length,
    kernels: kernelsFor(document.study, kernels),
    random: osRandom,
    async sum(name, broadcast) {
      replay.asks(name, broadcast);
      const readResult = () => readFile(join(stateFolder, "studies", id, `result-${name}`));
      const sum = await storedSum({ records, study: id, stage: stageOf(plan, name, "sum"), readResult });
      if (sum === null) throw new CaughtUp();
      newest = records.attempts.lastSurvivors(id, [name]);
      return sum;
    },
    async rows(name, broadcast) {
      replay.asks(name, broadcast);
      const rows = storedRows(study, stageOf(plan, name, "rows"));
      if (rows === null) throw new CaughtUp();
      return rows;
    },
    readRows,
    async tags(name, broadcast) {
      replay.asks(name, broadcast);
      const sizes = storedTags(study, name);
      if (sizes === null) throw new CaughtUp();
      return sizes;
    },
    get survivors() {
      return (newest ?? onRoster()).length;
    },
    draw(name) {
      replay.draws(name);
      const drawn = records.result(id, drawKey(name));
      if (drawn === null) throw new CaughtUp();
      return drawn.value!;
    },
    async writeRows(name, shape) {
      const written = records.result(id, `rows:${name}`);
      if (written === null) throw new CaughtUp();
      return { path: files.madeRowsPath(name), rows: Number(written.value), ...shape };
    },
    part: (_, compute) => compute(),
    pause: () => setImmediate(),
  };
}
