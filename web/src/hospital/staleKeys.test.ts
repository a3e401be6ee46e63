import { describe, expect, it } from "vitest";
import { staleKeys } from "./staleKeys.js";

const standing = { connected: true, waiting: 0, studies: "a", ledger: "1", egress: "0", policy: "p" };

describe("the queries to refetch", () => {
  it("are none at first, and none without changes", () => {
    expect(staleKeys(null, standing)).toEqual([]);
    expect(staleKeys(standing, standing)).toEqual([]);
  });

  it("are those that depend on the change", () => {
    expect(staleKeys(standing, { ...standing, egress: "1" })).toEqual(["egress"]);
    expect(staleKeys(standing, { ...standing, connected: false })).toEqual(["status"]);
    expect(staleKeys(standing, { ...standing, studies: "b" })).toEqual(["status", "studies"]);
    expect(staleKeys(standing, { ...standing, policy: "q" })).toContain("studies");
    expect(staleKeys(standing, { ...standing, ledger: "2" })).toContain("studies");
  });
});
