import type { ConsoleSiteView } from "@consilium/core/operator/consoleViews";
import { Tick } from "../../shared/choices";
import { Badge, Card, Field } from "../../shared/components";
import { isRecord } from "../../shared/yaml/values";
import { presenceTones, presenceWords } from "../federation/siteHealth";
import { analysisName, methodName, variantWords } from "../studies/wording";
import { analysesOf, usualMethod } from "./changeMethod";
import { FeatureTable } from "./FeatureTable";
import { NumberInput, SpecFields, TextsInput, textOf, useForm } from "./fields";
import { type MethodSpec, methodOf, type StudySpec } from "./schemaFields";

/** The study as a form; changes are written to the file. */
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
      <Card title="Computation">
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
          Bounds and levels are public declarations, never read from a table: reading them would reveal
          information about records before any protection applies.
        </p>
        <FeatureTable onAdd={props.onFeature} />
        <LabelFields />
      </Card>
      <Card title="Participation">
        <SitesField sites={props.sites} />
        <SpecFields
          specs={spec.participation.filter(({ key }) => key !== "sites")}
          path={["participation"]}
        />
      </Card>
      <PatientCard />
      <Card title="Release">
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
        hint="Proven: privacy is proven. As published: the authors' own version; the plan says why their claim does not hold."
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
                {methodName(one.method)} ({variantWords(one.variant)})
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
            hint="Smaller is more private: 1 is common; above 8 there is little protection."
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
            hint="Much less than 1 / (number of records), such as 0.00001."
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
        The table has an outcome column
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
          <Field label="Levels" hint="comma-separated" fault={faultAt(["label", "levels"])}>
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
        All sites enrolled at the start ({enrolled.length} now)
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
        Only these
      </label>
      {named === null ? null : (
        <div className="choices">
          {enrolled.map(({ id, presence }) => (
            <Tick key={id} checked={named.includes(id)} onChange={(on) => toggle(id, on)}>
              {id} <Badge tone={presenceTones[presence]}>{presenceWords[presence]}</Badge>
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
    <Card title="Unit of privacy">
      <Tick
        checked={has}
        onChange={(on) => change(["patient"], on ? { column: "patient_id", maxRows: 4 } : undefined)}
      >
        Protect patients instead of rows (a patient may have several rows)
      </Tick>
      {has ? (
        <div className="field-row">
          <Field
            label="Patient's column"
            hint="Identifies the patient; not used for anything else."
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
            label="Maximum rows per patient"
            hint="Sites exclude further rows."
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
            label="Patients with several rows"
            hint="Weighed: all rows of a patient together count as one, with the noise for one row. Counted: noise grows with the number of rows."
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
