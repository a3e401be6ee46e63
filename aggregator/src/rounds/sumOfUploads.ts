import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { endianness } from "node:os";
import { setImmediate } from "node:timers/promises";
import {
  addInto,
  newRingVector,
  type RingVector,
  ringBytes,
  ringVectorFromBytes,
  widened,
} from "@consilium/core/fixed-point/ringVector";
import type { SiteId, StageId, StudyId } from "@consilium/core/ids";
import { inlineVectorBytes } from "@consilium/core/limits";
import type { SumStage } from "@consilium/core/study/plan";
import type { MaskKey } from "@consilium/secure-sum/masks";
import type { AttemptPlace } from "./attemptRecords.js";
import { addMasksInThreads } from "./maskThreads.js";
import type { OpenStudy } from "./openStudy.js";
import type { StudyRecords } from "./records.js";
import type { RunningSum } from "./runningSum.js";

const isLittleEndian = endianness() === "LE";
/** Bytes of a stored vector read at once. */
const readBytes = 1 << 20;
/** Bytes added before other work of the process has its turn. */
const turnBytes = 4 * readBytes;

/**
 * The stored sum of a stage, if any. It is as wide as its ring, or 64 bits wide as earlier versions stored it.
 * @param of.readResult - of one that is in a file
 */
export async function storedSum(of: {
  readonly records: Pick<StudyRecords, "result">;
  readonly study: StudyId;
  readonly stage: Pick<SumStage, "id" | "length">;
  readonly readResult: (stage: StageId) => Promise<Uint8Array>;
}): Promise<BigUint64Array | null> {
  const { id, length } = of.stage;
  const stored = of.records.result(of.study, id);
  if (stored === null) return null;
  const bytes = stored.content ?? (await of.readResult(id));
  return widened(ringVectorFromBytes(bytes, bytes.length === 4 * length ? 32 : 64));
}

/** How long a sum may wait to share the commit that opens the next stage. Until then it would be made again. */
const storeLingerMs = 50;

/**
 * Adds the survivors' stored vectors, removes the remaining masks, and has the sum stored. The sites'
 * uploads are deleted once it is.
 * @param of.running - has added those that came in this process
 * @param alongside - what is stored in the same transaction
 * @returns the sum, 32-bit entries with their sign
 */
export async function sumOfUploads(
  study: OpenStudy,
  of: {
    readonly place: AttemptPlace;
    readonly stage: SumStage;
    readonly running: RunningSum;
    readonly survivors: readonly SiteId[];
    readonly corrections: readonly MaskKey[];
  },
  alongside: () => void = () => undefined,
): Promise<BigUint64Array> {
  const { place, stage, running, survivors, corrections } = of;
  const { files, memberSites, context } = study;
  const { records } = context;
  const sum = await running.of(survivors);
  await addMasksInThreads(sum, corrections);
  const bytes = ringBytes(sum);
  const result =
    bytes.length <= inlineVectorBytes(memberSites.length)
      ? { content: bytes }
      : { sha256: await files.writeResult(stage.id, bytes) };
  const work = () => {
    alongside();
    records.setResult(study.id, stage.id, result);
    records.attempts.setSurvivors(place, survivors);
    records.attempts.done(place, context.now());
    records.dropContents(study.id, stage.id, place.attempt);
  };
  records
    .together(work, storeLingerMs)
    .then(() => {
      context.meter?.attemptEnded("done");
      files.removeUploads(stage.id, place.attempt, memberSites);
    })
    // A study that is resumed makes it again from the answers.
    .catch((thrown: unknown) =>
      context.log.error("cannot store a sum", { study: study.id, stage: stage.id }, thrown),
    );
  return widened(sum);
}

/**
 * Adds stored vectors of little-endian ring elements to `sum` piece by piece, in constant memory. Files are read at once, not by
 * the threads that write the files that are coming meanwhile: behind those, most would be added when the last one has come.
 * @param vectors - give each its bytes, or the path of its file
 * @throws RangeError if a vector's length differs from the sum's; `sum` is invalid then
 */
export async function addStoredVectors(
  sum: RingVector,
  vectors: readonly (() => Uint8Array | string)[],
): Promise<void> {
  const width = sum.BYTES_PER_ELEMENT;
  const bits = sum instanceof Uint32Array ? 32 : 64;
  const part = newRingVector(bits, Math.min(readBytes / width, sum.length));
  const bytes = new Uint8Array(part.buffer);
  const demandLength = (length: number) => {
    if (length !== sum.byteLength)
      throw new RangeError(`the stored vector does not have the sum's ${sum.length} elements`);
  };
  for (const [i, vector] of vectors.entries()) {
    if (i > 0) await setImmediate();
    const stored = vector();
    if (typeof stored !== "string") {
      demandLength(stored.length);
      addInto(sum, ringVectorFromBytes(stored, bits));
      continue;
    }
    const file = openSync(stored, "r");
    try {
      demandLength(fstatSync(file).size);
      for (let from = 0; from < sum.length; from += part.length) {
        if (from > 0 && (from * width) % turnBytes === 0) await setImmediate();
        const target = sum.subarray(from, from + part.length);
        const piece = bytes.subarray(0, target.byteLength);
        readFully(file, piece, from * width);
        // Read in place; converted from little-endian if needed.
        addInto(target, isLittleEndian ? part.subarray(0, target.length) : ringVectorFromBytes(piece, bits));
      }
    } finally {
      closeSync(file);
    }
  }
}

function readFully(file: number, into: Uint8Array, position: number): void {
  for (let got = 0; got < into.length; ) {
    const count = readSync(file, into, got, into.length - got, position + got);
    if (count === 0) throw new RangeError("the stored vector ended early");
    got += count;
  }
}
