import type { ReleaseView } from "@consilium/core/release/views";
import { useState } from "react";
import { CodeBlock, Notice } from "../shared/components";
import { rich, served, t } from "../shared/language";
import { Tabs } from "../shared/Tabs";
import { AnchoredCard } from "./Anchor";

/** Code that reads the rows and runs the model, with this release's addresses filled in. */
export function CodeCard({ view: { snippets, content } }: { readonly view: ReleaseView }) {
  const [chosen, choose] = useState(snippets[0]?.id ?? "pandas");
  const snippet = snippets.find(({ id }) => id === chosen) ?? snippets[0];
  return (
    <AnchoredCard id="code" title={t("Code")}>
      {content.access === "open" ? null : (
        <Notice title={t("This release needs a token.")}>
          <p>
            {rich("Set the environment variable {code} to your reader token first.", {
              code: <code>CONSILIUM_TOKEN</code>,
            })}
          </p>
        </Notice>
      )}
      {snippet === undefined ? (
        <p>{t("This release is a model in its own format: model.json says how to apply it.")}</p>
      ) : (
        <Tabs
          label={t("Tool")}
          tabs={snippets.map(({ id, title }) => ({ id, title }))}
          current={snippet.id}
          onChange={(id) => choose(id as typeof chosen)}
        >
          <CodeBlock code={snippet.code} label={t("Code for {title}", { title: served(snippet.title) })} />
          <p className="muted">{rich("Needs: {needs}", { needs: <code>{snippet.needs}</code> })}</p>
        </Tabs>
      )}
    </AnchoredCard>
  );
}

/** How to cite the release, to copy. */
export function CitationCard({ view: { citations } }: { readonly view: ReleaseView }) {
  const [chosen, choose] = useState(citations[0]?.format ?? "");
  const citation = citations.find(({ format }) => format === chosen) ?? citations[0];
  if (citation === undefined) return null;
  return (
    <AnchoredCard id="citation" title={t("Cite")}>
      <Tabs
        label={t("Citation format")}
        tabs={citations.map(({ format }) => ({ id: format, title: format }))}
        current={citation.format}
        onChange={choose}
      >
        <CodeBlock code={citation.text} label={t("Citation as {format}", { format: citation.format })} />
        <p className="muted">{rich("Save it as {file}.", { file: <code>{citation.file}</code> })}</p>
      </Tabs>
    </AnchoredCard>
  );
}
