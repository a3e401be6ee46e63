import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bar, elapsedText, fit, paragraph, printable, table, visibleLength, wrap } from "./layout.js";
import { plainStyle } from "./style.js";

describe("text of another party", () => {
  it("cannot move the cursor, change colours or reverse the writing direction", () => {
    expect(printable("st-mary\u001b[2J\u001b[31m\r\n\u202eyram")).toBe("st-mary [2J [31m yram");
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        // biome-ignore lint/suspicious/noControlCharactersInRegex: the test is that there are none
        expect(printable(text)).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
      }),
    );
  });
});

describe("fit", () => {
  it("cuts at the width, counts no colours and closes them", () => {
    expect(fit("abcdef", 6)).toBe("abcdef");
    expect(fit("abcdef", 4)).toBe("abc~");
    expect(fit("\u001b[31mabcdef\u001b[39m", 4)).toBe("\u001b[31mabc~\u001b[0m");
  });

  it("never gives more characters than asked", () => {
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: 1, max: 60 }), (text, width) => {
        const line = printable(text);
        expect(visibleLength(fit(line, width))).toBeLessThanOrEqual(width);
      }),
    );
  });
});

describe("wrap", () => {
  it("breaks at spaces and keeps every word", () => {
    expect(wrap("the sum of each column", 10)).toEqual(["the sum of", "each", "column"]);
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[a-z]{1,12}$/), { maxLength: 20 }), (words) => {
        const lines = wrap(words.join(" "), 12);
        expect(lines.join(" ")).toBe(words.join(" "));
        expect(lines.every((line) => line.length <= 12)).toBe(true);
      }),
    );
  });

  it("hangs a paragraph beside its label", () => {
    const text = paragraph("leaves", "word ".repeat(30), { indent: 4, labelWidth: 10 });
    const [first, second] = text.split("\n");
    expect(first).toMatch(/^ {4}leaves {4}word word/);
    expect(second).toMatch(/^ {14}word/);
  });
});

describe("table", () => {
  it("aligns columns and leaves no space at line ends", () => {
    const rows = [
      { name: "st-mary", count: "5" },
      { name: "a", count: "1000" },
    ];
    const text = table(
      rows,
      [
        { title: "SITE", cell: (row) => row.name },
        { title: "ROWS", cell: (row) => row.count, alignRight: true },
      ],
      plainStyle,
    );
    expect(text).toBe("SITE     ROWS\nst-mary     5\na        1000");
  });
});

describe("bar", () => {
  it("fills by the fraction and survives invalid fractions", () => {
    expect(bar(0.5, 10, plainStyle)).toBe("#####-----");
    expect(bar(-1, 4, plainStyle)).toBe("----");
    expect(bar(7, 4, plainStyle)).toBe("####");
    expect(bar(Number.NaN, 4, plainStyle)).toBe("----");
  });
});

describe("elapsedText", () => {
  it("has tenths below a minute and two units above, and never shows what is no time", () => {
    expect([0.04, 0.45, 12.34, 59.94, 59.96, 125, 5400].map(elapsedText)).toEqual([
      "0.0s",
      "0.5s",
      "12.3s",
      "59.9s",
      "1m",
      "2m5s",
      "1h30m",
    ]);
    expect([-1, Number.NaN, Number.POSITIVE_INFINITY].map(elapsedText)).toEqual(["0.0s", "0.0s", "0.0s"]);
  });
});
