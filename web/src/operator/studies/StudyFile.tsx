import type { StudyView } from "@consilium/core/operator/views";
import { stringify } from "yaml";
import { Card, CodeBlock } from "../../shared/components";

/** The study as it runs, with every default filled in. */
export default function StudyFile({ study }: { readonly study: StudyView }) {
  return (
    <Card title="The study's file">
      <details>
        <summary>As it runs, defaults filled in</summary>
        <CodeBlock label="The study as YAML" code={stringify(study.study, { lineWidth: 100 })} />
      </details>
    </Card>
  );
}
