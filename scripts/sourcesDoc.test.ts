import { describe, expect, it } from "vitest";
import { sources } from "../site-agent/src/data/sources/places.js";
import { renderSources, unmatchedKeys } from "./sourcesDoc.js";

describe("the page of a table's entry", () => {
  it("has a section for every place where records can be", () => {
    const text = renderSources();
    for (const name of Object.keys(sources)) expect(text).toContain(`\n\`tables.<name>.${name}\`. `);
  });

  it("has a meaning for every key, and for no other", () => {
    expect(unmatchedKeys()).toEqual([]);
  });
});
