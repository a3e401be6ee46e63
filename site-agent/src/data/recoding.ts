import { ageAt, type DateFormat, statedDay, yearOf } from "@consilium/core/study/dates";
import type { CategoricalFeature, Label, NumericFeature } from "@consilium/core/study/features";
import { referenceOf, sourceOf } from "@consilium/core/study/recoding";
import type { Study } from "@consilium/core/study/study";
import { type CellChunk, type CellRequest, LevelIndex, levelCell } from "./cells.js";
import type { Meanings } from "./meanings.js";

/** Writes a column's values of the chunk's rows from `from` on: as many as `out` has. Undeclared and unreadable ones stay marked. */
type Maker = (chunk: CellChunk, from: number, out: Float64Array) => void;
type Intervals = Extract<Label["map"], readonly unknown[]>;

/** What is read of a table for a study's columns, and how they are made of it: record by record, by the study alone. */
export class Recoding {
  readonly requests: readonly CellRequest[];
  /** Of each feature, the label and each of `columns`, in this order. */
  readonly makers: readonly Maker[];
  readonly #requests: CellRequest[] = [];
  readonly #meanings: Meanings;
  readonly #dates: ReadonlyMap<string, CellRequest>;

  constructor(
    { features, label, columns = [] }: Pick<Study, "features" | "label" | "columns">,
    meanings: Meanings,
  ) {
    this.#meanings = meanings;
    this.#dates = new Map(
      columns.flatMap((one) =>
        one.type === "date" ? [[one.name, this.#date(one.name, one.format)] as const] : [],
      ),
    );
    this.makers = [
      ...features.map((one) => (one.type === "numeric" ? this.#number(one) : this.#level(one))),
      ...(label === undefined ? [] : [this.#level(label)]),
      ...columns.map((one) => {
        if (one.type === "categorical") return this.#level(one);
        return one.type === "numeric" ? this.#number(one) : this.#cells(this.#dates.get(one.name)!);
      }),
    ];
    this.requests = this.#requests;
  }

  #date(name: string, format: DateFormat = "YYYY-MM-DD"): CellRequest {
    const { zone } = this.#meanings;
    const missing = this.#meanings.missingOf(name);
    return { kind: "date", name, format: this.#meanings.dateOf(name) ?? format, zone, missing };
  }

  /** The cells of a request as they are; of numbers and dates that are asked for twice one is read. */
  #cells(request: CellRequest): Maker {
    const same =
      request.kind === "level"
        ? -1
        : this.#requests.findIndex(
            (one) =>
              one.kind === request.kind &&
              one.name === request.name &&
              JSON.stringify("below" in one && one.below) ===
                JSON.stringify("below" in request && request.below),
          );
    const at = same === -1 ? this.#requests.push(request) - 1 : same;
    return (chunk, from, out) => out.set(chunk.columns[at]!.subarray(from, from + out.length));
  }

  #level(
    column: CategoricalFeature | Label | { readonly name: string; readonly levels: readonly string[] },
  ): Maker {
    const map = "map" in column ? column.map : undefined;
    const name = sourceOf(column);
    if (!Array.isArray(map))
      return this.#cells({
        kind: "level",
        name,
        levels: new LevelIndex(
          { ...column, name, map, spelled: this.#meanings.spelledOf(name) },
          this.#meanings.missingOf(name),
        ),
      });
    const codes = (map as Intervals).map(({ below = Number.POSITIVE_INFINITY, level }) => ({
      below,
      code: column.levels.indexOf(level),
    }));
    const number = this.#number({ name });
    return (chunk, from, out) => {
      number(chunk, from, out);
      for (let r = 0; r < out.length; r++) {
        const value = out[r]!;
        out[r] = Number.isNaN(value)
          ? levelCell.missing
          : ((Number.isFinite(value) ? codes.find(({ below }) => value < below)?.code : undefined) ??
            levelCell.undeclared);
      }
    };
  }

  #number(column: Pick<NumericFeature, "name" | "from" | "as" | "belowDetection">): Maker {
    const name = sourceOf(column);
    if (column.as !== undefined) return this.#ofDate(column as NumericFeature);
    const missing = this.#meanings.missingOf(name);
    const below = this.#meanings.belowOf(name, column.belowDetection);
    const cells = this.#cells({ kind: "number", name, missing, below });
    return (chunk, from, out) => {
      cells(chunk, from, out);
      for (const stand of missing.numbers)
        for (let r = 0; r < out.length; r++) if (out[r] === stand) out[r] = Number.NaN;
    };
  }

  #ofDate(feature: NumericFeature): Maker {
    const { as } = feature;
    const cells = this.#cells(this.#dates.get(sourceOf(feature))!);
    const reference = referenceOf(feature);
    const day = reference === null ? 0 : statedDay(reference);
    const others = day === null ? this.#cells(this.#dates.get(reference!)!) : null;
    const derive =
      as === "year" ? yearOf : "age-at" in as! ? ageAt : (own: number, other: number) => own - other;
    return (chunk, from, out) => {
      cells(chunk, from, out);
      const days = new Float64Array(out.length).fill(day ?? 0);
      others?.(chunk, from, days);
      for (let r = 0; r < out.length; r++) {
        const [own, other] = [out[r]!, days[r]!];
        // Of a missing and an unreadable date the sum is the missing one.
        out[r] = Number.isFinite(own + other) ? derive(own, other) : own + other;
      }
    };
  }
}
