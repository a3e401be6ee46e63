import type { BlockRecords, BlockTally, Contributor } from "./contributions.js";
import type { OneRecord } from "./record.js";

/** What is kept of the records of one block and part: their tally, or they themselves in arrays that grow. */
export class HeldRecords {
  #values: Float64Array;
  #labels: Uint16Array;
  #rows = 0;
  readonly #features: number;
  readonly #tally: BlockTally | undefined;
  readonly #tallied: Float64Array;

  constructor(features: number, contributor: Contributor) {
    const tally = contributor.kind === "blocks" ? contributor.tally : undefined;
    const room = tally === undefined ? 16 : 0;
    this.#features = features;
    this.#tally = tally;
    this.#tallied = new Float64Array(tally?.length ?? 0);
    this.#values = new Float64Array(room * features);
    this.#labels = new Uint16Array(room);
  }

  /** @returns false where the record could not be added: it counts as absent, but for what was written before that */
  add(record: OneRecord): boolean {
    if (this.#tally === undefined) this.#keep(record);
    else {
      try {
        this.#tally.add(record, this.#tallied);
      } catch {
        return false;
      }
    }
    this.#rows++;
    return true;
  }

  #keep({ values, label }: OneRecord): void {
    if (this.#rows === this.#labels.length) {
      const [before, labels] = [this.#values, this.#labels];
      this.#values = new Float64Array(2 * before.length);
      this.#values.set(before);
      this.#labels = new Uint16Array(2 * labels.length);
      this.#labels.set(labels);
    }
    // For the few numbers of a record faster than `set`.
    const at = this.#rows * this.#features;
    const kept = this.#values;
    for (let f = 0; f < values.length; f++) kept[at + f] = values[f]!;
    this.#labels[this.#rows] = label;
  }

  records(): BlockRecords {
    const kept = this.#tally === undefined ? this.#rows : 0;
    return {
      rows: this.#rows,
      tally: this.#tallied,
      values: this.#values.subarray(0, kept * this.#features),
      labels: this.#labels.subarray(0, kept),
    };
  }
}
