/** Rows of a table as they are read: column by column. Arrays may have more entries than the rows need. */
export interface RecordBlock {
  readonly rows: number;
  /**
   * One array for each feature of the study, in its order: numbers within their declared bounds, or indices of levels. NaN for a
   * number that is missing, where the study counts those.
   */
  readonly columns: readonly Float64Array[];
  /** The label's level of each row; null where the study declares no label. */
  readonly labels: Uint16Array | null;
  /** Of each row's patient, where patients count once; left out where each row counts by itself. */
  readonly patientRows?: PatientRows;
}

export interface PatientRows {
  /** k: how many rows of the row's patient are used, in the whole table. */
  readonly counts: Uint16Array;
  /** A hash of all of these rows: what decides whether the patient is held out. */
  readonly draws: Uint32Array;
}

/** One record, as a method is handed it: the same arrays each time, with nothing left in them of another record. */
export interface OneRecord {
  /** [features] */
  readonly values: Float64Array;
  /** The label's level; 0 without a label. */
  label: number;
  /** The hash of the rows of the record's patient, where patients count once; else -1. */
  draw: number;
}

/** What a study declares of its records, which is all that a rehearsal knows of them. */
export interface RecordDomain {
  readonly features: readonly FeatureDomain[];
  /** Levels of the label; 1 without one. */
  readonly labels: number;
}

export type FeatureDomain =
  | { readonly kind: "number"; readonly min: number; readonly max: number; readonly mayMiss?: true }
  | { readonly kind: "level"; readonly levels: number };

/** Rows that are laid out at once: a few hundred fit a processor's nearest cache. */
const tileRows = 256;

/**
 * Hands out a block's rows as records. Some rows at once are laid out one after another: taking each from as many arrays as
 * there are features is several times slower.
 */
export class RecordReader {
  readonly record: OneRecord;
  readonly #features: number;
  readonly #tile: Float64Array;
  #block: RecordBlock = { rows: 0, columns: [], labels: null };
  #from = 0;
  #to = 0;

  constructor(features: number) {
    this.record = { values: new Float64Array(features), label: 0, draw: -1 };
    this.#features = features;
    this.#tile = new Float64Array(tileRows * features);
  }

  /** Continues with a block, which may be the one before with other rows in it. */
  open(block: RecordBlock): void {
    this.#block = block;
    this.#to = 0;
  }

  /** Puts a row in place of whatever the record held: a copy, for an array gives access to all that lies around it. */
  load(row: number): void {
    if (row >= this.#to || row < this.#from) this.#layOut(row);
    const { record } = this;
    const { values } = record;
    const tile = this.#tile;
    const at = (row - this.#from) * this.#features;
    for (let f = 0; f < values.length; f++) values[f] = tile[at + f]!;
    const { labels, patientRows } = this.#block;
    record.label = labels === null ? 0 : labels[row]!;
    record.draw = patientRows === undefined ? -1 : patientRows.draws[row]!;
  }

  #layOut(row: number): void {
    const { rows, columns } = this.#block;
    const features = this.#features;
    const tile = this.#tile;
    const from = row - (row % tileRows);
    const to = Math.min(rows, from + tileRows);
    for (let f = 0; f < features; f++) {
      const column = columns[f]!;
      for (let r = from, t = f; r < to; r++, t += features) tile[t] = column[r]!;
    }
    this.#from = from;
    this.#to = to;
  }
}

/**
 * Records drawn from what is declared alone, each feature by itself: its ends half of the time.
 * @param uniform - draws from [0, 1)
 */
export function drawnRecords(domain: RecordDomain, rows: number, uniform: () => number): RecordBlock {
  const columns = domain.features.map((feature) =>
    Float64Array.from({ length: rows }, () => drawnValue(feature, uniform)),
  );
  const labels = Uint16Array.from({ length: rows }, () => Math.floor(uniform() * domain.labels));
  return { rows, columns, labels };
}

function drawnValue(feature: FeatureDomain, uniform: () => number): number {
  if (feature.kind === "level") return Math.floor(uniform() * feature.levels);
  const { min, max, mayMiss } = feature;
  if (mayMiss === true && uniform() < 0.25) return Number.NaN;
  const place = 2 * uniform();
  if (place < 0.5) return min;
  if (place < 1) return max;
  return Math.min(max, min + (max - min) * (place - 1));
}
