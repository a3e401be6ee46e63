/**
 * Where these pages have the document that a certificate names as its proof, such as `docs/METHODS.md#dp-pca-proof`.
 * @returns null for what is no document of ours
 */
export function proofAddress(proof: string | null): string | null {
  const [, page, anchor = ""] = /^docs\/([\w/-]+)\.md(#[\w-]+)?$/.exec(proof ?? "") ?? [];
  return page === undefined ? null : `/documents/${page}${anchor}`;
}
