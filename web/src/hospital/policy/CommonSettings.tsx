import { requestKeys, requestTitles } from "@consilium/core/study/requestWords";
import { useState } from "react";
import { Tick } from "../../shared/choices";
import { Card, Field, Notice } from "../../shared/components";
import { said, served, t } from "../../shared/language";
import { applyForm, type PolicyForm, perStudyCap, readForm } from "./form";

/** The settings that most hospitals change. Each change is written to the file's text, where it is visible. */
export function CommonSettings(props: { readonly text: string; readonly onChange: (text: string) => void }) {
  const [isRefused, setRefused] = useState(false);
  const form = readForm(props.text);
  const set = (change: Partial<PolicyForm>) => {
    const next = applyForm(props.text, change);
    setRefused(next === null);
    if (next !== null) props.onChange(next);
  };
  return (
    <Card title={t("Common settings")}>
      <p className="muted">{t("Each setting edits only its own lines in the file below.")}</p>
      {form === null ? (
        <p>{t("The file has errors: correct them to show the settings again.")}</p>
      ) : (
        <div className="settings">
          <Variants form={form} onChange={set} />
          <Approval form={form} onChange={set} />
          <Budget form={form} onChange={set} />
          <div>
            <Demands form={form} onChange={set} />
            <RequestSetting form={form} onChange={set} />
          </div>
        </div>
      )}
      {isRefused ? (
        <Notice tone="warn" title={t("This cannot be changed here.")}>
          <p>{t("The form does not support the way this setting is written. Edit the text below.")}</p>
        </Notice>
      ) : null}
    </Card>
  );
}

interface PartProps {
  readonly form: PolicyForm;
  readonly onChange: (change: Partial<PolicyForm>) => void;
}

function Variants({ form, onChange }: PartProps) {
  return (
    <fieldset>
      <legend>{t("Allowed studies")}</legend>
      <Tick checked={form.sound} onChange={(on) => onChange({ sound: on })}>
        {t("Studies with proven privacy (sound)")}
      </Tick>
      <Tick checked={form.paper} onChange={(on) => onChange({ paper: on })}>
        {t(
          "Studies whose privacy is only claimed by the method's authors (paper): they spend without a proven bound",
        )}
      </Tick>
      <Tick checked={form.perHospital} onChange={(on) => onChange({ perHospital: on })}>
        {t(
          "Noisy figures of this hospital alone, or of too few together: noise protects patients, not the hospital",
        )}
      </Tick>
    </fieldset>
  );
}

const approvals = said({
  person: "A person, always",
  limited: "Manual, except for low-cost studies with proven privacy",
  automatic: "Automatic for every study that the rules allow",
});

function Approval(part: PartProps) {
  const { form, onChange } = part;
  return (
    <fieldset>
      <legend>{t("Approval")}</legend>
      {(Object.keys(approvals) as (keyof typeof approvals)[]).map((one) => (
        <label key={one} className="check">
          <input
            type="radio"
            name="approval"
            checked={form.approval === one}
            onChange={() => onChange({ approval: one })}
          />
          <span>{approvals[one]}</span>
        </label>
      ))}
      <Tick checked={form.two} onChange={(two) => onChange({ two })}>
        {t("Two different people must approve")}
      </Tick>
      <Tick checked={form.publishRefusals} onChange={(on) => onChange({ publishRefusals: on })}>
        {t("The operator may publish by which code this hospital did not take part")}
      </Tick>
      {form.approval === "limited" ? (
        <>
          <NumberSetting {...part} name="maxEpsilon" label={t("Automatic up to ε, at the population's δ")} />
          <NumberSetting {...part} name="maxDelta" label={t("and up to a study δ of")} />
        </>
      ) : null}
    </fieldset>
  );
}

function Budget(part: PartProps) {
  const { form, onChange } = part;
  return (
    <fieldset>
      <legend>{t("Lifetime privacy budget (default population)")}</legend>
      <Tick
        checked={form.budgetEpsilon === null}
        onChange={(on) => onChange({ budgetEpsilon: on ? null : 3 })}
      >
        {t("No limit")}
      </Tick>
      {form.budgetEpsilon === null ? null : (
        <NumberSetting {...part} name="budgetEpsilon" label={t("Budget, ε, for all studies together")} />
      )}
      <NumberSetting {...part} name="budgetDelta" label={t("At δ")} />
      <Tick
        checked={form.perStudyEpsilon !== null}
        onChange={(on) =>
          onChange({
            perStudyEpsilon: on ? perStudyCap.epsilon : null,
            perStudyDelta: on ? perStudyCap.delta : null,
          })
        }
      >
        {t("Limit per study")}
      </Tick>
      {form.perStudyEpsilon === null ? null : (
        <NumberSetting
          {...part}
          name="perStudyEpsilon"
          label={t("Maximum ε per study, at the population's δ")}
        />
      )}
      {form.perStudyDelta === null ? null : (
        <NumberSetting {...part} name="perStudyDelta" label={t("Maximum δ per study")} />
      )}
    </fieldset>
  );
}

function Demands(part: PartProps) {
  return (
    <fieldset>
      <legend>{t("Study requirements")}</legend>
      <NumberSetting {...part} name="minimumSites" label={t("Minimum number of hospitals")} min={3} whole />
      <NumberSetting {...part} name="minimumRows" label={t("Minimum rows at this hospital")} whole />
      <NumberSetting
        {...part}
        name="minimumUsable"
        label={t("Tell people below this percentage of usable rows")}
        whole
      />
      <NumberSetting
        {...part}
        name="tolerateColluding"
        label={t("Minimum number of tolerated colluding hospitals")}
        whole
      />
      <NumberSetting
        {...part}
        name="maxUnanswered"
        label={t("Studies without an answer, until a person decides")}
        min={1}
        whole
      />
    </fieldset>
  );
}

function RequestSetting({ form, onChange }: PartProps) {
  return (
    <fieldset>
      <legend>{t("A study must state")}</legend>
      {requestKeys.map((key) => (
        <Tick
          key={key}
          checked={form.requires.includes(key)}
          onChange={(on) =>
            onChange({
              requires: requestKeys.filter((one) => (one === key ? on : form.requires.includes(one))),
            })
          }
        >
          {served(requestTitles[key])}
        </Tick>
      ))}
    </fieldset>
  );
}

type NumberName = {
  [Name in keyof PolicyForm]: PolicyForm[Name] extends number | null ? Name : never;
}[keyof PolicyForm];

/** Keeps the typed text until it is a number: a field may be empty for a moment. */
function NumberSetting(
  props: PartProps & {
    readonly name: NumberName;
    readonly label: string;
    readonly min?: number;
    readonly whole?: boolean;
  },
) {
  const [typed, setTyped] = useState<string | null>(null);
  return (
    <Field label={props.label}>
      {(ids) => (
        <input
          {...ids}
          type="number"
          inputMode="decimal"
          min={props.min ?? 0}
          step={props.whole === true ? "1" : "any"}
          value={typed ?? String(props.form[props.name])}
          onChange={(event) => {
            setTyped(event.target.value);
            const value = event.target.valueAsNumber;
            if (Number.isFinite(value)) props.onChange({ [props.name]: value });
          }}
          onBlur={() => setTyped(null)}
        />
      )}
    </Field>
  );
}
