import { expect, it } from "vitest";
import { creatorsOf } from "./creators.js";

it("reads persons with their affiliations", () => {
  expect(creatorsOf("Lindqvist, Marta (Hospital A, Pathology); van der Berg, Jan")).toEqual([
    { kind: "person", family: "Lindqvist", given: "Marta", affiliation: "Hospital A, Pathology" },
    { kind: "person", family: "van der Berg", given: "Jan", affiliation: null },
  ]);
});

it.each([
  "Four hospitals",
  "Wolberg, Mangasarian and Street (data); four hospitals of the demo (counts)",
  "Lindqvist, Marta; ",
  "Hospital A, Ward 3, Berlin",
  "",
])("takes %j as the name of one institution", (name) => {
  expect(creatorsOf(name)).toEqual([{ kind: "institution", name }]);
});
