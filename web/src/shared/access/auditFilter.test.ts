import { expect, it } from "vitest";
import { filterOf, queryOf, shortDetail } from "./auditFilter";

it("keeps the filter in the address, and omits empty fields", () => {
  const filter = filterOf(new URLSearchParams("study=a%20b&kind=joined"));
  expect(filter).toEqual({ study: "a b", site: "", actor: "", kind: "joined", people: "" });
  expect(queryOf(filter)).toBe("&study=a%20b&kind=joined");
  expect(queryOf(filterOf(new URLSearchParams()))).toBe("");
});

it("shortens only hashes", () => {
  expect(shortDetail(`level-1 ${"ab".repeat(32)}`)).toBe("level-1 abababababab…");
  expect(shortDetail("abcdef0123456789")).toBe("abcdef0123456789");
});
