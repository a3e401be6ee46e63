import { useQuery } from "@tanstack/react-query";
import { Fragment, type ReactNode, useEffect } from "react";
import { Link } from "wouter";
import { Loaded, Page } from "../components";
import { t } from "../language";
import { NoSuchPage } from "../NoSuchPage";
import { type Block, type Inline, parseMarkdown, resolvedLink } from "./markdown";

/** What certificates name as proofs, and what these rest on: the repository's own documents, in English. */
const files = import.meta.glob<string>(
  ["../../../../docs/METHODS.md", "../../../../docs/references.md", "../../../../docs/methods/*.md"],
  { query: "?raw", import: "default" },
);
const loaders = new Map(
  Object.entries(files).map(([path, load]) => [path.replace(/^.*\/docs\//, "").replace(/\.md$/, ""), load]),
);
const known: ReadonlySet<string> = new Set(loaders.keys());

/**
 * @param props.above - what leads back from the documents
 * @param props.home - the way out of a page that is not there
 */
export default function DocumentPage(props: {
  readonly name: string;
  readonly above: readonly (readonly [href: string, title: string])[];
  readonly home: string;
}) {
  const { name } = props;
  const load = loaders.get(name);
  const query = useQuery({
    queryKey: ["document", name],
    queryFn: async () => parseMarkdown(await load!()),
    enabled: load !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const isThere = query.data !== undefined;
  useEffect(() => {
    if (!isThere || location.hash === "") return;
    document.getElementById(location.hash.slice(1))?.scrollIntoView();
  }, [isThere]);
  if (load === undefined) return <NoSuchPage home={props.home} />;
  const [title, ...blocks] = query.data ?? [];
  return (
    <Page
      title={title?.kind === "heading" ? plainText(title.of) : t("Methods|documents")}
      trail={[
        ...props.above,
        ...(name === "METHODS" ? [] : [["/documents/METHODS", t("Methods|documents")] as const]),
      ]}
    >
      <Loaded query={query} what={t("the document")}>
        {() => (
          <article className="card document" lang="en">
            {blocks.map((block, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a document does not change
              <Shown key={at} block={block} from={name} />
            ))}
          </article>
        )}
      </Loaded>
    </Page>
  );
}

function plainText(of: readonly Inline[]): string {
  return of.map((one) => ("text" in one ? one.text : "of" in one ? plainText(one.of) : "")).join("");
}

function Shown({ block, from }: { readonly block: Block; readonly from: string }) {
  const inline = (of: readonly Inline[]) => <Inlines of={of} from={from} />;
  switch (block.kind) {
    case "heading": {
      const Tag = block.level <= 2 ? "h2" : "h3";
      return <Tag id={block.id}>{inline(block.of)}</Tag>;
    }
    case "paragraph":
      return <p>{inline(block.of)}</p>;
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
      const Tag = block.isOrdered ? "ol" : "ul";
      return (
        <Tag>
          {keyed(block.items, (item) => inline(item)).map((item) => (
            <li key={item.key}>{item.node}</li>
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
                {keyed(block.head, inline).map(({ key, node }) => (
                  <th key={key} scope="col">
                    {node}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {keyed(block.rows, (row) => keyed(row, inline)).map((row) => (
                <tr key={row.key}>
                  {row.node.map(({ key, node }) => (
                    <td key={key}>{node}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      );
  }
}

/** Parts of a document, which does not change, by their places. */
function keyed<T, Made>(
  of: readonly T[],
  make: (one: T) => Made,
): { readonly key: number; readonly node: Made }[] {
  return of.map((one, key) => ({ key, node: make(one) }));
}

function Inlines({ of, from }: { readonly of: readonly Inline[]; readonly from: string }): ReactNode {
  return keyed(of, (one) => inlineNode(one, from)).map(({ key, node }) => (
    <Fragment key={key}>{node}</Fragment>
  ));
}

function inlineNode(one: Inline, from: string): ReactNode {
  switch (one.kind) {
    case "text":
      return one.text;
    case "code":
      return <code>{one.text}</code>;
    case "anchor":
      return <span id={one.id} />;
    case "strong":
      return <strong>{<Inlines of={one.of} from={from} />}</strong>;
    case "emphasis":
      return <em>{<Inlines of={one.of} from={from} />}</em>;
    case "link": {
      const to = resolvedLink(from, one.to, known);
      const words = <Inlines of={one.of} from={from} />;
      // Other documents are not here.
      if (to === null) return words;
      return to.startsWith(`${from}#`) ? (
        <a href={to.slice(from.length)}>{words}</a>
      ) : (
        <Link href={`/documents/${to}`}>{words}</Link>
      );
    }
  }
}
