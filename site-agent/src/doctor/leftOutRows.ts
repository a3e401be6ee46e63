import type { LeftOutRows, TableRemark } from "@consilium/core/hospital/tableExamination";
import { lines, nameOf } from "@consilium/core/said";
import type { TableCheckSays } from "@consilium/words/says/tableCheck";
import { type CellChunk, type CellRequest, levelCell, numberCell } from "../data/cells.js";

const say = lines<TableCheckSays>();

/** A mean or a share of fewer rows may be one record's. */
const rowsLeast = 20;
/** Standard errors by which chance hardly sets two groups apart. */
const errorsLeast = 3;

/** A column to compare in: its cells are numbers, or codes of these texts. */
export interface Compared {
  readonly request: CellRequest;
  /** Null of numbers. */
  readonly texts: readonly string[] | null;
}

/**
 * Rows with a cell that cannot be read as it is asked for, beside the others: where those are left out, what stays may be of other patients.
 * It keeps sums by group, and no value.
 */
export class LeftOutComparison {
  readonly #readable: readonly CellRequest[];
  readonly #compared: readonly Compared[];
  readonly #groups: readonly [Group, Group];
  readonly #causes = new Set<string>();

  /**
   * @param readable - of numbers, dates and declared levels: a cell that cannot be read as that leaves its row out
   * @param compared - whose cells come behind those
   */
  constructor(readable: readonly CellRequest[], compared: readonly Compared[]) {
    this.#readable = readable;
    this.#compared = compared;
    this.#groups = [new Group(compared), new Group(compared)];
  }

  get requests(): readonly CellRequest[] {
    return [...this.#readable, ...this.#compared.map(({ request }) => request)];
  }

  add({ rows, columns }: CellChunk): void {
    for (let r = 0; r < rows; r++) {
      let isLeft = false;
      for (const [k, { kind, name }] of this.#readable.entries()) {
        const cell = columns[k]![r]!;
        const isBad =
          kind === "level"
            ? cell === levelCell.undeclared
            : cell === numberCell.notNumeric || cell === numberCell.notFinite;
        if (!isBad) continue;
        isLeft = true;
        this.#causes.add(name);
      }
      const group = this.#groups[isLeft ? 0 : 1];
      group.rows++;
      for (const [k, { request, texts }] of this.#compared.entries()) {
        const cell = columns[this.#readable.length + k]![r]!;
        if (texts !== null || !missingOf(request)?.numbers.includes(cell)) group.add(k, cell, texts !== null);
      }
    }
  }

  found(): LeftOutRows {
    const [left, others] = this.#groups;
    const columns = this.#compared.flatMap(({ request: { name }, texts }, k) => {
      if (texts === null) return this.#between({ name, text: null }, left.values[k]!, others.values[k]!);
      // Levels that leave a row out are others than those that do not.
      if (this.#causes.has(name)) return [];
      const each = texts.flatMap((text, code) =>
        this.#between({ name, text }, left.share(k, code), others.share(k, code)),
      );
      return each.sort((a, b) => Math.abs(b.left - b.others) - Math.abs(a.left - a.others)).slice(0, 1);
    });
    return { rows: left.rows, others: others.rows, columns };
  }

  #between(
    column: { readonly name: string; readonly text: string | null },
    left: Moments,
    others: Moments,
  ): LeftOutRows["columns"] {
    if (left.count < rowsLeast || others.count < rowsLeast) return [];
    const error = Math.sqrt(left.variance / left.count + others.variance / others.count);
    const isApart = Math.abs(left.mean - others.mean) > errorsLeast * error;
    return [{ ...column, left: left.mean, others: others.mean, isApart }];
  }
}

const missingOf = (request: CellRequest) => ("missing" in request ? request.missing : undefined);

/** The remark on rows that are no random ones. */
export function leftOutRemarks({ rows, columns }: LeftOutRows): TableRemark[] {
  const apart = columns.filter(({ isApart }) => isApart).map(({ name }) => nameOf(name));
  return apart.length === 0 ? [] : [{ line: say("check.left-out", { rows, columns: apart }), entry: null }];
}

interface Moments {
  readonly count: number;
  readonly mean: number;
  readonly variance: number;
}

/** Numbers by count, mean and the sum of squared distances from it (Welford). */
class Values implements Moments {
  count = 0;
  mean = 0;
  #squares = 0;

  add(value: number): void {
    this.count++;
    const distance = value - this.mean;
    this.mean += distance / this.count;
    this.#squares += distance * (value - this.mean);
  }

  get variance(): number {
    return this.count < 2 ? 0 : this.#squares / (this.count - 1);
  }
}

class Group {
  rows = 0;
  readonly values: readonly Values[];
  readonly #texts: readonly Map<number, number>[];

  constructor(compared: readonly Compared[]) {
    this.values = compared.map(() => new Values());
    this.#texts = compared.map(() => new Map<number, number>());
  }

  add(k: number, cell: number, isText: boolean): void {
    if (isText) this.#texts[k]!.set(cell, (this.#texts[k]!.get(cell) ?? 0) + 1);
    else if (Number.isFinite(cell)) this.values[k]!.add(cell);
  }

  /** Of one text among the cells with any of them. */
  share(k: number, code: number): Moments {
    const known = [...this.#texts[k]!].filter(([other]) => other >= 0);
    const count = known.reduce((sum, [, cells]) => sum + cells, 0);
    const mean = count === 0 ? 0 : (this.#texts[k]!.get(code) ?? 0) / count;
    return { count, mean, variance: mean * (1 - mean) };
  }
}
