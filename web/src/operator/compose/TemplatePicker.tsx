import { Field } from "../../shared/components";
import { t } from "../../shared/language";
import { analysisName, methodName, variantWords } from "../studies/wording";
import { templates } from "./templates";

/** Starts from an example, or from a file on this machine. */
export function TemplatePicker(props: { readonly text: string; readonly onChoose: (text: string) => void }) {
  const { text, onChoose: choose } = props;
  const current = templates.find((one) => one.text === text)?.id ?? "";
  const analyses = [...new Set(templates.map(({ analysis }) => analysis))];
  return (
    <details className="advanced">
      <summary>{t("Start from an example or a file")}</summary>
      <div className="field-row">
        <Field
          label={t("Start from")}
          hint={t("Examples on a public table of breast biopsies and a made-up trial, one for each method.")}
        >
          {(ids) => (
            <select
              {...ids}
              value={current}
              onChange={({ target }) => choose(templates.find(({ id }) => id === target.value)?.text ?? text)}
            >
              {current === "" ? <option value="">{t("this draft")}</option> : null}
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
        <Field label={t("Or open a file")} hint={t("It stays in this browser until you start the study.")}>
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
    </details>
  );
}
