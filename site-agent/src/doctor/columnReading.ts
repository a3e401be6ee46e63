import type { TableRemark } from "@consilium/core/hospital/tableExamination";
import { lines, nameOf } from "@consilium/core/said";
import type { TableCheckSays } from "@consilium/words/says/tableCheck";
import { type MissingValues, numberCell } from "../data/cells.js";

const say = lines<TableCheckSays>();

/**
 * What the cells of one column look like, read as numbers: for the hospital's own people, before a study is wrong by it. It keeps counts
 * and the ends of the numbers, and says no value.
 */
export class ColumnReading {
  readonly #name: string;
  #numbers = 0;
  #texts = 0;
  readonly #least = new End((a, b) => a < b);
  readonly #greatest = new End((a, b) => a > b);

  readonly #missing: ReadonlySet<number>;

  /** @param missing - what stands for a missing value, as the table's entry says */
  constructor(name: string, missing: MissingValues) {
    this.#name = name;
    this.#missing = new Set(missing.numbers);
  }

  /** @param cells - of a request for numbers */
  add(cells: ArrayLike<number>, rows: number): void {
    for (let r = 0; r < rows; r++) {
      const cell = cells[r]!;
      if (cell === numberCell.notNumeric || cell === numberCell.notFinite) this.#texts++;
      else if (!Number.isNaN(cell) && !this.#missing.has(cell)) {
        this.#numbers++;
        this.#least.add(cell);
        this.#greatest.add(cell);
      }
    }
  }

  /** Whether some of its cells are texts, which no study reads as numbers. */
  get holdsTexts(): boolean {
    return this.#texts > 0;
  }

  get isOfNumbers(): boolean {
    return this.#numbers > this.#texts;
  }

  remarks(): TableRemark[] {
    const all = this.#numbers + this.#texts;
    const column = nameOf(this.#name);
    const found: TableRemark[] = [];
    const [least, greatest] = [this.#least, this.#greatest];
    const isFrequent = (count: number) => count >= frequentLeast && count >= frequentShareLeast * all;
    /** Further from the next number than all others are from each other, several times over. */
    const isApart = (end: End, other: End) => {
      const spread = Math.abs(end.next - other.value);
      return spread > 0 && Math.abs(end.value - end.next) > apartLeast * spread;
    };
    const isOnlyNegative = least.value < 0 && least.next >= 0 && greatest.value > least.next;
    const apart = (code: "check.least-apart" | "check.greatest-apart", { count: cells }: End) =>
      found.push({ line: say(code, { column, cells, all }), entry: null });
    if (
      isFrequent(least.count) &&
      Number.isFinite(least.next) &&
      (isOnlyNegative || isApart(least, greatest))
    )
      apart("check.least-apart", least);
    if (isFrequent(greatest.count) && Number.isFinite(greatest.next) && isApart(greatest, least))
      apart("check.greatest-apart", greatest);
    return found;
  }
}

const apartLeast = 3;
/** So many cells make a value frequent, and such a share. */
const frequentLeast = 5;
const frequentShareLeast = 0.01;

/** The outermost number on one side, in how many cells it is, and the next one. */
class End {
  readonly #isBeyond: (a: number, b: number) => boolean;
  value = Number.NaN;
  next = Number.NaN;
  count = 0;

  constructor(isBeyond: (a: number, b: number) => boolean) {
    this.#isBeyond = isBeyond;
  }

  add(x: number): void {
    if (x === this.value) this.count++;
    else if (this.count === 0 || this.#isBeyond(x, this.value)) {
      this.next = this.value;
      this.value = x;
      this.count = 1;
    } else if (Number.isNaN(this.next) || this.#isBeyond(x, this.next)) this.next = x;
  }
}
