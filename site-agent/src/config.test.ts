import { parseConfig } from "@consilium/runtime/config";
import { describe, expect, it } from "vitest";
import { siteConfigSchema } from "./config.js";

describe("a site's configuration", () => {
  it("says where a permission has gone that it once held", () => {
    expect(() =>
      parseConfig("aggregator: a:1\nallowPaperVariants: true\n", "config.yaml", siteConfigSchema),
    ).toThrow(/line 2: allowPaperVariants: this has moved to policy\.yaml/);
  });

  it("allows nothing without privacy unless it says so", () => {
    expect(parseConfig("aggregator: a:1\n", "config.yaml", siteConfigSchema).allowNoPrivacy).toBe(false);
  });

  it("takes a table's name from its key alone", () => {
    const parse = (entry: string) =>
      parseConfig(
        `aggregator: a:1\ntables:\n  stays:\n    path: a.csv\n${entry}`,
        "config.yaml",
        siteConfigSchema,
      );
    expect(() => parse("    name: visits\n")).toThrow(
      /tables\.stays\.name: the table's name is its key, stays/,
    );
    expect(parse("").tables.map(({ name }) => name)).toEqual(["stays"]);
  });
});
