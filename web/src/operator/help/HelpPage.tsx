import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect, useMemo } from "react";
import { Link, useParams } from "wouter";
import { Card, Empty, Loaded, Page } from "../../shared/components";
import { t } from "../../shared/language";
import { documentTitles, linkOf, readDocument } from "./documents";
import { type Block, blocksOf, type Span } from "./markdown";

const first = "tutorials/operator";

/** The project's documents, of this version: `/help/<document>#<place>`. They are in English. */
export default function HelpPage() {
  const { "*": name = first } = useParams<{ "*": string }>();
  const query = useQuery({
    queryKey: ["document", name],
    queryFn: () => readDocument(name),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <Page title={t("Help")} lead={t("The documents of this version, in English.")}>
      <div className="help">
        <nav aria-label={t("Documents")}>
          <ul className="plain">
            {Object.entries(documentTitles).map(([id, title]) => (
              <li key={id}>
                <Link href={`/help/${id}`} aria-current={id === name ? "page" : undefined}>
                  {title}
                </Link>
              </li>
            ))}
          </ul>
        </nav>
        <Loaded query={query} what={t("the document")}>
          {(text) =>
            text === null ? (
              <Empty title={t("There is no such document.")} />
            ) : (
              <Text name={name} text={text} />
            )
          }
        </Loaded>
      </div>
    </Page>
  );
}

function Text({ name, text }: { readonly name: string; readonly text: string }) {
  const blocks = useMemo(() => blocksOf(text), [text]);
  useEffect(() => {
    const show = () => document.getElementById(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView();
    show();
    addEventListener("hashchange", show);
    return () => removeEventListener("hashchange", show);
  }, []);
  return (
    <Card>
      <article className="document" lang="en">
        {blocks.map((block, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a document's blocks stay in their places
          <Shown key={at} block={block} from={name} />
        ))}
      </article>
    </Card>
  );
}

function Shown({ block, from }: { readonly block: Block; readonly from: string }): ReactNode {
  switch (block.kind) {
    case "heading": {
      // The page has the first level.
      const Tag = `h${Math.min(6, block.level + 1)}` as "h2";
      return (
        <Tag id={block.id}>
          <Spans of={block.spans} from={from} />
        </Tag>
      );
    }
    case "paragraph":
      return (
        <p>
          <Spans of={block.spans} from={from} />
        </p>
      );
    case "quote":
      return (
        <blockquote>
          <Spans of={block.spans} from={from} />
        </blockquote>
      );
    case "code":
      return (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so it must be reachable by keyboard
        <section className="code-frame" tabIndex={0} aria-label={t("Code")}>
          <pre>
            <code>{block.text}</code>
          </pre>
        </section>
      );
    case "list": {
      const Tag = block.isOrdered ? "ol" : "ul";
      return (
        <Tag>
          {block.items.map((item, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: as above
            <li key={at}>
              {item.map((one, i) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: as above
                <Shown key={i} block={one} from={from} />
              ))}
            </li>
          ))}
        </Tag>
      );
    }
    case "table":
      return (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so it must be reachable by keyboard
        <section className="table-frame" tabIndex={0} aria-label={t("Table")}>
          <table>
            <thead>
              <tr>
                {block.head.map((cell, at) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: as above
                  <th key={at} scope="col">
                    <Spans of={cell} from={from} />
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {block.rows.map((row, r) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: as above
                <tr key={r}>
                  {row.map((cell, c) => (
                    // biome-ignore lint/suspicious/noArrayIndexKey: as above
                    <td key={c}>
                      <Spans of={cell} from={from} />
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      );
  }
}

function Spans({ of, from }: { readonly of: readonly Span[]; readonly from: string }): ReactNode {
  return of.map((span, at) => {
    const key = `${at}`;
    switch (span.kind) {
      case "text":
        return span.text;
      case "code":
        return <code key={key}>{span.text}</code>;
      case "strong":
        return <strong key={key}>{span.text}</strong>;
      case "em":
        return <em key={key}>{span.text}</em>;
      case "anchor":
        return <span key={key} id={span.id} />;
      case "link": {
        const href = linkOf(from, span.href);
        const text = <Spans of={span.spans} from={from} />;
        if (href === null) return <span key={key}>{text}</span>;
        return href.startsWith("/") ? (
          <Link key={key} href={href}>
            {text}
          </Link>
        ) : (
          <a key={key} href={href}>
            {text}
          </a>
        );
      }
      default:
        return null;
    }
  });
}
