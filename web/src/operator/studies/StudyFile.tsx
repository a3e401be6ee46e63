import type { StudyView } from "@consilium/core/operator/views";
import { stringify } from "yaml";
import { Card, CodeBlock } from "../../shared/components";
import { t } from "../../shared/language";

/** The study with every default filled in. */
export default function StudyFile({ study }: { readonly study: StudyView }) {
  return (
    <Card title={t("Study file")}>
      <details>
        <summary>{t("With defaults filled in")}</summary>
        <CodeBlock label={t("Study as YAML")} code={stringify(study.study, { lineWidth: 100 })} />
      </details>
    </Card>
  );
}
