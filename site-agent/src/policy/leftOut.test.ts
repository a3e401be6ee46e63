import { maxMessageBytes } from "@consilium/core/limits";
import { describe, expect, it } from "vitest";
import { takenTables } from "./leftOut.js";

const table = (name: string, ...names: string[]) => ({
  name,
  columns: names.map((one) => ({ name: one, type: "any" })),
});

describe("a greeting's tables", () => {
  it("are all taken where their names can be sent: also long ones, of any script", () => {
    const tables = [table("a", "age", "Größe"), table("b", "界".repeat(128)), table("c")];
    expect(takenTables(tables)).toEqual({ taken: tables, leftOut: [] });
  });

  it("are left out one by one, by the place of the name, which the log does not have", () => {
    const { taken, leftOut } = takenTables([
      table("a", "age"),
      table("b", "id", "\0a\0g\0e"),
      table("c", "x\ud800"),
    ]);
    expect(taken.map(({ name }) => name)).toEqual(["a"]);
    expect(leftOut.map(({ table: name, fault }) => [name, fault.code])).toEqual([
      ["b", "TABLE_LEFT_OUT"],
      ["c", "TABLE_LEFT_OUT"],
    ]);
    expect(leftOut[0]!.fault.message).not.toContain("\0");
    expect(leftOut[0]!.reason).toContain("hello.tables.b.columns.2.name");
    expect(leftOut[0]!.reason).not.toContain("a\0g");
  });

  it("fit into one message: the table that does not is left out, and a smaller one after it is not", () => {
    const wide = (name: string) =>
      table(name, ...Array.from({ length: 30_000 }, (_, i) => `${i}`.padStart(100, "x")));
    const { taken, leftOut } = takenTables([wide("a"), wide("b"), table("c", "age")]);
    expect(taken.map(({ name }) => name)).toEqual(["a", "c"]);
    expect(leftOut[0]!.fault.message).toContain(`"maxBytes":${maxMessageBytes}`);
  });
});
