/** A name as an SQL identifier, in DuckDB and SQLite. */
export function sqlName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Text as an SQL literal, in DuckDB and SQLite. */
export function sqlText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** A path as a literal that DuckDB takes for this one file: no pattern. */
export function sqlFile(path: string): string {
  return sqlText(path.replace(/[*?[]/g, "[$&]"));
}
