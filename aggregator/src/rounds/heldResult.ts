import { canonicalJson } from "@consilium/core/canonicalJson";
import { ConsiliumError } from "@consilium/core/errors";
import { faults } from "@consilium/core/fault";
import type { StudyId } from "@consilium/core/ids";
import {
  lacks,
  type MissingPart,
  missingPartSchema,
  partIds,
  ResultParts,
} from "@consilium/core/method/parts";
import { readSaid } from "@consilium/core/readSaid";
import { nameOf } from "@consilium/core/said";
import { DiskFull } from "@consilium/runtime/store/diskFull";
import { SumError } from "@consilium/secure-sum/errors";
import type { ResultSays } from "@consilium/words/says/results";
import { z } from "zod";
import type { OpenStudy } from "./openStudy.js";
import type { StudyRecords } from "./records.js";

/**
 * Results of which something could not be computed. Sums are paid for: a fault in what is computed from them ends no study, asks no
 * site again and removes nothing. The study fails with its sums, is resumed under a program that computes it, or is released
 * without the missing parts once the operator accepts that.
 */

/** Keys in the table of results. */
const heldKey = "held";
const acceptedKey = "accepted";

/** The held result as it is stored beside the study's failure. */
const heldSchema = z.object({
  /** Without a part nothing stands. */
  missing: z.array(missingPartSchema),
  /** The program that came to it. */
  software: z.string(),
});
type Held = z.output<typeof heldSchema>;

const fault = faults<ResultSays>();

/** The study's failure, with what is stored of it in the same transaction. */
export class ResultHeld extends ConsiliumError {
  readonly #held: Held;

  constructor(held: Held, { code, message, remedy, cause }: ConsiliumError) {
    super(code, message, { remedy, cause });
    this.#held = held;
  }

  store(records: StudyRecords, study: StudyId): void {
    records.keepResult(study, heldKey, JSON.stringify(this.#held));
  }
}

/** Parts that the operator has accepted a release without. */
export function acceptedParts(records: StudyRecords, study: StudyId): MissingPart[] {
  const stored = records.result(study, acceptedKey)?.value ?? null;
  return stored === null ? [] : z.array(missingPartSchema).parse(JSON.parse(stored));
}

/**
 * Accepts a release without the parts that are missing.
 * @returns these parts
 * @throws ConsiliumError STUDY_STATE where no part of a result is missing
 */
export function acceptMissing(records: StudyRecords, study: StudyId): readonly MissingPart[] {
  const held = storedHeld(records, study);
  if (records.study(study)?.failureCode !== "RESULT_INCOMPLETE" || held === null)
    throw fault("STUDY_STATE", "result.nothing-to-accept", {});
  const accepted = [...acceptedParts(records, study), ...held.missing];
  records.keepResult(study, acceptedKey, JSON.stringify(accepted));
  return held.missing;
}

function storedHeld(records: StudyRecords, study: StudyId): Held | null {
  const stored = records.result(study, heldKey)?.value ?? null;
  return stored === null ? null : heldSchema.parse(JSON.parse(stored));
}

/** One run of a study: what its result lacks. */
export class HeldResults {
  readonly #study: OpenStudy;
  readonly parts: ResultParts;
  readonly #fromSites = new WeakSet<object>();

  constructor(study: OpenStudy) {
    const { id, context } = study;
    this.#study = study;
    const accepted = acceptedParts(context.records, id).map(({ part }) => part);
    this.parts = new ResultParts(accepted, (part, thrown) => {
      context.log.error("a part of a result could not be computed", { study: id, detail: part }, thrown);
    });
  }

  /** Marks what is thrown as no fault of the method: a deadline, a site, this machine. */
  async ofSites<T>(asked: Promise<T>): Promise<T> {
    try {
      return await asked;
    } catch (thrown) {
      if (typeof thrown === "object" && thrown !== null) this.#fromSites.add(thrown);
      throw thrown;
    }
  }

  /** Error that the study fails with where the method threw. */
  failed(thrown: unknown): unknown {
    if (typeof thrown === "object" && thrown !== null && this.#fromSites.has(thrown)) return thrown;
    if (thrown instanceof SumError) return thrown;
    if (thrown instanceof ConsiliumError) return new ResultHeld(this.#held([]), thrown);
    const { again, software } = this.#before([]);
    return new ResultHeld(
      this.#held([]),
      fault("RESULT_FAILED", "result.failed", { again, software }, { cause: thrown }),
    );
  }

  /** @throws ResultHeld where a part is missing that nobody has accepted */
  demandWhole(): void {
    const { missing } = this.parts;
    if (missing.length > 0) throw this.#incomplete(missing);
  }

  /**
   * What the study fails with where its release could not be deposited: the publisher may name parts that it could not write. A full
   * disk here ends no study.
   */
  undeposited(thrown: unknown): unknown {
    if (!(thrown instanceof ConsiliumError) || thrown instanceof DiskFull) return thrown;
    if (thrown.code === "STUDY_CANCELLED") return thrown;
    const named = thrown.code === "RESULT_INCOMPLETE" ? readUnwritten(thrown.message) : [];
    return named.length === 0 ? new ResultHeld(this.#held([]), thrown) : this.#incomplete(named);
  }

  #incomplete(missing: readonly MissingPart[]): ResultHeld {
    const { again, software } = this.#before(missing);
    return new ResultHeld(
      this.#held(missing),
      fault("RESULT_INCOMPLETE", "result.incomplete", { missing: lacks(missing), again, software }),
    );
  }

  #held(missing: readonly MissingPart[]): Held {
    return { missing: [...missing], software: this.#study.context.software };
  }

  /** Whether the same program came to the same before. */
  #before(missing: readonly MissingPart[]) {
    const { id, context } = this.#study;
    const held = storedHeld(context.records, id);
    const isSame =
      held !== null &&
      held.software === context.software &&
      held.missing.map(({ part }) => part).join() === missing.map(({ part }) => part).join();
    return { again: isSame ? 1 : 0, software: nameOf(context.software) };
  }
}

/** Parts whose files a publisher could not write, as its refusal names them. */
function readUnwritten(message: string): MissingPart[] {
  const said = readSaid(message);
  if (said?.code !== "result.unwritten" || !Array.isArray(said.params.missing)) return [];
  const named = said.params.missing.map((one) => canonicalJson(one));
  return partIds
    .map((part): MissingPart => ({ part, reason: "unwritten" }))
    .filter((one) => named.includes(canonicalJson(lacks([one])[0])));
}
