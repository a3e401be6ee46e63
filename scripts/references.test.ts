import { describe, expect, it } from "vitest";
import { commentsOf } from "./comments.js";
import { allReferenceFaults, citedKeys, referenceFaults } from "./references.js";

describe("citations", () => {
  it("are all listed in docs/references.md, and all that it lists is cited", () => {
    expect(allReferenceFaults()).toEqual([]);
  });

  it.each([
    ["ELFedPCA [ZY22, step 1] and [Mir12]", ["ZY22", "Mir12"]],
    ["masks [SP800-38A]", ["SP800-38A"]],
    ["shuffled [Sanders 1998].", ["Sanders 1998"]],
    ["as RFC 7515 section 4.1.6 and [RFC8037] say", ["RFC8037", "RFC7515"]],
  ])("are seen in: %s", (text, keys) => {
    expect(citedKeys(text)).toEqual(keys);
  });

  it.each([
    "[n × p], [d + 1], values[i], [0, 1), [K][D64]",
    "[Int32Array] [Uint8] [Float64Array] [PEM]",
    "see [METHODS](METHODS.md) and [ZY22](references.md)",
    "[PREFLIGHT_FAILED] study 7f3a [A'] [0x1f]",
  ])("are not seen in: %s", (text) => {
    expect(citedKeys(text)).toEqual([]);
  });

  it("fail when unknown, and when nobody cites what is listed", () => {
    const list = "| `ZY22` | x |\n| `Golub and Van Loan 2013` | x |\n| `CKS20` | x |\n";
    const cited = [
      { place: "a.ts:1", text: "[ZY22], as Golub and Van Loan 2013 do" },
      { place: "b.ts:2", text: "[BR93]" },
    ];
    expect(referenceFaults(list, cited).map((fault) => fault.place)).toEqual([
      "b.ts:2",
      "docs/references.md",
    ]);
  });
});

describe("comments", () => {
  it("are found, and strings, templates and regular expressions are not taken for them", () => {
    const source = [
      'const a = "// no [AA11]";',
      "const b = `/* no [BB11] */`;",
      "const c = /[/*] [CC11]/; // yes one",
      "// yes two",
      "/**",
      " * yes",
      " * three",
      " */",
      "const d = 6 / 2; // yes four",
    ].join("\n");
    expect(commentsOf("a.ts", source).map(({ line, text }) => [line, text.trim()])).toEqual([
      [3, "yes one yes two"],
      [5, "yes three"],
      [9, "yes four"],
    ]);
    expect(commentsOf("a.py", 'x = 1  # one\ny = "#no"')).toEqual([{ line: 1, text: "one" }]);
  });
});
