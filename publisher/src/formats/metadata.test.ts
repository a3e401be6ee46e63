import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ReleaseContent } from "@consilium/core/release/content";
import { afterAll, describe, expect, it } from "vitest";
import { croissantFaults, datapackageFaults, roCrateFaults } from "../../testing/formats/metadata.js";
import { sampleTrees } from "../../testing/formats/predictors.js";
import { rowBytesOf, sampleContent, sampleRows } from "../../testing/release.js";
import { renderRelease } from "./render.js";

const root = await mkdtemp(join(tmpdir(), "consilium-metadata-"));
afterAll(() => rm(root, { recursive: true, force: true }));

async function render(content: ReleaseContent) {
  const folder = await mkdtemp(join(root, "r-"));
  const dataPath = join(folder, "rows.bin");
  await writeFile(dataPath, content.columns.length === 0 ? "" : rowBytesOf(content, sampleRows));
  const release = join(folder, "release");
  const files = await renderRelease({
    content,
    dataPath,
    folder: release,
    scratch: join(folder, "scratch"),
    baseUrl: "https://releases.example.org/releases/sample-0123456789/",
  });
  const json = async (name: string) => JSON.parse(await readFile(join(release, name), "utf8"));
  return {
    present: [...files.map(({ name }) => name), "certificate.json", "certificate.jws"],
    croissant: await json("croissant.json"),
    datapackage: await json("datapackage.json"),
    roCrate: await json("ro-crate-metadata.json"),
  };
}

const persons = "Lindqvist, Marta (Hospital A, Pathology); Okafor, Daniel";

const proved: ReleaseContent["privacy"] = {
  ...sampleContent().privacy,
  verdict: "proved",
  proof: "docs/METHODS.md#x",
  reasons: [],
};
const contents: [string, ReleaseContent][] = [
  ["rows, of a paper variant", sampleContent()],
  ["rows, proved, with a token", sampleContent({ privacy: proved, access: "token" })],
  ["neither licence nor creator", sampleContent({ license: null, creator: null })],
  ["persons and a contact", sampleContent({ license: null, creator: persons, contact: "marta@a.example" })],
  ["a licence in words", sampleContent({ license: "Ask us (really)" })],
  [
    "a model and no rows",
    sampleContent({
      columns: [],
      rows: 0,
      predictor: sampleTrees("logistic", { isXgboost: true }),
      figures: [{ kind: "tree", name: "first-tree", title: "The first tree", tree: 0 }],
    }),
  ],
];

describe("the metadata of a release", () => {
  it.each(contents)("keeps to its specifications: %s", async (_what, content) => {
    const { croissant, datapackage, roCrate, present } = await render(content);
    expect(croissantFaults(croissant)).toEqual([]);
    expect(datapackageFaults(datapackage)).toEqual([]);
    expect(roCrateFaults(roCrate, present)).toEqual([]);
  });

  it("never shows a paper variant's disclosure check as a proof", async () => {
    const checkOf = async (content: ReleaseContent) => {
      const { roCrate } = await render(content);
      return roCrate["@graph"].find((one: { "@id": string }) => one["@id"] === "#disclosure-check").name;
    };
    expect(await checkOf(sampleContent())).toContain("without a proof");
    expect(await checkOf(sampleContent({ privacy: proved }))).toContain("by proof");
  });
});

/** A checker that never caught anything proves nothing. */
describe("the checks themselves catch", () => {
  // biome-ignore lint/suspicious/noExplicitAny: edits reach anywhere into a document
  type Loose = any;
  type Edit = (document: Loose) => void;
  const graph = (document: Loose, id: string) => document["@graph"].find((one: Loose) => one["@id"] === id);

  it.each<[string, Edit]>([
    ["no licence", (d) => delete d.license],
    ["no creator", (d) => delete d.creator],
    ["another version", (d) => (d.conformsTo = "http://mlcommons.org/croissant/0.8")],
    ["a term without meaning", (d) => (d.sha = "x")],
    ["a context that lacks a term", (d) => delete d["@context"].citeAs],
    ["a file without a hash", (d) => delete d.distribution[0].sha256],
    ["a relative address", (d) => (d.distribution[0].contentUrl = "data.csv")],
    ["a column of no file", (d) => (d.recordSet[1].field[0].source.fileObject["@id"] = "none")],
    ["a level set that is not there", (d) => (d.recordSet[1].field[2].references.field["@id"] = "none")],
    ["a key of another set", (d) => (d.recordSet[0].key["@id"] = "rows/0")],
    ["data of unknown fields", (d) => (d.recordSet[0].data[0] = { other: 1 })],
    ["an id twice", (d) => (d.distribution[1]["@id"] = d.distribution[0]["@id"])],
    ["a day instead of a moment", (d) => (d.datePublished = "yesterday")],
  ])("in Croissant: %s", async (_what, edit) => {
    const { croissant } = await render(sampleContent());
    edit(croissant);
    expect(croissantFaults(croissant)).not.toEqual([]);
  });

  it.each<[string, Edit]>([
    ["no resources", (d) => (d.resources = [])],
    ["a path up", (d) => (d.resources[0].path = "../x")],
    ["a name in capitals", (d) => (d.resources[0].name = "Data")],
    ["two resources of a name", (d) => (d.resources[1].name = d.resources[0].name)],
    ["a licence that is neither named nor linked", (d) => (d.licenses = [{ title: "x" }])],
    ["an invalid type", (d) => (d.resources[0].schema.fields[0].type = "float")],
    ["an empty list of levels", (d) => (d.resources[0].schema.fields[2].constraints.enum = [])],
    ["a table without a schema", (d) => delete d.resources[1].schema],
  ])("in a Data Package: %s", async (_what, edit) => {
    const { datapackage } = await render(sampleContent());
    edit(datapackage);
    expect(datapackageFaults(datapackage)).not.toEqual([]);
  });

  it.each<[string, Edit]>([
    ["no licence", (d) => delete graph(d, "./").license],
    ["no project", (d) => delete graph(d, "./").sourceOrganization],
    ["a file that is not there", (d) => (graph(d, "data.csv")["@id"] = "none.csv")],
    ["a file that is no part", (d) => graph(d, "./").hasPart.pop()],
    ["an action that is not mentioned", (d) => graph(d, "./").mentions.pop()],
    ["an action without an agent", (d) => delete graph(d, "#sign-off").agent],
    ["an invalid status", (d) => (graph(d, "#run").actionStatus = "done")],
    ["software of nobody", (d) => delete graph(d, "#consilium").provider],
    [
      "no disclosure check",
      (d) => (graph(d, "#disclosure-check").additionalType["@id"] = "https://w3id.org/shp#X"),
    ],
    ["a nested entity", (d) => (graph(d, "./").creator = { "@type": "Person", name: "x" })],
    ["an agent outside the project", (d) => delete graph(d, "#creator").memberOf],
  ])("in an RO-Crate: %s", async (_what, edit) => {
    const { roCrate, present } = await render(sampleContent());
    edit(roCrate);
    expect(roCrateFaults(roCrate, present)).not.toEqual([]);
  });
});
