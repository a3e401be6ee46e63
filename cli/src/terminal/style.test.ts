import { describe, expect, it } from "vitest";
import { capturedIo } from "../../testing/terminal/io.js";
import { coloursWanted, styleFor } from "./style.js";

const terminal = capturedIo({ terminal: true }).stdout;
const pipe = capturedIo().stdout;

describe("colours", () => {
  it("come on a terminal and nowhere else", () => {
    expect(coloursWanted(terminal, {}, true)).toBe(true);
    expect(coloursWanted(pipe, {}, true)).toBe(false);
  });

  it("go with --no-color, NO_COLOR and a dumb terminal; an empty NO_COLOR means nothing", () => {
    expect(coloursWanted(terminal, {}, false)).toBe(false);
    expect(coloursWanted(terminal, { NO_COLOR: "1" }, true)).toBe(false);
    expect(coloursWanted(terminal, { NO_COLOR: "" }, true)).toBe(true);
    expect(coloursWanted(terminal, { TERM: "dumb" }, true)).toBe(false);
  });

  it("come into a pipe too with FORCE_COLOR, unless something says no", () => {
    expect(coloursWanted(pipe, { FORCE_COLOR: "1", TERM: "dumb" }, true)).toBe(true);
    expect(coloursWanted(terminal, { FORCE_COLOR: "0" }, true)).toBe(false);
    expect(coloursWanted(pipe, { FORCE_COLOR: "" }, true)).toBe(false);
    expect(coloursWanted(pipe, { FORCE_COLOR: "1", NO_COLOR: "1" }, true)).toBe(false);
    expect(coloursWanted(pipe, { FORCE_COLOR: "1" }, false)).toBe(false);
  });

  it("paint, or leave the text as it is", () => {
    expect(styleFor(terminal, { environment: {} }, true).bad("x")).toBe("\u001b[31mx\u001b[39m");
    expect(styleFor(pipe, { environment: {} }, true).bad("x")).toBe("x");
  });

  it("draw bars with blocks only where the locale has them", () => {
    expect(styleFor(terminal, { environment: { LANG: "de_DE.UTF-8" } }, true).bar.full).toBe("█");
    expect(styleFor(terminal, { environment: { LANG: "de_DE.UTF-8", LC_ALL: "C" } }, true).bar.full).toBe(
      "#",
    );
  });
});
