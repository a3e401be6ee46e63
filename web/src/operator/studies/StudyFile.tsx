import type { StudyView } from "@consilium/core/operator/views";
import { stringify } from "yaml";
import { Card, CodeBlock } from "../../shared/components";

/** The study with every default filled in. */
export default function StudyFile({ study }: { readonly study: StudyView }) {
  return (
    <Card title="Study file">
      <details>
        <summary>With defaults filled in</summary>
        <CodeBlock label="Study as YAML" code={stringify(study.study, { lineWidth: 100 })} />
      </details>
    </Card>
  );
}
