import { expect, it } from "vitest";
import { filterOf, queryOf } from "./auditFilter";

it("keeps a filter in the address, and asks for nothing that is left empty", () => {
  const filter = filterOf(new URLSearchParams("study=a%20b&kind=joined"));
  expect(filter).toEqual({ study: "a b", site: "", actor: "", kind: "joined" });
  expect(queryOf(filter)).toBe("&study=a%20b&kind=joined");
  expect(queryOf(filterOf(new URLSearchParams()))).toBe("");
});
