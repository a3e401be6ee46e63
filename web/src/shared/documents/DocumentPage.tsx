import { useQuery } from "@tanstack/react-query";
import type { Token, Tokens } from "marked";
import { Fragment, type ReactNode, useEffect } from "react";
import { Link, useLocation } from "wouter";
import { Empty, Loaded, Page } from "../components";
import { t } from "../language";
import { addressOf, type Documents } from "./documents";
import { anchorOf, blocksOf, leadsOn, markedPlace, plainText, within } from "./markdown";

interface Place {
  readonly documents: Documents;
  readonly name: string;
}

/** A document as blocks; undefined until it has loaded, null where there is no such document. */
function useBlocks({ documents, name }: Place) {
  return useQuery({
    queryKey: ["document", documents.base, name],
    queryFn: async () => {
      const load = documents.load.get(name);
      return load === undefined ? null : blocksOf(await load());
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
}

const isTitle = (block: Token | undefined): block is Tokens.Heading =>
  block?.type === "heading" && block.depth === 1;

/** The project's documents are in English. */
export function DocumentPage(
  props: Place & {
    /** The name of the page until the document is there, and of one without a title. */
    readonly title: string;
    /** What leads back from the document. */
    readonly trail: readonly (readonly [href: string, title: string])[];
    /** Beside the document. */
    readonly aside?: ReactNode;
  },
) {
  const query = useBlocks(props);
  const [first] = query.data ?? [];
  const article = (
    <Loaded query={query} what={t("the document")}>
      {(blocks) =>
        blocks === null ? (
          <Empty title={t("There is no such document.")} />
        ) : (
          <Article {...props} blocks={isTitle(first) ? blocks.slice(1) : blocks} />
        )
      }
    </Loaded>
  );
  return (
    <Page title={isTitle(first) ? plainText(within(first)) : props.title} trail={props.trail}>
      {props.aside === undefined ? (
        article
      ) : (
        <div className="beside">
          {props.aside}
          {article}
        </div>
      )}
    </Page>
  );
}

function Article({ blocks, ...place }: Place & { readonly blocks: readonly Token[] }) {
  const [, navigate] = useLocation();
  const { documents, name } = place;
  useEffect(() => {
    const show = () => {
      const id = decodeURIComponent(location.hash.slice(1));
      const link = leadsOn(blocks, id);
      const to = link === null ? null : addressOf(documents, name, link);
      if (to === null) point(id);
      else navigate(to, { replace: true });
    };
    // After the page itself, which begins at its top.
    const frame = requestAnimationFrame(show);
    addEventListener("hashchange", show);
    return () => {
      cancelAnimationFrame(frame);
      removeEventListener("hashchange", show);
    };
  }, [blocks, documents, name, navigate]);
  return (
    <article className="card document" lang="en">
      {each(blocks, (block) => blockNode(block, place))}
    </article>
  );
}

/** Shows a place and marks it: CSS's `:target` knows no place that came after the page or by a link within it. */
function point(id: string): void {
  for (const one of document.querySelectorAll("[data-target]")) one.removeAttribute("data-target");
  const place = document.getElementById(id);
  const block = place?.closest("h2, h3, p, li, td") ?? place;
  // An anchor in a line of its own stands before what it names.
  const named = block?.textContent === "" ? block.nextElementSibling : block;
  named?.setAttribute("data-target", "");
  named?.scrollIntoView();
}

/** Parts of a document by their places, for it does not change. */
function each<T>(parts: readonly T[], node: (part: T) => ReactNode): ReactNode {
  // biome-ignore lint/suspicious/noArrayIndexKey: they stay in their places
  return parts.map((part, at) => <Fragment key={at}>{node(part)}</Fragment>);
}

function blockNode(block: Token, place: Place): ReactNode {
  const spans = (of: Token) => each(within(of), (span) => spanNode(span, place));
  const blocks = (of: Token) => each(within(of), (one) => blockNode(one, place));
  switch (block.type) {
    case "heading": {
      const heading = block as Tokens.Heading;
      const Tag = heading.depth <= 2 ? "h2" : "h3";
      return <Tag id={anchorOf(heading)}>{spans(heading)}</Tag>;
    }
    case "paragraph":
      return <p>{spans(block)}</p>;
    // Of an item without paragraphs.
    case "text":
      return spans(block);
    case "blockquote":
      return <blockquote>{blocks(block)}</blockquote>;
    case "code":
      return (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so it must be reachable by keyboard
        <section className="code-frame" tabIndex={0} aria-label={t("Formula or code")}>
          <pre>
            <code>{block.text}</code>
          </pre>
        </section>
      );
    case "list": {
      const list = block as Tokens.List;
      const Tag = list.ordered ? "ol" : "ul";
      return (
        <Tag>
          {each(list.items, (item) => (
            <li>{blocks(item)}</li>
          ))}
        </Tag>
      );
    }
    case "table":
      return <Table table={block as Tokens.Table} place={place} />;
    case "html":
      return spanNode(block, place);
    default:
      return null;
  }
}

function Table({ table, place }: { readonly table: Tokens.Table; readonly place: Place }) {
  const spans = (cell: Tokens.TableCell) => each(cell.tokens, (span) => spanNode(span, place));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so it must be reachable by keyboard
    <section className="table-frame" tabIndex={0} aria-label={t("Table")}>
      <table>
        <thead>
          <tr>
            {each(table.header, (cell) => (
              <th scope="col">{spans(cell)}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {each(table.rows, (row) => (
            <tr>
              {each(row, (cell) => (
                <td>{spans(cell)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function spanNode(span: Token, place: Place): ReactNode {
  const inner = () => each(within(span), (one) => spanNode(one, place));
  switch (span.type) {
    case "codespan":
      return <code>{span.text}</code>;
    case "strong":
      return <strong>{inner()}</strong>;
    case "em":
      return <em>{inner()}</em>;
    case "html": {
      const id = markedPlace(span);
      return id === null ? null : <span id={id} />;
    }
    case "link": {
      const to = addressOf(place.documents, place.name, (span as Tokens.Link).href);
      // Other files are not here.
      if (to === null) return inner();
      return to.startsWith("/") ? <Link href={to}>{inner()}</Link> : <a href={to}>{inner()}</a>;
    }
    case "text":
    case "escape":
      return span.text;
    // Pictures among them: the text says what they show.
    default:
      return null;
  }
}
