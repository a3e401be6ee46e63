import type { PolicyVersionView } from "@consilium/core/hospital/policyViews";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Card, CodeBlock, DataTable, Loaded, Moment } from "../../shared/components";
import { t } from "../../shared/language";
import { hospital } from "../api";

/** Previous policies: each can be viewed and restored to the editor. */
export function History({ onRestore }: { readonly onRestore: ((text: string) => void) | null }) {
  const query = useQuery({ queryKey: ["policy", "history"], queryFn: hospital.policyHistory });
  const [shown, setShown] = useState<string | null>(null);
  return (
    <Card title={t("Previous versions")}>
      <Loaded query={query} what={t("the earlier versions")}>
        {(versions) => (
          <DataTable
            caption={t("Previous policies, newest first")}
            hideCaption
            columns={[
              { title: t("Until"), cell: (one) => <Moment iso={one.replacedAt} /> },
              { title: t("Replaced by"), cell: (one) => one.replacedBy },
              { title: "SHA-256", cell: (one) => <code title={one.sha256}>{one.sha256.slice(0, 16)}</code> },
              {
                title: t("Text"),
                cell: (one) => (
                  <ShowButton of={one} isShown={shown === one.id} onToggle={(id) => setShown(id)} />
                ),
              },
            ]}
            rows={versions}
            keyOf={(one) => one.id}
            empty={t("No previous versions yet.")}
          />
        )}
      </Loaded>
      {shown === null ? null : <Version id={shown} onRestore={onRestore} />}
    </Card>
  );
}

function ShowButton(props: {
  readonly of: PolicyVersionView;
  readonly isShown: boolean;
  readonly onToggle: (id: string | null) => void;
}) {
  return (
    <button
      type="button"
      aria-expanded={props.isShown}
      aria-label={t("{more} the version that {replacedBy} replaced at {replacedAt}", {
        more: props.isShown ? t("Hide") : t("Show"),
        replacedBy: props.of.replacedBy,
        replacedAt: props.of.replacedAt,
      })}
      onClick={() => props.onToggle(props.isShown ? null : props.of.id)}
    >
      {props.isShown ? t("Hide") : t("Show")}
    </button>
  );
}

function Version({
  id,
  onRestore,
}: {
  readonly id: string;
  readonly onRestore: ((text: string) => void) | null;
}) {
  const query = useQuery({
    queryKey: ["policy", "history", id],
    queryFn: () => hospital.policyVersion(id),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <Loaded query={query} what={t("the version")}>
      {({ text }) => (
        <>
          <CodeBlock code={text} label={t("Previous policy")} />
          {onRestore === null ? null : (
            <button type="button" onClick={() => onRestore(text)}>
              {t("Restore to editor")}
            </button>
          )}
        </>
      )}
    </Loaded>
  );
}
