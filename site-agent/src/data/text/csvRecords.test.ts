import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CsvRecords, type CsvShape } from "./csvRecords.js";

const plain: CsvShape = { delimiter: ",", quote: '"', escape: null, multiline: 1, skipRows: 0 };

type Found = readonly string[] | string;

/** All records, of which those that cannot be taken apart are their fault and line. */
function recordsOf(bytes: Uint8Array, shape: Partial<CsvShape> = {}, piece = bytes.length): Found[] {
  const records = new CsvRecords({ ...plain, ...shape });
  const all: Found[] = [];
  const take = () => {
    for (let found = records.next(); found !== null && found !== "end"; found = records.next())
      all.push(
        found === "record"
          ? Array.from({ length: records.fields }, (_, at) => records.text(at))
          : `${found} in line ${records.line}`,
      );
  };
  for (let at = 0; at < bytes.length; at += Math.max(1, piece)) {
    records.push(bytes.subarray(at, at + Math.max(1, piece)));
    take();
  }
  records.end();
  take();
  return all;
}

describe("records of CSV text", () => {
  test.each<[string, Found[], Partial<CsvShape>?]>([
    ["a,b\n1", [["a", "b"], ["1"]]],
    [
      "a,b\r\n1,2\r\n",
      [
        ["a", "b"],
        ["1", "2"],
      ],
    ],
    ["a\r1\n2\r\n3", [["a"], ["1"], ["2"], ["3"]]],
    ['"a,b",c\n', [["a,b", "c"]]],
    ['"a ""x""",b\n', [['a "x"', "b"]]],
    ['"a" ,b\n', [["a", "b"]]],
    [" a , b \n", [[" a ", " b "]]],
    ["a,\n", [["a", ""]]],
    ["\n\n", [[""], [""]]],
    ["", []],
    ['1,12" pipe\n', [["1", '12" pipe']]],
    ['a,b\n"1,2\n3,4\n', [["a", "b"], "quote in line 2", ["3", "4"]]],
    ['a,b\n1,"x"y\n3,4\n', [["a", "b"], "behind-quote in line 2", ["3", "4"]]],
    [
      '"a\nb",c\n1,2\n',
      [
        ["a\nb", "c"],
        ["1", "2"],
      ],
      { multiline: 2 },
    ],
    ['"a\r\n\nb",c\n1,2\n', ["quote in line 1", [""], ['b"', "c"], ["1", "2"]], { multiline: 2 }],
    ['"a\n\nb",c\n1,"\n2\n', [["a\n\nb", "c"], "quote in line 4", ["2"]], { multiline: 3 }],
    ['"a\nb","c\nd', ["quote in line 1", ["d"]], { multiline: 9 }],
    ["sep=;\n\na;b\n", [["a", "b"]], { delimiter: ";", skipRows: 2 }],
    ["'it''s';b\n", [["it's", "b"]], { delimiter: ";", quote: "'" }],
    ['"a",b\n', [['"a"', "b"]], { quote: null }],
    ['"say \\"hi\\"",b\n', [['say "hi"', "b"]], { escape: "\\" }],
    [
      '"a\\\\",b\n"x""y",c\n',
      [
        ["a\\", "b"],
        ['x"y', "c"],
      ],
      { escape: "\\" },
    ],
    ['"a\\\n1,2\n', ["quote in line 1", ["1", "2"]], { escape: "\\" }],
  ])("%j", (text, expected, shape) => {
    expect(recordsOf(Buffer.from(text), shape)).toEqual(expected);
  });

  test("are the same however the text comes in pieces", () => {
    const text = fc.stringMatching(/^([ab,"\\\r\n\t 1é]|""){0,60}$/);
    fc.assert(
      fc.property(
        text,
        fc.integer({ min: 1, max: 7 }),
        fc.integer({ min: 1, max: 4 }),
        (given, piece, multiline) => {
          const bytes = Buffer.from(given);
          const shape = { multiline, escape: piece % 2 === 0 ? "\\" : null };
          expect(recordsOf(bytes, shape, piece)).toEqual(recordsOf(bytes, shape));
        },
      ),
      { numRuns: 5_000, seed: 7 },
    );
  });

  test("are spoiled by bytes in one of them no further than it, or so many lines on", () => {
    const lines = Array.from({ length: 12 }, (_, i) => `${i},"x ${i}",${i}.5`);
    const noise = fc
      .uint8Array({ maxLength: 12 })
      .map((bytes) => bytes.map((one) => (one % 3 === 0 ? one : '",\n\r'.charCodeAt(one % 4))));
    fc.assert(
      fc.property(noise, fc.nat(11), fc.nat(10), fc.constantFrom(1, 3), (bytes, line, at, multiline) => {
        const parts = lines.map((text) => Buffer.from(`${text}\n`));
        const own = parts[line]!;
        parts[line] = Buffer.concat([own.subarray(0, at), bytes, own.subarray(at)]);
        const found = recordsOf(Buffer.concat(parts), { multiline });
        const clean = recordsOf(Buffer.from(lines.map((text) => `${text}\n`).join("")), { multiline });
        expect(found.slice(0, line)).toEqual(clean.slice(0, line));
        const untouched = 11 - line - (multiline - 1);
        if (untouched > 0) expect(found.slice(-untouched)).toEqual(clean.slice(-untouched));
      }),
      { numRuns: 5_000, seed: 7 },
    );
  });

  test("longer than 16 MiB are passed over, and the next one is read", () => {
    const long = Buffer.alloc(2 ** 24 + 100, "x");
    const text = Buffer.concat([Buffer.from("a,b\n"), long, Buffer.from("\n1,2\n")]);
    const expected = [["a", "b"], "long in line 2", ["1", "2"]];
    for (const piece of [2 ** 20, text.length]) {
      const found = recordsOf(text, {}, piece);
      expect(found.map((one) => String(one).length)).toEqual([3, 14, 3]);
      expect(found).toEqual(expected);
    }
  });

  test("line ends are told by kind, and whether the last record had one", () => {
    const records = new CsvRecords(plain);
    records.push(Buffer.from("a\r\nb\nc\rd"));
    records.end();
    while (records.next() !== "end");
    expect(records.lineEnds).toEqual({ lf: 1, crlf: 1, cr: 1 });
    expect(records.isCut).toBe(true);
  });
});
