import { describe, expect, it } from "vitest";
import { below, permissionFlag, permissionFlags, permits } from "./nodePermission.js";

describe("what Node is permitted", () => {
  it("is a pattern for each file or folder, none within another one", () => {
    expect(below(["/a/b", "/c", "/a", "/a/", "/a/b/d.csv"])).toEqual(["/c/*", "/a/*"]);
    expect(below(["/a", "/"])).toEqual(["/*"]);
    expect(below(["/tmp/made-*"])).toEqual(["/tmp/made-*"]);
  });

  it("is one pattern for a folder and for what begins with its path, which Node would not list otherwise", () => {
    expect(below(["/data/visits2.csv", "/data/visits", "/data/visits-old/x"])).toEqual(["/data/visits*"]);
  });

  it("holds a path and what is below it, and nothing beside it", () => {
    const patterns = below(["/data/visits", "/state/own.csv"]);
    for (const path of ["/data/visits", "/data/visits/a/b", "/state/own.csv"])
      expect(permits(patterns, path)).toBe(true);
    for (const path of ["/data", "/data/visits2", "/state/state-key", "/state"])
      expect(permits(patterns, path)).toBe(false);
    expect(permits(below(["/data/visits", "/data/visits2"]), "/data/visits3")).toBe(true);
  });

  it("is what is said, and no more", () => {
    expect(permissionFlags({ reads: [] })).toEqual([permissionFlag]);
    expect(permissionFlags({ reads: ["/data"], writes: ["/tmp/x"], addons: true, starts: true })).toEqual([
      permissionFlag,
      "--allow-fs-read=/data/*",
      "--allow-fs-write=/tmp/x/*",
      "--allow-addons",
      "--allow-child-process",
    ]);
  });
});
