import { describe, expect, it } from "vitest";
import { readProjectFile } from "./repository.js";
import { renderSources, sourcesDocument, unmatchedKeys } from "./sourcesDoc.js";

describe("docs/SOURCES.md", () => {
  it("is what the schemas say: TSX_TSCONFIG_PATH=tsconfig.check.json npx tsx scripts/sourcesDoc.ts > docs/SOURCES.md", () => {
    expect(readProjectFile(sourcesDocument)).toBe(renderSources());
  });

  it("has a meaning for every key, and for no other", () => {
    expect(unmatchedKeys()).toEqual([]);
  });
});
