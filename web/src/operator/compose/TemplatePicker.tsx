import { useState } from "react";
import { Card, ConfirmDialog, Field } from "../../shared/components";
import { analysisName, methodName, variantWords } from "../studies/wording";
import { blank, templates } from "./templates";

const blankId = "blank";

/** Starts from an example, or from a file on this machine. */
export function TemplatePicker(props: { readonly text: string; readonly onChoose: (text: string) => void }) {
  const { text, onChoose } = props;
  const [pending, setPending] = useState<string | null>(null);
  const isUntouched = text.trim() === "" || text === blank || templates.some((one) => one.text === text);
  const choose = (next: string) => {
    if (isUntouched) onChoose(next);
    else setPending(next);
  };
  const current = text === blank ? blankId : (templates.find((one) => one.text === text)?.id ?? "");
  const analyses = [...new Set(templates.map(({ analysis }) => analysis))];
  return (
    <Card>
      <div className="field-row">
        <Field
          label="Start from"
          hint="Examples on a public table of breast biopsies and a made-up trial, one for each method."
        >
          {(ids) => (
            <select
              {...ids}
              value={current}
              onChange={({ target }) =>
                choose(templates.find(({ id }) => id === target.value)?.text ?? blank)
              }
            >
              {current === "" ? <option value="">your own file</option> : null}
              <option value={blankId}>empty study</option>
              {analyses.map((analysis) => (
                <optgroup key={analysis} label={analysisName(analysis)}>
                  {templates
                    .filter((one) => one.analysis === analysis)
                    .map(({ id, method, variant }) => (
                      <option key={id} value={id}>
                        {methodName(method)} ({variantWords(variant)}): {id}
                      </option>
                    ))}
                </optgroup>
              ))}
            </select>
          )}
        </Field>
        <Field label="Or open a file" hint="It stays in this browser until you start the study.">
          {(ids) => (
            <input
              {...ids}
              type="file"
              accept=".yaml,.yml,.json,application/yaml"
              onChange={async ({ target }) => {
                const file = target.files?.[0];
                if (file !== undefined) choose(await file.text());
                target.value = "";
              }}
            />
          )}
        </Field>
      </div>
      {pending === null ? null : (
        <ConfirmDialog
          title="Replace your text?"
          confirm="Replace"
          kind="danger"
          onConfirm={async () => onChoose(pending)}
          onClose={() => setPending(null)}
        >
          <p>Your current file is lost unless you download it first.</p>
        </ConfirmDialog>
      )}
    </Card>
  );
}
