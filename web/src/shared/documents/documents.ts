/** Some of the project's documents as this version has them, each loaded when it is read. */
export interface Documents {
  /** Below which address they are, such as `/help`. */
  readonly base: string;
  /** By the path below `docs/` without its ending. */
  readonly load: ReadonlyMap<string, () => Promise<string>>;
}

/** @param files - by their paths, as `import.meta.glob` has them */
export function documentsAt(base: string, files: Readonly<Record<string, () => Promise<string>>>): Documents {
  const named = Object.entries(files).map(
    ([path, load]) => [path.replace(/^.*\/docs\//, "").replace(/\.md$/, ""), load] as const,
  );
  return { base, load: new Map(named) };
}

/** Where a link in a document leads; null for a file that is not among these documents. */
export function addressOf({ base, load }: Documents, from: string, link: string): string | null {
  if (/^https?:/.test(link) || link.startsWith("#")) return link;
  const [path = "", anchor] = link.split("#");
  const parts = from.split("/").slice(0, -1);
  for (const part of path.replace(/\.md$/, "").split("/"))
    if (part === "..") parts.pop();
    else if (part !== "." && part !== "") parts.push(part);
  const name = parts.join("/");
  if (!path.endsWith(".md") || !load.has(name)) return null;
  return `${base}/${name}${anchor === undefined ? "" : `#${anchor}`}`;
}

/**
 * Where pages have the document that a certificate names as its proof, such as `docs/METHODS.md#dp-pca-proof`.
 * @returns null for what is no document of ours
 */
export function proofAddress(proof: string | null, base = "/documents"): string | null {
  const [, page, anchor = ""] = /^docs\/([\w/-]+)\.md(#[\w-]+)?$/.exec(proof ?? "") ?? [];
  return page === undefined ? null : `${base}/${page}${anchor}`;
}
