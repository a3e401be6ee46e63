import { createReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { readCanonicalBytes } from "@consilium/core/canonicalJson";
import { ConsiliumError, toConsiliumError } from "@consilium/core/errors";
import { faults } from "@consilium/core/fault";
import { type RingBits, ringVectorFromBytes, widened } from "@consilium/core/fixed-point/ringVector";
import type { StageId } from "@consilium/core/ids";
import type { NumericKernels } from "@consilium/core/linalg/kernels";
import type { Conversation, MethodResult, ReducedRows } from "@consilium/core/method/aggregatorSide";
import { aggregatorSideOf } from "@consilium/core/method/aggregatorSideOf";
import type { Methods } from "@consilium/core/method/methods";
import { missingPartSchema, ResultParts } from "@consilium/core/method/parts";
import { drawsFile, resultFile, rowsFile, sumFile } from "@consilium/core/release/certificate";
import { releaseResult } from "@consilium/core/release/computed";
import { fitting } from "@consilium/core/release/content";
import { firstDifference } from "@consilium/core/release/difference";
import { type Draw, type PublishedSum, readDraws, sumsSchema } from "@consilium/core/release/publishedSums";
import { replanned, valueAt } from "@consilium/core/release/replanned";
import { resultText } from "@consilium/core/release/result";
import { withFlow } from "@consilium/core/release/withFlow";
import { unwrap } from "@consilium/core/result";
import { lines, nameOf } from "@consilium/core/said";
import { type BroadcastItem, broadcastBytes, broadcastsHash } from "@consilium/core/study/broadcast";
import { flowStageId } from "@consilium/core/study/flow";
import { studyOnRoster } from "@consilium/core/study/onRoster";
import type { Study } from "@consilium/core/study/study";
import type { ShownCertificate } from "@consilium/release/certificate";
import { type RowsColumn, RowsReader } from "@consilium/release/v3/rows";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import type { ReleaseSays } from "@consilium/words/says/release";
import { z } from "zod";
import { wholeRecords } from "../store/wholeRecords.js";
import { readRows, writeMadeRows } from "./madeRows.js";

/**
 * A release computed anew from the sums and draws that it holds: the aggregator's side of its method, run as it ran then. It has to
 * broadcast what the hospitals signed, and to come to the result that they signed the hash of.
 */
export type Replayed =
  /**
   * `same`: the result is the release's to the byte. `numbers`: another version computed it, and every number that stands there is the
   * same to 1e-12. That the sums of the stages `unheld` are the hospitals' is the aggregator's word: no broadcast depends on them.
   */
  | {
      readonly kind: "same" | "numbers";
      readonly sums: number;
      readonly software: string;
      readonly unheld: readonly StageId[];
    }
  /** The first difference, as a line of `ReleaseSays`. */
  | { readonly kind: "otherwise"; readonly difference: string };

export interface ToReplay {
  /** A folder whose release is verified. */
  readonly folder: string;
  /** What verifying it found. */
  readonly certificate: ShownCertificate;
  readonly methods: Pick<Methods, "read">;
  /** That give the same bits on every machine. */
  readonly kernels: NumericKernels;
  /** This program's version. */
  readonly software: string;
  /** An existing folder for rows that the method makes. */
  readonly scratch: string;
}

const fault = faults<ReleaseSays>();
const line = lines<ReleaseSays>();
const shown = (value: unknown) => nameOf(JSON.stringify(value) ?? "nothing");

const resultSchema = z.looseObject({
  software: z.looseObject({ consilium: z.string() }),
  missing: z.array(missingPartSchema).optional(),
  flow: z.looseObject({ invited: z.int() }).optional(),
  sums: sumsSchema.nullish(),
});

/** What ends a replay: the first difference. */
class Otherwise extends Error {
  readonly difference: string;

  constructor(difference: string) {
    super("the replay differs");
    this.difference = difference;
  }
}

/**
 * @throws ConsiliumError RELEASE_UNKNOWN for a release without sums, METHODS_MISSING where this version has no plan for its study,
 *   RELEASE_CORRUPT for a file that is no longer the one that was verified
 */
export async function replayRelease(given: ToReplay): Promise<Replayed> {
  const { certificate, methods } = given;
  const read = readCanonicalBytes(await listedFile(given, resultFile));
  const result = resultSchema.parse(read.ok ? read.value : null);
  if (result.sums === undefined || result.sums === null || certificate.stated === null)
    throw fault(
      "RELEASE_UNKNOWN",
      "release.no-sums",
      {},
      { remedy: { code: "release.ask-for-sums", params: {} } },
    );
  const remark = replanned(certificate.stated, certificate.study.text, methods);
  if (remark.kind === "not tried") throw fault("METHODS_MISSING", "release.not-planned", {});
  if (remark.kind === "otherwise") {
    const { path: at, stated, planned } = remark;
    return otherwise(
      line("release.planned-otherwise", { at: nameOf(at), stated: shown(stated), planned: shown(planned) }),
    );
  }
  const document = unwrap(methods.read(certificate.study.text, certificate.stated.study.hash));
  const draws = readDraws(await listedFile(given, drawsFile));
  if (!draws.ok) throw new ConsiliumError("RELEASE_CORRUPT", `${drawsFile}: ${draws.error}`);
  const replay = new Replay(given, {
    study: studyOnRoster(document.study, certificate.stated.roster.length),
    sums: result.sums,
    draws: draws.value,
  });
  try {
    return await replay.run({ stated: result, whole: read.ok ? read.value : null });
  } catch (thrown) {
    if (thrown instanceof Otherwise) return otherwise(thrown.difference);
    throw thrown;
  }
}

const otherwise = (difference: string): Replayed => ({ kind: "otherwise", difference });

/** A file of the release, which has to be the one that was verified. */
async function listedFile(
  { folder, certificate }: Pick<ToReplay, "folder" | "certificate">,
  name: string,
): Promise<Uint8Array> {
  const listed = certificate.files.find((file) => file.name === name);
  if (listed === undefined) throw fault("RELEASE_UNKNOWN", "release.no-sums", {});
  const bytes = new Uint8Array(await readFile(join(folder, name)));
  if (sha256(bytes) === listed.sha256) return bytes;
  throw fault("RELEASE_CORRUPT", "release.file-changed", { file: nameOf(name) });
}

class Replay {
  readonly #given: ToReplay;
  readonly #study: Study;
  readonly #sums: readonly PublishedSum[];
  readonly #draws: ReadonlyMap<string, string>;
  readonly #published: { readonly sums: readonly PublishedSum[]; readonly draws: readonly Draw[] };
  readonly #told: BroadcastItem[] = [];
  /** How many of the sums something was broadcast after. */
  #before = 0;
  #asked = 0;
  readonly #drawn = new Set<string>();
  #survivors: number;

  constructor(
    given: ToReplay,
    of: { readonly study: Study; readonly sums: readonly PublishedSum[]; readonly draws: readonly Draw[] },
  ) {
    this.#given = given;
    this.#study = of.study;
    this.#sums = of.sums;
    this.#draws = new Map(of.draws.map(({ name, value }) => [name, value]));
    this.#published = { sums: of.sums, draws: of.draws };
    this.#survivors = given.certificate.sites.roster.length;
  }

  async run(then: {
    readonly stated: z.output<typeof resultSchema>;
    readonly whole: unknown;
  }): Promise<Replayed> {
    const { certificate, software } = this.#given;
    const { missing = [], flow } = then.stated;
    const parts = new ResultParts(
      missing.map(({ part }) => part),
      () => undefined,
    );
    const result = await this.#converse(parts);
    const unused = this.#sums[this.#asked];
    if (unused !== undefined) throw new Otherwise(line("release.sum-unused", { stage: unused.stage }));
    const undrawn = [...this.#draws.keys()].find((name) => !this.#drawn.has(name));
    if (undrawn !== undefined) throw new Otherwise(line("release.draw-unused", { draw: nameOf(undrawn) }));
    // Rows are counted for the release alone.
    const isHeld = ({ stage }: PublishedSum, at: number) => at < this.#before && stage !== flowStageId;
    const stagesOf = (sums: readonly PublishedSum[]) => sums.map(({ stage }) => stage);
    if (broadcastsHash(this.#told) !== certificate.stated!.broadcasts)
      throw new Otherwise(
        line("release.broadcast-otherwise", { stages: stagesOf(this.#sums.filter(isHeld)) }),
      );
    const unheld = stagesOf(this.#sums.filter((sum, at) => !isHeld(sum, at)));
    const text = resultText(
      releaseResult({
        software: then.stated.software.consilium,
        study: this.#study,
        roster: certificate.sites.roster.map(({ id }) => id),
        result: withFlow(result, flow?.invited ?? 0, missing),
        missing,
        published: this.#published,
      }),
      result.table?.rows.sha256 ?? null,
    );
    const of = { sums: this.#sums.length, software: then.stated.software.consilium, unheld };
    const found = JSON.parse(text) as unknown;
    const difference = firstDifference(then.whole, found);
    if (difference === null) return { kind: "same", ...of };
    const isOther = of.software !== software;
    const at = isOther ? firstNumber(then.whole, found) : difference;
    if (at === null) {
      if (result.table !== null) await this.#compareRows(result.table, unheld);
      return { kind: "numbers", ...of };
    }
    const [stated, computed] = [valueAt(then.whole, at), valueAt(found, at)];
    throw new Otherwise(
      line("release.result-otherwise", {
        at: nameOf(at),
        stated: shown(stated),
        computed: shown(computed),
        stages: unheld,
      }),
    );
  }

  async #converse(parts: ResultParts): Promise<MethodResult> {
    const side = await aggregatorSideOf(this.#study);
    const replay = this;
    const conversation: Conversation = {
      study: this.#study,
      sites: this.#survivors,
      get survivors() {
        return replay.#survivors;
      },
      kernels: this.#given.kernels,
      random: {
        bytes: () => {
          throw new RangeError("the method draws past the conversation");
        },
      },
      sum: (stage, broadcast) => this.#sum(stage, broadcast),
      rows: (stage) => this.#noSum(stage),
      tags: (stage) => this.#noSum(stage),
      draw: (name) => {
        const value = this.#draws.get(name);
        if (value === undefined) throw new Otherwise(line("release.no-draw", { draw: nameOf(name) }));
        this.#drawn.add(name);
        return value;
      },
      writeRows: async (name, shape, made) => {
        const path = join(this.#given.scratch, `made-${name}`);
        return { path, ...shape, ...(await writeMadeRows(path, shape, made)) };
      },
      readRows,
      part: parts.compute,
    };
    try {
      return fitting(await side(conversation), parts);
    } catch (thrown) {
      if (thrown instanceof Otherwise) throw thrown;
      const stage = this.#sums[Math.max(0, this.#asked - 1)]?.stage;
      if (stage === undefined) throw thrown;
      const { message } = thrown instanceof RangeError ? thrown : toConsiliumError(thrown);
      throw new Otherwise(line("release.sum-refused", { stage, reason: nameOf(message) }));
    }
  }

  async #sum(stage: StageId, broadcast: Parameters<Conversation["sum"]>[1]): Promise<BigUint64Array> {
    const next = this.#sums[this.#asked];
    if (next?.stage !== stage) return this.#noSum(stage);
    const vectors = Object.entries(broadcast);
    if (vectors.length > 0) this.#before = this.#asked;
    for (const [name, values] of vectors) {
      const item = { stage, name, length: values.length, sha256: sha256(broadcastBytes(values)) };
      this.#told.push(item);
    }
    this.#asked++;
    const { stated, sites } = this.#given.certificate;
    const { dropped } = stated!.attempts.find((one) => one.stage === stage && one.attempt === next.attempt)!;
    this.#survivors = sites.roster.length - dropped!.length;
    const planned = stated!.plan.stages.find(({ id }) => id === stage) as { readonly ringBits: RingBits };
    const bytes = await listedFile(this.#given, sumFile(stage, next.attempt));
    return widened(ringVectorFromBytes(bytes, planned.ringBits));
  }

  #noSum(stage: StageId): never {
    throw new Otherwise(line("release.no-sum", { stage }));
  }

  /** The rows that the method made, beside those of the release. */
  async #compareRows(
    { rows, columns }: { readonly rows: ReducedRows; readonly columns: readonly RowsColumn[] },
    stages: readonly StageId[],
  ): Promise<void> {
    const sizes = columns.map(({ type }) => (type === "number" ? 8 : 2));
    const stride = sizes.reduce((sum, size) => sum + size, 0);
    const made = wholeRecords(rows.path, stride);
    let own = Buffer.alloc(0);
    let row = 0;
    for await (const released of packedRows(join(this.#given.folder, rowsFile), columns)) {
      for (let at = 0; at < released.length; at += stride, row++) {
        if (own.length === 0) own = Buffer.from((await made.next()).value ?? []);
        let inRow = 0;
        for (const [column, size] of sizes.entries()) {
          const [stated, computed] = [released.subarray(at), own].map((bytes) =>
            size === 8 ? bytes.readDoubleLE(inRow) : bytes.readUInt16LE(inRow),
          );
          if (!isSameNumber(stated!, computed!)) {
            const place = { file: nameOf(rowsFile), row: row + 1, column: nameOf(columns[column]!.name) };
            throw new Otherwise(line("release.row-otherwise", { ...place, stages }));
          }
          inRow += size;
        }
        own = own.subarray(stride);
      }
    }
  }
}

async function* packedRows(path: string, columns: readonly RowsColumn[]): AsyncGenerator<Buffer> {
  const reader = new RowsReader(columns);
  const parts = createReadStream(path, { highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>;
  for await (const part of parts) yield Buffer.from(unwrapRows(reader.read(part)));
  yield Buffer.from(unwrapRows(reader.read(null)));
}

function unwrapRows(read: ReturnType<RowsReader["read"]>): Uint8Array {
  if (read.ok) return read.value;
  throw new ConsiliumError("RELEASE_CORRUPT", `${rowsFile}: ${read.error}`);
}

/** To 1e-12 of the greater of the two, or of 1. */
const isSameNumber = (a: number, b: number): boolean =>
  Object.is(a, b) || Math.abs(a - b) <= 1e-12 * Math.max(1, Math.abs(a), Math.abs(b));

/** The path of the first number of a JSON value that another has otherwise; what else it has is free. */
function firstNumber(stated: unknown, found: unknown, path = ""): string | null {
  if (typeof stated === "number")
    return typeof found === "number" && isSameNumber(stated, found) ? null : path || "the whole";
  if (typeof stated !== "object" || stated === null) return null;
  const isAlike =
    typeof found === "object" && found !== null && Array.isArray(found) === Array.isArray(stated);
  const other = (isAlike ? found : {}) as Record<string, unknown>;
  for (const [name, value] of Object.entries(stated)) {
    const at = firstNumber(value, other[name], path === "" ? name : `${path}.${name}`);
    if (at !== null) return at;
  }
  return null;
}
