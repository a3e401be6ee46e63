import { fileURLToPath } from "node:url";
import { commentsOf } from "./comments.js";
import { type Fault, filesOf, readProjectFile, reportFaults } from "./repository.js";

/**
 * Citations and docs/references.md, which fixes the version of each source: a key in a comment or document that is
 * not in that list is a fault, and so is an entry that nobody cites.
 *
 * What counts as a citation is narrow, so that no array type or index is taken for one. In a comment, or in a document
 * outside of code:
 *
 *   [ZY22] [Mir12] [DR14, Theorem A.1]   initials of the authors, two digits of the year
 *   [SP800-38A] [FIPS197, section 4]    NIST publications
 *   [Blum 1983]                         a name and a year
 *   RFC 8032, [RFC8032, section 5]      RFCs, with or without brackets
 *
 * An entry with another kind of key (`Golub and Van Loan 2013`) is cited by its very words, without brackets.
 */
const referencesDocument = "docs/references.md";

const bracketed =
  /\[(?<key>[A-Z]{2,5}\d{2}|[A-Z][a-z]{2}\d{2}|SP800-\d{1,3}[A-Z]?|FIPS\d{2,3}|RFC\d{3,5}|[A-Z][a-z]+ \d{4})(?:,[^\][]*)?\](?![(:[])/g;
const rfc = /\bRFC ?(\d{3,5})\b/g;

/** The keys cited in a text, RFCs always as `RFC8032`. */
export function citedKeys(text: string): string[] {
  const keys = [...text.matchAll(bracketed)].map((match) => match.groups!.key!);
  const rfcs = [...text.matchAll(rfc)].map((match) => `RFC${match[1]}`);
  return [...new Set([...keys, ...rfcs])];
}

/** The keys of docs/references.md: the first cell of each table row, in backticks. */
function listedKeys(document: string): string[] {
  return [...document.matchAll(/^\| `([^`]+)` \|/gm)].map((row) => row[1]!);
}

/** Markdown without its code, which may index an array. */
function prose(markdown: string): string {
  return markdown
    .replace(/^```[\s\S]*?^```/gm, (block) => block.replace(/[^\n]/g, ""))
    .replace(/`[^`\n]*`/g, "");
}

interface Passage {
  readonly place: string;
  readonly text: string;
}

function passages(): Passage[] {
  const sources = filesOf(/\.(?:ts|mts|mjs|proto|py)$/)
    .filter((file) => !file.includes("/generated/"))
    .flatMap((file) =>
      commentsOf(file, readProjectFile(file)).map(({ line, text }) => ({ place: `${file}:${line}`, text })),
    );
  const documents = filesOf(/\.md$/)
    .filter((file) => file !== referencesDocument)
    .flatMap((file) =>
      prose(readProjectFile(file))
        .split("\n")
        .map((text, index) => ({ place: `${file}:${index + 1}`, text })),
    );
  return [...sources, ...documents];
}

/** Unknown keys where they are cited, and entries that nobody cites. */
export function referenceFaults(document: string, cited: readonly Passage[]): Fault[] {
  const listed = listedKeys(document);
  const unused = new Set(listed);
  const faults: Fault[] = [];
  for (const { place, text } of cited) {
    for (const key of citedKeys(text)) {
      if (listed.includes(key)) unused.delete(key);
      else faults.push({ place, what: `cites ${key}, which ${referencesDocument} does not list` });
    }
    for (const key of unused)
      if (citedKeys(`[${key}]`).length === 0 && text.includes(key)) unused.delete(key);
  }
  const twice = listed.filter((key, index) => listed.indexOf(key) !== index);
  for (const key of twice) faults.push({ place: referencesDocument, what: `lists ${key} twice` });
  for (const key of unused) faults.push({ place: referencesDocument, what: `nothing cites ${key}` });
  return faults;
}

export function allReferenceFaults(): Fault[] {
  return referenceFaults(readProjectFile(referencesDocument), passages());
}

if (process.argv[1] === fileURLToPath(import.meta.url)) reportFaults(allReferenceFaults());
