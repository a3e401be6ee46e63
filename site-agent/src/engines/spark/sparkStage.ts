import { ConsiliumError } from "@consilium/core/errors";
import { readSaid } from "@consilium/core/readSaid";
import { saidText } from "@consilium/core/said";
import { hidesTables } from "@consilium/core/study/hidesTables";
import { isOtherBuild } from "@consilium/core/version";
import type { Part } from "@consilium/gate/part";
import { z } from "zod";
import { checkColumns, requestsFor } from "../../data/columns.js";
import { type DataSays, fault, safeError } from "../../data/fault.js";
import { Meanings } from "../../data/meanings.js";
import { tablePlace } from "../../data/place.js";
import {
  clusterFor,
  clusterOf,
  columnsOf,
  fieldsOf,
  once,
  placeIn,
} from "../../data/sources/spark/source.js";
import { orderByOf } from "../../data/tableUnit.js";
import { maxRetries } from "../../tables/retries.js";
import { type AnswerLine, countsOf, readLine } from "../answer.js";
import { ByteReader } from "../byteReader.js";
import { encodeJob } from "../job.js";
import { columnTogether, jobOf, otherVersion, reported } from "../reading.js";
import type { TableStage } from "../stage.js";
import { Totals } from "../totals.js";
import type { SparkApplication } from "./application.js";
import { applications } from "./applications.js";

/** Tasks that add up shares of a long vector, each some chunks of it. */
const addersMost = 32;
const chunkLimits = { least: 4096, most: 1024 ** 2 };

/** Bytes of the chunks that a vector is cut into. */
const chunkOf = (entries: number) =>
  Math.min(chunkLimits.most, Math.max(chunkLimits.least, 8 * Math.ceil(entries / addersMost)));

const shareId = z.tuple([z.int().min(0), z.int().min(-1)]);
const header = z.object({
  id: shareId,
  first: z.string().max(4096),
  last: z.string().max(4096),
  sent: z.int().min(0),
  length: z.int().min(0),
});
const malformedRows = z.object({ id: shareId, malformed: z.int().min(1) });
const chunk = z.object({ chunk: z.int().min(0), ids: z.array(shareId) });

/** State of an attempt: its application starts, the columns are looked up, or rows are read. */
type Step = "start" | "columns" | "rows";

/** Codes that say of a cluster what a record may have brought about, or Spark quoted of one, once rows are read. */
const clusterCodes: ReadonlySet<string> = new Set([
  "ENGINE_UNREACHABLE",
  "ENGINE_INCOMPLETE",
  "ENGINE_UNSAFE",
]);

/**
 * Computes the part that a table on a Spark cluster comes to: its executors fold it, and add up what they have folded. Spark itself
 * repeats what an executor could not do; where all of it fails, the stage is computed again, in a new application if the old one is
 * gone.
 * @throws ConsiliumError ENGINE_FAILED for all that fails at the cluster once rows have been read; before, ENGINE_UNREACHABLE,
 *   ENGINE_INCOMPLETE, ENGINE_UNSAFE and CONFIG_INVALID too; ENGINE_VERSION, TABLE_UNREADABLE, TABLE_CHANGED; as `checkColumns`
 */
export async function* sparkParts(stage: TableStage): AsyncGenerator<Part> {
  const { signal, config } = stage;
  applications.endWith(signal, stage.document.hash);
  for (;;) {
    let step: Step = "start";
    const reach = (next: Step) => {
      step = next;
    };
    try {
      yield await attempted(stage, reach);
      return;
    } catch (thrown) {
      signal.throwIfAborted();
      const error = safeError(thrown, config);
      const { code } = error;
      const shown = mayBeOfRecord(code, step, stage.retries.left < maxRetries) ? asFailed(error) : error;
      // An application that cannot start, or lacks something, is not tried once more.
      const isRepeated = code === "ENGINE_FAILED" || (code === "ENGINE_UNREACHABLE" && step !== "start");
      if (!isRepeated || !stage.retries.take()) throw named(shown, stage);
    }
  }
}

/** Tells whether a record may have brought a fault about: then its code leaves as ENGINE_FAILED, whatever it is. */
function mayBeOfRecord(code: string, step: Step, isAgain: boolean): boolean {
  if (step === "start") return isAgain;
  // An application that has gone was perhaps ended by a stage before.
  if (step === "columns" && !isAgain) return code === "ENGINE_UNREACHABLE";
  return clusterCodes.has(code);
}

const asFailed = ({ message, remedy }: ConsiliumError) =>
  new ConsiliumError("ENGINE_FAILED", message, { remedy });

async function attempted(stage: TableStage, reach: (step: Step) => void): Promise<Part> {
  const parts = applications.use(
    clusterFor(stage.config, stage.bounded),
    stage.document.hash,
    async function* (application) {
      reach("columns");
      yield await folded(stage, application, () => reach("rows"));
    },
  );
  for await (const part of parts) return part;
  throw new RangeError("a stage without a part");
}

/** The same error with the table that it is about. */
function named(error: ConsiliumError, { config }: TableStage): ConsiliumError {
  const what = readSaid(error.message);
  if (what === null || "place" in what.params) return error;
  const { code, remedy } = error;
  const at = saidText({ code: "engine.at", params: { place: tablePlace(config.name), what } });
  return new ConsiliumError(code, at, { remedy });
}

async function folded(stage: TableStage, application: SparkApplication, begin: () => void): Promise<Part> {
  const { config, bounded, broadcasts, entries, keys } = stage;
  const meanings = new Meanings(config);
  const requests = requestsFor(bounded, meanings, { orderBy: orderByOf(config) });
  const table = placeIn(config, bounded);
  const fields = await fieldsOf(application, config, bounded);
  checkColumns(columnsOf(fields), requests, tablePlace(config.name));
  const together = bounded.patient?.column ?? columnTogether(bounded);
  const names = [...new Set(requests.map(({ name }) => name))];
  const placed = (name: string) => fields.findIndex(([own]) => own === name);
  const job = jobOf(stage);
  // Workers hash the patients themselves.
  const patients = bounded.patient === undefined ? {} : keys.lend(["patients"]);
  const { id, bytes } = encodeJob({ ...job, keys: { ...job.keys, ...patients } }, broadcasts);
  const answers = new Answers(stage, id);
  const asked = {
    do: "fold",
    table,
    fields,
    columns: names.map(placed),
    chunk: chunkOf(entries),
    adders: Math.max(1, Math.min(addersMost, Math.ceil((8 * entries) / chunkOf(entries)))),
    together: together === null ? null : placed(together),
    notes: bounded.patient !== undefined,
    partitions: clusterOf(config).partitions,
  };
  begin();
  for await (const { message, bytes: data } of application.ask(asked, Buffer.concat(bytes)))
    await answers.take(message, data);
  return answers.part();
}

/** The answers of executors: of each share a header, and of all shares together the chunks of one vector. */
class Answers {
  readonly #stage: TableStage;
  readonly #job: string;
  readonly #total: Totals;
  readonly #vector: Uint8Array<ArrayBuffer>;
  readonly #chunkBytes: number;
  /** Shares that were folded, and for each chunk of the vector those that are in it. */
  readonly #shares = new Set<string>();
  readonly #chunks = new Map<number, readonly string[]>();
  #records = 0;
  #refused = 0;
  /** Rows that could not be taken apart. */
  #malformed = 0;

  constructor(stage: TableStage, job: string) {
    this.#stage = stage;
    this.#job = job;
    this.#total = new Totals(stage);
    this.#vector = new Uint8Array(8 * stage.entries);
    this.#chunkBytes = chunkOf(stage.entries);
  }

  async take(message: unknown, data: Uint8Array): Promise<void> {
    if (data.length > 0) {
      this.#takeChunk(chunk.parse(message), data);
      return;
    }
    const none = malformedRows.safeParse(message);
    if (none.success) {
      this.#malformed += none.data.malformed;
      return;
    }
    const told = header.safeParse(message);
    if (!told.success)
      throw fault("TABLE_CHANGED", "engine.columns-changed", { place: tablePlace(this.#stage.config.name) });
    const { id, first, last, sent, length } = told.data;
    const share = id.join(":");
    if (this.#shares.has(share)) throw failed("twice", {});
    this.#shares.add(share);
    const [greeting, answer] = await Promise.all([lineOf(first), lineOf(last)]);
    for (const line of [greeting, answer])
      if ("fault" in line) {
        if (line.fault === "ENGINE_VERSION") throw otherVersion(null);
        throw failed("reports", reported(line));
      }
    if (!("worker" in greeting) || !("part" in answer)) throw failed("malformed", {});
    if (isOtherBuild(greeting.worker)) throw otherVersion(greeting.worker);
    if (greeting.job !== this.#job) throw failed("other-job", {});
    const counts = countsOf(answer.part);
    if (counts.found.rows !== sent) throw failed("counts", { counted: counts.found.rows, sent });
    if (answer.part.entries !== this.#stage.entries || length !== this.#vector.length)
      throw failed("length", {});
    this.#total.add({ ...counts, exact: noEntries });
    this.#records += counts.records;
    this.#refused += counts.refused;
  }

  /** The table's part, once all is there: each share in each chunk once. */
  part(): Part {
    const { config, bounded, entries } = this.#stage;
    const shares = [...this.#shares].sort().join();
    const chunks = this.#shares.size === 0 ? 0 : Math.ceil(this.#vector.length / this.#chunkBytes);
    if (this.#chunks.size !== chunks) throw failed("parts", { given: this.#chunks.size, all: chunks });
    for (const counted of this.#chunks.values())
      if ([...counted].sort().join() !== shares)
        throw failed("shares", { counted: counted.length, all: this.#shares.size });
    if (this.#malformed > 0 && !hidesTables(bounded))
      throw fault("TABLE_CHANGED", "engine.rows-apart", { place: tablePlace(config.name) });
    this.#total.leftOut(new Map([[0, this.#malformed]]));
    this.#total.check();
    return {
      exact: new BigUint64Array(this.#vector.buffer, 0, entries),
      records: this.#records,
      refused: this.#refused,
    };
  }

  #takeChunk({ chunk: at, ids }: z.output<typeof chunk>, data: Uint8Array): void {
    const from = at * this.#chunkBytes;
    if (this.#chunks.has(at) || data.length !== Math.min(this.#chunkBytes, this.#vector.length - from))
      throw failed("part", {});
    this.#vector.set(data, from);
    this.#chunks.set(
      at,
      ids.map((id) => id.join(":")),
    );
  }
}

const noEntries = new BigUint64Array(0);

const lineOf = (text: string): Promise<AnswerLine> =>
  readLine(new ByteReader(once(Buffer.from(text)))).catch(() => Promise.reject(failed("malformed", {})));

type Of<P> = P extends `executor.${infer What}` ? What : never;

const failed = <W extends Of<keyof DataSays>>(what: W, params: DataSays[`executor.${W}`]) =>
  fault("ENGINE_FAILED", `executor.${what}`, params);
