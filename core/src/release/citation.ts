import type { ReleaseDescription } from "./content.js";
import { type Creator, creatorsOf } from "./creators.js";
import { isSpdx } from "./licence.js";

/** What a citation is made of. */
export type Cited = Pick<ReleaseDescription, "id" | "title" | "creator" | "createdAt" | "license">;

/** A citation in a form that a tool reads. */
export interface CitationText {
  readonly format: string;
  /** What such a file is called. */
  readonly file: string;
  readonly text: string;
}

/** In one line but for the URL. Affiliations are left to the forms that have a place for them. */
export function citation({ creator, createdAt, title, id }: Cited): string {
  const who = creator === null ? "" : `${creatorsOf(creator).map(nameOf).join("; ")} `;
  return `${who}(${createdAt.slice(0, 4)}): ${title}. Consilium release ${id}.`;
}

const nameOf = (one: Creator) => (one.kind === "person" ? `${one.family}, ${one.given}` : one.name);

/**
 * How to cite a release: BibTeX, the Citation File Format 1.2.0 and CSL-JSON.
 * @param url - of the release
 */
export function citations(release: Cited, url: string): CitationText[] {
  return [
    { format: "BibTeX", file: `${release.id}.bib`, text: bibtex(release, url) },
    { format: "Citation File Format", file: "CITATION.cff", text: citationFile(release, url) },
    { format: "CSL-JSON", file: `${release.id}.csl.json`, text: cslJson(release, url) },
  ];
}

function bibtex({ id, title, creator, createdAt }: Cited, url: string): string {
  const fields: readonly (readonly [string, string | null])[] = [
    // Braces around a whole value keep its letter case, and an organisation one name.
    ["author", creator === null ? null : creatorsOf(creator).map(texName).join(" and ")],
    ["title", `{${texText(title)}}`],
    ["year", createdAt.slice(0, 4)],
    ["month", String(Number(createdAt.slice(5, 7)))],
    ["version", "1.0.0"],
    ["note", texText(`Consilium release ${id}`)],
    ["url", url],
  ];
  const lines = fields.flatMap(([name, value]) => (value === null ? [] : [`  ${name} = {${value}},`]));
  return `@misc{${id},\n${lines.join("\n")}\n}\n`;
}

const texName = (one: Creator) => (one.kind === "person" ? texText(nameOf(one)) : `{${texText(one.name)}}`);

/** Text as LaTeX prints it. */
function texText(text: string): string {
  const special: Readonly<Record<string, string>> = {
    "\\": "\\textbackslash{}",
    "~": "\\textasciitilde{}",
    "^": "\\textasciicircum{}",
  };
  return text.replace(/\s+/g, " ").replace(/[\\{}$&#%_~^]/g, (found) => special[found] ?? `\\${found}`);
}

function citationFile({ id, title, creator, createdAt, license }: Cited, url: string): string {
  const lines = [
    "cff-version: 1.2.0",
    "message: If you use this data set or model, please cite it as below.",
    "type: dataset",
    // JSON's texts are YAML's too.
    `title: ${JSON.stringify(title)}`,
    "authors:",
    ...creatorsOf(creator ?? "The sites of the federation").flatMap(citationAuthor),
    "version: 1.0.0",
    `date-released: ${createdAt.slice(0, 10)}`,
    `url: ${JSON.stringify(url)}`,
    ...(license !== null && isSpdx(license) ? [`license: ${license}`] : []),
    "identifiers:",
    "  - type: other",
    `    value: ${JSON.stringify(id)}`,
    "    description: Consilium release",
  ];
  return `${lines.join("\n")}\n`;
}

function citationAuthor(one: Creator): string[] {
  if (one.kind === "institution") return [`  - name: ${JSON.stringify(one.name)}`];
  const { family, given, affiliation } = one;
  return [
    `  - family-names: ${JSON.stringify(family)}`,
    `    given-names: ${JSON.stringify(given)}`,
    ...(affiliation === null ? [] : [`    affiliation: ${JSON.stringify(affiliation)}`]),
  ];
}

const cslAuthor = (one: Creator) =>
  one.kind === "person" ? { family: one.family, given: one.given } : { literal: one.name };

function cslJson({ id, title, creator, createdAt }: Cited, url: string): string {
  const [year, month, day] = createdAt.slice(0, 10).split("-").map(Number);
  const item = {
    id,
    type: "dataset",
    title,
    ...(creator === null ? {} : { author: creatorsOf(creator).map(cslAuthor) }),
    issued: { "date-parts": [[year, month, day]] },
    version: "1.0.0",
    number: id,
    URL: url,
  };
  return `${JSON.stringify([item], null, 2)}\n`;
}
