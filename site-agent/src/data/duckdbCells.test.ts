import { expect, test } from "vitest";
import { LevelIndex, levelCell, MissingValues } from "./cells.js";
import { cellSql, levelCoder } from "./duckdbCells.js";
import { DuckDbEngine } from "./duckdbEngine.js";
import { tablePlace } from "./place.js";
import { defaultReadLimits } from "./source.js";
import { sqlText } from "./sources/shared/sqlText.js";

/** Texts of a column, coded by DuckDB. */
async function codesOf(texts: readonly (string | null)[], index: LevelIndex): Promise<number[]> {
  const missing = new MissingValues(["n/a"]);
  const requests = [{ kind: "level", name: "c", levels: index }] as const;
  const rows = texts.map((text) => `(${text === null ? "NULL" : sqlText(text)})`).join(", ");
  const cell = cellSql(requests[0], "c", "text", missing);
  const engine = await DuckDbEngine.open(defaultReadLimits);
  try {
    const codes: number[] = [];
    const coded = levelCoder(requests);
    const sql = `SELECT ${cell} FROM (VALUES ${rows}) AS t(c)`;
    for await (const chunk of engine.cells(sql, { place: tablePlace("t"), requests, missing }))
      codes.push(...coded(chunk).columns[0]!);
    return codes;
  } finally {
    engine.close();
  }
}

// Up to 32 texts are looked for one after the other; a code of 256 has no room in a byte.
test.each([
  ["words", 2],
  ["words", 30],
  ["words", 31],
  ["words", 254],
  ["words", 300],
  ["numbers", 3],
  ["numbers", 40],
])("levels that are %s, %i of them, are coded as everywhere", async (kind, count) => {
  const levels = Array.from({ length: count }, (_, i) => (kind === "words" ? `level ${i}` : `${i}.5`));
  const index = new LevelIndex({ name: "c", levels }, new MissingValues(["n/a"]));
  const texts = [
    ...levels,
    ...levels.map((level) => ` ${level}\t`),
    ...levels.map((level) => `${level}00`),
    "LEVEL 0",
    "n/a",
    " ",
    "it's none",
  ];
  const codes = await codesOf([...texts, null], index);
  expect(codes).toEqual([...texts.map((text) => index.code(text.trim())), levelCell.missing]);
});
