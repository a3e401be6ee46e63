import { describe, expect, it } from "vitest";
import { errorTable } from "../core/src/errors.js";
import { errorsDocument, neverRaised, renderErrors, unraisedCodes } from "./errorsDoc.js";
import { readProjectFile } from "./repository.js";

describe("docs/ERRORS.md", () => {
  it("is what core/src/errors.ts says: npx tsx scripts/errorsDoc.ts > docs/ERRORS.md", () => {
    expect(readProjectFile(errorsDocument)).toBe(renderErrors());
  });

  it("has one row for every code", () => {
    const listed = [...readProjectFile(errorsDocument).matchAll(/^\| `([A-Z_]+)` \|/gm)].map((row) => row[1]);
    expect(listed.sort()).toEqual(Object.keys(errorTable).sort());
  });

  it("lists no code that nothing raises, but those it says so of", () => {
    expect(unraisedCodes()).toEqual([...neverRaised]);
  });
});
