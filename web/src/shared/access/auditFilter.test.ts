import { expect, it } from "vitest";
import { filterOf, queryOf, shortDetail } from "./auditFilter";

it("keeps the filter in the address, and omits empty fields", () => {
  const filter = filterOf(new URLSearchParams("study=a%20b&kind=joined"));
  expect(filter).toEqual({
    study: "a b",
    site: "",
    actor: "",
    kind: "joined",
    from: "",
    until: "",
    people: "",
  });
  expect(queryOf(filter)).toBe("&study=a%20b&kind=joined");
  expect(queryOf(filterOf(new URLSearchParams()))).toBe("");
});

it("asks for whole days by the reader's clock, and ignores what is no day", () => {
  const filter = filterOf(new URLSearchParams("from=2026-03-04&until=2026-03-05"));
  const query = new URLSearchParams(queryOf(filter));
  expect(query.get("from")).toBe(new Date(2026, 2, 4).toISOString());
  expect(query.get("until")).toBe(new Date(2026, 2, 6).toISOString());
  expect(queryOf(filterOf(new URLSearchParams("from=yesterday&until=2026-13-40")))).toBe("");
});

it("shortens only hashes", () => {
  expect(shortDetail(`level-1 ${"ab".repeat(32)}`)).toBe("level-1 abababababab…");
  expect(shortDetail("abcdef0123456789")).toBe("abcdef0123456789");
});
