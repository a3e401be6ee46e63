import { releaseQuery } from "@consilium/core/release/views";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isFiltered, listAddress, noFilter, readFilter, writeFilter } from "./filter";

const full = {
  q: "breast cancer",
  method: "elfed-pca",
  variant: "sound",
  verdict: "proved",
  epsilonMin: "0.5",
  epsilonMax: "2",
  from: "2026-01-01",
  to: "2026-12-31",
  order: "epsilon",
  page: 3,
} as const;

describe("the filter in the address", () => {
  it("round-trips", () => {
    expect(readFilter(writeFilter(full))).toEqual(full);
    expect(writeFilter(noFilter)).toBe("");
    expect(readFilter("")).toEqual(noFilter);
  });

  it("leaves out what is malformed", () => {
    expect(
      readFilter("?page=-1&order=none&epsilonMin=x&epsilonMax=-2&from=yesterday&to=2026-1-1&page=7"),
    ).toEqual(noFilter);
    expect(readFilter("page=1e9").page).toBe(1);
    expect(readFilter("from=2026-02-30&to=2026-02-28")).toMatchObject({ from: "", to: "2026-02-28" });
  });

  it("never sends the service values it refuses", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 300 }), fc.webQueryParameters(), (raw, query) => {
        for (const search of [
          raw,
          query,
          `q=${encodeURIComponent(raw)}&from=${raw}&epsilonMax=${raw}`,
          "from=2026-02-30",
        ]) {
          const address = listAddress(readFilter(search));
          const asked = Object.fromEntries(new URL(address, "http://x").searchParams);
          expect(releaseQuery.safeParse(asked).error).toBeUndefined();
        }
      }),
    );
    expect(listAddress(full)).toContain("offset=40");
    expect(listAddress(full)).not.toContain("page=");
  });

  it("reports whether a filter is set", () => {
    expect(isFiltered({ ...noFilter, order: "title", page: 2 })).toBe(false);
    expect(isFiltered({ ...noFilter, q: " " })).toBe(false);
    expect(isFiltered(full)).toBe(true);
  });
});
