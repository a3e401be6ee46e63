import { createHash } from "node:crypto";
import type { SiteId, StageId } from "@consilium/core/ids";
import { stageTable } from "@consilium/core/learning/stageTable";
import { plainKernels } from "@consilium/core/linalg/plain";
import { siteSideOf } from "@consilium/core/method/method";
import { unwrap } from "@consilium/core/result";
import type { Broadcasts } from "@consilium/core/study/broadcast";
import { flowStageId } from "@consilium/core/study/flow";
import { documentOnRoster } from "@consilium/core/study/onRoster";
import { planStudy } from "@consilium/core/study/plan";
import { type Study, type StudyDocument, studyDocument } from "@consilium/core/study/study";
import { seededRandom } from "@consilium/core/testing/privacy/random";
import { answerOf } from "@consilium/gate/answer";
import { lengthOf } from "@consilium/gate/query";
import { releasedWithRows } from "@consilium/methods/testing/aggregatorSums";
import { parseStudy } from "@consilium/methods/testing/studies";
import { osRandom } from "@consilium/runtime/random";
import type { FoundTable } from "../../src/data/snapshot.js";
import type { ConfiguredTables } from "../../src/data/tables.js";
import type { SharedStage } from "../../src/engines/stage.js";
import { addedUp } from "../../src/engines/totals.js";
import { Retries } from "../../src/tables/retries.js";
import { TablesHere } from "../../src/tables/tablesHere.js";

/** For tests: stages of studies over tables as a site computes them. */

export const sha256Of = (vector: BigUint64Array) =>
  createHash("sha256")
    .update(new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength))
    .digest("hex");

export const documentOf = (raw: object, sites = 4): StudyDocument =>
  documentOnRoster(studyDocument(unwrap(parseStudy(raw))), sites);

const site = "hospital-a" as SiteId;

interface AskedStage extends Partial<Pick<SharedStage, "approval" | "signal">> {
  readonly document: StudyDocument;
  readonly stage: StageId;
  readonly broadcasts: Broadcasts;
}

/** A stage's vector before noise, as `StageWork` and the gate come to it, and what was found in the table. */
export async function exactOf(
  tables: ConfiguredTables,
  { document, stage, broadcasts, approval = null, signal = new AbortController().signal }: AskedStage,
): Promise<{ readonly exact: BigUint64Array; readonly records: number; readonly found: FoundTable | null }> {
  const { study } = document;
  const side = await siteSideOf(study);
  const told = side.proposal?.(stage, { study, site, broadcasts });
  let seen: FoundTable | null = null;
  const found = (table: FoundTable) => {
    seen = table;
  };
  const blocks = approval === null ? tables.read(study, found) : tables.reopen(study, approval);
  const entries = told === undefined ? lengthIn(study, stage) : lengthOf(told.query);
  const retries = new Retries();
  const tried = { document, stage, site, broadcasts, entries, approval, found, signal, retries };
  const parts = await tables.parts(tried);
  const own = { kernels: plainKernels(), random: osRandom };
  if (told === undefined) {
    const asked = {
      ...own,
      study,
      site,
      sites: study.rosterSites ?? 0,
      broadcasts,
      blocks,
      sharedSeed: null,
    };
    const vector = parts === null ? side.vector!(stage, asked) : addedUp(parts, entries);
    return { exact: await vector, records: approval!.rows, found: null };
  }
  const table = stageTable(study, { blocks, ...own });
  const { exact, records } = await answerOf(told, parts === null ? table : { ...table, parts });
  return { exact, records, found: seen };
}

/** The flow of a study's rows before noise, as the process that reads tables comes to it. */
export async function flowOf(tables: ConfiguredTables, document: StudyDocument): Promise<BigUint64Array> {
  const nobodyAsks = () => Promise.reject(new RangeError("nobody asks"));
  const here = new TablesHere(tables, {
    kernels: async () => plainKernels(),
    examine: nobodyAsks,
    tableCheck: nobodyAsks,
  });
  const part = await here.part({
    document,
    stage: flowStageId,
    site,
    broadcasts: new Map(),
    entries: lengthIn(document.study, flowStageId),
    approval: null,
    found: () => undefined,
    signal: new AbortController().signal,
  });
  return part!.exact;
}

function lengthIn(study: Study, id: StageId): number {
  const stage = planStudy(study).stages.find((one) => one.id === id);
  if (stage?.kind !== "sum") throw new RangeError("no sum stage");
  return stage.length;
}

/** Runs a study with one site, which answers each stage by `answer`. @returns the stages in their order */
export async function converse(
  { study }: StudyDocument,
  answer: (stage: StageId, broadcasts: Broadcasts) => Promise<BigUint64Array>,
): Promise<StageId[]> {
  const asked: StageId[] = [];
  await releasedWithRows({
    study,
    tables: [[]],
    random: seededRandom("noise"),
    vector(stage, { broadcasts }) {
      asked.push(stage);
      return answer(stage, broadcasts);
    },
  });
  return asked;
}
