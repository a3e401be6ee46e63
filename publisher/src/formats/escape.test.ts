import fc from "fast-check";
import { expect, it } from "vitest";
import { htmlText, markdownText } from "./escape.js";

it("keeps every character of a text in HTML, none of them as markup", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (text) => {
      const escaped = htmlText(text);
      expect(escaped).not.toMatch(/[<>"']/);
      const back = escaped
        .replaceAll("&lt;", "<")
        .replaceAll("&gt;", ">")
        .replaceAll("&quot;", '"')
        .replaceAll("&#39;", "'")
        .replaceAll("&amp;", "&");
      expect(back).toBe(text);
    }),
  );
});

it("gives one line of Markdown in which whatever marks anything up is escaped", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary-ascii", maxLength: 40 }), (text) => {
      const escaped = markdownText(text);
      // Take the escaped characters away: nothing that marks up may remain.
      const rest = escaped.replace(/\\[!-/:-@[-`{-~]/g, "");
      expect(rest).not.toMatch(/[\\`*_{}[\]<>#|~&\n\r\t]|:\/\/|www\./);
      expect(escaped).not.toMatch(/^(?:[-+=]|\d+[.)])/);
    }),
    { numRuns: 2_000 },
  );
});
