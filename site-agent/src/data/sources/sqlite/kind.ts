import type { FormatKind } from "../sourceKind.js";

export const sqlite: FormatKind = {
  title: "SQLite",
  endings: [".sqlite", ".sqlite3", ".db"],
};
