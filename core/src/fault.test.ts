import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ConsiliumError, errorTable } from "./errors.js";
import { faults } from "./fault.js";
import { readSaid } from "./readSaid.js";
import { lines, nameOf, pathOf, saidText } from "./said.js";
import { sayLines } from "./sayLines.js";

type Says = {
  "table.too-wide": { readonly columns: number; readonly maxColumns: number };
  "table.drop-columns": Record<never, never>;
};

describe("an error by code", () => {
  const fault = faults<Says>();

  it("holds its sentence's code and parameters, and no words", () => {
    const error = fault("TABLE_UNKNOWN", "table.too-wide", { maxColumns: 3, columns: 5 });
    expect(error).toBeInstanceOf(ConsiliumError);
    expect(error.message).toBe('table.too-wide {"columns":5,"maxColumns":3}');
    expect(error.remedy).toBe(errorTable.TABLE_UNKNOWN.remedy);
  });

  it("has a remedy of its own where one is given", () => {
    const remedy = { code: "table.drop-columns", params: {} } as const;
    const error = fault("TABLE_UNKNOWN", "table.too-wide", { maxColumns: 3, columns: 5 }, { remedy });
    expect(error.remedy).toBe("table.drop-columns {}");
    const short = (given: Parameters<typeof fault>[3]) =>
      fault("TABLE_UNKNOWN", "table.too-wide", { maxColumns: 3, columns: 5 }, given);
    expect([short("table.drop-columns"), short({ remedy: "table.drop-columns" })]).toEqual([error, error]);
  });

  it("does not compile with free text, another code's parameters or a missing one", () => {
    // @ts-expect-error: a parameter is missing
    fault("TABLE_UNKNOWN", "table.too-wide", { columns: 5 });
    // @ts-expect-error: a remedy whose parameters are missing
    fault("TABLE_UNKNOWN", "table.drop-columns", {}, "table.too-wide");
    // @ts-expect-error: no such sentence
    fault("TABLE_UNKNOWN", "table.too-long", {});
    // @ts-expect-error: free text is no parameter
    faults<{ "cell.bad": { readonly cell: string } }>();
  });
});

describe("a sentence's line", () => {
  it("is read back as it was written", () => {
    const params = fc.dictionary(
      fc.string().filter((key) => key !== "__proto__"),
      fc.oneof(fc.integer(), fc.string().map(nameOf), fc.array(fc.string().map(nameOf))),
    );
    fc.assert(
      fc.property(params, (params) => {
        const said = { code: "study.refused-by", params };
        expect(readSaid(saidText(said))).toEqual({ code: said.code, params: { ...params } });
      }),
    );
  });

  it.each(["", "a study was refused", "study.refused {", "study {}", 'Study.x {"a":1}', "study.x []"])(
    "is not %j",
    (text) => expect(readSaid(text)).toBeNull(),
  );

  it("names a long path by its end, which tells the file", () => {
    const path = `/srv/${"a".repeat(150)}/state.db`;
    expect(pathOf(path)).toHaveLength(128);
    expect(pathOf(path)).toMatch(/^…a+\/state\.db$/);
    expect(pathOf("/srv/state.db")).toBe("/srv/state.db");
  });

  it("is written by its table", () => {
    expect(lines<Says>()("table.drop-columns", {})).toBe("table.drop-columns {}");
  });
});

describe("lines within a text", () => {
  const say = ({ code, params }: { code: string; params: object }) =>
    code === "a.known" ? `known ${JSON.stringify(params)}` : null;

  it.each([
    ["a.known {}", "known {}"],
    [
      '[STUDY_INVALID] a.known {"n":"a. b.known {} }"}. a.known {}.',
      '[STUDY_INVALID] known {"n":"a. b.known {} }"}. Known {}.',
    ],
    ["[STUDY_INVALID] it failed. a.known {}.", "[STUDY_INVALID] it failed. Known {}."],
    ["[X] a.newer {}. Try again.", "[X] a.newer {}. Try again."],
    ["it is over (a.known {})", "it is over (known {})"],
    ["patient.weighting: a.known {}; label: missing", "patient.weighting: known {}; label: missing"],
    ["see a.known {}", "see a.known {}"],
    ['a.known {"open', 'a.known {"open'],
    ["a.known {]}", "a.known {]}"],
  ])("of %s are said", (text, spoken) => expect(sayLines(text, say)).toBe(spoken));

  it.each([
    ["that do not end", ". a.known {"],
    ["that do not end, and begin with a key", '. a.known {"'],
    ["of another program", '. a.newer {"n":". a.newer {}"}'],
    ["that no JSON follows", ". a.newer {{}}"],
  ])("are looked for once in a text of many %s", (_, one) => {
    let read = 0;
    const text = one.repeat(1_000);
    // What is read of a text is taken out of it a unit at a time.
    const counted = new Proxy(new String(text), {
      get: (of, name) => {
        if (typeof name === "string" && /^\d+$/.test(name)) read++;
        const member: unknown = Reflect.get(of, name);
        return typeof member === "function" ? member.bind(text) : member;
      },
    }) as unknown as string;
    sayLines(counted, say);
    expect(read).toBeLessThanOrEqual(2 * text.length);
  });

  it("are those that an error describes", () => {
    const remedy = { code: "table.drop-columns", params: {} } as const;
    const error = faults<Says>()(
      "TABLE_UNKNOWN",
      "table.too-wide",
      { maxColumns: 3, columns: 5 },
      { remedy },
    );
    expect(sayLines(error.describe(), ({ code }) => code.toUpperCase())).toBe(
      "[TABLE_UNKNOWN] TABLE.TOO-WIDE. TABLE.DROP-COLUMNS.",
    );
  });
});

it("cuts a name after 128 characters", () => {
  expect(nameOf("a".repeat(128))).toHaveLength(128);
  expect(nameOf("a".repeat(200))).toBe(`${"a".repeat(127)}…`);
});
