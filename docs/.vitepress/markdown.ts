import type { MarkdownRenderer } from "vitepress";

/** Blocks of mermaid become diagrams, drawn in the reader's browser. */
export function drawDiagrams(md: MarkdownRenderer): void {
  const fence = md.renderer.rules.fence!;
  md.renderer.rules.fence = (tokens, index, options, env, self) => {
    const token = tokens[index]!;
    if (token.info.trim() !== "mermaid") return fence(tokens, index, options, env, self);
    return `<Diagram source="${encodeURIComponent(token.content)}"></Diagram>`;
  };
}

/**
 * Links to what is no page lead to the sources: on the repository's pages where its address is known, and are plain text
 * otherwise. A folder's README is its index.
 * @param repository - such as `https://git.example.org/consilium/blob/main/`; null: none
 */
export function projectLinks(md: MarkdownRenderer, repository: string | null): void {
  md.core.ruler.push("project-links", (state) => {
    const folder = (state.env as { relativePath?: string }).relativePath?.split("/").slice(0, -1) ?? [];
    for (const block of state.tokens) {
      let isOpen = false;
      for (const token of block.children ?? []) {
        if (token.type === "link_open") {
          const href = String(token.attrGet("href"));
          const path = pathInProject(folder, href);
          isOpen = path !== null;
          if (path === null) {
            if (!/^[a-z]+:/i.test(href)) token.attrSet("href", href.replace(/\bREADME\.md\b/, "index.md"));
          } else if (repository === null) {
            token.tag = "span";
            token.attrs = [["class", "source"]];
          } else token.attrs = [["href", `${repository}${path}`]];
        } else if (token.type === "link_close" && isOpen) {
          if (repository === null) token.tag = "span";
          isOpen = false;
        }
      }
    }
  });
}

/** Where a link leads that leaves `docs/` or the pages in it, from the project's folder; null for every other one. */
function pathInProject(folder: readonly string[], href: string): string | null {
  if (/^[a-z]+:|^[/#]/i.test(href)) return null;
  const path = ["docs", ...folder];
  for (const part of href.split("/")) {
    if (part === "..") path.pop();
    else if (part !== ".") path.push(part);
  }
  const isPage = path[0] === "docs" && /\.md(?:#|$)|^[^.]*$/.test(path.at(-1)!);
  return isPage ? null : path.join("/");
}
