import { said } from "../../shared/language";

/** The project's documents as this version has them, each loaded when it is read. */
const files = {
  ...import.meta.glob<string>(
    "../../../../docs/{STUDY,METHODS,OPERATIONS,ERRORS,THREAT_MODEL,omop,recoding}.md",
    { query: "?raw", import: "default" },
  ),
  ...import.meta.glob<string>("../../../../docs/{methods/*,tutorials/operator}.md", {
    query: "?raw",
    import: "default",
  }),
};

const prefix = "../../../../docs/";

/** What pages lead to, by the path below `docs/` without its ending. */
export const documentTitles: Readonly<Record<string, string>> = said({
  "tutorials/operator": "A federation from the first site to a release",
  STUDY: "Every key of a study",
  METHODS: "Methods and their proofs",
  omop: "Studies on OMOP databases",
  recoding: "Recoding, dates and cohorts",
  OPERATIONS: "Running a federation",
  ERRORS: "Error codes",
  THREAT_MODEL: "Threat model",
});

export const hasDocument = (name: string): boolean => `${prefix}${name}.md` in files;

/** @returns null for an unknown document */
export async function readDocument(name: string): Promise<string | null> {
  const load = files[`${prefix}${name}.md`];
  return load === undefined ? null : await load();
}

/** Where a link in a document leads: a page of these, an address elsewhere, or null for a file that is not shown here. */
export function linkOf(from: string, href: string): string | null {
  if (/^https?:/.test(href) || href.startsWith("#")) return href;
  const [path = "", anchor] = href.split("#");
  const parts = from.split("/").slice(0, -1);
  for (const part of path.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "." && part !== "") parts.push(part);
  }
  const name = parts.join("/").replace(/\.md$/, "");
  return path.endsWith(".md") && hasDocument(name)
    ? `/help/${name}${anchor === undefined ? "" : `#${anchor}`}`
    : null;
}
