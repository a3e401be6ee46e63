import { english } from "@consilium/runtime/http/spoken";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { unwrap } from "../../result.js";
import { type Expression, keywords, signs, type Term } from "./expression.js";
import { parseExpression } from "./parse.js";
import { printExpression } from "./print.js";
import { readWhere, type Truth, type WhereColumn } from "./where.js";
import { expressionWords } from "./words.js";

const columns = new Map<string, WhereColumn>([
  ["age", { at: 0, kind: "number", levels: [] }],
  ["weight", { at: 1, kind: "number", levels: [] }],
  ["ward", { at: 2, kind: "level", levels: ["surgery", "medicine"] }],
  ["admitted", { at: 3, kind: "date", levels: [] }],
  ["discharged", { at: 4, kind: "date", levels: [] }],
  ["date of birth", { at: 5, kind: "date", levels: [] }],
  ["__proto__", { at: 6, kind: "number", levels: [] }],
  ["constructor", { at: 7, kind: "level", levels: ["__proto__", "toString"] }],
]);

const truthOf = (text: string, record: readonly number[]): Truth =>
  unwrap(readWhere(text, columns)).test(
    Array.from({ length: 8 }, (_, k) => [record[k] ?? Number.NaN]),
    0,
  );
const faultOf = (text: string) => {
  const read = readWhere(text, columns);
  if (read.ok) throw new Error(`accepted: ${text}`);
  return english(read.error.message);
};

const day = (text: string) => Date.parse(text) / 86_400_000;
const surgery = 0;
const elsewhere = -2;

describe("a condition", () => {
  const record = [40, 80, surgery, day("2015-03-01"), day("2015-03-09")];
  it.each<[string, Truth]>([
    ["age = 40", true],
    ["age != 40", false],
    ["age < 40", false],
    ["age <= 40.0", true],
    ["age > 4e1", false],
    ["age >= -40", true],
    ["age < weight", true],
    ["age in (1, 40)", true],
    ["age not in (1, 40)", false],
    ["age between 40 and 41", true],
    ["age not between 41 and 50", true],
    ["age between 50 and 30", false],
    ['ward = "surgery"', true],
    ["ward != 'surgery'", false],
    ['ward in ("medicine")', false],
    ["admitted = 2015-03-01", true],
    ["admitted between 2015-01-01 and discharged", true],
    ["discharged <= admitted", false],
    ["discharged is missing", false],
    ["`date of birth` is missing", true],
    ["`date of birth` is not missing", false],
    ["age = 40 or age = 41 and weight = 1", true],
    ["(age = 40 or age = 41) and weight = 1", false],
    ["not age = 41 and weight = 80", true],
    ["NOT (age = 40 AND weight = 80)", false],
    ["not not age = 40", true],
  ])("%s is %s", (text, expected) => {
    expect(truthOf(text, record)).toBe(expected);
  });

  it.each<[string, Truth]>([
    ["age > 3", null],
    ["age in (3)", null],
    ["age between 1 and 2", null],
    ["not age > 3", null],
    ["age > 3 or weight = 80", true],
    ["age > 3 or weight = 81", null],
    ["age > 3 and weight = 80", null],
    ["age > 3 and weight = 81", false],
    ["age is missing", true],
    ["weight < age", null],
    ["age = age", null],
  ])("%s is %s where the age is missing", (text, expected) => {
    for (const missing of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])
      expect(truthOf(text, [missing, 80])).toBe(expected);
  });

  it("takes text that is no declared level for another level, and none for none", () => {
    const other = [40, 80, elsewhere];
    expect(truthOf('ward = "surgery"', other)).toBe(false);
    expect(truthOf('ward not in ("surgery", "medicine")', other)).toBe(true);
    expect(truthOf("ward is missing", other)).toBe(false);
    expect(truthOf('ward != "surgery"', [40, 80, -1])).toBe(null);
  });

  it("names columns and levels that JavaScript's objects have like all others", () => {
    const record = [1, 1, 0, 0, 0, 0, 7, 1];
    expect(truthOf("__proto__ = 7", record)).toBe(true);
    expect(truthOf('constructor = "toString"', record)).toBe(true);
    expect(truthOf('constructor = "__proto__"', record)).toBe(false);
    expect(faultOf("toString = 1")).toContain('declares no column "toString"');
    expect(faultOf('constructor = "valueOf"')).toContain('no level "valueOf"');
    expect(faultOf('ward = "__proto__"')).toContain('no level "__proto__"');
  });
});

describe("a fault says where it is and what to write", () => {
  it.each([
    ["agee >= 18", 'line 1, column 1: the study declares no column "agee": did you mean age?'],
    [
      "age >= 18\n  and wards = 'x'",
      'line 2, column 7: the study declares no column "wards": did you mean ward?',
    ],
    [
      "age >= 18 nd weight < 3",
      'line 1, column 11: expected and, or or the end, not "nd"; did you mean and?',
    ],
    ["age => 18", 'line 1, column 5: "=>" is written >= here'],
    ["age == 18", 'line 1, column 5: "==" is written = here'],
    ["!age = 18", 'line 1, column 1: "!" is written not here'],
    ["age >= 18 && weight < 3", 'line 1, column 11: "&&" is written and here'],
    ["18 <= age", "line 1, column 1: a condition begins with a column: write age >= 18, not 18 <= age"],
    [
      "age",
      'line 1, column 4: expected =, !=, <, <=, >, >=, in, between or is missing behind "age", not "the end"',
    ],
    ["age betwen 1 and 2", "did you mean between?"],
    ["age is 3", "line 1, column 8: expected missing"],
    [
      "age >=",
      "line 1, column 7: expected a column, a number, a date or text in quotation marks, not the end",
    ],
    [
      "age in (1, weight)",
      'line 1, column 12: a list holds numbers, dates or text in quotation marks: write "weight"',
    ],
    ["(age = 1", "line 1, column 9: expected ), not the end"],
    [
      "ward = surgery",
      'line 1, column 8: the study declares no column "surgery": declare it under features or columns',
    ],
    ['ward = "sugery"', 'line 1, column 8: ward has no level "sugery": did you mean "surgery"?'],
    ["ward = 2", 'line 1, column 8: ward has levels, which are text: write "2"'],
    ['ward < "surgery"', "ward has levels, which have no order"],
    ["ward = constructor", 'write one in quotation marks, such as "surgery"'],
    ['age = "18"', "line 1, column 7: age is a number: compare it with a number, such as 18"],
    ['admitted > "2015-01-01"', "compare it with a date without quotation marks, such as 2015-01-31"],
    ["admitted > 2015-02-29", "line 1, column 12: 2015-02-29 is no day of the calendar"],
    ["admitted > age", "admitted is a date and age is a number"],
    ["age = 1e999", "the number is too large"],
    ['ward = "surgery', 'the quotation that begins with " has no end'],
    ["admitted > 31.1.2015", "line 1, column 12: 31.1.2015 is no date: a date is written 2015-01-31"],
    ["admitted > 2015/01/31", "2015/01/31 is no date: a date is written 2015-01-31"],
    ["age = 1; drop", 'line 1, column 8: ";" means nothing here'],
    ["", "expected a column"],
  ])("%s", (text, expected) => {
    expect(faultOf(text)).toContain(expected);
  });

  it("of whatever a hostile study holds", () => {
    const deep = (open: string, times: number, close = "") =>
      `${open.repeat(times)}age = 1${close.repeat(times)}`;
    expect(readWhere(deep("(", 30, ")"), columns).ok).toBe(true);
    expect(faultOf(deep("(", 5000, ")"))).toContain("nested more than 32 deep");
    expect(faultOf(deep("not ", 5000))).toContain("nested more than 32 deep");
    const long = `age in (${Array.from({ length: 100_000 }, (_, i) => i).join(",")})`;
    expect(truthOf(long, [99_999])).toBe(true);
    expect(truthOf(long, [100_000])).toBe(false);
    expect(faultOf(`${"x".repeat(1_000_000)} = 1`).length).toBeLessThan(300);
    expect(faultOf(`ward = "${"x".repeat(1_000_000)}"`).length).toBeLessThan(300);
    expect(faultOf(`"${'""'.repeat(500_000)}`)).toContain("has no end");
  });
});

const name = fc.oneof(
  fc.constantFrom(...columns.keys()),
  fc.string({ minLength: 1 }),
  fc.constantFrom(...keywords, "AND", "`", "``a", "ж1"),
);
const numberValue = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0);
const dateValue = fc
  .tuple(fc.integer({ min: 1, max: 9999 }), fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 28 }))
  .map(([year, month, day]) =>
    [String(year).padStart(4, "0"), ...[month, day].map((one) => String(one).padStart(2, "0"))].join("-"),
  );
const column = name.map((value) => ({ at: 0, kind: "column" as const, value }));
const literal = fc.oneof(
  numberValue.map((value) => ({ at: 0, kind: "number" as const, value })),
  fc.string().map((value) => ({ at: 0, kind: "text" as const, value })),
  dateValue.map((value) => ({ at: 0, kind: "date" as const, value })),
);
const term: fc.Arbitrary<Term> = fc.oneof(column, literal);
const expressions = fc.letrec<{ any: Expression }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 5 },
    fc.record({
      op: fc.constant("compare" as const),
      left: column,
      sign: fc.constantFrom(...signs),
      right: term,
    }),
    fc.record({ op: fc.constant("between" as const), left: column, least: term, most: term }),
    fc.record({
      op: fc.constant("in" as const),
      left: column,
      values: fc.array(literal, { minLength: 1, maxLength: 4 }),
    }),
    fc.record({ op: fc.constant("missing" as const), left: column }),
    fc.record({ op: fc.constant("not" as const), of: tie("any") }),
    fc.record({
      op: fc.constantFrom("and" as const, "or" as const),
      of: fc.array(tie("any"), { minLength: 2, maxLength: 3 }),
    }),
  ),
})).any;

const withoutPlaces = (expression: Expression): unknown =>
  JSON.parse(JSON.stringify(expression, (key, value: unknown) => (key === "at" ? 0 : value)));

describe("every expression", () => {
  it("reads as itself when it is printed", () => {
    fc.assert(
      fc.property(expressions, (expression) => {
        const text = printExpression(expression);
        expect(withoutPlaces(parseExpression(text))).toEqual(withoutPlaces(expression));
        expect(expressionWords(expression)).not.toBe("");
      }),
      { numRuns: 500 },
    );
  });

  it("that a study may have is one of three values for all cells, by Kleene's laws, and never throws", () => {
    const names = [...columns].filter(([, { kind }]) => kind === "number").map(([value]) => value);
    const leaf = fc
      .tuple(
        fc.constantFrom(...names),
        fc.constantFrom(...signs),
        fc.oneof(numberValue.map(String), fc.constantFrom(...names)),
      )
      .map((parts) => parts.join(" "));
    const cells = fc.array(fc.double(), { minLength: 8, maxLength: 8 });
    fc.assert(
      fc.property(leaf, leaf, cells, (p, q, record) => {
        const truth = (text: string) => truthOf(text, record);
        for (const text of [p, q]) expect([true, false, null]).toContain(truth(text));
        expect(truth(`not (${p} and ${q})`)).toBe(truth(`(not ${p}) or not ${q}`));
        expect(truth(`${p} or ${q}`)).toBe(truth(`${q} or ${p}`));
        expect(truth(`not not ${p}`)).toBe(truth(p));
        expect([true, null]).toContain(truth(`${p} or not ${p}`));
      }),
    );
  });

  it("is read or refused in a line, whatever the text is", () => {
    const word = fc.constantFrom(
      "age",
      "ward",
      "and",
      "or",
      "not",
      "(",
      ")",
      "in",
      "is",
      "missing",
      "between",
      "=",
      "<",
      ",",
      '"surgery"',
      "1",
      "2015-01-01",
      "`",
      "'",
      "\n",
    );
    const texts = fc.oneof(
      fc.string(),
      fc.array(word, { maxLength: 12 }).map((words) => words.join(" ")),
    );
    fc.assert(
      fc.property(texts, (text) => {
        const read = readWhere(text, columns);
        if (!read.ok) expect(english(read.error.message)).toMatch(/^line \d+, column \d+: ./);
      }),
      { numRuns: 2000 },
    );
  });
});

it("is put in words", () => {
  const words = (text: string) => expressionWords(parseExpression(text));
  expect(words('age >= 18 and (ward in ("a", "b") or admitted is not missing)')).toBe(
    'age is at least 18, and (ward is one of "a", "b", or admitted is not missing)',
  );
  expect(words("age not between 1 and 2 or not (a = 1 and b < c)")).toBe(
    "age is not from 1 to 2, both included, or it is not true that (a is 1, and b is below c)",
  );
});
