import { useState } from "react";
import { Card, Field, Notice } from "../../shared/components";
import { applyForm, type PolicyForm, readForm } from "./form";

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
      <label className="check">
        <input
          type="checkbox"
          checked={form.sound}
          onChange={(event) => onChange({ sound: event.target.checked })}
        />
        <span>Those whose privacy is proved (sound)</span>
      </label>
      <label className="check">
        <input
          type="checkbox"
          checked={form.paper}
          onChange={(event) => onChange({ paper: event.target.checked })}
        />
        <span>
          Those whose privacy is only claimed by a method's authors (paper): they spend without a proved bound
        </span>
      </label>
    </fieldset>
  );
}

const approvals = {
  person: "A person, always",
  limited: "A person, but for proved studies that cost little",
  automatic: "Nobody: all that the rules allow joins by itself",
} as const;

function Approval({ form, onChange }: PartProps) {
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
        <NumberField
          label="Joins by itself up to ε"
          value={form.maxEpsilon}
          min={0}
          step="any"
          onChange={(maxEpsilon) => onChange({ maxEpsilon })}
        />
      ) : null}
    </fieldset>
  );
}

function Budget({ form, onChange }: PartProps) {
  return (
    <fieldset>
      <legend>How much, for ever (population default)</legend>
      <label className="check">
        <input
          type="checkbox"
          checked={form.budgetEpsilon === null}
          onChange={(event) => onChange({ budgetEpsilon: event.target.checked ? null : 10 })}
        />
        <span>No limit</span>
      </label>
      {form.budgetEpsilon === null ? null : (
        <NumberField
          label="Budget, ε, for all studies together"
          value={form.budgetEpsilon}
          min={0}
          step="any"
          onChange={(budgetEpsilon) => onChange({ budgetEpsilon })}
        />
      )}
      <NumberField
        label="At δ"
        value={form.budgetDelta}
        min={0}
        step="any"
        onChange={(budgetDelta) => onChange({ budgetDelta })}
      />
      <label className="check">
        <input
          type="checkbox"
          checked={form.perStudyEpsilon !== null}
          onChange={(event) => onChange({ perStudyEpsilon: event.target.checked ? 1 : null })}
        />
        <span>A cap for each single study</span>
      </label>
      {form.perStudyEpsilon === null ? null : (
        <NumberField
          label="At most ε in one study"
          value={form.perStudyEpsilon}
          min={0}
          step="any"
          onChange={(perStudyEpsilon) => onChange({ perStudyEpsilon })}
        />
      )}
    </fieldset>
  );
}

function Demands({ form, onChange }: PartProps) {
  return (
    <fieldset>
      <legend>What a study must bring</legend>
      <NumberField
        label="Hospitals, at least"
        value={form.minimumSites}
        min={3}
        step="1"
        onChange={(minimumSites) => onChange({ minimumSites })}
      />
      <NumberField
        label="Rows of this hospital, at least"
        value={form.minimumRows}
        min={0}
        step="1"
        onChange={(minimumRows) => onChange({ minimumRows })}
      />
      <NumberField
        label="Colluding hospitals that it withstands, at least"
        value={form.tolerateColluding}
        min={0}
        step="1"
        onChange={(tolerateColluding) => onChange({ tolerateColluding })}
      />
    </fieldset>
  );
}

/** Keeps what is being typed until it is a number, such as a field that is empty for a moment. */
function NumberField(props: {
  readonly label: string;
  readonly value: number;
  readonly min: number;
  readonly step: string;
  readonly onChange: (value: number) => void;
}) {
  const [typed, setTyped] = useState<string | null>(null);
  return (
    <Field label={props.label}>
      {(ids) => (
        <input
          {...ids}
          type="number"
          inputMode="decimal"
          min={props.min}
          step={props.step}
          value={typed ?? String(props.value)}
          onChange={(event) => {
            setTyped(event.target.value);
            const value = event.target.valueAsNumber;
            if (Number.isFinite(value)) props.onChange(value);
          }}
          onBlur={() => setTyped(null)}
        />
      )}
    </Field>
  );
}
