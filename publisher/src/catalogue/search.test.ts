import { releaseQuery } from "@consilium/core/release/views";
import { describe, expect, it } from "vitest";
import { type Searchable, searchable, searchReleases } from "./search.js";

function entry(
  id: string,
  of: { day: string; method?: string; verdict?: string; epsilon?: number | null },
): Searchable {
  const { day, method = "dp-pca", verdict = "proved", epsilon = 1 } = of;
  return searchable({
    summary: {
      id,
      title: `Title ${id}`,
      description: "About breast cancer",
      creator: null,
      license: null,
      createdAt: `${day}T12:00:00Z`,
      study: { name: "s", analysis: "pca", method, variant: verdict === "proved" ? "sound" : "paper" },
      verdict,
      epsilon,
    } as Searchable["summary"],
    columnNames: ["pc1", "num_medications"],
  });
}

const claimed = "claimed by the authors, not verified";
const all = [
  entry("a", { day: "2026-01-01", epsilon: 2 }),
  entry("b", { day: "2026-02-01", epsilon: 0.5 }),
  entry("c", { day: "2026-03-01", method: "elfed-pca", verdict: claimed, epsilon: 0.1 }),
  entry("d", { day: "2026-03-01", method: "elfed-pca", verdict: "no privacy", epsilon: null }),
];
const search = (query: Record<string, string>) => searchReleases(all, releaseQuery.parse(query));
const ids = (query: Record<string, string>) => search(query).releases.map(({ summary }) => summary.id);

describe("searching releases", () => {
  it("filters by each field, all of them together", () => {
    expect(ids({})).toEqual(["c", "d", "b", "a"]);
    expect(ids({ q: "CANCER dp-pca" })).toEqual(["b", "a"]);
    expect(ids({ q: "num_medications dp-pca" })).toEqual(["b", "a"]);
    expect(ids({ method: "elfed-pca" })).toEqual(["c", "d"]);
    expect(ids({ verdict: claimed })).toEqual(["c"]);
    expect(ids({ variant: "sound", epsilonMax: "1" })).toEqual(["b"]);
    expect(ids({ epsilonMin: "0" })).toEqual(["c", "b", "a"]);
    expect(ids({ from: "2026-02-01", to: "2026-02-01" })).toEqual(["b"]);
    expect(ids({ analysis: "boosted-trees" })).toEqual([]);
  });

  it("orders; a claimed epsilon is no smaller cost than a proven one", () => {
    expect(ids({ order: "oldest" })).toEqual(["a", "b", "c", "d"]);
    expect(ids({ order: "epsilon" })).toEqual(["b", "a", "c", "d"]);
    expect(ids({ order: "title" })).toEqual(["a", "b", "c", "d"]);
  });

  it("counts what choosing another value would give", () => {
    const { facets } = search({ verdict: claimed, method: "elfed-pca" });
    expect(facets.verdict).toEqual([
      { value: claimed, count: 1 },
      { value: "no privacy", count: 1 },
    ]);
    expect(facets.method).toEqual([{ value: "elfed-pca", count: 1 }]);
    expect(search({}).facets.variant).toEqual([
      { value: "paper", count: 2 },
      { value: "sound", count: 2 },
    ]);
  });
});
