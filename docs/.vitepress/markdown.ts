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
 * Links that leave this folder lead to the sources: on the repository's pages where its address is known, and are plain
 * text otherwise.
 * @param repository - such as `https://git.example.org/consilium/blob/main/`; null: none
 */
export function sourceLinks(md: MarkdownRenderer, repository: string | null): void {
  md.core.ruler.push("source-links", (state) => {
    const folder = (state.env as { relativePath?: string }).relativePath?.split("/").slice(0, -1) ?? [];
    for (const block of state.tokens) {
      let isOpen = false;
      for (const token of block.children ?? []) {
        if (token.type === "link_open") {
          const path = pathInProject(folder, String(token.attrGet("href")));
          isOpen = path !== null;
          if (path === null) continue;
          if (repository === null) token.tag = "span";
          token.attrs = repository === null ? [["class", "source"]] : [["href", `${repository}${path}`]];
        } else if (token.type === "link_close" && isOpen) {
          if (repository === null) token.tag = "span";
          isOpen = false;
        }
      }
    }
  });
}

/** Where a link leads that leaves `docs/`, from the project's folder; null for one that stays or is no relative one. */
function pathInProject(folder: readonly string[], href: string): string | null {
  if (/^[a-z]+:|^[/#]/i.test(href)) return null;
  const path = ["docs", ...folder];
  for (const part of href.split("/")) {
    if (part === "..") path.pop();
    else if (part !== ".") path.push(part);
  }
  return path[0] === "docs" ? null : path.join("/");
}
