import { policyYamlLimits, studyYamlLimits } from "@consilium/core/yamlLimits";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { parse, stringify } from "yaml";
import { YamlReader } from "./yamlReader.js";

const reader = new YamlReader();
afterAll(() => reader.close());

const read = (text: string) => reader.read(text, studyYamlLimits);
const lines = (count: number, line: (index: number) => string) =>
  Array.from({ length: count }, (_, i) => line(i)).join("\n");

/** As many columns as a study is planned for, each with all that a column may say. */
const largest = {
  name: "largest",
  features: Array.from({ length: 10_000 }, (_, index) => ({
    name: `feature_${index}`,
    type: "numeric",
    min: 0,
    max: 100,
    unit: "mg/dl",
    description: `the value that was measured & written down: number ${index} [of all]`,
  })),
};

/** How often the event loop comes round until something is done. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let done = false;
  const count = () => {
    turns++;
    if (!done) setImmediate(count);
  };
  setImmediate(count);
  await work().finally(() => {
    done = true;
  });
  return turns;
}

describe("a text that is over a limit", () => {
  it.each<[name: string, text: string, message: RegExp]>([
    ["anchors in a run", "&a ".repeat(50_000), /more than 100 anchors/],
    ["an anchor in each line", lines(20_000, (i) => `- &a${i} x`), /more than 100 anchors/],
    ["tags in a run", "! ".repeat(75_000), /more than 100 tags/],
    ["tags in a flow", `[${"! ".repeat(75_000)}`, /more than 100 tags/],
    ["lists in a line", "- ".repeat(75_000), /more than 32 levels/],
    ["keys in a line", "? ".repeat(75_000), /more than 32 levels/],
    ["flows", "[".repeat(150_000), /more than 32 levels/],
    ["maps in flows", "{a: ".repeat(40_000), /more than 32 levels/],
    ["brackets of JSON", `{"a":${"[".repeat(150_000)}`, /more than 32 levels/],
    ["lists after tabs", "\t- ".repeat(50_000), /more than 32 levels/],
    ["values in a line", lines(200, () => "a: ".repeat(20)), /more than|not|Nested/],
    ["ever deeper lines", lines(2_000, (i) => `${" ".repeat(i)}a:`), /more than 32 levels/],
    ["keys", lines(20_000, (i) => `k${i}: 1`), /more than 1000 keys/],
    ["keys in a flow", `{${lines(20_000, (i) => `k${i},`)}}`, /more than 1000 keys/],
    ["the same key", "a: 1\n".repeat(30_000), /more than 1000 keys/],
    ["empty keys", ": \n".repeat(30_000), /more than 1000 keys/],
    ["entries", `[${"a,".repeat(700_000)}]`, /more than 500000 keys, values and entries/],
    ["lines", "\n".repeat(250_000), /more than 200000 lines/],
    ["comments", "#\n".repeat(250_000), /more than 200000 lines/],
    ["directives", "%A b\n".repeat(250_000), /more than 100 tags and directives/],
    ["brackets that close nothing", "]".repeat(400_000), /Unexpected/],
    ["an alias", "a: &a [1]\nb: *a", /aliases are not allowed/],
    ["characters", " ".repeat(studyYamlLimits.length + 1), /more than 2097152 characters/],
  ])("%s", async (_, text, message) => {
    const result = await read(text);
    expect(result.ok).toBe(false);
    if (!result.ok) expect(result.error.message).toMatch(message);
  });

  it("is one of aliases that multiply", async () => {
    const text = lines(
      12,
      (i) => `a${i}: &a${i} [${Array.from({ length: 9 }, () => (i === 0 ? "x" : `*a${i - 1}`)).join(", ")}]`,
    );
    expect(await reader.read(text, policyYamlLimits)).toMatchObject({
      ok: false,
      error: { line: null, message: "more than 100 aliases" },
    });
    expect(await reader.read("a: &a [1]\nb: *a", policyYamlLimits)).toEqual({
      ok: true,
      value: { a: [1], b: [1] },
    });
  });
});

it("reads the largest study as the YAML library does, while the event loop continues", async () => {
  const text = stringify(largest);
  let result: unknown;
  const turns = await turnsDuring(async () => {
    result = await read(text);
  });
  expect(result).toEqual({ ok: true, value: largest });
  expect(turns).toBeGreaterThan(100);
  // The twin: read where it was called, the same text lets the event loop come round once at most.
  expect(await turnsDuring(async () => parse(text))).toBeLessThanOrEqual(1);
});

it.each<[text: string, value: unknown]>([
  ["", null],
  ["# nothing", null],
  [
    "a: 1\nb: [x, 'y', \"z\"]\nc:\n- 1e-6\n- .inf\n",
    { a: 1, b: ["x", "y", "z"], c: [1e-6, Number.POSITIVE_INFINITY] },
  ],
  [
    "text: |\n  [[[[ &a *b !c\n  - - - -\nplain: a & b ! c * d [ { e",
    { text: "[[[[ &a *b !c\n- - - -\n", plain: "a & b ! c * d [ { e" },
  ],
  ['{"a": {"b": [1, 2]}}', { a: { b: [1, 2] } }],
  ["{a: 1}", { a: 1 }],
  ["<<: 1\n__proto__: 2", JSON.parse('{"<<": 1, "__proto__": 2}')],
])("reads %j", async (text, value) => {
  expect(await read(text)).toEqual({ ok: true, value });
});

it.each<[text: string, line: number | null, code: string]>([
  ["a: [\n", 2, "BAD_INDENT|MISSING_CHAR"],
  ["a: 1\nb: 2\na: 3", 3, "DUPLICATE_KEY"],
  ["a: 1\n---\nb: 2", 2, "MULTIPLE_DOCS"],
  ["? [a]\n: 1", 1, "NON_STRING_KEY"],
  ["*x", null, "UNRESOLVED_ALIAS"],
])("says where %j is no YAML", async (text, line, code) => {
  const result = await reader.read(text, policyYamlLimits);
  expect(result).toMatchObject({ ok: false, error: { line } });
  if (!result.ok) expect(result.error.message).toMatch(new RegExp(code));
});

it("reads whatever the YAML library reads, alike, and of anything else says why", async () => {
  const piece = fc.constantFrom(
    ..."- |? |: |:|, |[|]|{|}|&a |*a |!t |!!str |# c|'|\"|\\\\| |  |\t|\n|\n  |\n    |---\n|...\n|%YAML 1.2\n|~|null|1|0x1f|-.5|a|b c|<<|=|@|`|\u00e9|\ufeff".split(
      "|",
    ),
    "|\n",
    ">-\n",
  );
  let read = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 60 }), async (pieces) => {
      const text = pieces.join("");
      const result = await reader.read(text, policyYamlLimits);
      if (!result.ok) {
        expect(result.error.message).toMatch(/^(?:more than|.* \([A-Z_]+\)$)/s);
        return;
      }
      read++;
      expect(result.value).toEqual(parse(text, { stringKeys: true, logLevel: "error" }));
    }),
    { numRuns: 2_000 },
  );
  expect(read).toBeGreaterThan(100);
});

it("says on which lines places of a text stand", async () => {
  const text = "a:\n  b: 1\n  c: [x,\n    y]\n";
  expect(
    await reader.lines(text, policyYamlLimits, [["a", "b"], ["a", "c", 1], ["a", "d"], ["e"], []]),
  ).toEqual([2, 4, 2, null, null]);
});

describe("a thread that is over its limit", () => {
  const slow = stringify(largest);

  it("of time is replaced", async () => {
    const hasty = new YamlReader({ timeMaxMs: 1 });
    expect(await hasty.read(slow, studyYamlLimits)).toEqual({
      ok: false,
      error: { line: null, message: "reading it takes more than 0.001 s" },
    });
    await hasty.close();
  });

  it("of memory is replaced, and the next text is read", async () => {
    const small = new YamlReader({ heapMaxMb: 16 });
    expect(await small.read(slow, studyYamlLimits)).toEqual({
      ok: false,
      error: { line: null, message: "reading it takes more than 16 MiB of memory" },
    });
    expect(await small.read("a: 1", studyYamlLimits)).toEqual({ ok: true, value: { a: 1 } });
    await small.close();
  });
});

it("refuses a text while as many others wait as may, and reads those in their order", async () => {
  const narrow = new YamlReader({ waitingMax: 2 });
  const order: number[] = [];
  const three = [1, 2, 3].map(async (number) => {
    const result = await narrow.read(`number: ${number}`, studyYamlLimits);
    order.push(number);
    return result;
  });
  await expect(narrow.read("number: 4", studyYamlLimits)).rejects.toMatchObject({ code: "RATE_LIMITED" });
  expect((await Promise.all(three)).every(({ ok }) => ok)).toBe(true);
  expect(order).toEqual([1, 2, 3]);
  expect(await narrow.read("number: 5", studyYamlLimits)).toMatchObject({ ok: true });
  await narrow.close();
});
