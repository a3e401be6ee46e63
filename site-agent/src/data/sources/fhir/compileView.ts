import type { ConsiliumError } from "@consilium/core/errors";
import { nameOf, sentences } from "@consilium/core/said";
import type { AnySaid } from "@consilium/words/said";
import type { QuerySays } from "@consilium/words/says/queries";
import { fault } from "../../fault.js";
import { shown } from "../../place.js";
import { sqlName, sqlText } from "../shared/sqlText.js";
import {
  columnSql,
  compilePath,
  conditionOf,
  descends,
  elementsOf,
  type PathContext,
  pathMacros,
} from "./compilePath.js";
import { PathFault, parsePath } from "./pathSyntax.js";
import {
  primitiveTypes,
  type SqlType,
  type ViewColumn,
  type ViewDefinition,
  type ViewSelect,
  viewSchema,
} from "./viewDefinition.js";

/**
 * A ViewDefinition of SQL on FHIR 2 as one SELECT of DuckDB. Each step of a view is a step of the SELECT, a common table
 * expression that keeps the columns of the step before: `forEach` multiplies rows, so that two of them side by side give
 * every pair, and `unionAll` puts the rows of its branches below each other.
 */

const said = sentences<QuerySays>();

/** Statements that define what compiled views use. */
export const viewPrelude: readonly string[] = pathMacros.map((macro) => `CREATE MACRO ${macro}`);

export interface CompiledView {
  readonly resource: string;
  /** @param source - SQL of a relation whose column `json` holds resources of any type */
  readonly select: (source: string) => string;
}

export interface CompileOptions {
  /** What the view is called in messages. */
  readonly name: string;
  /** SQL in place of a value that is not as the view needs it, by the path in the view and what is wrong there: see `PathContext`. */
  readonly fault: (at: string, what: AnySaid) => string;
}

/** @param view - as JSON has it. @throws ConsiliumError VIEW_INVALID with the path in the view */
export function compileView(view: unknown, options: CompileOptions): CompiledView {
  const parsed = viewSchema.safeParse(view);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const at = issue!.path.reduce<string>(
      (path, key) =>
        path + (typeof key === "number" ? `[${key}]` : `${path === "" ? "" : "."}${String(key)}`),
      "",
    );
    throw invalid(options.name, at, said("view.shape", { what: nameOf(issue!.message) }));
  }
  const steps = new ViewSteps(parsed.data, options);
  return { resource: parsed.data.resource, select: steps.compile() };
}

function invalid(view: string, at: string, what: AnySaid): ConsiliumError {
  const params = { view: shown(view), at: at === "" ? null : nameOf(at), what };
  return fault("VIEW_INVALID", "view.invalid", params);
}

/** A column of the view, under the name that it has in the steps. */
interface StepColumn {
  readonly id: string;
  readonly name: string;
  readonly type: SqlType;
  readonly isList: boolean;
}

/** The step before: its rows have the columns found so far, and every place that a path began at. */
interface Rows {
  readonly step: string;
  readonly columns: readonly StepColumn[];
  readonly places: readonly string[];
}

/** Where the paths of a select begin: columns of `Rows`. */
interface Place {
  readonly item: string;
  readonly row: string;
  readonly resource: string | null;
}

class ViewSteps {
  readonly #view: ViewDefinition;
  readonly #options: CompileOptions;
  readonly #steps: string[] = [];
  #made = 0;

  constructor(view: ViewDefinition, options: CompileOptions) {
    this.#view = view;
    this.#options = options;
  }

  compile(): (source: string) => string {
    const { resource, where, select, constant } = this.#view;
    const twice = constant.findIndex(({ name }, k) => constant.findIndex((other) => other.name === name) < k);
    if (twice >= 0) throw this.#invalid(`constant[${twice}].name`, said("view.same-constant", {}));
    const place: Place = { item: "item", row: "row", resource };
    const conditions = where.map(({ path }, k) => {
      const at = `where[${k}].path`;
      return `coalesce(${this.#within(at, () => conditionOf(parsePath(path), this.#context(place, at)))}, false)`;
    });
    const first = this.#step(
      `SELECT * FROM resources${conditions.length === 0 ? "" : ` WHERE ${conditions.join(" AND ")}`}`,
    );
    const { step, columns } = this.#selects(
      select,
      "select",
      { step: first, columns: [], places: ["item", "row"] },
      place,
    );
    if (columns.length === 0) throw this.#invalid("select", said("view.no-column", {}));
    const lower = columns.map(({ name }) => name.toLowerCase());
    const again = lower.findIndex((name, k) => lower.indexOf(name) < k);
    if (again >= 0)
      throw this.#invalid("select", said("view.same-column", { column: nameOf(columns[again]!.name) }));
    const shown = columns.map(({ id, name }) => `${id} AS ${sqlName(name)}`).join(", ");
    // `row` is a word of SQL's.
    return (source) => `WITH RECURSIVE resources AS NOT MATERIALIZED (
      SELECT json AS item, 0 AS "row" FROM ${source} WHERE json_extract_string(json, '$.resourceType') = ${sqlText(resource)}),
      ${this.#steps.join(",\n")}
      SELECT ${shown} FROM ${step}`;
  }

  /** Siblings: each takes the rows of the one before, from the same place. */
  #selects(selects: readonly ViewSelect[], at: string, before: Rows, place: Place): Rows {
    return selects.reduce((rows, select, k) => this.#select(select, `${at}[${k}]`, rows, place), before);
  }

  #select(select: ViewSelect, at: string, before: Rows, outer: Place): Rows {
    let { rows, place } = this.#iterated(select, at, before, outer);
    if (select.column !== undefined) rows = this.#columns(select.column, `${at}.column`, rows, place);
    if (select.select !== undefined) rows = this.#selects(select.select, `${at}.select`, rows, place);
    if (select.unionAll !== undefined) rows = this.#union(select.unionAll, `${at}.unionAll`, rows, place);
    return rows;
  }

  #columns(columns: readonly ViewColumn[], at: string, before: Rows, place: Place): Rows {
    const made = columns.map(({ name, path, type, collection }, k) => {
      const here = `${at}[${k}].path`;
      const sqlType = primitiveTypes[type ?? "string"];
      const context = this.#context(place, here);
      const fault = context.fault("path.several");
      const value = this.#within(here, () => compilePath(parsePath(path), context));
      const sql = columnSql(value, { type: sqlType, isList: collection, fault });
      return { sql, column: { id: `c${++this.#made}`, name, type: sqlType, isList: collection } };
    });
    const step = this.#step(
      `SELECT *, ${made.map(({ sql, column }) => `${sql} AS ${column.id}`).join(", ")} FROM ${before.step}`,
    );
    return { ...before, step, columns: [...before.columns, ...made.map(({ column }) => column)] };
  }

  #iterated(select: ViewSelect, at: string, before: Rows, outer: Place): { rows: Rows; place: Place } {
    const { forEach, forEachOrNull, repeat } = select;
    const path = forEach ?? forEachOrNull;
    if (path === undefined && repeat === undefined) return { rows: before, place: outer };
    const made = ++this.#made;
    const place: Place = { item: `item${made}`, row: `row${made}`, resource: null };
    const rows: Rows = { ...before, step: "", places: [...before.places, place.item, place.row] };
    if (repeat !== undefined)
      return { place, rows: { ...rows, step: this.#repeated(repeat, at, before, outer, place) } };
    const here = `${at}.${forEach === undefined ? "forEachOrNull" : "forEach"}`;
    const elements = this.#within(here, () => elementsOf(parsePath(path!), this.#context(outer, here)));
    const numbered = `fhir_numbered(${elements})`;
    const each =
      forEach === undefined
        ? `CASE WHEN len(${elements}) = 0 THEN [{'item': NULL::JSON, 'row': 0}] ELSE ${numbered} END`
        : numbered;
    const step = this.#step(
      `SELECT ${kept(before)}, e.item AS ${place.item}, e.row AS ${place.row} FROM (SELECT *, unnest(${each}) AS e FROM ${before.step})`,
    );
    return { place, rows: { ...rows, step } };
  }

  /** The elements that the paths lead to, those that they lead to from there, and so on, each before what lies below it. */
  #repeated(paths: readonly string[], at: string, before: Rows, outer: Place, place: Place): string {
    const nodes = paths.map((path, k) =>
      this.#within(`${at}.repeat[${k}]`, () => {
        const node = parsePath(path);
        if (!descends(node)) throw new PathFault("path.endless", {});
        return node;
      }),
    );
    const below = (from: Place) => {
      const lists = nodes.map((node, k) => {
        const here = `${at}.repeat[${k}]`;
        return this.#within(here, () => elementsOf(node, this.#context(from, here)));
      });
      return `fhir_numbered(${lists.reduce((all, one) => `list_concat(${all}, ${one})`)})`;
    };
    const key = `${place.item}_of`;
    const path = `${place.item}_path`;
    const columns = kept(before);
    const keyed = this.#step(`SELECT *, row_number() OVER () AS ${key} FROM ${before.step}`);
    const walked = `s${++this.#made}`;
    this.#steps.push(`${walked} AS (
      SELECT ${columns}, ${key}, e.item AS ${place.item}, [e.row] AS ${path}
        FROM (SELECT *, unnest(${below(outer)}) AS e FROM ${keyed})
      UNION ALL
      SELECT ${columns}, ${key}, e.item, list_append(${path}, e.row)
        FROM (SELECT *, unnest(${below(place)}) AS e FROM ${walked}))`);
    return this.#step(
      `SELECT ${columns}, ${place.item}, row_number() OVER (PARTITION BY ${key} ORDER BY ${path}) - 1 AS ${place.row} FROM ${walked}`,
    );
  }

  #union(branches: readonly ViewSelect[], at: string, before: Rows, place: Place): Rows {
    const made = branches.map((branch, k) => {
      const rows = this.#select(branch, `${at}[${k}]`, before, place);
      return { step: rows.step, own: rows.columns.slice(before.columns.length) };
    });
    const [first] = made;
    const columns = first!.own.map((column) => ({ ...column, id: `c${++this.#made}` }));
    const parts = made.map(({ step, own }, k) => {
      const shape = (all: readonly StepColumn[]) =>
        all.map(({ name, type, isList }) => `${name} ${type}${isList ? "[]" : ""}`).join(", ");
      if (shape(own) !== shape(first!.own))
        throw this.#invalid(
          `${at}[${k}]`,
          said("view.branch", { columns: nameOf(shape(own)), first: nameOf(shape(first!.own)) }),
        );
      const renamed = own.map(({ id }, c) => `${id} AS ${columns[c]!.id}`);
      return `SELECT ${[kept(before), ...renamed].join(", ")} FROM ${step}`;
    });
    return {
      ...before,
      step: this.#step(parts.join("\nUNION ALL\n")),
      columns: [...before.columns, ...columns],
    };
  }

  #context({ item, row, resource }: Place, at: string): PathContext {
    const constants = new Map(this.#view.constant.map(({ name, value }) => [name, value]));
    const faultSql: PathContext["fault"] = (what) => this.#options.fault(at, said(what, {}));
    return { item, row: sqlName(row), resource, constants, fault: faultSql, depth: 0 };
  }

  #step(sql: string): string {
    const name = `s${++this.#made}`;
    this.#steps.push(`${name} AS NOT MATERIALIZED (${sql})`);
    return name;
  }

  #within<T>(at: string, act: () => T): T {
    try {
      return act();
    } catch (thrown) {
      if (thrown instanceof PathFault) throw this.#invalid(at, thrown.said);
      throw thrown;
    }
  }

  #invalid(at: string, what: AnySaid): ConsiliumError {
    return invalid(this.#options.name, at, what);
  }
}

/** The columns that a step takes over. */
function kept({ columns, places }: Rows): string {
  return [...places.map(sqlName), ...columns.map(({ id }) => id)].join(", ");
}
