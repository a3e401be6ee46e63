import type { ReleaseView } from "@consilium/core/release/views";
import { useState } from "react";
import { CodeBlock, Notice } from "../shared/components";
import { Tabs } from "../shared/Tabs";
import { AnchoredCard } from "./Anchor";

/** Code that reads the rows and runs the model, with this release's addresses filled in. */
export function CodeCard({ view: { snippets, content } }: { readonly view: ReleaseView }) {
  const [chosen, choose] = useState(snippets[0]?.id ?? "pandas");
  const snippet = snippets.find(({ id }) => id === chosen) ?? snippets[0];
  return (
    <AnchoredCard id="code" title="Code">
      {content.access === "open" ? null : (
        <Notice title="This release needs a token.">
          <p>
            Set the environment variable <code>CONSILIUM_TOKEN</code> to your reader token first.
          </p>
        </Notice>
      )}
      {snippet === undefined ? (
        <p>This release is a model in its own format: model.json says how to apply it.</p>
      ) : (
        <Tabs
          label="Tool"
          tabs={snippets.map(({ id, title }) => ({ id, title }))}
          current={snippet.id}
          onChange={(id) => choose(id as typeof chosen)}
        >
          <CodeBlock code={snippet.code} label={`Code for ${snippet.title}`} />
          <p className="muted">
            Needs: <code>{snippet.needs}</code>
          </p>
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
    <AnchoredCard id="citation" title="Cite">
      <Tabs
        label="Citation format"
        tabs={citations.map(({ format }) => ({ id: format, title: format }))}
        current={citation.format}
        onChange={choose}
      >
        <CodeBlock code={citation.text} label={`Citation as ${citation.format}`} />
        <p className="muted">
          Save it as <code>{citation.file}</code>.
        </p>
      </Tabs>
    </AnchoredCard>
  );
}
