import type { StudyFaultSays } from "@consilium/words/says/studyFaults";
import { nearest } from "../../nearest.js";
import { assertNever, err, ok, type Result } from "../../result.js";
import { nameOf, sentences } from "../../said.js";
import { quoted } from "../../text.js";
import { statedDay } from "../dates.js";
import type { Expression, Name, Sign, Term } from "./expression.js";
import { parseExpression, WhereError } from "./parse.js";

const fault = sentences<StudyFaultSays>();

/** A column that an expression may name. */
export interface WhereColumn {
  /** Its index among the cells. */
  readonly at: number;
  readonly kind: "number" | "date" | "level";
  /** Of levels; cells hold their indices. */
  readonly levels: readonly string[];
}

/**
 * Cells by column: a number; a date as days since 1970-01-01; the index of a level, -1 where it is missing, and any other number
 * for text that is no level. A number or date that is not finite is missing.
 */
export type WhereCells = readonly ArrayLike<number>[];

/** Kleene's three values: null where a missing cell leaves it open. */
export type Truth = boolean | null;

/** Never throws, whatever the cells hold. */
type RowTest = (cells: WhereCells, row: number) => Truth;

export interface Where {
  readonly expression: Expression;
  readonly test: RowTest;
  /** The columns that it names. */
  readonly names: ReadonlySet<string>;
}

/** @returns an error that says line, column and what to write */
export function readWhere(
  text: string,
  columns: ReadonlyMap<string, WhereColumn>,
): Result<Where, WhereError> {
  try {
    const expression = parseExpression(text);
    const names = new Set<string>();
    const get = (name: string) => {
      names.add(name);
      return columns.get(name);
    };
    return ok({ expression, test: compiled(expression, { get, all: [...columns.keys()] }), names });
  } catch (thrown) {
    if (!(thrown instanceof WhereError)) throw thrown;
    const before = text.slice(0, thrown.at).split("\n");
    const place = { line: before.length, character: before.at(-1)!.length + 1 };
    return err(new WhereError(fault("where.at", { ...place, what: thrown.said }), thrown.at));
  }
}

type Value = (cells: WhereCells, row: number) => number | null;
interface Columns {
  readonly get: (name: string) => WhereColumn | undefined;
  readonly all: readonly string[];
}

function compiled(expression: Expression, columns: Columns): RowTest {
  switch (expression.op) {
    case "and":
    case "or": {
      const tests = expression.of.map((one) => compiled(one, columns));
      // One false decides an `and`, one true an `or`; else what is open leaves it open.
      const decides = expression.op === "or";
      return (cells, row) => {
        let truth: Truth = !decides;
        for (const test of tests) {
          const one = test(cells, row);
          if (one === decides) return decides;
          if (one === null) truth = null;
        }
        return truth;
      };
    }
    case "not": {
      const test = compiled(expression.of, columns);
      return (cells, row) => {
        const one = test(cells, row);
        return one === null ? null : !one;
      };
    }
    case "missing": {
      const value = valueIn(columnOf(expression.left, columns));
      return (cells, row) => value(cells, row) === null;
    }
    case "in": {
      const own = columnOf(expression.left, columns);
      const value = valueIn(own);
      const sought = new Set(expression.values.map((one) => literal(one, expression.left, own)));
      return (cells, row) => {
        const one = value(cells, row);
        return one === null ? null : sought.has(one);
      };
    }
    case "between": {
      const { left, least, most } = expression;
      const and = { op: "and", of: [compare(left, ">=", least), compare(left, "<=", most)] } as const;
      return compiled(and, columns);
    }
    case "compare": {
      const { left, sign, right } = expression;
      const own = columnOf(left, columns);
      if (own.kind === "level" && sign !== "=" && sign !== "!=")
        throw new WhereError(fault("where.no-order", { column: nameOf(left.value) }), left.at);
      const [a, b] = [valueIn(own), other(right, left, own, columns)];
      const holds = comparisons[sign];
      return (cells, row) => {
        const [one, two] = [a(cells, row), b(cells, row)];
        return one === null || two === null ? null : holds(one, two);
      };
    }
    default:
      return assertNever(expression);
  }
}

const compare = (left: Name, sign: Sign, right: Term) => ({ op: "compare", left, sign, right }) as const;

const comparisons: Readonly<Record<Sign, (a: number, b: number) => boolean>> = {
  "=": (a, b) => a === b,
  "!=": (a, b) => a !== b,
  "<": (a, b) => a < b,
  "<=": (a, b) => a <= b,
  ">": (a, b) => a > b,
  ">=": (a, b) => a >= b,
};

function columnOf({ value, at }: Name, columns: Columns): WhereColumn {
  const column = columns.get(value);
  if (column !== undefined) return column;
  const near = nearest(value, columns.all).map(nameOf);
  throw new WhereError(fault("where.no-column", { text: nameOf(quoted(value)), near }), at);
}

const valueIn = ({ at, kind }: WhereColumn): Value =>
  kind === "level"
    ? (cells, row) => (cells[at]![row]! === -1 ? null : cells[at]![row]!)
    : (cells, row) => (Number.isFinite(cells[at]![row]!) ? cells[at]![row]! : null);

/** What a column is compared with. */
function other(right: Term, left: Name, own: WhereColumn, columns: Columns): Value {
  if (right.kind !== "column") {
    const value = literal(right, left, own);
    return () => value;
  }
  const column = columnOf(right, columns);
  if (own.kind === "level")
    throw new WhereError(
      fault("where.column-level", { column: nameOf(left.value), level: nameOf(own.levels[0]!) }),
      right.at,
    );
  if (column.kind === own.kind) return valueIn(column);
  const kinds = { kind: nameOf(own.kind), otherKind: nameOf(column.kind) };
  const names = { column: nameOf(left.value), other: nameOf(right.value) };
  throw new WhereError(fault("where.kinds", { ...names, ...kinds }), right.at);
}

function literal({ kind, value, at }: Exclude<Term, Name>, { value: name }: Name, own: WhereColumn): number {
  const column = nameOf(name);
  if (own.kind === "level") {
    if (kind !== "text")
      throw new WhereError(fault("where.text-needed", { column, text: nameOf(String(value)) }), at);
    const code = own.levels.indexOf(value);
    if (code >= 0) return code;
    const near = nearest(value, own.levels).map((level) => nameOf(quoted(level)));
    throw new WhereError(fault("where.no-level", { column, text: nameOf(quoted(value)), near }), at);
  }
  if (kind === "number" && own.kind === "number") return value;
  if (kind === "date" && own.kind === "date") {
    const day = statedDay(value);
    if (day === null) throw new WhereError(fault("fault.no-day", { text: nameOf(value) }), at);
    return day;
  }
  throw new WhereError(fault("where.number-or-date", { column, kind: nameOf(own.kind) }), at);
}
