import { describe, expect, it } from "vitest";
import { RecordReader } from "./record.js";

describe("RecordReader", () => {
  const columns = [Float64Array.from({ length: 600 }, (_, r) => r), new Float64Array(600).fill(7)];
  const block = { rows: 600, columns, labels: Uint16Array.from({ length: 600 }, (_, r) => r % 3) };

  it("hands out every row, in any order", () => {
    const reader = new RecordReader(2);
    const { record } = reader;
    reader.open(block);
    for (const row of [0, 255, 256, 599, 511, 1]) {
      reader.load(row);
      expect([...record.values, record.label]).toEqual([row, 7, row % 3]);
    }
  });

  it("reads a block anew that is handed out again with other rows", () => {
    const reader = new RecordReader(2);
    const { record } = reader;
    const reused = { ...block, rows: 10, columns: columns.map((column) => column.slice()) };
    reader.open(reused);
    reader.load(0);
    reused.columns[0]!.fill(42);
    reader.open(reused);
    reader.load(0);
    expect(record.values[0]).toBe(42);
  });

  it("hands out copies: nothing of other rows lies in a record's memory", () => {
    const reader = new RecordReader(2);
    const { record } = reader;
    reader.open(block);
    reader.load(3);
    expect(record.values.buffer.byteLength).toBe(16);
  });
});
