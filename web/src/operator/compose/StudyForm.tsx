import type { ConsoleSiteView } from "@consilium/core/operator/consoleViews";
import { Tick } from "../../shared/choices";
import { Badge, Card, Field } from "../../shared/components";
import { isRecord } from "../../shared/yaml/values";
import { presenceTones } from "../federation/siteHealth";
import { analysisName } from "../studies/wording";
import { analysesOf, usualMethod } from "./changeMethod";
import { FeatureTable } from "./FeatureTable";
import { NumberInput, SpecFields, TextsInput, textOf, useForm } from "./fields";
import { type MethodSpec, methodOf, type StudySpec } from "./schemaFields";

/** The study as a form: what it changes, it changes in the file. */
export function StudyForm(props: {
  readonly spec: StudySpec;
  readonly sites: readonly ConsoleSiteView[];
  readonly onMethod: (method: MethodSpec) => void;
  readonly onFeature: (item: Readonly<Record<string, unknown>>) => void;
}) {
  const { spec } = props;
  const { value } = useForm();
  const method = methodOf(spec.methods, value);
  return (
    <>
      <Card title="What is computed">
        <SpecFields specs={spec.names} path={[]} />
        <MethodFields spec={spec} method={method} onMethod={props.onMethod} />
      </Card>
      <PrivacyCard />
      {method === null ? null : (
        <Card title="Parameters">
          <SpecFields specs={method.parameters} path={["parameters"]} />
        </Card>
      )}
      <Card title="Columns">
        <p className="hint">
          Bounds and levels are public and declared, never read from anybody's table: reading them would
          reveal something of the records before any protection applies.
        </p>
        <FeatureTable onAdd={props.onFeature} />
        <LabelFields />
      </Card>
      <Card title="Who takes part">
        <SitesField sites={props.sites} />
        <SpecFields
          specs={spec.participation.filter(({ key }) => key !== "sites")}
          path={["participation"]}
        />
      </Card>
      <PatientCard />
      <Card title="The release">
        <SpecFields specs={spec.release} path={["release"]} />
      </Card>
    </>
  );
}

function MethodFields(props: {
  readonly spec: StudySpec;
  readonly method: MethodSpec | null;
  readonly onMethod: (method: MethodSpec) => void;
}) {
  const { spec, method, onMethod } = props;
  const { value, faultAt } = useForm();
  const analyses = analysesOf(spec.methods);
  const own = analyses.find(({ analysis }) => analysis === value.analysis)?.methods ?? [];
  const choose = (next: MethodSpec | null | undefined) => {
    if (next != null) onMethod(next);
  };
  return (
    <>
      <Field label="Analysis" fault={faultAt(["analysis"])}>
        {(ids) => (
          <select
            {...ids}
            value={textOf(value.analysis)}
            onChange={({ target }) => choose(usualMethod(spec.methods, target.value))}
          >
            {own.length === 0 ? <option value={textOf(value.analysis)}>choose one</option> : null}
            {analyses.map(({ analysis }) => (
              <option key={analysis} value={analysis}>
                {analysisName(analysis)}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field
        label="Method"
        hint="Sound: its privacy is proved. Paper: as its authors published it; the plan says why their claim does not hold."
        fault={faultAt(["method"]) ?? faultAt(["variant"])}
      >
        {(ids) => (
          <select
            {...ids}
            value={method?.method ?? ""}
            onChange={({ target }) => choose(own.find((one) => one.method === target.value))}
          >
            {method === null ? <option value="">choose one</option> : null}
            {own.map((one) => (
              <option key={one.method} value={one.method}>
                {one.method} ({one.variant})
              </option>
            ))}
          </select>
        )}
      </Field>
    </>
  );
}

function PrivacyCard() {
  const { value, change, faultAt } = useForm();
  const isNone = value.privacy === "none";
  const cost = isRecord(value.privacy) ? value.privacy : {};
  return (
    <Card title="Privacy">
      <fieldset className="bare">
        <legend className="visually-hidden">Privacy</legend>
        <label className="check">
          <input
            type="radio"
            name="privacy"
            checked={!isNone}
            onChange={() => change(["privacy"], { epsilon: 1, delta: 0.00001 })}
          />
          With noise, at a cost of ε and δ to every record
        </label>
        <label className="check">
          <input type="radio" name="privacy" checked={isNone} onChange={() => change(["privacy"], "none")} />
          None: for public data only, and only at sites whose policy allows it
        </label>
      </fieldset>
      {isNone ? null : (
        <div className="field-row">
          <Field
            label="Epsilon (ε)"
            hint="Smaller is more private: 1 is usual, above 8 little is promised."
            fault={faultAt(["privacy", "epsilon"]) ?? faultAt(["privacy"])}
          >
            {(ids) => (
              <NumberInput
                ids={ids}
                value={cost.epsilon}
                onChange={(next) => change(["privacy", "epsilon"], next)}
              />
            )}
          </Field>
          <Field
            label="Delta (δ)"
            hint="Well below one over the number of records, such as 0.00001."
            fault={faultAt(["privacy", "delta"])}
          >
            {(ids) => (
              <NumberInput
                ids={ids}
                value={cost.delta}
                onChange={(next) => change(["privacy", "delta"], next)}
              />
            )}
          </Field>
        </div>
      )}
    </Card>
  );
}

function LabelFields() {
  const { value, change, faultAt } = useForm();
  const has = value.label !== undefined;
  const label = isRecord(value.label) ? value.label : {};
  return (
    <fieldset>
      <legend>Label</legend>
      <Tick
        checked={has}
        onChange={(on) => change(["label"], on ? { name: "outcome", levels: ["no", "yes"] } : undefined)}
      >
        The table has a column that says each row's class
      </Tick>
      {faultAt(["label"]) === null ? null : <p className="fault">{faultAt(["label"])}</p>}
      {has ? (
        <div className="field-row">
          <Field label="Label's column" fault={faultAt(["label", "name"])}>
            {(ids) => (
              <input
                {...ids}
                value={textOf(label.name)}
                onChange={({ target }) => change(["label", "name"], target.value)}
              />
            )}
          </Field>
          <Field label="Its levels" hint="with commas between them" fault={faultAt(["label", "levels"])}>
            {(ids) => (
              <TextsInput
                ids={ids}
                value={label.levels}
                onChange={(levels) => change(["label", "levels"], levels ?? [])}
              />
            )}
          </Field>
        </div>
      ) : null}
    </fieldset>
  );
}

function SitesField({ sites }: { readonly sites: readonly ConsoleSiteView[] }) {
  const { value, change, faultAt } = useForm();
  const participation = isRecord(value.participation) ? value.participation : {};
  const named: readonly unknown[] | null = Array.isArray(participation.sites) ? participation.sites : null;
  const enrolled = sites.filter(({ presence }) => presence !== "invited" && presence !== "expelled");
  const others = (named ?? []).filter((id) => !enrolled.some((site) => site.id === id));
  const path = ["participation", "sites"];
  const toggle = (id: string, isIn: boolean) =>
    change(path, isIn ? [...(named ?? []), id] : (named ?? []).filter((one) => one !== id));
  const fault = faultAt(path);
  return (
    <fieldset>
      <legend>Sites</legend>
      <label className="check">
        <input type="radio" name="sites" checked={named === null} onChange={() => change(path, undefined)} />
        All that are enrolled when it starts ({enrolled.length} now)
      </label>
      <label className="check">
        <input
          type="radio"
          name="sites"
          checked={named !== null}
          onChange={() =>
            change(
              path,
              enrolled.map(({ id }) => id),
            )
          }
        />
        These alone
      </label>
      {named === null ? null : (
        <div className="choices">
          {enrolled.map(({ id, presence }) => (
            <Tick key={id} checked={named.includes(id)} onChange={(on) => toggle(id, on)}>
              {id} <Badge tone={presenceTones[presence]}>{presence}</Badge>
            </Tick>
          ))}
          {others.map((id) => (
            <Tick key={String(id)} checked onChange={() => toggle(String(id), false)}>
              {String(id)} <Badge tone="bad">not enrolled</Badge>
            </Tick>
          ))}
        </div>
      )}
      {fault === null ? null : <p className="fault">{fault}</p>}
    </fieldset>
  );
}

function PatientCard() {
  const { value, change, faultAt } = useForm();
  const has = value.patient !== undefined;
  const patient = isRecord(value.patient) ? value.patient : {};
  return (
    <Card title="Whose privacy">
      <Tick
        checked={has}
        onChange={(on) => change(["patient"], on ? { column: "patient_id", maxRows: 4 } : undefined)}
      >
        A patient may have several rows: protect the patient, not the row
      </Tick>
      {has ? (
        <div className="field-row">
          <Field
            label="Patient's column"
            hint="Says whose row it is; it is read for nothing else."
            fault={faultAt(["patient", "column"])}
          >
            {(ids) => (
              <input
                {...ids}
                value={textOf(patient.column)}
                onChange={({ target }) => change(["patient", "column"], target.value)}
              />
            )}
          </Field>
          <Field
            label="Rows of each patient, at most"
            hint="A site leaves further rows out."
            fault={faultAt(["patient", "maxRows"])}
          >
            {(ids) => (
              <NumberInput
                ids={ids}
                value={patient.maxRows}
                onChange={(next) => change(["patient", "maxRows"], next)}
              />
            )}
          </Field>
          <Field
            label="Several rows of a patient"
            hint="Weighed, all rows of a patient count as much as one, and noise is that of one row. Counted, noise grows with their number."
            fault={faultAt(["patient", "weighting"])}
          >
            {(ids) => (
              <select
                {...ids}
                value={textOf(patient.weighting)}
                onChange={({ target }) => change(["patient", "weighting"], target.value || undefined)}
              >
                <option value="">Default (weighed where the method can)</option>
                <option value="patients">Weighed: sums count patients</option>
                <option value="rows">Counted: sums count rows</option>
              </select>
            )}
          </Field>
        </div>
      ) : null}
    </Card>
  );
}
