import { DuckDBDecimalType, type DuckDBType, DuckDBTypeId } from "@duckdb/node-api";
import type { SqlShape } from "./duckdbCells.js";
import type { ColumnKind } from "./source.js";

/** A decimal of so many digits is a whole number below 2^53 over a power of ten that is a float64: DuckDB divides them, which rounds once. */
const exactDigits = 15;

/** What a column of DuckDB's holds, and how its cells are read. */
export function shapeOf(type: DuckDBType): { kind: ColumnKind; shape: SqlShape } {
  if (type instanceof DuckDBDecimalType && type.width <= exactDigits)
    return { kind: "number", shape: "integer" };
  switch (type.typeId) {
    case DuckDBTypeId.TINYINT:
    case DuckDBTypeId.SMALLINT:
    case DuckDBTypeId.INTEGER:
    case DuckDBTypeId.BIGINT:
    case DuckDBTypeId.UTINYINT:
    case DuckDBTypeId.USMALLINT:
    case DuckDBTypeId.UINTEGER:
    case DuckDBTypeId.UBIGINT:
      return { kind: "number", shape: "integer" };
    case DuckDBTypeId.HUGEINT:
    case DuckDBTypeId.UHUGEINT:
    case DuckDBTypeId.DECIMAL:
      return { kind: "number", shape: "decimal" };
    case DuckDBTypeId.FLOAT:
    case DuckDBTypeId.DOUBLE:
      return { kind: "number", shape: "float" };
    case DuckDBTypeId.VARCHAR:
    case DuckDBTypeId.ENUM:
      return { kind: "text", shape: "text" };
    case DuckDBTypeId.UUID:
      return { kind: "text", shape: "other" };
    case DuckDBTypeId.BOOLEAN:
      return { kind: "boolean", shape: "other" };
    case DuckDBTypeId.DATE:
      return { kind: "date", shape: "other" };
    case DuckDBTypeId.TIME:
    case DuckDBTypeId.TIME_TZ:
    case DuckDBTypeId.TIME_NS:
      return { kind: "time", shape: "other" };
    case DuckDBTypeId.TIMESTAMP:
    case DuckDBTypeId.TIMESTAMP_S:
    case DuckDBTypeId.TIMESTAMP_MS:
    case DuckDBTypeId.TIMESTAMP_NS:
    case DuckDBTypeId.TIMESTAMP_TZ:
      return { kind: "timestamp", shape: "other" };
    case DuckDBTypeId.BLOB:
    case DuckDBTypeId.BIT:
      return { kind: "binary", shape: "other" };
    default:
      return { kind: "nested", shape: "other" };
  }
}
