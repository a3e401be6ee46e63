import type { SeenColumn, TableRemark } from "@consilium/core/hospital/tableExamination";
import { lines, nameOf } from "@consilium/core/said";
import { plainText } from "@consilium/core/study/plainText";
import type { TableCheckSays } from "@consilium/words/says/tableCheck";
import { numberCell, numberFromText } from "../data/cells.js";
import { dayOf } from "../data/dateText.js";
import { type ColumnMeaning, dateSpellings } from "../data/fileConfig.js";

const say = lines<TableCheckSays>();

/** Spellings that stand for a missing value in many hospitals: words of everybody's, so that they may be said. */
const knownMissing = new Set(
  "N/A NA n/a na #N/A NULL null None none NaN nan nil - -- . ? unknown Unknown UNKNOWN missing Missing unbekannt Unbekannt k.A. fehlt".split(
    " ",
  ),
);
const belowLimit = /^[<≤]\s*\d+(?:[.,]\d+)?$/;
/** Formats that numbers have too: nobody can tell them from a count. */
const countedDates = /^(?:excel-days|sas-days|unix-seconds|unix-milliseconds)$/;
/** More texts than this share of a column's cells make it one of texts. */
const otherShareMost = 0.2;
/** Different texts that are kept, and held against the formats of dates: each may hold many cells. */
const textsMost = 2_000;
/** A column of more different texts is one of free texts, names or numbers. */
const levelsMost = 50;
/** A text in fewer cells may be one record's. */
const cellsLeast = 5;

/** What the texts of one column look like: it says no text that is neither one of everybody's nor several records'. */
export class TextReading {
  readonly #column: string;
  readonly #decimal: "." | ",";
  readonly #missing = new Map<string, number>();
  #below = 0;
  #numbers = 0;
  #others = 0;
  #spoiled = 0;
  #cells = 0;
  /** Formats of dates that all texts so far have. */
  #formats = dateSpellings.filter((format) => !countedDates.test(format));
  /** Cells by text, of the first `textsMost` different ones. */
  readonly #seen = new Map<string, number>();

  /** @param decimal - the decimal mark of the table's numbers */
  constructor(column: string, decimal: "." | "," = ".") {
    this.#column = column;
    this.#decimal = decimal;
  }

  /** @param given - a cell that is neither empty nor a stated missing value */
  add(given: string): void {
    const text = plainText(given);
    if (text === "") return;
    this.#cells++;
    const isNew = this.#isNew(text);
    if (text.includes("\ufffd")) this.#spoiled++;
    if (numberFromText(text, this.#decimal) !== numberCell.notNumeric) {
      this.#numbers++;
      if (isNew) this.#dated(text);
    } else if (knownMissing.has(text)) this.#missing.set(text, (this.#missing.get(text) ?? 0) + 1);
    else if (belowLimit.test(text)) this.#below++;
    else {
      this.#others++;
      if (isNew) this.#dated(text);
    }
  }

  #isNew(text: string): boolean {
    const cells = this.#seen.get(text);
    if (cells === undefined && this.#seen.size >= textsMost) return false;
    this.#seen.set(text, (cells ?? 0) + 1);
    return cells === undefined;
  }

  #dated(text: string): void {
    if (this.#formats.length === 0) return;
    this.#formats = this.#formats.filter((format) => dayOf(text, format) !== null);
  }

  /** @param stated - what the table's entry says of the column */
  remarks(stated: ColumnMeaning): TableRemark[] {
    const column = nameOf(this.#column);
    const all = this.#cells;
    const found: TableRemark[] = [];
    const dates = this.#others > 0 && stated.date === undefined ? this.#dates() : [];
    // Among levels, one of these may be a level.
    const isOfLevels = this.#numbers <= this.#others && this.#formats.length === 0;
    for (const [spelling, cells] of isOfLevels ? [] : this.#missing)
      found.push({
        line: say("check.known-missing", { column, cells, all, spelling: nameOf(spelling) }),
        entry: { columns: { [this.#column]: { missing: [spelling] } } },
      });
    if (this.#below > 0 && stated.below === undefined)
      found.push({
        line: say("check.below-detection", { column, cells: this.#below, all }),
        entry: { columns: { [this.#column]: { below: ["<"] } } },
      });
    if (this.#others > 0 && this.#others <= otherShareMost * all && this.#formats.length === 0)
      found.push({
        line: say("check.texts-among-numbers", { column, cells: this.#others, all }),
        entry: null,
      });
    if (this.#spoiled > 0)
      found.push({ line: say("check.no-characters", { column, cells: this.#spoiled }), entry: null });
    return [...found, ...dates];
  }

  /**
   * Levels and dates, for the hospital's own screens.
   * @param stated.format - of dates, if the table's entry or a study says so
   * @param stated.declares - whether a text is declared; null where nobody declares any
   * @param stated.isOfLevels - whether somebody declares the column as levels, which may be numbers
   */
  seen({
    format,
    declares,
    isOfLevels,
  }: {
    readonly format: string | undefined;
    readonly declares: ((text: string) => boolean) | null;
    readonly isOfLevels: boolean;
  }): Pick<SeenColumn, "levels" | "others" | "dates"> {
    const dates = this.#years(format ?? (this.#others > 0 ? this.#formats[0] : undefined));
    const isLevelled = isOfLevels || this.#others > this.#numbers;
    if (dates !== null || !isLevelled || this.#seen.size > levelsMost)
      return { levels: [], others: 0, dates };
    const levels = [...this.#seen]
      .filter(([, cells]) => cells >= cellsLeast)
      .sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
      .map(([text, cells]) => ({ text, cells, declared: declares?.(text) ?? null }));
    const shown = levels.reduce((sum, { cells }) => sum + cells, 0);
    return { levels, others: this.#cells - shown, dates };
  }

  /** Null without a text that is a date of the format. */
  #years(format: string | undefined): SeenColumn["dates"] {
    if (format === undefined) return null;
    const years = [...this.#seen.keys()].flatMap((text) => {
      const day = dayOf(text, format);
      return day === null ? [] : [new Date(day * 86_400_000).getUTCFullYear()];
    });
    if (years.length === 0) return null;
    return { format, first: Math.min(...years), last: Math.max(...years) };
  }

  #dates(): TableRemark[] {
    const column = nameOf(this.#column);
    const [format, ...others] = this.#formats;
    // A date in ISO 8601 is read beside every format.
    if (format === undefined || this.#formats.includes("YYYY-MM-DD")) return [];
    if (others.length > 0)
      return [{ line: say("check.dates-open", { column, formats: this.#formats.map(nameOf) }), entry: null }];
    return [
      {
        line: say("check.dates", { column, format: nameOf(format) }),
        entry: { columns: { [this.#column]: { date: format } } },
      },
    ];
  }
}

/** Cells that a column of times has at least before its hours tell something. */
const timesLeast = 20;
const fullHour = /[T ](\d\d):00(?::00(?:\.0+)?)?(?:Z|[+-]00(?::?00)?)?$/;

/** The hours of a column of times. */
export class TimeReading {
  readonly #hours = new Set<string>();
  #times = 0;
  #isOfHours = true;

  add(text: string): void {
    if (text === "" || !this.#isOfHours) return;
    const hour = fullHour.exec(text)?.[1];
    if (hour === undefined) this.#isOfHours = false;
    else this.#hours.add(hour);
    this.#times++;
  }

  remarks(name: string): TableRemark[] {
    const isOfMidnights = this.#isOfHours && this.#times >= timesLeast && !this.#hours.has("00");
    if (!isOfMidnights || this.#hours.size > 2) return [];
    return [{ line: say("check.midnights", { column: nameOf(name) }), entry: null }];
  }
}
