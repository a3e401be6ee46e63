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

/** All that tokens consist of, down to their words. */
export function* partsOf(tokens: readonly Token[]): Generator<Token> {
  for (const token of tokens) {
    yield token;
    yield* partsOf(within(token));
    if (token.type === "list") yield* partsOf((token as Tokens.List).items);
    if (token.type === "table") {
      const { header, rows } = token as Tokens.Table;
      for (const cell of [...header, ...rows.flat()]) yield* partsOf(cell.tokens);
    }
  }
}

/** Where a marked place leads that is only a link to the place of that name in another document; else null. */
export function leadsOn(blocks: readonly Token[], id: string): string | null {
  const parts = [...partsOf(blocks)].filter(({ raw }) => raw !== "</a>");
  const link = parts[parts.findIndex((part) => part.type === "html" && markedPlace(part) === id) + 1];
  if (link?.type !== "link") return null;
  const { href } = link as Tokens.Link;
  return href.endsWith(`.md#${id}`) ? href : null;
}

/** The place that an empty HTML anchor marks; null for other HTML, which is not shown. */
export function markedPlace({ raw }: Token): string | null {
  return /^<a id="([\w-]+)">/.exec(raw)?.[1] ?? null;
}
