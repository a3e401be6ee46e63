import { expect, it } from "vitest";
import { parse } from "yaml";
import { citation, citations } from "./citation.js";

const release = {
  id: "sample-0123456789",
  title: 'Reduced {data}: 50 % & "more"',
  creator: "Four hospitals",
  createdAt: "2026-01-02T03:04:05Z",
  license: "CC-BY-4.0",
};
const url = "https://x.example/releases/sample-0123456789/";
const [bib, cff, csl] = citations(release, url);

it("names creator, year, title and release in one line", () => {
  expect(citation(release)).toBe(
    'Four hospitals (2026): Reduced {data}: 50 % & "more". Consilium release sample-0123456789.',
  );
});

it("is BibTeX whose special characters are escaped", () => {
  expect(bib!.text).toBe(`@misc{sample-0123456789,
  author = {{Four hospitals}},
  title = {{Reduced \\{data\\}: 50 \\% \\& "more"}},
  year = {2026},
  month = {1},
  version = {1.0.0},
  note = {Consilium release sample-0123456789},
  url = {${url}},
}
`);
  const [anonymous] = citations({ ...release, creator: null, title: "a\\b^c" }, url);
  expect(anonymous!.text).not.toContain("author");
  expect(anonymous!.text).toContain("a\\textbackslash{}b\\textasciicircum{}c");
});

it("is a citation file in YAML with what its schema requires", () => {
  expect(parse(cff!.text)).toEqual({
    "cff-version": "1.2.0",
    message: "If you use this data set or model, please cite it as below.",
    type: "dataset",
    title: release.title,
    authors: [{ name: "Four hospitals" }],
    version: "1.0.0",
    "date-released": "2026-01-02",
    url,
    license: "CC-BY-4.0",
    identifiers: [{ type: "other", value: release.id, description: "Consilium release" }],
  });
  const other = citations({ ...release, license: "ask us", creator: null }, url)[1]!;
  expect(parse(other.text)).not.toHaveProperty("license");
  expect(parse(other.text).authors).toHaveLength(1);
});

it("names persons as authors of their own", () => {
  const creator = "Lindqvist, Marta (Hospital A, Pathology); Okafor, Daniel";
  expect(citation({ ...release, creator })).toMatch(/^Lindqvist, Marta; Okafor, Daniel \(2026\): /);
  const [bibtex, yaml, csl] = citations({ ...release, creator }, url).map(({ text }) => text);
  expect(bibtex).toContain("author = {Lindqvist, Marta and Okafor, Daniel},");
  expect(parse(yaml!).authors).toEqual([
    { "family-names": "Lindqvist", "given-names": "Marta", affiliation: "Hospital A, Pathology" },
    { "family-names": "Okafor", "given-names": "Daniel" },
  ]);
  expect(JSON.parse(csl!)[0].author).toEqual([
    { family: "Lindqvist", given: "Marta" },
    { family: "Okafor", given: "Daniel" },
  ]);
});

it("is CSL-JSON", () => {
  expect(JSON.parse(csl!.text)).toEqual([
    {
      id: release.id,
      type: "dataset",
      title: release.title,
      author: [{ literal: "Four hospitals" }],
      issued: { "date-parts": [[2026, 1, 2]] },
      version: "1.0.0",
      number: release.id,
      URL: url,
    },
  ]);
});
