import { useState } from "react";
import { Tick } from "../../shared/choices";
import { Card, Field, Notice } from "../../shared/components";
import { applyForm, type PolicyForm, perStudyCap, readForm } from "./form";

/** The settings that most hospitals change, beside the file: every change is made in its text, where it can be seen. */
export function CommonSettings(props: { readonly text: string; readonly onChange: (text: string) => void }) {
  const [isRefused, setRefused] = useState(false);
  const form = readForm(props.text);
  const set = (change: Partial<PolicyForm>) => {
    const next = applyForm(props.text, change);
    setRefused(next === null);
    if (next !== null) props.onChange(next);
  };
  return (
    <Card title="Common settings">
      <p className="muted">Each of them changes the text of the file below, and nothing else in it.</p>
      {form === null ? (
        <p>The text cannot be read at the moment: correct its faults, and the settings appear again.</p>
      ) : (
        <div className="settings">
          <Variants form={form} onChange={set} />
          <Approval form={form} onChange={set} />
          <Budget form={form} onChange={set} />
          <Demands form={form} onChange={set} />
        </div>
      )}
      {isRefused ? (
        <Notice tone="warn" title="This cannot be changed here.">
          <p>The file is written in a way that this form does not know. Change it in the text below.</p>
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
      <legend>Which studies</legend>
      <Tick checked={form.sound} onChange={(on) => onChange({ sound: on })}>
        Those whose privacy is proved (sound)
      </Tick>
      <Tick checked={form.paper} onChange={(on) => onChange({ paper: on })}>
        Those whose privacy is only claimed by a method's authors (paper): they spend without a proved bound
      </Tick>
    </fieldset>
  );
}

const approvals = {
  person: "A person, always",
  limited: "A person, but for proved studies that cost little",
  automatic: "Nobody: all that the rules allow joins by itself",
} as const;

function Approval(part: PartProps) {
  const { form, onChange } = part;
  return (
    <fieldset>
      <legend>Who decides</legend>
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
      {form.approval === "limited" ? (
        <>
          <NumberSetting {...part} name="maxEpsilon" label="Joins by itself up to ε, at the population's δ" />
          <NumberSetting {...part} name="maxDelta" label="and up to a δ of its own" />
        </>
      ) : null}
    </fieldset>
  );
}

function Budget(part: PartProps) {
  const { form, onChange } = part;
  return (
    <fieldset>
      <legend>How much, for ever (population default)</legend>
      <Tick
        checked={form.budgetEpsilon === null}
        onChange={(on) => onChange({ budgetEpsilon: on ? null : 3 })}
      >
        No limit
      </Tick>
      {form.budgetEpsilon === null ? null : (
        <NumberSetting {...part} name="budgetEpsilon" label="Budget, ε, for all studies together" />
      )}
      <NumberSetting {...part} name="budgetDelta" label="At δ" />
      <Tick
        checked={form.perStudyEpsilon !== null}
        onChange={(on) =>
          onChange({
            perStudyEpsilon: on ? perStudyCap.epsilon : null,
            perStudyDelta: on ? perStudyCap.delta : null,
          })
        }
      >
        A cap for each single study
      </Tick>
      {form.perStudyEpsilon === null ? null : (
        <NumberSetting
          {...part}
          name="perStudyEpsilon"
          label="At most ε in one study, at the population's δ"
        />
      )}
      {form.perStudyDelta === null ? null : (
        <NumberSetting {...part} name="perStudyDelta" label="At most δ of a study's own" />
      )}
    </fieldset>
  );
}

function Demands(part: PartProps) {
  return (
    <fieldset>
      <legend>What a study must bring</legend>
      <NumberSetting {...part} name="minimumSites" label="Hospitals, at least" min={3} whole />
      <NumberSetting {...part} name="minimumRows" label="Rows of this hospital, at least" whole />
      <NumberSetting
        {...part}
        name="tolerateColluding"
        label="Colluding hospitals that it withstands, at least"
        whole
      />
    </fieldset>
  );
}

type NumberName = {
  [Name in keyof PolicyForm]: PolicyForm[Name] extends number | null ? Name : never;
}[keyof PolicyForm];

/** Keeps what is being typed until it is a number, such as a field that is empty for a moment. */
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
