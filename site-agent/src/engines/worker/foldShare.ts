import { ConsiliumError } from "@consilium/core/errors";
import { stageTable } from "@consilium/core/learning/stageTable";
import { ListedMethods } from "@consilium/core/method/listedMethods";
import { siteSideOf } from "@consilium/core/method/method";
import { unwrap } from "@consilium/core/result";
import type { Broadcasts } from "@consilium/core/study/broadcast";
import type { ColumnBlock } from "@consilium/core/study/design";
import { studyOnRoster } from "@consilium/core/study/onRoster";
import { softwareVersion } from "@consilium/core/version";
import { answerOf, MethodFault } from "@consilium/gate/release";
import { openInlineGram } from "@consilium/kernels/inlineGram";
import { soundRegistry } from "@consilium/methods/registry";
import { osRandom } from "@consilium/runtime/random";
import { usedRows } from "../../data/boundedRows.js";
import { MissingValues } from "../../data/cells.js";
import { TableSummer } from "../../data/contentHash.js";
import { Tally } from "../../data/decode.js";
import type { OpenedSource } from "../../data/openSource.js";
import { TableKeys } from "../../data/rowHash.js";
import { boundedStudy, unitOf } from "../../data/tableUnit.js";
import { encodeLine, encodePart, faultLine, type SharePart } from "../answer.js";
import { ByteReader } from "../byteReader.js";
import { type Job, readJob } from "../job.js";
import { ArrowSource } from "./arrowSource.js";

type Write = (bytes: Uint8Array) => Promise<void>;

const methods = new ListedMethods(soundRegistry);

/**
 * Answers one job: what the gate makes of a stage's share of a table, without noise and without mask. It is the code that the
 * agent runs for a whole table.
 * @param input - the job, then the rows as Arrow IPC
 * @returns whether the answer is complete; a fault was written otherwise
 */
export async function foldShare(input: AsyncIterable<Uint8Array>, write: Write): Promise<boolean> {
  const reader = new ByteReader(input);
  try {
    const { job, id, broadcasts } = await readJob(reader);
    await write(encodeLine({ worker: softwareVersion, job: id }));
    if (job.software !== softwareVersion) {
      const what = `the job is of version ${job.software}, the fold worker of ${softwareVersion}`;
      throw new ConsiliumError("ENGINE_VERSION", what);
    }
    const part = await partOf(job, broadcasts, reader.rest(), (isSettled) =>
      write(encodeLine({ next: isSettled ? "take" : "note" })),
    );
    for (const bytes of encodePart(part)) await write(bytes);
    return true;
  } catch (thrown) {
    await write(encodeLine(faultLine(thrown)));
    return false;
  }
}

async function partOf(
  job: Job,
  broadcasts: Broadcasts,
  rows: AsyncIterable<Uint8Array>,
  noted: (isSettled: boolean) => Promise<void>,
): Promise<SharePart> {
  const read = unwrap(await methods.load(job.study, job.studyHash)).study;
  const study = job.rosterSites === null ? read : studyOnRoster(read, job.rosterSites);
  const bounded = boundedStudy(study, unitOf(job.table));
  const keys = TableKeys.borrow(job.keys, bounded);
  const opened: OpenedSource = {
    config: job.table,
    format: "arrow",
    files: [job.table.name],
    source: new ArrowSource(rows, new MissingValues(job.table.nullValues)),
  };
  const tally = new Tally(bounded);
  const summer = job.hashesRows ? new TableSummer(keys) : null;
  async function* blocks(): AsyncGenerator<ColumnBlock> {
    const options = { keys, onNoted: noted, reuseBlock: true, anyRows: job.anyRows };
    for await (const block of usedRows(opened, bounded, tally, options)) {
      summer?.add(block);
      yield block;
    }
  }
  const { proposal } = await siteSideOf(study);
  if (proposal === undefined) throw new RangeError("a published method is not computed in shares");
  const told = proposal(job.stage, { study, site: job.site, broadcasts });
  try {
    const kernels = openInlineGram();
    const part = await answerOf(told, stageTable(study, { blocks: blocks(), kernels, random: osRandom }));
    const faults = tally.problems.reduce((sum, { count }) => sum + count, 0);
    const { rows: all, used, overBound, unsampled } = tally;
    return { ...part, found: { rows: all, used, faults, overBound, unsampled }, table: summer?.sum ?? null };
  } catch (thrown) {
    if (!(thrown instanceof MethodFault)) throw thrown;
    throw new ConsiliumError("METHOD_REFUSED", `stage ${job.stage}: ${thrown.message}`);
  }
}
