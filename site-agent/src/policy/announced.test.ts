import { describe, expect, it } from "vitest";
import type { DeclaredTable } from "../data/schema.js";
import { announcedTables } from "./announced.js";
import { policySchema } from "./policy.js";

const said = { unit: "", bounds: null, levels: [] };
const declared: DeclaredTable[] = [
  {
    name: "visits",
    columns: ["age", "bmi", "Name"].map((name) => ({ name, type: "any" as const, ...said })),
  },
  { name: "labs", columns: [{ name: "hba1c", type: "number", ...said }] },
  { name: "undeclared", columns: [] },
];
const announced = (policy: object, allowNoPrivacy = false) =>
  announcedTables(declared, { policy: policySchema.parse(policy), allowNoPrivacy }).map(
    ({ name, columns }) => `${name}: ${columns!.map((column) => `${column.name} ${column.type}`).join(", ")}`,
  );

describe("what the greeting says of tables", () => {
  it("is all that is declared where the policy has no rule", () =>
    expect(announced({})).toEqual([
      "visits: age any, bmi any, Name any",
      "labs: hba1c number",
      "undeclared: ",
    ]));

  it("leaves out column by column what the policy denies, whatever its capitals", () => {
    expect(announced({ columns: { visits: { deny: ["name ", "AGE"] } } })[0]).toBe("visits: bmi any");
    expect(announced({ columns: { visits: { allow: ["bmi"] } } })[0]).toBe("visits: bmi any");
  });

  it("withholds columns, or tables too, where the policy says so", () => {
    expect(announced({ announce: "columns" })).toEqual(announced({}));
    expect(announced({ announce: "described" })).toEqual(announced({}));
    expect(announced({ announce: "tables" })).toEqual(["visits: ", "labs: ", "undeclared: "]);
    // A table that no study could use stays unnamed.
    expect(announced({ announce: "tables", columns: { labs: { deny: ["hba1c"] } } })).toHaveLength(2);
    expect(announced({ announce: "nothing" })).toEqual([]);
  });

  it("leaves out tables that no study could use", () => {
    const rules = { labs: { deny: ["hba1c"] }, undeclared: { allow: [] }, visits: { allow: ["weight"] } };
    expect(announced({ columns: rules })).toEqual([]);
    expect(announced({ columns: { undeclared: { allow: ["a"] } } })).toHaveLength(3);
  });

  it("is nothing where no study could be joined at all, or the policy cannot be read", () => {
    expect(announced({ analyses: [] })).toEqual([]);
    expect(announced({ variants: [] })).toEqual([]);
    expect(announced({ variants: [] }, true)).toHaveLength(3);
    expect(announcedTables(declared, null)).toEqual([]);
  });
});
