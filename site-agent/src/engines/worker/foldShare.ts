import { flowProposal, flowTable } from "@consilium/core/learning/flowTable";
import { stageTable } from "@consilium/core/learning/stageTable";
import type { NumericKernels } from "@consilium/core/linalg/kernels";
import { ListedMethods } from "@consilium/core/method/listedMethods";
import { siteSideOf } from "@consilium/core/method/method";
import { unwrap } from "@consilium/core/result";
import { nameOf } from "@consilium/core/said";
import type { Broadcasts } from "@consilium/core/study/broadcast";
import type { ColumnBlock } from "@consilium/core/study/design";
import { flowStageId } from "@consilium/core/study/flow";
import { studyOnRoster } from "@consilium/core/study/onRoster";
import type { Study } from "@consilium/core/study/study";
import { isOtherBuild, softwareBuild } from "@consilium/core/version";
import { answerOf } from "@consilium/gate/answer";
import type { Part } from "@consilium/gate/part";
import { openInlineGram } from "@consilium/kernels/inlineGram";
import { soundRegistry } from "@consilium/methods/registry";
import { osRandom } from "@consilium/runtime/random";
import { usedRows } from "../../data/boundedRows.js";
import { MissingValues } from "../../data/cells.js";
import { TableSummer } from "../../data/contentHash.js";
import { Tally } from "../../data/decode.js";
import { fault } from "../../data/fault.js";
import { flowRows } from "../../data/flowRows.js";
import type { OpenedSource } from "../../data/openSource.js";
import { TableKeys } from "../../data/rowHash.js";
import { boundedStudy, unitOf } from "../../data/tableUnit.js";
import { togetherBy } from "../additive.js";
import { encodeLine, encodePart, faultLine, methodRefused, type SharePart } from "../answer.js";
import { ByteReader } from "../byteReader.js";
import { type Job, readJob } from "../job.js";
import { ArrowSource } from "./arrowSource.js";

type Write = (bytes: Uint8Array) => Promise<void>;

/** What a worker knows. */
export interface WorkerProgramParts {
  readonly methods: ListedMethods;
  /** All of them, for the vectors of published methods; null where there are none. */
  readonly kernels: (() => NumericKernels) | null;
}

const sound: WorkerProgramParts = { methods: new ListedMethods(soundRegistry), kernels: null };

/**
 * Answers one job: what the gate makes of a stage's share of a table, without noise and without mask. It is the code that the
 * agent runs for a whole table.
 * @param input - the job, then the rows as Arrow IPC
 * @returns whether the answer is complete; a fault was written otherwise
 */
export async function foldShare(
  input: AsyncIterable<Uint8Array>,
  write: Write,
  program: WorkerProgramParts = sound,
): Promise<boolean> {
  const reader = new ByteReader(input);
  const noted = (isSettled: boolean) => write(encodeLine({ next: isSettled ? "take" : "note" }));
  try {
    const { job, id, broadcasts } = await readJob(reader);
    await write(encodeLine({ worker: softwareBuild, job: id }));
    if (isOtherBuild(job.software)) {
      const versions = { job: nameOf(job.software), worker: nameOf(softwareBuild) };
      throw fault("ENGINE_VERSION", "engine.job-version", versions);
    }
    const rows = { bytes: reader.rest(), noted };
    const part = await partOf(job, broadcasts, rows, program);
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
  rows: {
    readonly bytes: AsyncIterable<Uint8Array>;
    /** After a pass in which a patient's rows were noted. */
    readonly noted: (isSettled: boolean) => Promise<void>;
  },
  program: WorkerProgramParts,
): Promise<SharePart> {
  const read = unwrap(await program.methods.load(job.study, job.studyHash)).study;
  const study = job.rosterSites === null ? read : studyOnRoster(read, job.rosterSites);
  const bounded = boundedStudy(study, unitOf(job.table));
  const keys = TableKeys.borrow(job.keys, bounded);
  const opened: OpenedSource = {
    config: job.table,
    format: "arrow",
    files: [job.table.name],
    source: new ArrowSource(rows.bytes, new MissingValues(job.table.nullValues)),
  };
  const tally = new Tally(bounded);
  const summer = job.hashesRows ? new TableSummer(keys) : null;
  const together = study.features.findIndex(({ name }) => name === togetherBy(study));
  const tasks = new Set<number>();
  async function* blocks(): AsyncGenerator<ColumnBlock> {
    const options = { keys, onNoted: rows.noted, reuseBlock: true, anyRows: job.anyRows };
    for await (const block of usedRows(opened, bounded, tally, options)) {
      summer?.add(block);
      for (let row = 0; together !== -1 && row < block.rows; row++) tasks.add(block.columns[together]![row]!);
      yield block;
    }
  }
  const part =
    job.stage === flowStageId
      ? await answerOf(
          flowProposal(study),
          flowTable(
            study,
            flowRows(opened, bounded, tally, { keys, anyRows: job.anyRows, onNoted: rows.noted }),
            osRandom,
          ),
        )
      : await answered(job, { study, broadcasts, blocks: blocks() }, program);
  const faults = tally.problems.reduce((sum, { count }) => sum + count, 0);
  const { rows: all, used, outside, overBound, unsampled } = tally;
  return {
    ...part,
    records: part.records ?? used,
    found: { rows: all, used, faults, outside, overBound, unsampled },
    table: summer?.sum ?? null,
    tasks: together === -1 ? null : [...tasks].reduce((bits, task) => bits | (1n << BigInt(task)), 0n),
  };
}

interface Asked {
  readonly study: Study;
  readonly broadcasts: Broadcasts;
  readonly blocks: AsyncIterable<ColumnBlock>;
}

/** What the gate makes of these rows by the method's proposal, or a published method's own vector. */
async function answered(
  { stage, site, rosterSites }: Job,
  { study, broadcasts, blocks }: Asked,
  { kernels }: WorkerProgramParts,
): Promise<Omit<Part, "records"> & { readonly records: number | null }> {
  const { proposal, vector } = await siteSideOf(study);
  if (proposal === undefined) {
    if (vector === undefined || kernels === null)
      throw new RangeError("a published method that is not computed in shares");
    const own = { study, site, sites: rosterSites ?? 0, sharedSeed: null, random: osRandom };
    const exact = await vector(stage, { ...own, broadcasts, blocks, kernels: kernels() });
    return { exact, records: null, refused: 0 };
  }
  const told = proposal(stage, { study, site, broadcasts });
  try {
    return await answerOf(told, stageTable(study, { blocks, kernels: openInlineGram(), random: osRandom }));
  } catch (thrown) {
    throw methodRefused(thrown, stage, null);
  }
}
