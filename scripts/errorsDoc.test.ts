import { describe, expect, it } from "vitest";
import { errorTable } from "../core/src/errors.js";
import { neverRaised, renderErrors, unraisedCodes } from "./errorsDoc.js";

describe("the page of error codes", () => {
  it("has one row for every code, with its remedy", () => {
    const rows = [...renderErrors().matchAll(/^\| `([A-Z_]+)` \| (?:[^|]|\\\|)+ \| [^|]+ \| \S/gm)];
    const listed = rows.map((row) => row[1]);
    expect(listed.sort()).toEqual(Object.keys(errorTable).sort());
  });

  it("lists no code that nothing raises, but those it says so of", () => {
    expect(unraisedCodes()).toEqual([...neverRaised]);
  });
});
