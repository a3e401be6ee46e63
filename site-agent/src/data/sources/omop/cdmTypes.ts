import { faults } from "@consilium/core/fault";
import { nameOf } from "@consilium/core/said";
import type { ColumnKind } from "@consilium/core/study/columnKinds";
import type { TableSays } from "@consilium/words/says/tables";
import type { OmopQuery } from "./compile.js";
import type { OmopOptions } from "./config.js";
import { cdmTablesOf } from "./query.js";

const fault = faults<TableSays>();

/**
 * The columns that a plan's SQL computes with. Its expressions have a value at whatever numbers and dates hold; a text that is
 * neither would end the reading at its record, and so a database with texts there is refused before one is read.
 */
export interface CdmTypes {
  /** A statement without rows of these columns, in their order. */
  readonly select: string;
  readonly columns: readonly { readonly name: string; readonly kind: "id" | "day" }[];
}

export function cdmTypes(query: OmopQuery, { schema, vocabularySchema }: OmopOptions): CdmTypes {
  const text = `${query.with} ${query.select}`;
  const tables = cdmTablesOf(query);
  const columns = tables.flatMap(({ name: table, columns: own }, at) =>
    own.flatMap(([column, kind]) =>
      (kind === "id" || kind === "day") && new RegExp(`\\b${column}\\b`).test(text)
        ? [{ name: `${table}.${column}`, kind, sql: `t${at}.${column}` }]
        : [],
    ),
  );
  const from = tables.map(({ name }, at) => {
    const place = (name === "concept_ancestor" ? vocabularySchema : undefined) ?? schema;
    return `${place === undefined ? "" : `${place}.`}${name} t${at}`;
  });
  return {
    select: `SELECT ${columns.map(({ sql }, at) => `${sql} AS k${at}`).join(", ")} FROM ${from.join(", ")} WHERE 1 = 0`,
    columns: columns.map(({ name, kind }) => ({ name, kind })),
  };
}

/**
 * @param kinds - of the statement's columns
 * @throws ConsiliumError COLUMN_TYPE
 */
export function checkCdmTypes(table: string, { columns }: CdmTypes, kinds: readonly ColumnKind[]): void {
  columns.forEach(({ name, kind }, at) => {
    const isIt = kind === "id" ? kinds[at] === "number" : kinds[at] === "date" || kinds[at] === "timestamp";
    if (isIt) return;
    const params = { table: nameOf(table), column: nameOf(name) };
    const remedy = { code: "table.cdm-types", params: {} } as const;
    throw fault("COLUMN_TYPE", kind === "id" ? "table.cdm-number" : "table.cdm-day", params, { remedy });
  });
}
