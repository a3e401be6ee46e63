import type { PolicyView } from "@consilium/core/hospital/policyViews";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Loaded, Notice, Page } from "../../shared/components";
import { rich, t } from "../../shared/language";
import { useUnsaved } from "../../shared/leaving";
import { useSession } from "../../shared/session/session";
import { hospital } from "../api";
import { CommonSettings } from "./CommonSettings";
import { DryRun } from "./DryRun";
import { Editor } from "./Editor";
import { History } from "./History";
import { Save } from "./Save";
import { useCheck } from "./useCheck";

export default function PolicyPage() {
  const query = useQuery({ queryKey: ["policy"], queryFn: hospital.policy });
  return (
    <Page
      title={t("Policy")}
      lead={t("Which studies this hospital joins, who approves them, and the lifetime privacy budget.")}
    >
      <Loaded query={query} what={t("the policy")}>
        {(policy) => <Edited policy={policy} />}
      </Loaded>
    </Page>
  );
}

/** The text being edited, and the version of the file that it is based on. */
interface Draft {
  readonly text: string;
  readonly version: string | null;
}

function Edited({ policy }: { readonly policy: PolicyView }) {
  const { account } = useSession();
  const mayEdit = account.role === "administrator";
  const [draft, setDraft] = useState<Draft | null>(null);
  const saved = policy.text ?? policy.suggestion;
  const text = draft?.text ?? saved;
  const change = (next: string) => setDraft({ text: next, version: draft?.version ?? policy.version });
  const check = useCheck(text, policy.version);
  const isOther = draft !== null && draft.text !== (policy.text ?? "");
  useUnsaved(isOther);
  const isOutrun = draft !== null && draft.version !== policy.version;
  return (
    <>
      <Standing policy={policy} />
      {isOutrun ? (
        <Notice
          tone="warn"
          title={t("The file was changed while you edited it.")}
          action={
            <button type="button" onClick={() => setDraft(null)}>
              {t("Load the current file")}
            </button>
          }
        >
          <p>{t("Your text is still below; copy what you need, then make the change again.")}</p>
        </Notice>
      ) : null}
      {mayEdit ? <CommonSettings text={text} onChange={change} /> : null}
      <Editor
        title={policy.text === null ? t("Policy file (suggested)") : t("Policy file")}
        path={policy.status.path}
        text={text}
        faults={check.view?.faults ?? []}
        state={check.state}
        onChange={mayEdit ? change : null}
      />
      {check.error === null ? null : (
        <Notice tone="warn" title={t("The text could not be checked.")}>
          <p>{t("The agent is not responding. The page tries again with your next change.")}</p>
        </Notice>
      )}
      <DryRun view={check.view} isOther={isOther} />
      {mayEdit ? (
        <Save
          draft={{ text, version: draft === null ? policy.version : draft.version }}
          canSave={(isOther || policy.text === null) && !isOutrun}
          check={check}
          onSaved={() => setDraft(null)}
          onDiscard={draft === null ? null : () => setDraft(null)}
        />
      ) : (
        <p className="muted">{t("An administrator can change the policy.")}</p>
      )}
      <History onRestore={mayEdit ? change : null} />
    </>
  );
}

function Standing({ policy }: { readonly policy: PolicyView }) {
  const { state } = policy.status;
  switch (state) {
    case "read":
      return policy.allowNoPrivacy ? (
        <Notice tone="warn" title={t("Studies without any privacy are allowed.")}>
          <p>
            {rich("{code} is set in {code2}, and a policy cannot override it. Use it for public data only.", {
              code: <code>allowNoPrivacy: true</code>,
              code2: <code>config.yaml</code>,
            })}
          </p>
        </Notice>
      ) : null;
    case "absent":
      return (
        <Notice tone="info" title={t("No policy file yet.")}>
          <p>
            {t(
              "Without one, studies with proven privacy need manual approval, and all others are refused. The text below does the same: edit and save it.",
            )}
          </p>
        </Notice>
      );
    case "invalid":
      return (
        <Notice
          tone="bad"
          title={t("The policy has errors: every study is refused until they are corrected.")}
        >
          <p>{t("The errors are marked below.")}</p>
        </Notice>
      );
  }
}
