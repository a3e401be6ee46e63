import { lexer, type Token, type Tokens } from "marked";

/** A document's blocks. Comments are none. */
export function blocksOf(text: string): Token[] {
  return lexer(text).filter((block) => block.type !== "space" && !isComment(block));
}

const isComment = ({ type, raw }: Token) => type === "html" && raw.startsWith("<!--");

export const within = (token: Token): readonly Token[] => ("tokens" in token && token.tokens) || [];

/** The text of spans, without what marks them. */
export function plainText(spans: readonly Token[]): string {
  return spans
    .map((span) => {
      if (span.type === "html") return "";
      const inner = within(span);
      return inner.length > 0 ? plainText(inner) : "text" in span ? span.text : "";
    })
    .join("");
}

/** Where links to a heading lead: as `scripts/anchorOf.ts` has it, which they are written for. */
export function anchorOf(heading: Tokens.Heading): string {
  return plainText(within(heading))
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}_\- ]/gu, "")
    .trim()
    .replaceAll(" ", "-");
}

/** The place that an empty HTML anchor marks; null for other HTML, which is not shown. */
export function markedPlace({ raw }: Token): string | null {
  return /^<a id="([\w-]+)">/.exec(raw)?.[1] ?? null;
}
